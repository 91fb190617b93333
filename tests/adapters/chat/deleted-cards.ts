import { describe, expect, test } from 'vitest';
import type { MessageRef } from '../../../src/engine/people.ts';
import { type Asked, answersIn, asking, begin, cardOf, type Platform, release, runOf } from './approvals.ts';
import { onceAsked, onceShown } from './waiting.ts';

/** A flow whose card takes several messages. */
const longRelease = `
name: Release
triggers: [{ type: command, command: release }]
steps:
  draft: { type: template, text: "${'one two three four '.repeat(900)}" }
  review: { type: approval, title: Publish?, show: [draft] }
edges:
  - draft -> review
`;

/** The cards of the place, oldest first, each by its last message. */
export async function cardsOf({ desk, thread }: Pick<Asked, 'desk' | 'thread'>) {
  return (await desk.messages(thread)).filter(({ text }) => /, content [\da-f]{8}$/m.test(text));
}

/** The card that stands there instead of one that was deleted, once it is there. */
export async function onceBack(asked: Asked, gone: MessageRef = asked.message): Promise<Asked> {
  const { desk, thread } = asked;
  await desk.until(async () => (await cardsOf(asked)).some(({ ref }) => ref.id !== gone.id));
  await desk.quiet();
  const { message, button } = await onceAsked(desk, thread, 'Approve');
  return { ...asked, message, button };
}

/** What becomes of cards of open questions that somebody deletes. */
export function deletedCardsOn(platform: Platform): void {
  const { people } = platform;

  describe(`the card of an open question that somebody deletes on ${platform.name}`, () => {
    test('is there again at once, once, as it was, and its buttons count', async () => {
      const asked = await asking(platform);
      const { desk, thread, message } = asked;
      const before = await cardOf(asked);
      await desk.deleteMessage(message);
      const back = await onceBack(asked);
      expect(await cardsOf(back)).toEqual([{ ...before, ref: back.message }]);
      await desk.click(people.bo, back.message, back.button);
      await onceShown(desk, thread, 'has succeeded');
      expect(await cardOf(back)).toMatchObject({
        text: expect.stringContaining('✅ Approved by Bo'),
        buttons: [],
      });
      expect(await cardsOf(back)).toHaveLength(1);
      expect(await answersIn(asked)).toHaveLength(1);
      expect(asked.complaints()).toEqual([]);
    });

    test('a late click on the old one counts, and the new one says so', async () => {
      const asked = await asking(platform);
      const { desk, thread, message, button } = asked;
      await desk.deleteMessage(message);
      const back = await onceBack(asked);
      await desk.click(people.bo, message, button);
      await onceShown(desk, thread, 'has succeeded');
      expect(await cardOf(back)).toMatchObject({
        text: expect.stringContaining('✅ Approved by Bo'),
        buttons: [],
      });
      expect(await answersIn(asked)).toHaveLength(1);
    });

    test('shows the answers so far', async () => {
      const asked = await asking(platform, 'quorum: 2');
      const { desk, thread, message, button } = asked;
      await desk.click(people.bo, message, button);
      await onceShown(desk, thread, 'Bo: Approve');
      await desk.deleteMessage(message);
      const back = await onceBack(asked);
      expect((await cardOf(back)).text).toContain('Bo: Approve');
      expect((await cardOf(back)).buttons).toHaveLength(2);
    });

    test('asks those whom it asked before', async () => {
      const asked = await asking(platform, `approvers: { users: ["${platform.name}:${people.bo.id}"] }`);
      await asked.desk.deleteMessage(asked.message);
      const back = await onceBack(asked);
      expect(await asked.desk.notified(back.message)).toEqual([people.bo.id]);
    });

    test('does not come back once it is decided, and no message of people ever does', async () => {
      const asked = await asking(platform);
      const { desk, thread, message, button } = asked;
      const said = await desk.say(people.cy, thread, 'Publish? Let me see');
      await desk.deleteMessage(said);
      await desk.click(people.bo, message, button);
      await onceShown(desk, thread, 'has succeeded');
      await desk.deleteMessage(message);
      await desk.quiet();
      expect(await cardsOf(asked)).toEqual([]);
      expect(asked.complaints()).toEqual([]);
    });

    test('deleted at the moment of the decision, it asks nobody any more', async () => {
      const asked = await asking(platform);
      const { desk, thread, message, button } = asked;
      await Promise.all([desk.click(people.bo, message, button), desk.deleteMessage(message)]);
      await onceShown(desk, thread, 'has succeeded');
      for (const { text, buttons } of await cardsOf(asked)) {
        expect(text).toContain('✅ Approved by Bo');
        expect(buttons).toEqual([]);
      }
      expect(await answersIn(asked)).toHaveLength(1);
      expect(asked.complaints()).toEqual([]);
    });

    test('comes back three times; after that with what changes', async () => {
      let asked = await asking(platform, 'quorum: 2');
      const { desk, live, thread } = asked;
      for (let times = 0; times < 3; times += 1) {
        await desk.deleteMessage(asked.message);
        asked = await onceBack(asked);
      }
      await desk.deleteMessage(asked.message);
      await desk.until(() => live.log.lines.some(({ message }) => message.includes('again and again')));
      await desk.quiet();
      expect(await cardsOf(asked)).toEqual([]);
      await desk.command(people.bo, desk.channel, `approve ${(await runOf(asked)).id}`);
      await onceShown(desk, thread, 'Bo: Approve');
      expect(await cardsOf(asked)).toMatchObject([{ buttons: [{ label: 'Approve' }, { label: 'Reject' }] }]);
    });

    test.each(['reset', 'lost-answer'] as const)(
      'C31: is there once after the next start when the process ends while it is posted (%s)',
      async (fault) => {
        const asked = await asking(platform);
        const { desk, live, thread, message } = asked;
        desk.failNext(fault);
        await desk.deleteMessage(message);
        await live.stop();
        await live.start();
        const back = await onceBack(asked);
        expect(await cardsOf(back)).toHaveLength(1);
        await desk.click(people.bo, back.message, back.button);
        await onceShown(desk, thread, 'has succeeded');
        await desk.until(async () => (await cardOf(back)).text.includes('✅ Approved by Bo'));
        expect(await cardsOf(back)).toHaveLength(1);
      },
    );

    test('while nobody hears of it: comes back with its next change', async () => {
      const asked = await asking(platform, 'quorum: 2');
      const { desk, live, thread, message } = asked;
      await live.stop();
      await desk.deleteMessage(message);
      await live.start();
      await desk.quiet();
      await desk.command(people.bo, desk.channel, `approve ${(await runOf(asked)).id}`);
      await onceShown(desk, thread, 'Bo: Approve');
      expect(await cardsOf(await onceBack(asked))).toHaveLength(1);
    });

    test('of several messages: each comes back, in their order when they go together', async () => {
      const asked = await begin(await platform.open({ release: longRelease }));
      const { desk, thread } = asked;
      const isOfCard = (text: string) => /one two three|Publish\?/.test(text);
      const shown = async () => (await desk.messages(thread)).filter(({ text }) => isOfCard(text));
      const before = await shown();
      expect(before.length).toBeGreaterThan(1);
      await Promise.all(before.map(({ ref }) => desk.deleteMessage(ref)));
      await desk.until(async () => (await shown()).length === before.length);
      await desk.quiet();
      const after = await shown();
      expect(after.map(({ text }) => text)).toEqual(before.map(({ text }) => text));
      expect(after.map(({ buttons }) => buttons)).toEqual(before.map(({ buttons }) => buttons));
      expect(asked.complaints()).toEqual([]);
    });

    test.each([false, true])(
      'asked in another conversation comes back there (with what people wrote about it: %s)',
      async (isTalkedAbout) => {
        const stage = await platform.open({ release: release('to: "#releases"') });
        const { desk } = stage;
        await desk.say(people.ana, desk.channel, '!release');
        const first = await onceAsked(desk, desk.otherChannel, 'Approve');
        await desk.quiet();
        if (isTalkedAbout) {
          await desk.say(people.bo, { ...desk.otherChannel, thread: first.message.id }, 'Let me see');
        }
        await desk.deleteMessage(first.message);
        const asked = { ...stage, ...first, thread: desk.otherChannel, buttonOf: async () => '' };
        const back = await onceBack(asked);
        await desk.click(people.bo, back.message, back.button);
        await desk.until(async () => (await cardOf(back)).text.includes('✅ Approved by Bo'));
        expect(await cardsOf(back)).toHaveLength(1);
        expect(stage.complaints()).toEqual([]);
      },
    );
  });
}
