import type { Column, RankOf } from './columns.ts';
import { BACK_GAP, type Point, type Spot } from './placed.ts';

/** Out below a step, beside its column to below all of it, beside the other column, and in at the top of the other step. */
export function across(
  from: Spot,
  to: Spot,
  columns: readonly Column[],
  rankOf: RankOf,
  lane: number,
): readonly Point[] {
  const x = from.left + from.width / 2;
  const column = columns[from.column];
  const under = (column?.bottom ?? 0) + 14 + lane * 5;
  const isLast = rankOf(from).bottom >= (column?.bottom ?? 0);
  const gutter = (columns[to.column]?.left ?? 0) - 14 - lane * 4;
  const below = isLast ? under : rankOf(from).bottom + 10 + lane * 2;
  const over = rankOf(to).top - 16 - lane * 3;
  const target = to.left + to.width / 2;
  // Beside the own column only where steps stand between this one and its end.
  const beside = (column?.right ?? 0) + 8 + lane * 3;
  const down =
    isLast || to.column === from.column + 1
      ? []
      : [
          { x: beside, y: below },
          { x: beside, y: under },
        ];
  const level = down.length > 0 ? under : below;
  return [
    { x, y: from.top + from.height },
    { x, y: below },
    ...down,
    { x: gutter, y: level },
    { x: gutter, y: over },
    { x: target, y: over },
    { x: target, y: to.top },
  ];
}

/** Out at the right, up beside the column, and in at the right of the earlier step; around what stands to the right of them. */
export function backwards(
  from: Spot,
  to: Spot,
  columns: readonly Column[],
  rankOf: RankOf,
  lane: number,
): readonly Point[] {
  const right = (columns[to.column]?.right ?? 0) + 16 + lane * BACK_GAP;
  const out = from.column === to.column ? right : (columns[from.column]?.right ?? 0) + 12 + lane * 6;
  const leave = leaving(from, rankOf, out, lane);
  const enter = leaving(to, rankOf, right, lane, 'top').toReversed();
  if (from.column === to.column) return [...leave, ...enter];
  const under = Math.max(...columns.map(({ bottom }) => bottom)) + 48 + lane * 14;
  return [...leave, { x: out, y: under }, { x: right, y: under }, ...enter];
}

/** From a step to a line that goes up and down at the right. */
function leaving(spot: Spot, rankOf: RankOf, x: number, lane: number, by: 'bottom' | 'top' = 'bottom') {
  const { left, top, width, height } = spot;
  const rank = rankOf(spot);
  const side = left + width;
  if (side >= rank.right) {
    const y = top + height / 2 + (by === 'top' ? (lane % 3) * 5 : 0);
    return [
      { x: side, y },
      { x, y },
    ];
  }
  const door = side - 16 - lane * 4;
  const [edge, y] =
    by === 'top' ? [top, rank.top - 9 - lane * 2] : [top + height, rank.bottom + 9 + lane * 2];
  return [
    { x: door, y: edge },
    { x: door, y },
    { x, y },
  ];
}
