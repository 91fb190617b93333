import type { JsonObject } from '../json.ts';
import type { Named } from '../named.ts';
import type { MessageRef, Person, Place } from '../people.ts';
import type { RunStart } from '../run/event.ts';
import type { KeptFile, Question, Quorum, RunStatus } from '../run/state.ts';

/** What the audit says of a question that was closed without an answer: how its state calls that. */
export type ClosedHow = Exclude<Question['state']['status'], 'open' | 'answered'>;

/** What people switch on and off. */
export type Switchable =
  | { readonly kind: 'flow'; readonly flow: string }
  | { readonly kind: 'schedule'; readonly schedule: string }
  | { readonly kind: 'everything' };

/**
 * One thing that the audit remembers: who asked, was asked, was refused, decided, saw what. Plain JSON, never changed once it
 * is stored, and without outputs and inputs: what a question was about is there as its fingerprint.
 */
export type AuditEntry = { /** Epoch milliseconds. */ readonly atMs: number } & (
  | {
      readonly type: 'run.started';
      readonly run: string;
      readonly flow: string;
      /** Hash of the definition it is pinned to. */
      readonly version: string;
      readonly trigger: RunStart['trigger'];
      /** Absent = nobody in person: a schedule, another system. */
      readonly by?: Person;
      /** Whose run it repeats from the beginning. */
      readonly requesters?: readonly Person[];
      /** Where the run lives. */
      readonly place?: Place;
      /** Id of the schedule whose run it is. */
      readonly schedule?: string;
      /** The run whose results it takes over. */
      readonly retryOf?: string;
    }
  /** Somebody may not start a flow. */
  | {
      readonly type: 'run.refused';
      readonly flow: string;
      readonly by: Person;
      /** Absent = the host's own command line; the same in all entries. */
      readonly place?: Place;
      readonly why: string;
    }
  | { readonly type: 'run.cancelled'; readonly run: string; readonly by: Person }
  | {
      readonly type: 'run.ended';
      readonly run: string;
      readonly status: RunStatus;
      readonly reason?: string;
    }
  | {
      readonly type: 'question.asked';
      readonly run: string;
      readonly question: string;
      readonly kind: Question['kind'];
      readonly step: string;
      readonly round: number;
      readonly title: string;
      /** Fingerprint of everything that people are asked about. */
      readonly covers: string;
      /** Absent = the people of the conversation. */
      readonly approvers?: Named;
      readonly quorum: Quorum;
      /** Whether who started the run may answer. */
      readonly allowRequester: boolean;
      /** When it expires (epoch ms). */
      readonly deadlineMs?: number;
    }
  /** From now on these may answer, too. */
  | {
      readonly type: 'question.escalated';
      readonly run: string;
      readonly question: string;
      readonly to: Named;
    }
  /** People can see the question, or how it ended, in this message. */
  | {
      readonly type: 'question.shown';
      readonly run: string;
      readonly question: string;
      /** Key of the post. */
      readonly post: string;
      /** Counts the changes of what the post says, from 1. */
      readonly revision: number;
      readonly message: MessageRef;
      readonly url?: string;
    }
  | {
      readonly type: 'question.answered';
      readonly run: string;
      readonly question: string;
      readonly by: Person;
      readonly action: string;
      /** What they wrote with it; `""` = nothing. */
      readonly feedback: string;
      /** Entries of the approvers by which they may answer; absent = as one of the conversation. */
      readonly as?: Named;
      /** Further addresses of the same person, by which it may be. */
      readonly also?: readonly string[];
      /** What they filled in. */
      readonly values?: JsonObject;
      /** What they attached. */
      readonly files?: readonly KeptFile[];
      /** Whether the question closed with it; else more answers are needed. */
      readonly decided: boolean;
    }
  /** Somebody's answer does not count. */
  | {
      readonly type: 'question.refused';
      readonly run: string;
      readonly question: string;
      readonly by: Person;
      readonly place?: Place;
      readonly action: string;
      readonly why: string;
    }
  /** It needs no answer any more. */
  | {
      readonly type: 'question.closed';
      readonly run: string;
      readonly question: string;
      readonly how: ClosedHow;
      readonly why?: string;
    }
  /** A version of a flow comes into force; without `version`: its file is gone. */
  | { readonly type: 'flow.changed'; readonly flow: string; readonly version?: string }
  | {
      readonly type: 'switched';
      readonly what: Switchable;
      readonly on: boolean;
      readonly by: Person;
      readonly place?: Place;
      /** What they said about it. */
      readonly why?: string;
    }
);
