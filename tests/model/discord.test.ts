import { test } from 'vitest';
import { createDiscord } from '../../src/adapters/discord/index.ts';
import { personAddress } from '../../src/engine/people.ts';
import type { Chat } from '../../src/ports/chat.ts';
import { createHandClock } from '../fakes/clock.ts';
import { createDiscordStandIn } from '../fakes/discord/index.ts';
import { createKeptLog } from '../fakes/log.ts';
import { createAdapterClock } from './adapter-clock.ts';
import { type Circumstances, castOf } from './cast.ts';
import { type OpenStage, playAlong } from './run.ts';
import { createWorld } from './world.ts';

async function open(flow: string): Promise<OpenStage> {
  const clock = createHandClock();
  const discord = await createDiscordStandIn({ clock });
  const { ana, bo, cy, owner } = discord.people;
  await discord.roleOfBo();
  const cast = castOf([ana, bo, cy, owner], discord.channel, discord.otherChannel);
  const first: Circumstances = {
    standings: {},
    roles: { 'discord:@helpers': [personAddress(bo)] },
  };
  let chat: Chat | undefined;
  const log = createKeptLog();
  async function connect(): Promise<Chat> {
    await chat?.stop();
    chat = createDiscord(
      { token: discord.token, apiUrl: discord.apiUrl, command: '/flow' },
      { clock: createAdapterClock(clock), log, onDead: () => {} },
    );
    return chat;
  }
  const world = await createWorld(flow, cast, clock, [{ platform: discord, connect, quiet: discord.quiet }]);
  return {
    world,
    cast,
    first,
    isForgetful: true,
    async close() {
      await chat?.stop();
      await discord.close();
    },
  };
}

test('approvals are as the model says on Discord', async () => {
  const discord = await createDiscordStandIn();
  const { ana, bo, owner } = discord.people;
  const { conversation } = discord.otherChannel;
  await discord.close();
  const nameable = {
    users: [ana, bo].map(personAddress),
    roles: ['helpers'],
    escalateTo: personAddress(owner),
    to: { written: 'discord:#releases', address: `discord:${conversation}` },
  };
  await playAlong(nameable, open, { numRuns: 20, isSlow: true });
});
