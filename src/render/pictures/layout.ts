import { layout as arrange, Graph as Layers } from '@dagrejs/dagre';
import { inColumns, ranksOf } from './columns.ts';
import { doorsOf, innerPoints } from './doors.ts';
import type { Graph, GraphEdge, GraphNode } from './graph.ts';
import { labelled, type Unlabelled } from './labels.ts';
import { BACKS_MAX, type Bundle, GAP, type Line, type Placed, type Point, type Spot } from './placed.ts';
import { across, backwards } from './routes.ts';
import { labelWidth } from './text.ts';
import { type Box, type Cell, type Grid, gridOf, sizeOf, type Unit, unitsOf } from './units.ts';

/** Room around a picture, in pixels. */
const MARGIN = 24;

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
      { width: label === '' ? 0 : labelWidth(label), height: 16, labelpos: 'c', minlen: 1 },
      id,
    );
  }
  arrange(layers);
  const { spots, columns, shift } = inColumns(units, layers, back.length);
  const placeOf = new Map(spots.map((spot) => [spot.unit, spot]));
  const spotOf = (node: string) => placeOf.get(unitOf.get(node) ?? units[0] ?? NO_UNIT);

  const rankOf = ranksOf(spots);
  const doors = doorsOf(forward, layers, placeOf, shift);
  let crossings = 0;
  const lines = forward.flatMap((one): readonly Unlabelled[] => {
    const from = placeOf.get(one.from);
    const to = placeOf.get(one.to);
    if (!from || !to) return [];
    if (from.column !== to.column) {
      crossings += 1;
      return [{ ...one, points: across(from, to, columns, rankOf, crossings % 6) }];
    }
    const inner = innerPoints(layers, one, from, shift);
    const out = doors.out(one, from);
    const into = doors.into(one, to);
    const points = [
      { x: out, y: from.top + from.height },
      { x: out, y: rankOf(from).bottom + 4 },
      ...inner,
      { x: into, y: rankOf(to).top - 12 },
      { x: into, y: to.top },
    ];
    return [{ ...one, points }];
  });
  const backs = back.flatMap((edge, index): readonly Unlabelled[] => {
    const from = spotOf(edge.from);
    const to = spotOf(edge.to);
    if (!from || !to) return [];
    const points = backwards(from, to, columns, rankOf, index % BACKS_MAX);
    return [{ edges: [edge], label: edge.label, points }];
  });
  const cells = spots.flatMap(cellsOf);
  const all = [...lines, ...backs].flatMap(({ points }) => points);
  return placedAt(
    cells,
    spots.filter(({ unit }) => unit.nodes.length > 1),
    labelled([...lines, ...backs], cells),
    all,
  );
}

const NO_UNIT: Unit = { id: '', nodes: [] };

/** Edges between the same units are one line, unless they say different things. */
function merged(edges: readonly GraphEdge[], unitOf: ReadonlyMap<string, Unit>): readonly Bundle[] {
  const groups = Map.groupBy(edges, ({ from, to, label, at }) => {
    const [one, other] = [unitOf.get(from), unitOf.get(to)];
    const isSingle = one?.nodes.length === 1 && other?.nodes.length === 1;
    return JSON.stringify([one?.id, other?.id, isSingle ? at : label]);
  });
  return [...groups].flatMap(([id, some]): readonly Bundle[] => {
    const [first] = some;
    const from = first && unitOf.get(first.from);
    const to = first && unitOf.get(first.to);
    return first && from && to ? [{ id, from, to, label: first.label, edges: some }] : [];
  });
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
  const labels = lines.flatMap(({ label }) =>
    label ? [{ x: label.at.x, half: labelWidth(label.text) / 2 }] : [],
  );
  const xs = [
    ...cells.flatMap(({ left, width }) => [left, left + width]),
    ...frames.flatMap(({ left, width }) => [left, left + width]),
    ...points.map(({ x }) => x),
    ...labels.flatMap(({ x, half }) => [x - half, x + half]),
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
