import type { Failure, Output } from '../steps/step-type.ts';
import type { AttemptRef } from './event.ts';

/** What became of a step in a transition, in order. A step can come up several times: rounds may follow each other at once. */
export type Happened =
  /** An attempt begins, or what an earlier run made of the step is taken over. */
  | ({ readonly kind: 'began' } & AttemptRef)
  | {
      readonly kind: 'done';
      readonly step: string;
      readonly round: number;
      readonly exit: string;
      readonly output: Output;
    }
  | ({ readonly kind: 'failed'; readonly failure: Failure } & AttemptRef)
  /** Another attempt follows. */
  | ({ readonly kind: 'retries'; readonly dueMs: number } & AttemptRef)
  /** Its turn does not come. `tainted`: because of a failure. */
  | { readonly kind: 'skipped'; readonly step: string; readonly round: number; readonly tainted: boolean };
