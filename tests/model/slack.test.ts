import { test } from 'vitest';
import { createSlack, type Slack } from '../../src/adapters/slack/index.ts';
import { personAddress } from '../../src/engine/people.ts';
import type { Chat } from '../../src/ports/chat.ts';
import { createWorkspace } from '../adapters/slack/harness.ts';
import { createHandClock } from '../fakes/clock.ts';
import { createKeptLog } from '../fakes/log.ts';
import { createAdapterClock } from './adapter-clock.ts';
import { type Circumstances, castOf } from './cast.ts';
import { type OpenStage, playAlong } from './run.ts';
import { createWorld } from './world.ts';

async function open(flow: string): Promise<OpenStage> {
  const clock = createHandClock();
  const slack = await createWorkspace({ clock, settleMs: 2_000 });
  const { ana, bo, cy, dee, guest } = slack.people;
  await slack.roleOfBo();
  const cast = castOf([ana, bo, cy, guest], slack.channel, slack.otherChannel);
  const first: Circumstances = {
    standings: { [personAddress(dee)]: 'gone', [personAddress(guest)]: 'guest' },
    roles: { 'slack:@helpers': [personAddress(bo)] },
  };
  let chat: Slack | undefined;
  const log = createKeptLog();
  async function connect(): Promise<Chat> {
    await chat?.stop();
    const next = createSlack(
      {
        botToken: slack.botToken,
        events: { kind: 'socket', appToken: slack.appToken },
        apiUrl: slack.apiUrl,
      },
      { clock: createAdapterClock(clock), log },
    );
    chat = next;
    return {
      ...next,
      async start(inbound) {
        await next.start(inbound);
        await slack.onceConnected(2);
      },
    };
  }
  const world = await createWorld(flow, cast, clock, [{ platform: slack, connect, quiet: slack.quiet }]);
  return {
    world,
    cast,
    first,
    isForgetful: true,
    async close() {
      await chat?.stop();
      await slack.close();
    },
  };
}

test('approvals are as the model says on Slack', async () => {
  const slack = await createWorkspace();
  const { ana, cy, dee, guest } = slack.people;
  const { conversation } = slack.otherChannel;
  await slack.close();
  const nameable = {
    users: [ana, dee, guest].map(personAddress),
    roles: ['helpers'],
    escalateTo: personAddress(cy),
    to: { written: 'slack:#releases', address: `slack:${conversation}` },
  };
  await playAlong(nameable, open, { numRuns: 20, isSlow: true });
});
