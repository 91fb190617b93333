import type { Graph, GraphNode } from './graph.ts';
import { plainLine, widthOf, wrap } from './text.ts';

/** A place, in pixels. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A step with its place. */
export interface Cell extends Box {
  readonly node: GraphNode;
}

/** What is laid out as one: a step, or several that stand between the same steps. */
export interface Unit {
  /** Of its own, since steps may be called like what objects have by themselves. */
  readonly id: string;
  readonly nodes: readonly GraphNode[];
}

/** Where the steps of a unit are inside of it. */
export interface Grid {
  readonly width: number;
  readonly height: number;
  at(index: number): Box;
}

/** Fewer steps than this stand beside each other in a layer. */
const GROUP_MIN = 5;
const TEXT_MAX_PX = 170;
const TEXT_MIN_PX = 84;
/** Room for the shape's sides and the sign. */
const SIDES_PX = 52;
const INNER_GAP = 14;
/** Widest note, the room at its sides, and the size of its letters. */
const NOTE_MAX_PX = 230;
export const NOTE_SIDES_PX = 34;
export const NOTE_FONT_PX = 11;

/** The lines of a step's name. */
export function nameLines({ name }: GraphNode): readonly string[] {
  return wrap(plainLine(name) || '(no name)', TEXT_MAX_PX, 2);
}

/** The steps of a graph in units, in the order in which they are written. */
export function unitsOf({ nodes, edges }: Graph): readonly Unit[] {
  const keyOf = ({ id, type }: GraphNode): string => {
    const own = edges.filter(({ from, to }) => from === id || to === id);
    if (own.some(({ kind }) => kind === 'back')) return id;
    const before = own.filter(({ to }) => to === id).map(({ from, label }) => [from, label]);
    const after = own.filter(({ from }) => from === id).map(({ to, label }) => [to, label]);
    return before.length + after.length === 0 ? id : JSON.stringify([type, before.sort(), after.sort()]);
  };
  const groups = [...Map.groupBy(nodes, keyOf).values()];
  return groups
    .flatMap((group) => (group.length >= GROUP_MIN ? [group] : group.map((node) => [node])))
    .map((group, index) => ({ id: `unit ${index}`, nodes: group }));
}

/** How much room a unit takes. */
export function sizeOf(unit: Unit): { readonly width: number; readonly height: number } {
  const [only, ...others] = unit.nodes;
  return only && others.length === 0 ? nodeSize(only) : gridOf(unit);
}

function nodeSize(node: GraphNode): { readonly width: number; readonly height: number } {
  const lines = nameLines(node);
  const widest = Math.max(TEXT_MIN_PX, ...lines.map((line) => widthOf(line)), widthOf(node.type, 10));
  const note = node.note === '' ? 0 : 15;
  const noteWidth = Math.min(widthOf(plainLine(node.note), NOTE_FONT_PX), NOTE_MAX_PX);
  return {
    width: Math.ceil(Math.max(Math.min(widest, TEXT_MAX_PX) + SIDES_PX, noteWidth + NOTE_SIDES_PX)),
    height: 34 + lines.length * 17 + note,
  };
}

/** Steps in rows, about as wide as they are high. */
export function gridOf({ nodes }: Unit): Grid {
  const sizes = nodes.map(nodeSize);
  const width = Math.max(...sizes.map((size) => size.width));
  const height = Math.max(...sizes.map((size) => size.height));
  const columns = Math.max(1, Math.round(Math.sqrt((nodes.length * height * 1.6) / width)));
  const rows = Math.ceil(nodes.length / columns);
  return {
    width: columns * (width + INNER_GAP) + INNER_GAP,
    height: rows * (height + INNER_GAP) + INNER_GAP,
    at: (index) => ({
      left: INNER_GAP + (index % columns) * (width + INNER_GAP),
      top: INNER_GAP + Math.floor(index / columns) * (height + INNER_GAP),
      width,
      height,
    }),
  };
}
