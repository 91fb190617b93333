import fc from 'fast-check';
import type { ChatFault } from '../contracts/chat-harness.ts';

/** What somebody does who is asked. Numbers choose among what there is at that moment. */
export type Answering =
  /** Presses a button of a card, 0 = the newest. `stale`: with the fingerprint of something else. */
  | {
      readonly kind: 'press';
      readonly who: number;
      readonly card: number;
      readonly button: number;
      readonly stale: boolean;
    }
  /** Sends the form that is open for them. */
  | {
      readonly kind: 'send';
      readonly who: number;
      readonly amount: 'good' | 'bad' | 'none';
      readonly comment: string;
    }
  /** Answers a question, 0 = the newest, by a command: in a chat, or at the command line. */
  | {
      readonly kind: 'command';
      readonly who: number;
      readonly question: number;
      readonly action: 'approve' | 'reject' | 'later';
      readonly comment: string;
      readonly elsewhere: boolean;
    };

/** Something that happens. */
export type Act =
  | Answering
  /** At the same instant. */
  | { readonly kind: 'together'; readonly acts: readonly Answering[] }
  | { readonly kind: 'start'; readonly who: number }
  | { readonly kind: 'wait'; readonly forMs: number }
  /** Time passes until something is due, and so much more. */
  | {
      readonly kind: 'until';
      readonly due: 'remind' | 'escalate' | 'expire';
      readonly andMs: number;
    }
  /** Somebody leaves, or comes back. */
  | { readonly kind: 'leave'; readonly who: number }
  /** Somebody gets the role, or loses it. */
  | { readonly kind: 'role'; readonly who: number }
  | { readonly kind: 'delete'; readonly card: number }
  /** The process dies so many points of its work later, and is started again after a while. */
  | { readonly kind: 'die'; readonly points: number; readonly downMs: number }
  | { readonly kind: 'fail'; readonly side: number; readonly fault: ChatFault; readonly times: number }
  | { readonly kind: 'down'; readonly side: number }
  /** All trouble is over, and two minutes pass. */
  | { readonly kind: 'calm' };

const who = fc.nat(20);
const newest = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(5));
const comment = fc.constantFrom('', 'Fine.', 'No.');
const minuteMs = 60_000;

const answering: fc.Arbitrary<Answering> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('press'),
      who,
      card: newest,
      button: fc.nat(3),
      stale: fc.nat(9).map((n) => n === 9),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('send'),
      who,
      amount: fc.constantFrom('good', 'good', 'bad', 'none'),
      comment,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('command'),
      who,
      question: newest,
      action: fc.constantFrom('approve', 'reject', 'later'),
      comment,
      elsewhere: fc.nat(4).map((n) => n === 4),
    }),
  },
);

const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 12, arbitrary: answering },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('together'),
      acts: fc.array(answering, { minLength: 2, maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('start'), who }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait'),
      forMs: fc.constantFrom(1_000, 5 * minuteMs, 60 * minuteMs, 24 * 60 * minuteMs),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('until'),
      due: fc.constantFrom('remind', 'escalate', 'expire'),
      andMs: fc.constantFrom(-1, 0, 500, 1_000, minuteMs),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('leave'), who }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('role'), who }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete'), card: newest }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('die'),
      points: fc.nat(12),
      downMs: fc.constantFrom(0, 0, 1_000, 10 * minuteMs, 26 * 60 * minuteMs),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('fail'),
      side: fc.nat(1),
      fault: fc.constantFrom<ChatFault>('refuse', 'later', 'later', 'lost-answer', 'reset'),
      times: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('down'), side: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('calm') }) },
);

/** What happens in one life of a flow. */
export const acts: fc.Arbitrary<readonly Act[]> = fc.array(act, { maxLength: 24 });
