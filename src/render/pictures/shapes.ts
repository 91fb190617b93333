import type { NodeState } from './graph.ts';
import type { Box } from './units.ts';

/** The outline of a step, by its type; those of plugins have that of a step that simply does something. */
export function shapeOf(type: string, box: Box): string {
  return (SHAPES[type] ?? rounded)(box);
}

type Shape = (box: Box) => string;

/** Models and agents bulge, people have corners that are cut, decisions are pointed, requests lean, programs have a stub. */
const SHAPES: Readonly<Record<string, Shape>> = {
  agent: pill,
  llm: pill,
  decision: pointed,
  condition: pointed,
  approval: cut,
  http: leaning,
  tool: leaning,
  script: stubbed,
  template: folded,
  history: folded,
  flow: framed,
  map: framed,
  join: notched,
  wait: pill,
  message: bubble,
};

function path(...points: readonly (readonly [number, number])[]): string {
  return `M${points.map(([x, y]) => `${round(x)} ${round(y)}`).join('L')}Z`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function corners({ left, top, width, height }: Box) {
  return { l: left, t: top, r: left + width, b: top + height };
}

function rounded(box: Box, radius = 8): string {
  const { l, t, r, b } = corners(box);
  const q = radius;
  return `M${round(l + q)} ${round(t)}H${round(r - q)}Q${round(r)} ${round(t)} ${round(r)} ${round(t + q)}V${round(b - q)}Q${round(r)} ${round(b)} ${round(r - q)} ${round(b)}H${round(l + q)}Q${round(l)} ${round(b)} ${round(l)} ${round(b - q)}V${round(t + q)}Q${round(l)} ${round(t)} ${round(l + q)} ${round(t)}Z`;
}

function pill(box: Box): string {
  return rounded(box, Math.min(24, box.height / 2));
}

function pointed(box: Box): string {
  const { l, t, r, b } = corners(box);
  const y = (t + b) / 2;
  return path([l + 14, t], [r - 14, t], [r, y], [r - 14, b], [l + 14, b], [l, y]);
}

function cut(box: Box): string {
  const { l, t, r, b } = corners(box);
  const c = 11;
  return path([l + c, t], [r - c, t], [r, t + c], [r, b - c], [r - c, b], [l + c, b], [l, b - c], [l, t + c]);
}

function leaning(box: Box): string {
  const { l, t, r, b } = corners(box);
  return path([l + 13, t], [r, t], [r - 13, b], [l, b]);
}

function stubbed(box: Box): string {
  const { l, t, r, b } = corners(box);
  return `${path([l, t], [r, t], [r, b], [l, b])}M${round(l + 7)} ${round(t)}V${round(b)}`;
}

function folded(box: Box): string {
  const { l, t, r, b } = corners(box);
  return `${path([l, t], [r - 14, t], [r, t + 14], [r, b], [l, b])}M${round(r - 14)} ${round(t)}V${round(t + 14)}H${round(r)}`;
}

function framed(box: Box): string {
  const { left, top, width, height } = box;
  const inner = { left: left + 4, top: top + 4, width: width - 8, height: height - 8 };
  return `${rounded(box, 6)}${rounded(inner, 4)}`;
}

function notched(box: Box): string {
  const { l, t, r, b } = corners(box);
  return path([l, t], [r, t], [r - 14, b], [l + 14, b]);
}

function bubble(box: Box): string {
  const { l, b } = corners(box);
  return `${rounded(box)}M${round(l + 16)} ${round(b)}L${round(l + 14)} ${round(b + 7)}L${round(l + 26)} ${round(b)}`;
}

/** The sign of a state, as strokes around a middle, within 5 pixels; `""` = a step whose turn has not come has none. */
export function signOf(state: NodeState, x: number, y: number): string {
  const at = (dx: number, dy: number) => `${round(x + dx)} ${round(y + dy)}`;
  switch (state) {
    case 'planned':
      return '';
    case 'done':
      return `M${at(-4, 0)}L${at(-1, 3)}L${at(4, -3)}`;
    case 'failed':
      return `M${at(-3, -3)}L${at(3, 3)}M${at(3, -3)}L${at(-3, 3)}`;
    case 'working':
      return `M${at(-2, -4)}L${at(4, 0)}L${at(-2, 4)}Z`;
    case 'asking':
      return `M${at(-3, -2)}Q${at(-3, -5)} ${at(0, -5)}Q${at(3, -5)} ${at(3, -2)}Q${at(3, 0)} ${at(0, 1)}M${at(0, 4)}L${at(0, 4.2)}`;
    case 'sleeping':
      return `M${at(-5, 0)}A5 5 0 1 0 ${at(5, 0)}A5 5 0 1 0 ${at(-5, 0)}M${at(0, -2.6)}V${round(y)}L${at(2, 1.2)}`;
    case 'retrying':
      return `M${at(4, -2)}A4.5 4.5 0 1 0 ${at(4, 2)}M${at(4, -5)}V${round(y - 2)}H${round(x + 1)}`;
    case 'skipped':
      return `M${at(-4, 0)}H${round(x + 4)}`;
  }
}
