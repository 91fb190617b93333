import { afterEach, expect, onTestFinished, test } from 'vitest';
import { createDiscord } from '../../../src/adapters/discord/index.ts';
import { createInbox } from '../../contracts/chat.ts';
import { createDiscordStandIn, type DiscordStandIn } from '../../fakes/discord/index.ts';
import { createKeptLog } from '../../fakes/log.ts';
import { clockOf, openDiscord } from './harness.ts';
import { openLive } from './live.ts';

let discord: DiscordStandIn | undefined;
afterEach(() => {
  expect(discord?.faults() ?? []).toEqual([]);
  discord = undefined;
});

const down = (why: RegExp) => ({ kind: 'down', why: expect.stringMatching(why) });

/** A bot that is not started yet. */
async function idle() {
  const made = await createDiscordStandIn();
  discord = made;
  const chat = createDiscord(
    { token: made.token, apiUrl: made.apiUrl, command: '/flow' },
    { clock: clockOf(made), log: createKeptLog(), onDead: () => {} },
  );
  onTestFinished(async () => {
    await chat.stop();
    await made.close();
  });
  return { chat, discord: made };
}

test('before the start, while it is connected, and after the end', async () => {
  const { chat } = await idle();
  expect(chat.health()).toEqual(down(/^Not connected to Discord yet\.$/));
  await chat.start(createInbox());
  expect(chat.health()).toEqual({ kind: 'up' });
  await chat.stop();
  expect(chat.health()).toEqual(down(/^Stopped\.$/));
});

test('while the starts of a day are used up', async () => {
  const { chat, discord: made } = await idle();
  made.gateway.settings.identifiesLeft = 0;
  const starting = chat.start(createInbox());
  await made.until(() => made.calls().filter(({ route }) => route === 'GET /gateway/bot').length > 1);
  expect(chat.health()).toEqual(down(/only so many times a day/));
  made.gateway.settings.identifiesLeft = 1_000;
  await starting;
  expect(chat.health()).toEqual({ kind: 'up' });
});

test('while Discord takes nothing from this machine', async () => {
  const h = await openDiscord();
  discord = h.discord;
  h.failRequest(/users/, { kind: 'status', status: 403 });
  await h.chat.nameOf('400000000000000077');
  expect(h.chat.health()).toEqual(down(/takes nothing from this address/));
  const before = h.calls().length;
  expect(await h.chat.nameOf('400000000000000078')).toBe('400000000000000078');
  expect(h.calls()).toHaveLength(before);
  h.pass(300_000);
  expect(h.chat.health()).toEqual({ kind: 'up' });
  expect(h.deaths).toEqual([]);
});

test('one refusal, limit or failure is no reason to be down', async () => {
  const h = await openDiscord();
  discord = h.discord;
  for (const fault of [
    { kind: 'error', status: 403, code: 50013, message: 'Missing Permissions' },
    { kind: '429', retryAfterS: 1 },
    { kind: 'status', status: 500 },
    { kind: 'reset' },
  ] as const) {
    h.failRequest(/users/, fault);
    await h.chat.nameOf('400000000000000077');
    expect(h.chat.health()).toEqual({ kind: 'up' });
  }
});

test('monitoring is told why over HTTP', async () => {
  const { discord: made, live } = await openLive({});
  discord = made;
  const ready = async () => {
    const answer = await fetch(`${live.flowbot.url}/readyz`);
    return { status: answer.status, body: await answer.json() };
  };
  expect(await ready()).toEqual({ status: 200, body: { ok: true, down: [] } });
  made.gateway.refuse(2);
  made.gateway.terminate();
  await made.until(() => made.gateway.connections() === 0);
  await expect.poll(ready).toEqual({
    status: 503,
    body: {
      ok: false,
      down: [{ platform: 'discord', why: 'The connection to Discord is lost; it is made again.' }],
    },
  });
  await made.until(() => made.gateway.connections() === 1);
  await expect.poll(ready).toMatchObject({ status: 200 });
  made.gateway.closeAll(4004);
  await expect
    .poll(ready)
    .toMatchObject({ status: 503, body: { down: [{ why: expect.stringMatching(/DISCORD_TOKEN/) }] } });
  expect(live.deaths).toHaveLength(1);
});
