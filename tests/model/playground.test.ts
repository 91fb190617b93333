import { test } from 'vitest';
import { type Person, personAddress } from '../../src/engine/people.ts';
import type { Chat } from '../../src/ports/chat.ts';
import { createPatientInbox, createPlaygroundHarness } from '../adapters/playground/harness.ts';
import { createHandClock } from '../fakes/clock.ts';
import { type Circumstances, castOf } from './cast.ts';
import { type OpenStage, playAlong } from './run.ts';
import { createWorld } from './world.ts';

const person = (id: string, name: string): Person => ({ platform: 'playground', id, name });
const place = (conversation: string) => ({ platform: 'playground', conversation });
const cast = castOf(
  [person('ana', 'Ana'), person('bo', 'Bo'), person('cy', 'Cy'), person('dee', 'Dee')],
  place('releases'),
  place('general'),
);
const first: Circumstances = {
  standings: {},
  roles: { 'playground:@oncall': ['playground:bo', 'playground:cy'] },
};

async function open(flow: string): Promise<OpenStage> {
  const clock = createHandClock();
  const inbox = createPatientInbox();
  const harness = await createPlaygroundHarness({ inbox, clock });
  let isFirst = true;
  async function connect(): Promise<Chat> {
    if (!isFirst) {
      inbox.disconnect();
      await harness.restart();
    }
    isFirst = false;
    return { ...harness.chat, start: async (inbound) => inbox.connect(inbound), stop: async () => {} };
  }
  const world = await createWorld(flow, cast, clock, [{ platform: harness, connect }]);
  return { world, cast, first, close: harness.close };
}

test('approvals are as the model says on the playground', async () => {
  const nameable = {
    users: ['ana', 'bo'].map((id) => personAddress({ platform: 'playground', id })),
    roles: ['oncall'],
    escalateTo: 'playground:dee',
    to: { written: 'playground:#general', address: 'playground:general' },
  };
  await playAlong(nameable, open, { numRuns: 20, isSlow: true });
});
