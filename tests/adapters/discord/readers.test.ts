import { describe, expect, test } from 'vitest';
import type { Person, Place } from '../../../src/engine/people.ts';
import { type DiscordHarnessOptions, openDiscord } from './harness.ts';

const minuteMs = 60_000;

/** A Discord, and who can read what in it: a thread by its own id, too. */
async function opened(options: DiscordHarnessOptions = {}) {
  const h = await openDiscord(options);
  const reads = (person: Pick<Person, 'id'>, { conversation, thread }: Place) =>
    h.chat.canRead(person, thread ?? conversation);
  return { h, reads };
}

describe('who can read a channel', () => {
  test.each([['VIEW_CHANNEL'], ['READ_MESSAGE_HISTORY']] as const)('nobody without %s', async (name) => {
    const { h, reads } = await opened();
    const { ana, bo } = h.people;
    await h.denyPerson(ana, h.channel, name);
    expect([await reads(ana, h.channel), await reads(bo, h.channel)]).toEqual([false, true]);
  });

  test('one that is hidden from everybody: the owner, and administrators', async () => {
    const { h, reads } = await opened();
    const { ana, bo, owner } = h.people;
    const admins = await h.createRole('admins', { permissions: ['ADMINISTRATOR'] });
    await h.hideFromEverybody(h.channel);
    await h.giveRole(bo, admins);
    h.pass(minuteMs);
    expect([await reads(ana, h.channel), await reads(bo, h.channel), await reads(owner, h.channel)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  test('the chat of a voice channel: who may enter it', async () => {
    const { h, reads } = await opened();
    const { ana, bo } = h.people;
    const voice = await h.createChannel({ name: 'talk', type: 'voice' });
    await h.denyPerson(ana, voice, 'CONNECT');
    expect([await reads(ana, voice), await reads(bo, voice)]).toEqual([false, true]);
  });

  test('nobody who has left, a minute later', async () => {
    const { h, reads } = await opened();
    const { cy } = h.people;
    expect(await reads(cy, h.channel)).toBe(true);
    await h.leave(cy);
    h.pass(minuteMs);
    expect(await reads(cy, h.channel)).toBe(false);
  });

  test('nobody, when it is deleted or the bot was put off the server', async () => {
    const { h, reads } = await opened();
    await h.deleteChannel(h.otherChannel);
    expect(await reads(h.people.ana, h.otherChannel)).toBe(false);
    await h.removeBot(h.channel);
    expect(await reads(h.people.ana, h.channel)).toBe(false);
  });

  test('of a server that is not served: nobody', async () => {
    const { h, reads } = await opened({ guildId: '200000000000000001' });
    const place = await h.createGuild('Second');
    expect([await reads(h.people.ana, place), await reads(h.people.ana, h.channel)]).toEqual([false, true]);
  });
});

describe('who can read a thread', () => {
  test('who can read its channel', async () => {
    const { h, reads } = await opened();
    const { ana, bo } = h.people;
    const thread = await h.openBareThread(bo, h.channel, 'talk');
    await h.denyPerson(ana, h.channel, 'VIEW_CHANNEL');
    expect([await reads(ana, thread), await reads(bo, thread)]).toEqual([false, true]);
  });

  test('a private one: who was added, and moderators of threads', async () => {
    const { h, reads } = await opened();
    const { ana, bo, cy } = h.people;
    const moderators = await h.createRole('moderators', { permissions: ['MANAGE_THREADS'] });
    await h.giveRole(cy, moderators);
    const thread = await h.openPrivateThread(bo, h.channel, 'secret');
    h.pass(minuteMs);
    expect([await reads(ana, thread), await reads(bo, thread), await reads(cy, thread)]).toEqual([
      false,
      true,
      true,
    ]);
  });
});

test('when Discord gives no answer nobody can tell, whatever was known before', async () => {
  const { h, reads } = await opened();
  expect(await reads(h.people.cy, h.channel)).toBe(true);
  h.pass(minuteMs);
  h.failRequest('GET /guilds/:guild/members/:user', { kind: 'status', status: 500 }, 4);
  await expect(reads(h.people.cy, h.channel)).rejects.toThrow('Discord failed (500).');
  expect(await reads(h.people.cy, h.channel)).toBe(true);
});
