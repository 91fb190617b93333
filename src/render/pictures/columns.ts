import type { Graph as Layers } from '@dagrejs/dagre';
import { BACK_GAP, BACKS_MAX, GAP, type Point, type Spot } from './placed.ts';
import { sizeOf, type Unit } from './units.ts';

/** How much higher than wide a picture gets before it goes on in another column. */
const TALL = 1.5;

/** Where the steps of a column end, in pixels. */
export interface Column {
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
}

/** Puts layers beside each other where they would be too tall below each other. */
export function inColumns(units: readonly Unit[], layers: Layers, backs: number) {
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

/** From where to where the steps of a layer reach, by one of them. */
export function ranksOf(spots: readonly Spot[]) {
  const key = ({ column, top, height }: Spot) => `${column} ${Math.round(top + height / 2)}`;
  const ranks = new Map(
    [...Map.groupBy(spots, key)].map(([id, some]) => [
      id,
      {
        top: Math.min(...some.map(({ top }) => top)),
        bottom: Math.max(...some.map(({ top, height }) => top + height)),
        right: Math.max(...some.map(({ left, width }) => left + width)),
      },
    ]),
  );
  return (spot: Spot) => {
    const { left, top, width, height } = spot;
    return ranks.get(key(spot)) ?? { top, bottom: top + height, right: left + width };
  };
}

/** Of the layer of a spot. */
export type RankOf = ReturnType<typeof ranksOf>;
