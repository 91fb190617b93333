import { describe, expect, test } from 'vitest';
import type { Place } from '../../src/engine/people.ts';
import type { ChatHarness } from './chat-harness.ts';

/** What decides who may do something: what accounts are, and which roles there are and who has them. */
export function peopleContract(harness: () => ChatHarness): void {
  async function directWith(h: ChatHarness, id: string): Promise<Place> {
    const direct = await h.chat.conversation(id);
    return { platform: h.chat.platform, conversation: direct?.id ?? '' };
  }

  describe('who somebody is', () => {
    test('people of the workspace are members, wherever it is asked', async () => {
      const h = harness();
      const { ana, bo } = h.people;
      const message = await h.say(ana, h.channel, 'hello');
      const places = [h.channel, { ...h.channel, thread: message.id }, await directWith(h, ana.id)];
      const asked = places.flatMap((place) => [ana, bo].map((person) => h.chat.standing(person, place)));
      expect(new Set(await Promise.all(asked))).toEqual(new Set(['member']));
    });

    test('bots, the own one too, guests and people of other organisations are called so', async () => {
      const h = harness();
      const { self, bot, guest, foreign } = await h.outsiders();
      for (const one of [self, bot]) expect(await h.chat.standing(one, h.channel)).toBe('bot');
      for (const one of [guest, foreign]) {
        if (one) expect(await h.chat.standing(one, h.channel)).toBe('guest');
      }
    });

    test('who has left is gone, and so is who never was there', async () => {
      const h = harness();
      const { gone } = await h.outsiders();
      expect(await h.chat.standing(gone, h.channel)).toBe('gone');
      for (const id of ['', 'nobody', 'U0NOBODY', '499999999999999999', '../x', '__proto__']) {
        expect([id, await h.chat.standing({ id }, h.channel)]).toEqual([id, 'gone']);
      }
    });
  });

  describe('who can read a conversation', () => {
    test('people of the workspace read its public channels, and nobody else’s direct conversation', async () => {
      const h = harness();
      const { ana, bo } = h.people;
      for (const { conversation } of [h.channel, h.otherChannel]) {
        for (const person of [ana, bo]) expect(await h.chat.canRead(person, conversation)).toBe(true);
      }
      const { conversation } = await directWith(h, ana.id);
      expect(await h.chat.canRead(bo, conversation)).toBe(false);
    });

    test('bots, those who have left, and those who never were there read nothing', async () => {
      const h = harness();
      const { self, bot, gone } = await h.outsiders();
      for (const one of [self, bot, gone, { id: '' }, { id: 'nobody' }, { id: '499999999999999999' }]) {
        expect([one.id, await h.chat.canRead(one, h.channel.conversation)]).toEqual([one.id, false]);
      }
    });

    test('guests and people of other organisations read nobody’s direct conversation either', async () => {
      const h = harness();
      const { guest, foreign } = await h.outsiders();
      const { conversation } = await directWith(h, h.people.ana.id);
      for (const one of [guest, foreign]) {
        if (one) expect([one.id, await h.chat.canRead(one, conversation)]).toEqual([one.id, false]);
      }
    });

    test('what is no conversation is read by nobody', async () => {
      const h = harness();
      for (const id of ['', 'nowhere', '499999999999999998', '__proto__']) {
        expect([id, await h.chat.canRead(h.people.ana, id)]).toEqual([id, false]);
      }
    });
  });

  describe('roles', () => {
    test('a role is known by its name in any case and by its id, also in a direct conversation', async () => {
      const h = harness();
      const { id, name } = await h.roleOfBo();
      const { ana, bo } = h.people;
      for (const place of [h.channel, await directWith(h, bo.id)]) {
        for (const role of [id, name, name.toUpperCase()]) {
          expect([role, await h.chat.knowsRole(role, place)]).toEqual([role, true]);
          expect([role, await h.chat.hasRole(bo, role, place)]).toEqual([role, true]);
          expect([role, await h.chat.hasRole(ana, role, place)]).toEqual([role, false]);
        }
      }
    });

    test('a role that is not there is not known, and nobody has it', async () => {
      const h = harness();
      await h.roleOfBo();
      for (const role of ['', 'nosuchrole', 'everyone', '@everyone', 'here', '*', '__proto__']) {
        expect([role, await h.chat.knowsRole(role, h.channel)]).toEqual([role, false]);
        expect([role, (await h.chat.hasRole(h.people.bo, role, h.channel)) ?? false]).toEqual([role, false]);
      }
    });
  });
}
