import { describe, expect, test } from 'vitest';
import {
  type Asked,
  answersIn,
  approvers,
  asking,
  cardOf,
  type EditFault,
  oncePrivate,
  type Platform,
  release,
  runOf,
} from './approvals.ts';
import { onceAsked, onceShown } from './waiting.ts';

const hourMs = 3_600_000;

/** What becomes of cards: deleted, hard to edit, left behind by a crash. */
export function cardsOn(platform: Platform): void {
  const { people } = platform;

  describe(`a card that somebody has deleted on ${platform.name}`, () => {
    /** The card that stands there now instead of the one that was deleted. */
    async function newCard(asked: Asked): Promise<Asked> {
      const { message, button } = await onceAsked(asked.desk, asked.thread, 'Approve');
      expect(message.id).not.toBe(asked.message.id);
      return { ...asked, message, button };
    }

    test('while nothing ran is there again with the next reminder, and its buttons count', async () => {
      const asked = await asking(platform, approvers(people.bo), 'remindAfter: 12h');
      const { desk, live, thread } = asked;
      await live.stop();
      await desk.deleteMessage(asked.message);
      desk.pass(12 * hourMs + 1);
      await live.start();
      await onceShown(desk, thread, 'Still waiting');
      const again = await newCard(asked);
      expect(await desk.notified(again.message)).toEqual([people.bo.id]);
      await desk.click(people.bo, again.message, again.button);
      await onceShown(desk, thread, 'has succeeded');
      expect((await cardOf(again)).text).toContain('✅ Approved by Bo');
      expect((await cardOf(again)).buttons).toEqual([]);
      expect(asked.complaints()).toEqual([]);
    });

    test('is there again after one of two answers; an answer on the old one counts, too', async () => {
      const asked = await asking(platform, 'quorum: 2');
      const { desk, thread, message, button } = asked;
      await desk.deleteMessage(message);
      await desk.click(people.bo, message, button);
      await onceShown(desk, thread, 'Bo: Approve');
      const again = await newCard(asked);
      expect((await cardOf(again)).buttons).toHaveLength(2);
      await desk.click(people.cy, message, button);
      await onceShown(desk, thread, 'has succeeded');
      expect((await cardOf(again)).text).toContain('✅ Approved by Bo and Cy');
      const labels = (await desk.messages(thread)).flatMap(({ buttons }) =>
        buttons.map(({ label }) => label),
      );
      expect(labels).not.toContain('Approve');
      expect(asked.complaints()).toEqual([]);
    });

    test('keeps nobody from deciding by a command, and none that asks is left', async () => {
      const asked = await asking(platform);
      const { desk, thread, message } = asked;
      await desk.deleteMessage(message);
      await desk.command(people.bo, desk.channel, `approve ${(await runOf(asked)).id}`);
      await onceShown(desk, thread, 'has succeeded');
      const labels = (await desk.messages(thread)).flatMap(({ buttons }) =>
        buttons.map(({ label }) => label),
      );
      expect(labels).not.toContain('Approve');
      expect(await answersIn(asked)).toHaveLength(1);
      expect(asked.complaints()).toEqual([]);
    });
  });

  test(`a run that is cancelled takes its question back: the card says so, and has no buttons, on ${platform.name}`, async () => {
    const asked = await asking(platform, 'remindAfter: 1h');
    const { desk, live, message, button, thread } = asked;
    await live.stop();
    desk.pass(hourMs + 1);
    await live.start();
    await onceShown(desk, thread, 'Still waiting');
    await desk.command(people.ana, desk.channel, `cancel ${(await runOf(asked)).id}`);
    await onceShown(desk, thread, 'was cancelled');
    expect((await cardOf(asked)).text).toContain('⊘ Not needed any more');
    expect((await desk.messages(thread)).map(({ text }) => text).join()).not.toMatch(
      /Waiting for|Still waiting/,
    );
    expect((await cardOf(asked)).buttons).toEqual([]);
    await desk.click(people.bo, message, button);
    expect((await oncePrivate(desk, people.bo)).text).toMatch(/^This question is closed\./);
    expect(asked.complaints()).toEqual([]);
  });

  test.each<EditFault>(['fails', 'asks to wait', 'breaks off', 'is done, and nobody hears of it'])(
    `C23: when the edit of the card %s the run goes on, and the card ends true, on ${platform.name}`,
    async (fault) => {
      const asked = await asking(platform);
      const { desk, message, button, thread } = asked;
      asked.failEdits(fault, 3);
      await desk.click(people.bo, message, button);
      await onceShown(desk, desk.otherChannel, 'Published by Bo');
      await desk.until(async () => (await cardOf(asked)).buttons.length === 0);
      await onceShown(desk, thread, 'has succeeded');
      expect((await cardOf(asked)).text).toContain('✅ Approved by Bo');
      expect(await answersIn(asked)).toHaveLength(1);
      expect(asked.complaints()).toEqual([]);
    },
  );

  test(`C31: when the process ends between the decision and the edit, the card is true after the next start, on ${platform.name}`, async () => {
    const asked = await asking(platform);
    const { desk, live, message, button, thread } = asked;
    asked.failEdits('breaks off', 3);
    const clicked = desk.click(people.bo, message, button);
    await desk.until(async () => (await answersIn(asked)).length > 0);
    await live.stop();
    await clicked;
    expect((await cardOf(asked)).buttons).toHaveLength(2);
    await live.start();
    await onceShown(desk, thread, 'has succeeded');
    await desk.until(async () => (await cardOf(asked)).buttons.length === 0);
    expect((await cardOf(asked)).text).toContain('✅ Approved by Bo');
    expect(await desk.messages(desk.otherChannel)).toHaveLength(1);
    expect(await answersIn(asked)).toHaveLength(1);
  });

  test(`C62: nothing that can be fetched decides: every address of ours, all methods, with all that a card holds, on ${platform.name}`, async () => {
    const asked = await asking(platform, 'expiresAfter: 2d', 'remindAfter: 12h');
    const { desk, live, message, button, thread } = asked;
    expect(asked.sent()).not.toMatch(/"url":"http|\]\(http|<http/);
    const { id } = await runOf(asked);
    const paths = ['/', '/slack/events', '/hooks/release', '/health', '/approve', `/runs/${id}/approve`];
    const body = JSON.stringify({ type: 'block_actions', actions: [{ action_id: button }], run: id });
    const statuses: number[] = [];
    for (const path of paths) {
      for (const method of ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const query = `?question=${id}.1&action=approve&button=${encodeURIComponent(button)}`;
        const isRead = ['GET', 'HEAD'].includes(method);
        const { status } = await fetch(`${live.flowbot.url}${path}${query}`, {
          method,
          ...(!isRead && { body, headers: { 'content-type': 'application/json' } }),
        });
        statuses.push(status);
      }
    }
    await desk.quiet();
    expect(await answersIn(asked)).toEqual([]);
    expect((await runOf(asked)).status).toBe('waiting');
    expect((await cardOf(asked)).buttons).toHaveLength(2);
    expect(statuses.filter((status) => status >= 500)).toEqual([]);
    await desk.click(people.bo, message, button);
    await onceShown(desk, thread, 'has succeeded');
  });

  describe(`words instead of buttons on ${platform.name}`, () => {
    test.each(['approved', 'LGTM 👍', 'nein, danke'])(
      '“%s” in the thread is answered once with where the button is, and decides nothing',
      async (words) => {
        const asked = await asking(platform);
        const { desk, thread } = asked;
        await desk.say(people.bo, thread, words);
        const texts = await onceShown(desk, thread, 'press a button');
        expect(texts.filter((text) => text.includes('press a button'))).toEqual([
          'A message does not count as an answer: press a button on the card of Publish?.',
        ]);
        await desk.say(people.cy, thread, words);
        await desk.say(people.bo, desk.channel, words);
        await desk.quiet();
        const all = [...(await desk.messages(thread)), ...(await desk.messages(desk.channel))];
        expect(all.filter(({ text }) => text.includes('press a button'))).toHaveLength(1);
        expect(await answersIn(asked)).toEqual([]);
        expect((await runOf(asked)).status).toBe('waiting');
        expect(asked.complaints()).toEqual([]);
      },
    );

    test('a discussion is left alone', async () => {
      const asked = await asking(platform);
      const { desk, thread } = asked;
      await desk.say(people.bo, thread, 'I would approve it if the second paragraph were shorter');
      await desk.say(people.bo, thread, 'approved?');
      await desk.quiet();
      expect((await desk.messages(thread)).map(({ text }) => text).join()).not.toContain('press a button');
      expect(asked.complaints()).toEqual([]);
    });

    test('in the thread of a card that stands elsewhere, too', async () => {
      const stage = await platform.open({ release: release(`to: "${platform.name}:#ops"`) });
      const { desk } = stage;
      await desk.say(people.ana, desk.channel, '!release');
      const ops = (await stage.live.flowbot.bot.chats.get(platform.name)?.conversation('#ops'))?.id ?? '';
      const place = { platform: platform.name, conversation: ops };
      const { message } = await onceAsked(desk, place, 'Approve');
      await desk.quiet();
      const said = await stage.reply(people.bo, message, 'lgtm');
      await onceShown(desk, said, 'press a button');
      expect(await answersIn(stage)).toEqual([]);
      expect(stage.complaints()).toEqual([]);
    });

    test('in direct messages, too', async () => {
      const stage = await platform.open({ release: release() });
      const { desk } = stage;
      const direct = desk.directPlace(people.bo);
      const root = await desk.say(people.bo, direct, '!release');
      // Where direct messages have threads, what is answered to a message stands in its thread.
      const roots = [root.id];
      const messages = async () => {
        const places = [direct, ...roots.map((thread) => ({ ...direct, thread }))];
        const found = await Promise.all(places.map((place) => desk.messages(place).catch(() => [])));
        return [...new Map(found.flat().map((message) => [message.ref.id, message])).values()];
      };
      await desk.until(async () => (await messages()).some(({ buttons }) => buttons.length > 1));
      await desk.quiet();
      roots.push((await desk.say(people.bo, direct, 'ok')).id);
      await desk.until(async () => (await messages()).some(({ text }) => text.includes('press a button')));
      await desk.quiet();
      expect((await messages()).filter(({ text }) => text.includes('press a button'))).toHaveLength(1);
      expect(await answersIn(stage)).toEqual([]);
      const card = (await messages()).find(({ buttons }) => buttons.length > 1);
      if (!card) throw new Error('there is no card');
      await desk.click(people.bo, card.ref, card.buttons[0]?.id ?? '');
      await desk.until(async () => (await answersIn(stage)).length > 0);
      expect(stage.complaints()).toEqual([]);
    });
  });
}
