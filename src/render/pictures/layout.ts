import { layout as arrange, Graph as Layers } from '@dagrejs/dagre';
import type { Graph, GraphEdge, GraphNode } from './graph.ts';
import { type Box, type Cell, type Grid, gridOf, sizeOf, type Unit, unitsOf } from './units.ts';

/** A corner of a line, in pixels. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A line between steps, or groups of them; `edges`: all that it stands for. */
export interface Line {
  readonly edges: readonly GraphEdge[];
  readonly points: readonly Point[];
  readonly label?: { readonly text: string; readonly at: Point };
}

/** A picture in which everything has its place, in pixels. */
export interface Placed {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly cells: readonly Cell[];
  /** Frames around groups of steps. */
  readonly frames: readonly Box[];
  readonly lines: readonly Line[];
}

const MARGIN = 24;
const GAP = 34;
/** How much higher than wide a picture gets before it goes on in another column. */
const TALL = 1.5;
/** Room beside a column for lines that lead back. */
const BACK_GAP = 26;
const BACKS_MAX = 5;

/** A unit with its place and its column. */
interface Spot extends Box {
  readonly unit: Unit;
  readonly column: number;
}

interface Column {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * Gives everything its place: steps in layers from top to bottom, those that stand between the same steps together in a
 * frame, and what is too tall in columns. Edges that lead back have no part in the layers. The same graph gives the same places.
 */
export function layout(graph: Graph): Placed {
  const units = unitsOf(graph);
  const unitOf = new Map(units.flatMap((unit) => unit.nodes.map(({ id }) => [id, unit] as const)));
  const forward = merged(
    graph.edges.filter(({ kind }) => kind !== 'back'),
    unitOf,
  );
  const back = graph.edges.filter(({ kind }) => kind === 'back');
  const layers = new Layers({ multigraph: true });
  layers.setGraph({ rankdir: 'TB', nodesep: GAP, ranksep: GAP + 12, marginx: 0, marginy: 0 });
  for (const unit of units) layers.setNode(unit.id, { ...sizeOf(unit) });
  for (const { id, from, to, label } of forward) {
    layers.setEdge(
      from.id,
      to.id,
      { width: label === '' ? 0 : 60, height: 16, labelpos: 'c', minlen: 1 },
      id,
    );
  }
  arrange(layers);
  const { spots, columns, shift } = inColumns(units, layers, back.length);
  const placeOf = new Map(spots.map((spot) => [spot.unit, spot]));
  const spotOf = (node: string) => placeOf.get(unitOf.get(node) ?? units[0] ?? NO_UNIT);

  let crossings = 0;
  const lines = forward.flatMap((one): readonly Line[] => {
    const from = placeOf.get(one.from);
    const to = placeOf.get(one.to);
    if (!from || !to) return [];
    if (from.column !== to.column) {
      crossings += 1;
      return [withLabel(one, across(from, to, columns, crossings % 6))];
    }
    const points = (layers.edge(one.from.id, one.to.id, one.id).points ?? []).map((point: Point) =>
      shift(point, from.column),
    );
    return [withLabel(one, points)];
  });
  const backs = back.flatMap((edge, index): readonly Line[] => {
    const from = spotOf(edge.from);
    const to = spotOf(edge.to);
    if (!from || !to) return [];
    return [withLabel({ edges: [edge], label: edge.label }, backwards(from, to, columns, index % BACKS_MAX))];
  });
  const cells = spots.flatMap(cellsOf);
  const all = [...lines, ...backs].flatMap(({ points }) => points);
  return placedAt(
    cells,
    spots.filter(({ unit }) => unit.nodes.length > 1),
    [...lines, ...backs],
    all,
  );
}

const NO_UNIT: Unit = { id: '', nodes: [] };

interface Merged {
  readonly id: string;
  readonly from: Unit;
  readonly to: Unit;
  readonly label: string;
  readonly edges: readonly GraphEdge[];
}

/** Edges between the same units are one line, unless they say different things. */
function merged(edges: readonly GraphEdge[], unitOf: ReadonlyMap<string, Unit>): readonly Merged[] {
  const groups = Map.groupBy(edges, ({ from, to, label, at }) => {
    const [one, other] = [unitOf.get(from), unitOf.get(to)];
    const isSingle = one?.nodes.length === 1 && other?.nodes.length === 1;
    return JSON.stringify([one?.id, other?.id, isSingle ? at : label]);
  });
  return [...groups].flatMap(([id, some]): readonly Merged[] => {
    const [first] = some;
    const from = first && unitOf.get(first.from);
    const to = first && unitOf.get(first.to);
    return first && from && to ? [{ id, from, to, label: first.label, edges: some }] : [];
  });
}

/** Puts layers beside each other where they would be too tall below each other. */
function inColumns(units: readonly Unit[], layers: Layers, backs: number) {
  const boxes = units.map((unit) => {
    const { x = 0, y = 0 } = layers.node(unit.id);
    const { width, height } = sizeOf(unit);
    return { unit, left: x - width / 2, top: y - height / 2, width, height, middle: y };
  });
  const width = Math.max(...boxes.map(({ left, width: wide }) => left + wide));
  const height = Math.max(...boxes.map(({ top, height: tall }) => top + tall));
  const wide = width + GAP * 2 + Math.min(backs, BACKS_MAX) * BACK_GAP;
  const count = height > TALL * Math.max(width, 420) ? Math.ceil(Math.sqrt(height / (TALL * wide))) : 1;
  const columnOf = (y: number) => Math.min(count - 1, Math.floor((y / height) * count));
  const tops = Array.from({ length: count }, (_, column) =>
    Math.min(...boxes.filter(({ middle }) => columnOf(middle) === column).map(({ top }) => top)),
  );
  const shift = ({ x, y }: Point, column: number): Point => ({
    x: x + column * wide,
    y: y - (tops[column] ?? 0),
  });
  const spots = boxes.map(({ unit, left, top, width: w, height: h, middle }): Spot => {
    const column = columnOf(middle);
    const at = shift({ x: left, y: top }, column);
    return { unit, column, left: at.x, top: at.y, width: w, height: h };
  });
  const columns = Array.from({ length: count }, (_, column): Column => {
    const own = spots.filter((spot) => spot.column === column);
    return {
      left: column * wide,
      right: Math.max(column * wide, ...own.map(({ left, width: w }) => left + w)),
      bottom: Math.max(0, ...own.map(({ top, height: h }) => top + h)),
    };
  });
  return { spots, columns, shift };
}

/** From the bottom of a step to the next column, and in at the top of the other step. */
function across(from: Spot, to: Spot, columns: readonly Column[], lane: number): readonly Point[] {
  const x = from.left + from.width / 2;
  const under = (columns[from.column]?.bottom ?? 0) + 14 + lane * 5;
  const gutter = (columns[to.column]?.left ?? 0) - 14 - lane * 4;
  const over = to.top - 16 - lane * 3;
  const target = to.left + to.width / 2;
  return [
    { x, y: from.top + from.height },
    { x, y: under },
    { x: gutter, y: under },
    { x: gutter, y: over },
    { x: target, y: over },
    { x: target, y: to.top },
  ];
}

/** Out at the right, up beside the column, and in at the right of the earlier step. */
function backwards(from: Spot, to: Spot, columns: readonly Column[], lane: number): readonly Point[] {
  const right = Math.max(columns[to.column]?.right ?? 0, to.left + to.width) + 16 + lane * BACK_GAP;
  const start = { x: from.left + from.width, y: from.top + from.height / 2 };
  const end = { x: to.left + to.width, y: to.top + to.height / 2 + (lane % 3) * 5 };
  if (from.column === to.column) return [start, { x: right, y: start.y }, { x: right, y: end.y }, end];
  const under = Math.max(...columns.map(({ bottom }) => bottom)) + 48 + lane * 6;
  const out = start.x + 12 + lane * 4;
  return [
    start,
    { x: out, y: start.y },
    { x: out, y: under },
    { x: right, y: under },
    { x: right, y: end.y },
    end,
  ];
}

function withLabel({ edges, label }: Pick<Merged, 'edges' | 'label'>, points: readonly Point[]): Line {
  return label === '' ? { edges, points } : { edges, points, label: { text: label, at: middleOf(points) } };
}

/** The middle of the longest stretch. */
function middleOf(points: readonly Point[]): Point {
  let best = { length: -1, at: { x: 0, y: 0 } };
  for (const [index, next] of points.entries()) {
    const last = points[index - 1];
    if (!last) continue;
    const length = Math.hypot(next.x - last.x, next.y - last.y);
    if (length > best.length) best = { length, at: { x: (last.x + next.x) / 2, y: (last.y + next.y) / 2 } };
  }
  return best.at;
}

function cellsOf(spot: Spot): readonly Cell[] {
  const [only, ...others] = spot.unit.nodes;
  if (only && others.length === 0) return [cell(only, spot)];
  const grid: Grid = gridOf(spot.unit);
  return spot.unit.nodes.map((node, index) => {
    const at = grid.at(index);
    return cell(node, { ...at, left: spot.left + at.left, top: spot.top + at.top });
  });
}

function cell(node: GraphNode, { left, top, width, height }: Box): Cell {
  return { node, left, top, width, height };
}

/** Moves everything so that nothing is outside, with a margin around it. */
function placedAt(
  cells: readonly Cell[],
  frames: readonly Box[],
  lines: readonly Line[],
  points: readonly Point[],
): Placed {
  const labels = lines.flatMap(({ label }) => (label ? [label.at] : []));
  const xs = [
    ...cells.flatMap(({ left, width }) => [left, left + width]),
    ...frames.flatMap(({ left, width }) => [left, left + width]),
    ...points.map(({ x }) => x),
    ...labels.flatMap(({ x }) => [x - 60, x + 60]),
  ];
  const ys = [
    ...cells.flatMap(({ top, height }) => [top, top + height]),
    ...frames.flatMap(({ top, height }) => [top, top + height]),
    ...points.map(({ y }) => y),
  ];
  const [x, y] = [MARGIN - Math.min(...xs), MARGIN - Math.min(...ys)];
  const moved = <B extends Box>(box: B): B => ({ ...box, left: box.left + x, top: box.top + y });
  const point = (one: Point): Point => ({ x: one.x + x, y: one.y + y });
  return {
    widthPx: Math.ceil(Math.max(...xs) + x + MARGIN),
    heightPx: Math.ceil(Math.max(...ys) + y + MARGIN),
    cells: cells.map(moved),
    frames: frames.map(({ left, top, width, height }) => moved({ left, top, width, height })),
    lines: lines.map(({ edges, points: some, label }) => ({
      edges,
      points: some.map(point),
      ...(label && { label: { text: label.text, at: point(label.at) } }),
    })),
  };
}
