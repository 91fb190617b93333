import { describe, expect, test } from 'vitest';
import { literal } from '../../../src/engine/prose.ts';
import type { DiscordHarness } from './harness.ts';
import { callsOf, openJudged, partOf, posted, routes, saying, textsIn } from './judged.ts';

const button = { id: 'go', label: 'Go', style: 'primary' as const };

describe('what every edit carries', () => {
  test('trap 5: a policy that lets nobody be notified, the same mark, and still no previews', async () => {
    const h = await openJudged();
    await h.createRole('ops', { isMentionable: true });
    const notify = [h.people.ana.id, '@ops'];
    const message = await posted(h, h.channel, partOf(h, 'Publish?', { notify, buttons: [button] }));
    const hostile = [literal('@everyone <@400000000000000002>')];
    expect(await h.chat.edit(message, partOf(h, '', { prose: hostile, notify }))).toEqual({ kind: 'edited' });
    expect(callsOf(h, routes.edit)[0]?.body).toMatchObject({
      allowed_mentions: { parse: [], users: [], roles: [], replied_user: false },
      flags: (1 << 15) | (1 << 2),
      attachments: [],
    });
    expect(h.raw(message)).toMatchObject({
      flags: (1 << 15) | (1 << 2),
      mentions: [],
      mention_roles: [],
      mention_everyone: false,
    });
    expect(await h.messages(h.channel)).toMatchObject([
      { text: '@everyone <@400000000000000002>', buttons: [] },
    ]);
    expect(await h.chat.find(h.channel, 'key-1', 0)).toMatchObject({ kind: 'found', message });
  });

  test('a message that is known asks for nothing first', async () => {
    const h = await openJudged();
    const message = await posted(h, h.channel);
    const before = h.calls().length;
    await h.chat.edit(message, partOf(h, 'Bye'));
    expect(
      h
        .calls()
        .slice(before)
        .map(({ route }) => route),
    ).toEqual([routes.edit]);
  });
});

describe('after a restart', () => {
  test('the mark is read first, and stays', async () => {
    const h = await openJudged();
    const message = await posted(h, h.channel);
    await h.restart();
    expect(await h.chat.edit(message, partOf(h, 'Bye'))).toEqual({ kind: 'edited' });
    expect(await h.chat.edit(message, partOf(h, 'Bye bye'))).toEqual({ kind: 'edited' });
    expect(callsOf(h, routes.read)).toHaveLength(1);
    expect(await h.chat.find(h.channel, 'key-1', 0)).toMatchObject({ kind: 'found', message });
  });

  test('trap 15: without Read Message History cards go on', async () => {
    const h = await openJudged();
    const message = await posted(h, h.channel);
    await h.deny(h.channel, 'READ_MESSAGE_HISTORY');
    await h.restart();
    expect(await h.chat.edit(message, partOf(h, 'Bye'))).toEqual({ kind: 'edited' });
    expect(await textsIn(h, h.channel)).toEqual(['Bye']);
    await h.allow(h.channel, 'READ_MESSAGE_HISTORY');
    // Another post is certainly not there.
    expect(await h.chat.find(h.channel, 'key-2', 0)).toEqual({ kind: 'absent' });
  });

  test("somebody else's message is not touched, readable or not", async () => {
    const h = await openJudged();
    const message = await h.say(h.people.ana, h.channel, 'mine');
    expect(await h.chat.edit(message, partOf(h, 'Bye'))).toEqual({
      kind: 'refused',
      message: saying('not one of this bot'),
    });
    expect(callsOf(h, routes.edit)).toEqual([]);
    await h.deny(h.channel, 'READ_MESSAGE_HISTORY');
    expect(await h.chat.edit(message, partOf(h, 'Bye'))).toEqual({
      kind: 'refused',
      message: saying('not one of this bot'),
    });
    expect(await textsIn(h, h.channel)).toEqual(['mine']);
  });
});

describe('C28: what becomes of an edit where something was closed or deleted', () => {
  async function inThread(h: DiscordHarness) {
    const root = await h.say(h.people.ana, h.channel, 'a topic');
    const thread = { ...h.channel, thread: root.id };
    return { root, thread, message: await posted(h, thread) };
  }
  const edit = (h: DiscordHarness, message: Parameters<typeof h.chat.edit>[0]) =>
    h.chat.edit(message, partOf(h, 'Bye'));

  test('50083, archived: it is opened again, and the edit is made', async () => {
    const h = await openJudged();
    const { thread, message } = await inThread(h);
    await h.archiveThread(thread);
    expect(await edit(h, message)).toEqual({ kind: 'edited' });
    expect(await textsIn(h, thread)).toEqual(['Bye']);
    expect(callsOf(h, routes.edit)).toHaveLength(2);
  });

  test('archived and locked: closed after two requests, with what to do', async () => {
    const h = await openJudged();
    const { thread, message } = await inThread(h);
    await h.archiveThread(thread);
    await h.lockThread(thread);
    const before = h.calls().length;
    expect(await edit(h, message)).toEqual({ kind: 'closed', message: saying('moderator') });
    expect(h.calls().length - before).toBe(2);
  });

  test('locked only: it can be edited', async () => {
    const h = await openJudged();
    const { thread, message } = await inThread(h);
    await h.lockThread(thread);
    expect(await edit(h, message)).toEqual({ kind: 'edited' });
  });

  test('10003, the thread or the channel is deleted: gone', async () => {
    const h = await openJudged();
    const { thread, message } = await inThread(h);
    const beside = await posted(h, h.channel, partOf(h, 'x'), 'key-2');
    await h.deleteChannel(thread);
    expect(await edit(h, message)).toEqual({ kind: 'gone' });
    await h.deleteChannel(h.channel);
    expect(await edit(h, beside)).toEqual({ kind: 'gone' });
    await h.restart();
    expect(await edit(h, beside)).toEqual({ kind: 'gone' });
  });

  test('10008, the message is deleted: gone', async () => {
    const h = await openJudged();
    const { message } = await inThread(h);
    await h.deleteMessage(message);
    expect(await edit(h, message)).toEqual({ kind: 'gone' });
    await h.restart();
    expect(await edit(h, message)).toEqual({ kind: 'gone' });
  });

  test('50001, hidden: refused with what to do', async () => {
    const h = await openJudged();
    const { message } = await inThread(h);
    await h.deny(h.channel, 'VIEW_CHANNEL');
    expect(await edit(h, message)).toEqual({ kind: 'refused', message: saying('View Channel') });
    await h.restart();
    expect(await edit(h, message)).toEqual({ kind: 'refused', message: saying('View Channel') });
  });

  test.each(['', 'x', '../300000000000000002'])(
    'what is no id (%j) is gone, and nothing is asked',
    async (id) => {
      const h = await openJudged();
      expect(await edit(h, { ...h.channel, id })).toEqual({ kind: 'gone' });
      expect(callsOf(h, routes.edit)).toEqual([]);
    },
  );
});

describe('trap 19: edits that are too many', () => {
  test('30046: an old message is left alone for as long as Discord asks', async () => {
    const h = await openJudged();
    const message = await posted(h, h.channel);
    h.pass(2 * 3_600_000);
    h.failRequest(routes.edit, {
      kind: 'error',
      status: 429,
      code: 30046,
      message: 'Maximum number of edits',
    });
    const outcome = await h.chat.edit(message, partOf(h, '1'));
    expect(outcome).toMatchObject({ kind: 'later' });
    const afterMs = outcome.kind === 'later' ? outcome.afterMs : 0;
    expect(afterMs).toBeGreaterThan(0);
    // What comes meanwhile asks Discord for nothing.
    expect(await h.chat.edit(message, partOf(h, '2'))).toEqual({ kind: 'later', afterMs });
    expect(callsOf(h, routes.edit)).toHaveLength(1);
    h.pass(afterMs);
    expect(await h.chat.edit(message, partOf(h, '3'))).toEqual({ kind: 'edited' });
    expect(await textsIn(h, h.channel)).toEqual(['3']);
  });

  test('C25: five cards with 400 edits each stay within the allowance, and decisions are not behind', async () => {
    const h = await openJudged();
    const cards = await Promise.all(
      [1, 2, 3, 4, 5].map(async (run) => {
        const place = run < 3 ? h.channel : h.otherChannel;
        return { run, message: await posted(h, place, partOf(h, `Run ${run}`), `run-${run}`), nextMs: 0 };
      }),
    );
    h.pass(10_000);
    const approval = await posted(h, h.channel, partOf(h, 'Publish?'), 'question');
    for (let item = 1; item <= 400; item += 1) {
      h.pass(100);
      for (const card of cards) {
        if (card.nextMs > h.nowMs()) continue;
        const part = partOf(h, `Run ${card.run}: ${item} of 400`, { progress: true });
        const outcome = await h.chat.edit(card.message, part);
        if (outcome.kind === 'later') card.nextMs = h.nowMs() + outcome.afterMs;
      }
      if (item === 200) {
        expect(await h.chat.edit(approval, partOf(h, 'Approved'))).toEqual({ kind: 'edited' });
      }
    }
    for (const channel of [h.channel, h.otherChannel]) {
      const times = callsOf(h, routes.edit)
        .filter(({ params }) => params.channel === channel.conversation)
        .map(({ atMs }) => atMs);
      const perFiveSeconds = times.map((end) => times.filter((at) => at > end - 5_000 && at <= end).length);
      expect(Math.max(...perFiveSeconds)).toBeLessThanOrEqual(10);
      expect(times.length).toBeGreaterThan(15);
    }
  });
});
