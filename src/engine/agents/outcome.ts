import type { Json } from '../json.ts';
import type { Failure } from '../steps/step-type.ts';
import type { ToolUse } from './conversation.ts';
import type { ReportedUsage } from './usage.ts';

/** What every turn reports. */
interface Reported {
  /** Absent = nobody counted. */
  readonly usage?: ReportedUsage;
  /** The model that answered, as the provider names it. */
  readonly model?: string;
}

/** What one turn of an agent came to: the end of its work, or calls of tools that its model wants before it goes on. */
export type TurnOutcome = AgentOutcome | ToolsWanted;

/** Its model wants tools to be called. */
export interface ToolsWanted extends Reported {
  readonly kind: 'uses';
  readonly text: string;
  /** At least one. */
  readonly uses: readonly ToolUse[];
  /** What it said as the provider gave it. */
  readonly raw?: Json;
}

/** What became of an agent's work, as its runtime reports it. */
export type AgentOutcome = Reported &
  (
    | {
        readonly kind: 'replied';
        /** All that it said. */
        readonly text: string;
        /** Its reply as data, where the provider itself makes sure that it is some: taken instead of the text. */
        readonly structured?: Json;
        /** Of a decision, 0 to 1, where the provider measures it: taken instead of what the model says of itself. */
        readonly confidence?: number;
        /** By option, 0 to 1, likewise. */
        readonly probabilities?: Readonly<Record<string, number>>;
      }
    /** It has failed, and nothing that it did goes on. */
    | {
        readonly kind: 'failed';
        /** A sentence for people; it never holds a secret. */
        readonly message: string;
        /** In kebab case: `overloaded`, `login-lost`. */
        readonly code: string;
        readonly retry: Failure['retry'];
        /**
         * It could not be reached, or has too much to do: another one could answer. `retryAfterMs`: when it may be asked
         * again, where it says so.
         */
        readonly unavailable?: { readonly retryAfterMs?: number };
      }
    /** Its time was over, and nothing that it did goes on. */
    | { readonly kind: 'timeout' }
    /** Nobody knows what it did: the connection to it was lost in the middle. */
    | { readonly kind: 'unknown'; readonly message: string }
  );
