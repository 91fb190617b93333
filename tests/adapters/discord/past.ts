import type { PastMessage } from '../../../src/engine/digest.ts';
import type { MessageRef, Person, Place } from '../../../src/engine/people.ts';
import type { HistoryOutcome, HistoryWindow } from '../../../src/ports/chat.ts';
import type { DiscordHarness } from './harness.ts';
import { openJudged } from './judged.ts';

export const hourMs = 3_600_000;

/** The lists of threads. */
export const threadRoutes = {
  active: 'GET /guilds/:guild/threads/active',
  archived: 'GET /channels/:channel/threads/archived/public',
} as const;

/** What was read. */
export type ReadBack = Extract<HistoryOutcome, { kind: 'read' }>;

/** A Discord whose conversations are read back. */
export interface PastHarness {
  readonly h: DiscordHarness;
  readonly ana: Person;
  readonly bo: Person;
  readonly channel: Place;
  /** Tries to read what was written in the last hour, unless told otherwise. */
  attempt(window?: Partial<HistoryWindow>, place?: Place): Promise<HistoryOutcome>;
  /** The same, and throws when that is refused. */
  read(window?: Partial<HistoryWindow>, place?: Place): Promise<ReadBack>;
  /** How many requests something takes. */
  requests(work: () => Promise<unknown>): Promise<number>;
}

/** Opens one, for one test. */
export async function openPast(): Promise<PastHarness> {
  const h = await openJudged();
  const attempt = (window: Partial<HistoryWindow> = {}, place: Place = h.channel) =>
    h.chat.history(place.conversation, {
      sinceMs: h.nowMs() - hourMs,
      untilMs: h.nowMs() + 1_000,
      max: 5_000,
      ...window,
    });
  return {
    h,
    ana: h.people.ana,
    bo: h.people.bo,
    channel: h.channel,
    attempt,
    async read(window, place) {
      const outcome = await attempt(window, place);
      if (outcome.kind !== 'read') throw new Error(JSON.stringify(outcome));
      return outcome;
    },
    async requests(work) {
      const before = h.calls().length;
      await work();
      return h.calls().length - before;
    },
  };
}

/** What was said, in order. */
export function texts({ messages }: { readonly messages: readonly PastMessage[] }): readonly string[] {
  return messages.map(({ text, isOlder }) => `${isOlder ? 'older: ' : ''}${text}`);
}

/** Each text with the text that it answers, or the id where that is not there. */
export function talk({ messages }: { readonly messages: readonly PastMessage[] }) {
  return messages.map(({ text, thread }) => [
    text,
    thread && (messages.find(({ id }) => id === thread)?.text ?? thread),
  ]);
}

/** The thread of a message. */
export function inThread({ id, ...place }: MessageRef): Place {
  return { ...place, thread: id };
}
