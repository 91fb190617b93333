import type { Plan } from '../engine/flow/plan.ts';
import type { RunState } from '../engine/run/state.ts';

/** A picture as chats show it. */
export interface Drawing {
  /** What it shows, in words: not blank, at most 1,000 UTF-16 units. */
  readonly alt: string;
  readonly png: Uint8Array;
}

/** A picture as a page shows it: SVG whose colours follow the page, and whose steps and lines are links. */
export interface PageDrawing {
  readonly alt: string;
  readonly svg: string;
}

/** Draws flows and runs. Rejects when a picture can't be made. */
export interface Drawings {
  flow(plan: Plan): Promise<Drawing>;
  /** @param plan the one that the run is pinned to @param names of people by their addresses, as far as they are known */
  run(plan: Plan, state: RunState, names: ReadonlyMap<string, string>): Promise<Drawing>;
  /** A flow, or with `run` how it is in that run, for a page. @param run as for `run` */
  forPage(
    plan: Plan,
    run?: { readonly state: RunState; readonly names: ReadonlyMap<string, string> },
  ): Promise<PageDrawing>;
}
