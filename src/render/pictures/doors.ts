import type { Graph as Layers } from '@dagrejs/dagre';
import type { Bundle, Point, Spot } from './placed.ts';
import type { Unit } from './units.ts';

/** Where lines leave and enter steps: beside each other, in the order of where they come from and go to. */
export function doorsOf(
  lines: readonly Bundle[],
  layers: Layers,
  placeOf: ReadonlyMap<Unit, Spot>,
  shift: (point: Point, column: number) => Point,
) {
  const xs = new Map(
    lines.map((one) => {
      const [from, to] = [placeOf.get(one.from), placeOf.get(one.to)];
      const isInside = from && to && from.column === to.column;
      const inner = isInside ? innerPoints(layers, one, from, shift) : [];
      return [one, { isInside, first: inner.at(0)?.x ?? 0, last: inner.at(-1)?.x ?? 0 }] as const;
    }),
  );
  const door = (one: Bundle, spot: Spot, others: readonly Bundle[], end: 'first' | 'last'): number => {
    const x = (line: Bundle) => xs.get(line)?.[end] ?? 0;
    const sorted = others.filter((line) => xs.get(line)?.isInside).toSorted((a, b) => x(a) - x(b));
    return spot.left + spot.width * (0.2 + (0.6 * (sorted.indexOf(one) + 0.5)) / sorted.length);
  };
  const [leaving, entering] = [Map.groupBy(lines, ({ from }) => from), Map.groupBy(lines, ({ to }) => to)];
  return {
    out: (one: Bundle, spot: Spot) => door(one, spot, leaving.get(one.from) ?? [], 'first'),
    into: (one: Bundle, spot: Spot) => door(one, spot, entering.get(one.to) ?? [], 'last'),
  };
}

/** The corners that the engine gives a line between its two steps. */
export function innerPoints(
  layers: Layers,
  { id, from, to }: Bundle,
  spot: Spot,
  shift: (point: Point, column: number) => Point,
): readonly Point[] {
  const points: readonly Point[] = layers.edge(from.id, to.id, id).points ?? [];
  return points.slice(1, -1).map((point) => shift(point, spot.column));
}
