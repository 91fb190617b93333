import { describe, expect, test } from 'vitest';
import type { Person, Place } from '../../../src/engine/people.ts';
import { type DiscordHarnessOptions, openDiscord } from './harness.ts';

const minuteMs = 60_000;

/** A Discord, and what the bot is told about its people. */
async function opened(options: DiscordHarnessOptions = {}) {
  const h = await openDiscord(options);
  const standing = (person: Pick<Person, 'id'>, place: Place = h.channel) => h.chat.standing(person, place);
  const before = h.calls().length;
  const asked = () =>
    h
      .calls()
      .slice(before)
      .filter(({ route }) => /^GET \/(guilds\/:guild\/members|users)\/:user$/.test(route)).length;
  return { ...h, h, standing, asked };
}

describe('what an account is', () => {
  test('many ask at the same time, Discord is asked once, and again after a minute', async () => {
    const { h, standing, asked } = await opened();
    const { cy } = h.people;
    expect(new Set(await Promise.all(Array.from({ length: 20 }, () => standing(cy))))).toEqual(
      new Set(['member']),
    );
    expect(asked()).toBe(1);
    await h.leave(cy);
    h.pass(minuteMs);
    expect(await standing(cy)).toBe('gone');
    expect(asked()).toBe(2);
  });

  test('who does something tells with it that they are there', async () => {
    const { h, standing, asked } = await opened();
    await h.command(h.people.cy, h.channel, 'run release');
    expect(await standing(h.people.cy)).toBe('member');
    expect(asked()).toBe(0);
  });

  test('in a direct conversation any person counts, and no bot', async () => {
    const { h, standing } = await opened();
    const { cy } = h.people;
    await h.leave(cy);
    expect(await standing(cy, h.directPlace(cy))).toBe('member');
    expect(await standing({ id: h.botId }, h.directPlace(cy))).toBe('bot');
    expect(await standing({ id: '499999999999999999' }, h.directPlace(cy))).toBe('gone');
  });

  test('of a bot that serves one server only people of that one count there', async () => {
    const { h, standing } = await opened({ guildId: '200000000000000001' });
    const { bo, cy } = h.people;
    await h.leave(cy);
    expect(await standing(cy, h.directPlace(cy))).toBe('gone');
    expect(await standing(bo, h.directPlace(bo))).toBe('member');
  });

  test('when Discord gives no answer nobody can tell, whatever was known before', async () => {
    const { h, standing } = await opened();
    expect(await standing(h.people.cy)).toBe('member');
    h.pass(minuteMs);
    h.failRequest('GET /guilds/:guild/members/:user', { kind: 'status', status: 500 }, 4);
    await expect(standing(h.people.cy)).rejects.toThrow('Discord failed (500).');
    expect(await standing(h.people.cy)).toBe('member');
  });

  test('in a place that the bot does not see nobody can tell', async () => {
    const { h, standing } = await opened();
    const nowhere: Place = { platform: 'discord', conversation: '399999999999999999' };
    await expect(standing(h.people.bo, nowhere)).rejects.toThrow(
      'Discord shows the bot no such conversation.',
    );
    await expect(h.chat.knowsRole('helpers', nowhere)).rejects.toThrow(
      'Discord shows the bot no such conversation.',
    );
  });
});

describe('whether there is a role', () => {
  test('the one of everybody is none, by no name, and of two of one name none is meant', async () => {
    const { h } = await opened();
    await h.createRole('twice');
    await h.createRole('Twice');
    for (const role of ['everyone', '@everyone', h.guildId, 'twice']) {
      expect([role, await h.chat.knowsRole(role, h.channel)]).toEqual([role, false]);
    }
  });

  test('in a direct conversation with people of several servers an id says which', async () => {
    const { h } = await opened();
    const role = await h.createRole('helpers');
    await h.createGuild('Second');
    const direct = h.directPlace(h.people.bo);
    expect(await h.chat.knowsRole(role, direct)).toBe(true);
    expect(await h.chat.knowsRole('helpers', direct)).toBe(false);
  });
});
