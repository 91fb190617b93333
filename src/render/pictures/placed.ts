import type { GraphEdge } from './graph.ts';
import type { Box, Cell, Unit } from './units.ts';

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

/** A unit with its place and its column. */
export interface Spot extends Box {
  readonly unit: Unit;
  readonly column: number;
}

/** Edges between two units that are one line. */
export interface Bundle {
  readonly id: string;
  readonly from: Unit;
  readonly to: Unit;
  readonly label: string;
  readonly edges: readonly GraphEdge[];
}

/** Room between steps, in pixels. */
export const GAP = 34;
/** Room beside a column for a line that leads back, in pixels, and for how many there is such room. */
export const BACK_GAP = 26;
export const BACKS_MAX = 5;
