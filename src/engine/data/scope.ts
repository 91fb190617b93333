import type { Json } from '../json.ts';

/** What a look-up of a path found, and when nothing, why: for the sentence that people read. */
export type Lookup =
  | { readonly found: true; readonly value: Json }
  | { readonly found: false; readonly cause: 'unknown' | 'skipped' | 'not-run' | 'missing' | 'null' };

/** The data that a step can read: `input`, `start`, `run`, and the outputs of steps. */
export interface Scope {
  /** Looks a path up (`['draft','json','notes']`): own properties only, list positions as digits. */
  lookup(path: readonly string[]): Lookup;
}
