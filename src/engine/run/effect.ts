import type { AgentCall } from '../agents/call.ts';
import type { Json, JsonObject } from '../json.ts';
import type { Named } from '../named.ts';
import type { Place } from '../people.ts';
import type { PostContent } from '../post.ts';
import type { Prose } from '../prose.ts';
import type { HistoryCall, HttpCall, ScriptCall, ToolCall } from '../steps/step-type.ts';
import type { AttemptRef } from './event.ts';
import type { GoesOn } from './parked.ts';

/** Of a call whose result can be kept: the same key stands for the same call of the same flow, 64 hex digits. */
interface Cacheable {
  readonly cache?: string;
}

/** A call to the outside whose result is the run's next event. Kept until that event is in the journal. */
export type CallEffect =
  /** `safe`: may be sent again when its outcome is not known. */
  | ({
      readonly kind: 'http';
      readonly key: string;
      readonly call: HttpCall;
      readonly timeoutMs: number;
      readonly safe: boolean;
    } & Cacheable &
      AttemptRef)
  /** `timeoutMs`, here and below: the step's own limit for one attempt. */
  | ({
      readonly kind: 'agent';
      readonly key: string;
      readonly call: AgentCall;
      readonly timeoutMs?: number;
      /** The attempt was parked: it goes on where its conversation is, if it had begun one. */
      readonly goesOn?: GoesOn;
    } & Cacheable &
      AttemptRef)
  | ({
      readonly kind: 'script';
      readonly key: string;
      readonly call: ScriptCall;
      readonly timeoutMs?: number;
    } & AttemptRef)
  | ({
      readonly kind: 'tool';
      readonly key: string;
      readonly call: ToolCall;
      readonly timeoutMs?: number;
    } & AttemptRef)
  | ({
      readonly kind: 'plugin';
      readonly key: string;
      /** The step's type. */
      readonly type: string;
      readonly call: Json;
      readonly timeoutMs?: number;
    } & AttemptRef)
  /** A run of another flow, `index` of those that the step starts. */
  | ({
      readonly kind: 'lane';
      readonly key: string;
      readonly uses: string;
      readonly index: number;
      readonly input: JsonObject;
    } & AttemptRef)
  | ({ readonly kind: 'history'; readonly key: string } & HistoryCall & AttemptRef)
  /** Looks whether those asked are there, and finds the conversation `to` if the question has one of its own. */
  | ({
      readonly kind: 'check';
      readonly key: string;
      readonly question: string;
      readonly named: Named;
      readonly to?: string;
    } & AttemptRef)
  /** `post`: key of the post it makes; the same key never posts twice. */
  | ({
      readonly kind: 'message';
      readonly key: string;
      readonly post: string;
      /** Absent = where the run lives. */
      readonly to?: string;
      readonly prose: Prose;
      /** The whole text, which goes along as a file because `prose` is only its beginning. */
      readonly whole?: string;
      /** Whom it notifies, on the platform it is posted to; absent = nobody. */
      readonly mention?: Named;
      /** The post may be there from an earlier round, and is edited then. */
      readonly edits?: true;
    } & AttemptRef);

/** Whether an effect is a call to the outside. */
export function isCall(effect: Effect): effect is CallEffect {
  switch (effect.kind) {
    case 'http':
    case 'history':
    case 'agent':
    case 'script':
    case 'tool':
    case 'plugin':
    case 'lane':
    case 'message':
    case 'check':
      return true;
    case 'abandon':
    case 'timer':
    case 'card':
    case 'alert':
      return false;
  }
}

/** To be done, as plain data. Carried out only after the transition that planned it is durable. */
export type Effect =
  | CallEffect
  /** The call or timer with this key is not wanted any more. */
  | { readonly kind: 'abandon'; readonly key: string }
  | { readonly kind: 'timer'; readonly key: string; readonly dueMs: number }
  /**
   * The card with this key must now read so: posted when it is new, edited when it is not. It stands in the run's home;
   * with `place` there.
   */
  | {
      readonly kind: 'card';
      readonly post: string;
      readonly content: PostContent;
      readonly place?: Place;
    }
  /** Something that admins have to know. The key is new for each. */
  | { readonly kind: 'alert'; readonly post: string; readonly content: PostContent };
