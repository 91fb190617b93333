import { describe, expect, test } from 'vitest';
import type { Place } from '../../../src/engine/people.ts';
import { literal, md } from '../../../src/engine/prose.ts';
import type { RequestFault } from '../../fakes/discord/faults.ts';
import { callsOf, openJudged, partOf, posted, routes, textsIn } from './judged.ts';

const buttons = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `${index}`.padEnd(100, 'x'),
    label: `Choice ${index} ${'😀'.repeat(60)}`,
    style: 'plain' as const,
  }));

describe('what every message carries', () => {
  test('C02, trap 4: a policy that lets nobody be notified, a mark that nobody sees, and no previews', async () => {
    const h = await openJudged();
    const message = await posted(h, h.channel);
    const [call] = callsOf(h, routes.post);
    expect(call?.body).toMatchObject({
      allowed_mentions: { parse: [], users: [], roles: [], replied_user: false },
      flags: (1 << 15) | (1 << 2),
      components: [{ type: 10, content: 'Hello', id: expect.any(Number) }],
      nonce: expect.stringMatching(/^[\w-]{25}$/),
      enforce_nonce: true,
    });
    expect(Object.keys(Object(call?.body))).not.toEqual(expect.arrayContaining(['content', 'embeds']));
    expect(h.raw(message)).toMatchObject({
      flags: (1 << 15) | (1 << 2),
      mentions: [],
      mention_everyone: false,
    });
  });

  test('its address leads to it, in a channel, a thread and a direct conversation', async () => {
    const h = await openJudged();
    const { channel, guildId } = h;
    const root = await h.say(h.people.ana, channel, 'a topic');
    const direct = h.directPlace(h.people.ana);
    const urlOf = async (place: Place, key: string) => {
      const outcome = await h.chat.post(place, partOf(h, 'Hi'), key);
      return outcome.kind === 'posted' ? [outcome.url, outcome.message.id] : [];
    };
    const [inChannel, first] = await urlOf(channel, 'key-1');
    expect(inChannel).toBe(`https://discord.com/channels/${guildId}/${channel.conversation}/${first}`);
    const [inThread, second] = await urlOf({ ...channel, thread: root.id }, 'key-2');
    expect(inThread).toBe(`https://discord.com/channels/${guildId}/${root.id}/${second}`);
    const [inDirect, third] = await urlOf(direct, 'key-3');
    expect(inDirect).toBe(`https://discord.com/channels/@me/${direct.conversation}/${third}`);
  });

  test.each([1, 5, 6, 60, 130])('trap 12: %i buttons with the longest ids and labels', async (count) => {
    const h = await openJudged();
    const parts = h.chat.render({ prose: [md('Which?')], buttons: buttons(count), notify: [] });
    for (const [index, part] of parts.entries()) {
      h.pass(2_000);
      await posted(h, h.channel, part, `key#${index}`);
    }
    const shown = (await h.messages(h.channel)).flatMap((message) => message.buttons.map(({ id }) => id));
    expect(shown).toEqual(buttons(count).map(({ id }) => id));
  });
});

describe('C07 C08, trap 13: long texts arrive whole, in order, with their fences', () => {
  async function postAll(text: string): Promise<readonly string[]> {
    const h = await openJudged();
    const parts = h.chat.render({ prose: [md(text)], buttons: [], notify: [] });
    for (const [index, part] of parts.entries()) {
      h.pass(2_000);
      await posted(h, h.channel, part, `key#${index}`);
    }
    return callsOf(h, routes.post).map(({ body }) => Object(body).components[0].content);
  }

  const lines = Array.from({ length: 300 }, (_, index) => `print("line ${index} ${'x'.repeat(10)}")`);

  test('300 lines of code between prose', async () => {
    const texts = await postAll(`First.\nSecond.\n\n\`\`\`py\n${lines.join('\n')}\n\`\`\`\n\nThe end.`);
    expect(texts.length).toBeGreaterThan(1);
    for (const text of texts) {
      expect(text.length).toBeLessThanOrEqual(4_000);
      expect(text.match(/^```/gm)).toHaveLength(2);
      expect(text).toMatch(/^```py$/m);
    }
    const joined = texts.join('\n').replaceAll(/^```.*\n?/gm, '');
    expect(joined).toBe(
      `First.\nSecond.\n${lines.join('\n')}\n\nThe end.`.replace('\n\nThe end.', '\nThe end.'),
    );
  });

  // ```py⏎…⏎``` takes ten characters around the code.
  test.each([-4, -3, -2, -1, 0, 1, 2, 3, 4].map((more) => [more]))(
    'a block that ends %i characters from the limit',
    async (more) => {
      const code = 'x'.repeat(4_000 - 10 + more);
      const texts = await postAll(`\`\`\`py\n${code}\n\`\`\``);
      expect(texts).toHaveLength(more > 0 ? 2 : 1);
      for (const text of texts) expect(text).toMatch(/^```py\n[^`]+\n```$/);
      expect(texts.join('').replaceAll(/```(?:py)?|\n/g, '')).toBe(code);
    },
  );

  test('a language of 300 characters is cut, not the code', async () => {
    const texts = await postAll(`\`\`\`${'l'.repeat(300)}\n${lines.join('\n')}\n\`\`\``);
    for (const text of texts) expect(text).toMatch(/^```l{1,20}\n/);
    expect(
      texts
        .join('\n')
        .replaceAll(/^```.*\n?/gm, '')
        .trim(),
    ).toBe(lines.join('\n'));
  });
});

describe('trap 2: a post whose answer is lost is there once', () => {
  const lost: readonly [string, RequestFault, number][] = [
    ['the connection breaks before it is done', { kind: 'reset' }, 0],
    ['the answer is lost', { kind: 'lost' }, 1],
    ['Discord answers with 500', { kind: 'status', status: 500 }, 0],
    ['Discord answers with 500 although it is done', { kind: 'status', status: 500, isDone: true }, 1],
    ['Discord answers with 503', { kind: 'status', status: 503 }, 0],
    ['Discord never answers', { kind: 'hang' }, 0],
    ['Discord never answers although it is done', { kind: 'hang', isDone: true }, 1],
  ];

  test.each(lost)('%s: it is sent once, and can be looked up', async (_, fault, shown) => {
    const h = await openJudged();
    h.failRequest(routes.post, fault);
    expect(await h.chat.post(h.channel, partOf(h, 'Hello'), 'key-1')).toMatchObject({ kind: 'unknown' });
    expect(callsOf(h, routes.post)).toHaveLength(1);
    expect(await h.messages(h.channel)).toHaveLength(shown);
    const found = await h.chat.find(h.channel, 'key-1', h.nowMs() - 60_000);
    expect(found.kind).toBe(shown === 1 ? 'found' : 'absent');
  });

  test.each(lost)('%s: sent again at once, it is there once all the same', async (_, fault) => {
    const h = await openJudged();
    h.failRequest(routes.post, fault);
    await h.chat.post(h.channel, partOf(h, 'Hello'), 'key-1');
    await posted(h, h.channel);
    expect(await textsIn(h, h.channel)).toEqual(['Hello']);
  });

  test.each([0, 1_000])(
    'a nonce that counts for %i ms is not needed: the mark is found',
    async (windowMs) => {
      const h = await openJudged();
      h.nonceWindowMs = windowMs;
      h.failRequest(routes.post, { kind: 'lost' });
      await h.chat.post(h.channel, partOf(h, 'Hello'), 'key-1');
      h.pass(3_600_000);
      const [message] = await h.messages(h.channel);
      expect(await h.chat.find(h.channel, 'key-1', h.nowMs() - 3_700_000)).toMatchObject({
        kind: 'found',
        message: message?.ref,
      });
    },
  );

  test('what was posted and then deleted is not posted again', async () => {
    const h = await openJudged();
    const message = await posted(h, h.channel);
    await h.deleteMessage(message);
    expect(await h.chat.post(h.channel, partOf(h, 'Hello'), 'key-1')).toEqual({
      kind: 'refused',
      message: 'The message was deleted.',
    });
    expect(await h.messages(h.channel)).toEqual([]);
  });

  test('two keys never share a nonce', async () => {
    const h = await openJudged();
    const keys = ['a#0', 'a#1', 'a#10', 'b#0', 'a'];
    for (const key of keys) {
      h.pass(2_000);
      await posted(h, h.channel, partOf(h, key), key);
    }
    expect(new Set(callsOf(h, routes.post).map(({ body }) => Object(body).nonce)).size).toBe(keys.length);
  });
});

describe('whom posts notify', () => {
  test('only those of `notify`, and no words', async () => {
    const h = await openJudged();
    const ops = await h.createRole('ops', { isMentionable: true });
    const { ana, bo } = h.people;
    const part = partOf(h, '', {
      prose: [literal(`@everyone <@${bo.id}> <@&${ops}> @here`)],
      notify: [ana.id, '@ops', '@nobody', '@everyone', 'x', '<@1>'],
    });
    const message = await posted(h, h.channel, part);
    expect((await h.notified(message)).toSorted()).toEqual([ana.id, `@&${ops}`].toSorted());
    expect(await textsIn(h, h.channel)).toEqual([`@everyone <@${bo.id}> <@&${ops}> @here`]);
    expect(callsOf(h, routes.post)[0]?.body).toMatchObject({
      allowed_mentions: { parse: [], users: [ana.id], roles: [ops], replied_user: false },
    });
  });

  test('somebody who has left keeps a message from nobody else', async () => {
    const h = await openJudged();
    await h.leave(h.people.bo);
    const part = partOf(h, 'Publish?', { notify: [h.people.bo.id, '499999999999999999', h.people.ana.id] });
    expect(await h.notified(await posted(h, h.channel, part))).toContain(h.people.ana.id);
  });

  test('a role that nobody may mention is shown, and the log says how to mend it, once', async () => {
    const h = await openJudged();
    const ops = await h.createRole('ops');
    const message = await posted(h, h.channel, partOf(h, 'Publish?', { notify: ['@ops'] }));
    expect(await h.notified(message)).toEqual([]);
    expect(JSON.stringify(h.raw(message))).toContain(`<@&${ops}>`);
    await h.chat.edit(message, partOf(h, 'Published', { notify: ['@ops'] }));
    const warned = h.log.lines.filter(({ level, message: text }) => level === 'warn' && /mention/.test(text));
    expect(warned).toHaveLength(1);
  });

  test('50 people and roles at most, over a text of the greatest length', async () => {
    const h = await openJudged();
    const notify = Array.from({ length: 120 }, (_, index) => `4${String(index).padStart(17, '0')}`);
    const parts = h.chat.render({ prose: [literal('x '.repeat(4_000))], buttons: [], notify });
    for (const [index, part] of parts.entries()) await posted(h, h.channel, part, `key#${index}`);
    expect(Object(callsOf(h, routes.post)[0]?.body).allowed_mentions.users).toHaveLength(50);
    expect(Object(callsOf(h, routes.post)[1]?.body).allowed_mentions.users).toEqual([]);
  });
});

describe('how fast posts go out', () => {
  test('a channel gets about one message a second, others are not held up by it', async () => {
    const h = await openJudged();
    let sent = 0;
    let outcome = await h.chat.post(h.channel, partOf(h, 'x'), 'key-0');
    for (; outcome.kind === 'posted'; sent += 1) {
      outcome = await h.chat.post(h.channel, partOf(h, 'x'), `key-${sent + 1}`);
    }
    expect(sent).toBe(5);
    await posted(h, h.otherChannel, partOf(h, 'x'), 'other');
    h.pass(2_000);
    await posted(h, h.channel, partOf(h, 'x'), 'last');
  });

  test('a rate limit is kept to as long as Discord asks, for this channel only', async () => {
    const h = await openJudged();
    h.failRequest(routes.post, { kind: '429', retryAfterS: 17 });
    const outcome = await h.chat.post(h.channel, partOf(h, 'Hello'), 'key-1');
    expect(outcome).toMatchObject({ kind: 'later' });
    const afterMs = outcome.kind === 'later' ? outcome.afterMs : 0;
    expect(afterMs).toBeGreaterThanOrEqual(17_000);
    expect(afterMs).toBeLessThan(18_000);
    expect(await h.chat.post(h.channel, partOf(h, 'Hello'), 'key-1')).toEqual({ kind: 'later', afterMs });
    expect(callsOf(h, routes.post)).toHaveLength(1);
    await posted(h, h.otherChannel, partOf(h, 'Hi'), 'key-2');
  });

  test('a channel with slow mode is written to when Discord allows it', async () => {
    const h = await openJudged();
    const fault = { kind: 'error', status: 429, code: 20016, message: 'Slowmode' } as const;
    h.failRequest(routes.post, fault);
    const outcome = await h.chat.post(h.channel, partOf(h, 'Hello'), 'key-1');
    if (outcome.kind !== 'later') throw new Error(outcome.kind);
    h.pass(outcome.afterMs);
    await posted(h, h.channel);
  });
});

test('while nobody can tell what a conversation is, the post waits', async () => {
  const h = await openJudged();
  h.failRequest('GET /channels/:channel', { kind: '429', retryAfterS: 3_000 });
  const place = { platform: 'discord', conversation: '300000000000009999' };
  expect(await h.chat.post(place, partOf(h, 'x'), 'key-1')).toMatchObject({ kind: 'later' });
});

test('an unknown conversation refuses with a sentence, and asks Discord for nothing strange', async () => {
  const h = await openJudged();
  for (const conversation of ['', '..', '300000000000000001/../x', '#general', '399999999999999999']) {
    expect(await h.chat.post({ platform: 'discord', conversation }, partOf(h, 'x'), 'key')).toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(/^Discord has no conversation.*\.$/),
    });
  }
  expect(callsOf(h, '')).toEqual([]);
});
