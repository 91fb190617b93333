import { type Discussed, digestInWords, digestOf, type PastMessage } from '../../engine/digest.ts';
import type { JsonObject } from '../../engine/json.ts';
import type { CallEffect } from '../../engine/run/effect.ts';
import type { Chat } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../../ports/store.ts';
import { compose } from '../../render/markdown/index.ts';
import type { CallHandler, CallResult } from '../call-handler.ts';
import { pause } from '../patience.ts';
import { namedConversation } from './named-conversation.ts';

type HistoryEffect = Extract<CallEffect, { kind: 'history' }>;

/** Reads a conversation for a `history` step, and sums it up. Reading changes nothing, so it is simply done again. */
export function historyHandler(deps: {
  readonly store: Store;
  readonly chats: ReadonlyMap<string, Chat>;
  readonly clock: Clock;
}): CallHandler<HistoryEffect> {
  const { store, chats, clock } = deps;

  return async (run, effect, signal) => {
    const { conversation, sinceMs, untilMs, maxMessages: max, timezone } = effect;
    const named = await namedConversation(chats, conversation, (await store.run(run))?.row.home);
    if (typeof named === 'string') return refused(named);
    const { chat, found } = named;
    for (;;) {
      const read = await chat.history(found.id, { sinceMs, untilMs, max });
      switch (read.kind) {
        case 'later':
          await pause(clock, read.afterMs, signal);
          continue;
        case 'refused':
          return refused(`${conversation} can't be read: ${read.message}`);
        case 'read': {
          const past = { name: found.name, sinceMs, untilMs, messages: read.messages, isCut: read.isCut };
          const digest = digestOf(past);
          return {
            kind: 'done',
            output: {
              text: compose(digestInWords(past, digest, timezone)),
              json: {
                conversation: found.name,
                since: new Date(sinceMs).toISOString(),
                until: new Date(untilMs).toISOString(),
                count: digest.count,
                files: digest.files,
                isCut: read.isCut,
                authors: digest.authors.map(({ name, messages }) => ({ name, messages })),
                discussed: digest.discussed.map(discussedData),
                unanswered: digest.unanswered.map(messageData),
                messages: read.messages.filter(({ isOlder }) => !isOlder).map(messageData),
              },
            },
          };
        }
      }
    }
  };
}

function messageData({ id, atMs, author, text, thread, reactions, files, url }: PastMessage): JsonObject {
  return {
    id,
    at: new Date(atMs).toISOString(),
    author: author.name,
    text,
    reactions,
    files,
    thread: thread ?? null,
    url: url ?? null,
  };
}

function discussedData({ message, answers }: Discussed): JsonObject {
  return { ...messageData(message), answers };
}

function refused(message: string): CallResult {
  return { kind: 'failed', failure: { code: 'history-refused', message, retry: 'never' } };
}
