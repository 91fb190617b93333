import { onTestFinished } from 'vitest';
import type { Person } from '../../../src/engine/people.ts';
import type { Chat } from '../../../src/ports/chat.ts';
import { createActivity } from '../../fakes/activity.ts';
import { startLive } from '../chat/flowbot.ts';
import type { LaneStage } from '../chat/lanes.ts';
import { createHandClock, createPatientInbox, createPlaygroundHarness } from './harness.ts';

const cy: Person = { platform: 'playground', id: 'cy', name: 'Cy' };

/** Starts a whole Flowbot on a playground, for one test. @param flows YAML by id */
export async function openLive(
  flows: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<LaneStage & { readonly clock: ReturnType<typeof createHandClock> }> {
  const clock = createHandClock();
  const activity = createActivity();
  const inbox = createPatientInbox();
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
      start: async (inbound) => inbox.connect(inbound),
      async stop() {
        inbox.disconnect();
      },
      post: (...args) => noticed(chat.post(...args)),
      edit: (...args) => noticed(chat.edit(...args)),
    };
  }

  return {
    clock,
    desk: {
      ...harness,
      people: { ...harness.people, cy },
      until: activity.until,
      quiet: activity.quiet,
    },
    live,
  };
}
