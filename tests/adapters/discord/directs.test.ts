import { describe, expect, test } from 'vitest';
import { callsOf, openJudged, partOf, posted, routes, saying, textsIn } from './judged.ts';

describe('direct messages', () => {
  test('are posted where the person reads them, and found there', async () => {
    const h = await openJudged();
    const found = await h.chat.conversation(h.people.ana.id);
    expect(found).toMatchObject({ name: '@Ana' });
    const place = { platform: 'discord', conversation: found?.id ?? '' };
    const message = await posted(h, place);
    expect(await textsIn(h, h.directPlace(h.people.ana))).toEqual(['Hello']);
    await h.restart();
    expect(await h.chat.find(place, 'key-1', 0)).toMatchObject({ kind: 'found', message });
    expect(await h.chat.edit(message, partOf(h, 'Bye'))).toEqual({ kind: 'edited' });
  });

  test.each([50007, 50278])(
    'trap 17: %i is a refusal with a sentence, and nothing else suffers',
    async (code) => {
      const h = await openJudged();
      const direct = h.directPlace(h.people.ana);
      if (code === 50007) h.refuseDms(h.people.ana);
      else h.failRequest(routes.post, { kind: 'error', status: 403, code, message: 'No mutual guilds' });
      expect(await h.chat.post(direct, partOf(h, 'Hello'), 'key-1')).toEqual({
        kind: 'refused',
        message: saying('person'),
      });
      expect(callsOf(h, routes.post)).toHaveLength(1);
      expect(h.chat.health()).toEqual({ kind: 'up' });
      await posted(h, h.directPlace(h.people.bo), partOf(h, 'Hello'), 'key-2');
      await posted(h, h.channel, partOf(h, 'Hello'), 'key-3');
    },
  );

  test('40003: too many at once: the conversation is asked for later', async () => {
    const h = await openJudged();
    const open = 'POST /users/@me/channels';
    h.failRequest(open, { kind: 'error', status: 400, code: 40003, message: 'Too fast' });
    expect(await h.chat.conversation(h.people.ana.id)).toMatchObject({ name: '@Ana' });
    expect(callsOf(h, open)).toHaveLength(2);
  });

  test('somebody who is not there, and another bot, are no conversation', async () => {
    const h = await openJudged();
    expect(await h.chat.conversation('499999999999999999')).toBeUndefined();
    expect(await h.chat.conversation('100000000000000002')).toBeUndefined();
    expect(await h.chat.conversation('@nobody')).toBeUndefined();
  });
});
