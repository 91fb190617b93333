import type { MessageRef } from '../engine/people.ts';
import { questionPost } from '../engine/run/questions.ts';
import type { Bot } from './bot.ts';
import { openMax } from './open-questions.ts';

/** Brings back the cards of open questions that people delete: else nobody would find what waits for them. */
export interface DeletedCards {
  /** A message of the bot is gone. */
  take(message: MessageRef): void;
  /** Looks for nothing more. Complete when what was begun has ended. */
  stop(): Promise<void>;
}

/** Makes it. What comes while it looks is looked for together, because people delete many messages at once. */
export function createDeletedCards(bot: Bot): DeletedCards {
  let taken: MessageRef[] = [];
  let underWay: Promise<void> | undefined;
  let isStopped = false;

  async function work(): Promise<void> {
    while (taken.length > 0 && !isStopped) {
      const messages = taken;
      taken = [];
      await repostCards(bot, messages).catch((error: unknown) =>
        bot.log.error('Deleted messages could not be looked for; cards come again when they change.', error),
      );
    }
    underWay = undefined;
  }

  return {
    take(message) {
      taken.push(message);
      underWay ??= Promise.resolve().then(work);
    },
    async stop() {
      isStopped = true;
      await underWay;
    },
  };
}

async function repostCards(bot: Bot, messages: readonly MessageRef[]): Promise<void> {
  const byPlace = Map.groupBy(messages, placeKey);
  for (const { id, home } of await bot.store.openQuestions(openMax)) {
    const near = (home && byPlace.get(placeKey(home))) ?? [];
    if (near.length === 0) continue;
    const key = questionPost(id);
    const parts = (await bot.store.post(key))?.parts ?? [];
    for (const message of near) {
      if (parts.some((part) => part.message?.id === message.id)) bot.outbox.repost(key, message);
    }
  }
}

function placeKey({ platform, conversation }: Pick<MessageRef, 'platform' | 'conversation'>): string {
  return `${platform}:${conversation}`;
}
