import { onTestFinished } from 'vitest';
import type { Person } from '../../../src/engine/people.ts';
import type { Chat, Inbound } from '../../../src/ports/chat.ts';
import { createInbox } from '../../contracts/chat-harness.ts';
import { createActivity } from '../../fakes/activity.ts';
import { startLive } from '../chat/flowbot.ts';
import type { LaneStage } from '../chat/lanes.ts';
import { createHandClock, createPlaygroundHarness } from './harness.ts';

const cy: Person = { platform: 'playground', id: 'cy', name: 'Cy' };

/** Starts a whole Flowbot on a playground, for one test. @param flows YAML by id */
export async function openLive(
  flows: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<LaneStage> {
  const clock = createHandClock();
  const activity = createActivity();
  // The playground lives in the process of the bot: what it delivers waits until the next one can take it.
  let bot = Promise.withResolvers<Inbound>();
  const inbox = {
    ...createInbox(),
    formFor: async (event: Parameters<Inbound['formFor']>[0]) => (await bot.promise).formFor(event),
    receive: async (event: Parameters<Inbound['receive']>[0]) => (await bot.promise).receive(event),
  };
  const harness = await createPlaygroundHarness({ inbox, clock });
  const live = await startLive({
    flows,
    env: () => env,
    connect: () => ({ clock, chats: [watched()] }),
    onceConnected: async () => {},
  });
  onTestFinished(async () => {
    await live.close();
    await harness.close();
  });

  /** The playground as it is connected to the next process. */
  function watched(): Chat {
    const { chat } = harness;
    async function noticed<T>(work: Promise<T>): Promise<T> {
      const end = activity.begin();
      return work.finally(end);
    }
    return {
      ...chat,
      start: async (inbound) => bot.resolve(inbound),
      async stop() {
        bot = Promise.withResolvers();
      },
      post: (...args) => noticed(chat.post(...args)),
      edit: (...args) => noticed(chat.edit(...args)),
    };
  }

  return {
    desk: {
      ...harness,
      people: { ...harness.people, cy },
      until: activity.until,
      quiet: activity.quiet,
    },
    live,
  };
}
