import type { Bundle, Line, Point } from './placed.ts';
import { labelWidth } from './text.ts';
import type { Box, Cell } from './units.ts';

/** A line whose label has no place yet. */
export type Unlabelled = Pick<Bundle, 'edges' | 'label'> & { readonly points: readonly Point[] };

/** Puts labels on their lines: in the middle of the longest stretch, or where they cover no step and no other label, beside the line if need be. */
export function labelled(lines: readonly Unlabelled[], cells: readonly Cell[]): readonly Line[] {
  const taken: Box[] = [...cells];
  return lines.map(({ edges, label, points }): Line => {
    if (label === '') return { edges, points };
    const [width, height] = [labelWidth(label), LABEL_PX];
    const around = ({ x, y }: Point): Box => ({ left: x - width / 2, top: y - height / 2, width, height });
    const on = placesOn(points);
    const aside = [1, -1].flatMap((side) => on.map(({ x, y }) => ({ x: x + side * (width / 2 + 5), y })));
    const places = [...on, ...aside];
    const at = places.find((point) => !taken.some((box) => overlaps(box, around(point)))) ?? places[0];
    if (!at) return { edges, points };
    taken.push(around(at));
    return { edges, points, label: { text: label, at } };
  });
}

/** Height of a label, in pixels. */
const LABEL_PX = 17;

/** Points on a line, the best ones for a label first. */
function placesOn(points: readonly Point[]): readonly Point[] {
  const stretches = points.slice(1).flatMap((next, index) => {
    const last = points[index];
    return last ? [{ last, next, length: Math.hypot(next.x - last.x, next.y - last.y) }] : [];
  });
  return stretches
    .toSorted((one, other) => other.length - one.length)
    .flatMap(({ last, next }) =>
      [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1, 0.9].map((part) => ({
        x: last.x + (next.x - last.x) * part,
        y: last.y + (next.y - last.y) * part,
      })),
    );
}

function overlaps(one: Box, other: Box): boolean {
  return (
    one.left < other.left + other.width &&
    other.left < one.left + one.width &&
    one.top < other.top + other.height &&
    other.top < one.top + one.height
  );
}
