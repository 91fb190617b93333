import type { Json } from '../json.ts';
import type { Failure } from '../steps/step-type.ts';
import type { ReportedUsage } from './usage.ts';

/** What became of one piece of work of an agent, as its runtime reports it. */
export type AgentOutcome = {
  /** Absent = nobody counted. */
  readonly usage?: ReportedUsage;
} & (
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
    }
  /** Its time was over, and nothing that it did goes on. */
  | { readonly kind: 'timeout' }
  /** Nobody knows what it did: the connection to it was lost in the middle. */
  | { readonly kind: 'unknown'; readonly message: string }
);
