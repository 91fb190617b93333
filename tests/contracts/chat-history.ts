import { describe, expect, test } from 'vitest';
import type { PastMessage } from '../../src/engine/digest.ts';
import type { HistoryOutcome } from '../../src/ports/chat.ts';
import type { ChatHarness } from './chat-harness.ts';
import { postOne } from './chat-posting.ts';

/** What chats promise about reading conversations back. */
export function historyContract(harness: () => ChatHarness): void {
  const HOUR_MS = 3_600_000;

  /** What people wrote in the last hours of a conversation. */
  async function read(
    h: ChatHarness,
    { hours = 1, max = 100, untilMs = h.nowMs() + 1_000 } = {},
    conversation = h.channel.conversation,
  ): Promise<Extract<HistoryOutcome, { kind: 'read' }>> {
    const outcome = await h.chat.history(conversation, {
      sinceMs: h.nowMs() - hours * HOUR_MS,
      untilMs,
      max,
    });
    if (outcome.kind !== 'read') throw new Error(JSON.stringify(outcome));
    return outcome;
  }

  const lines = (messages: readonly PastMessage[]) =>
    messages.map(({ author, text, isOlder }) => `${isOlder ? 'older ' : ''}${author.name}: ${text}`);

  describe('history', () => {
    test('is what people wrote, oldest first, without bots and what is deleted, as it reads now', async () => {
      const h = harness();
      const { ana, bo } = h.people;
      await h.say(ana, h.channel, 'Good morning');
      const gone = await h.say(bo, h.channel, 'never mind');
      const typo = await h.say(bo, h.channel, 'How do I reset teh cache?');
      await h.sayAsBot(h.channel, 'build 12 is green');
      await postOne(
        h,
        h.channel,
        { prose: [{ kind: 'literal', text: 'Digest' }], buttons: [], notify: [] },
        'key',
      );
      await h.say(ana, h.otherChannel, 'elsewhere');
      await h.deleteMessage(gone);
      await h.editAs(bo, typo, 'How do I reset the cache?');
      const { messages, isCut } = await read(h);
      expect(lines(messages)).toEqual([`${ana.name}: Good morning`, `${bo.name}: How do I reset the cache?`]);
      expect(isCut).toBe(false);
      expect(messages.map(({ author }) => author.id)).toEqual([ana.id, bo.id]);
      expect(messages.every(({ atMs }) => Math.abs(atMs - h.nowMs()) < HOUR_MS)).toBe(true);
    });

    test('answers in threads belong to it, and what they answer when that is older', async () => {
      const h = harness();
      const { ana, bo } = h.people;
      const question = await h.say(ana, h.channel, 'Is the old server gone?');
      h.pass(5 * HOUR_MS);
      const recent = await h.say(bo, h.channel, 'And the new one?');
      await h.say(bo, { ...h.channel, thread: question.id }, 'since Monday');
      await h.say(ana, { ...h.channel, thread: recent.id }, 'not yet');
      const { messages } = await read(h, { hours: 2 });
      expect(lines(messages)).toEqual([
        `older ${ana.name}: Is the old server gone?`,
        `${bo.name}: And the new one?`,
        `${bo.name}: since Monday`,
        `${ana.name}: not yet`,
      ]);
      const [old, asked, ...answers] = messages;
      expect(answers.map(({ thread }) => thread)).toEqual([old?.id, asked?.id]);
    });

    test('only the time that was asked for', async () => {
      const h = harness();
      const { ana } = h.people;
      await h.say(ana, h.channel, 'yesterday');
      h.pass(3 * HOUR_MS);
      await h.say(ana, h.channel, 'today');
      const untilMs = h.nowMs() + 60_000;
      h.pass(HOUR_MS);
      await h.say(ana, h.channel, 'tomorrow');
      expect(lines((await read(h, { hours: 2, untilMs })).messages)).toEqual([`${ana.name}: today`]);
      h.pass(24 * HOUR_MS);
      expect(await read(h)).toEqual({ kind: 'read', messages: [], isCut: false });
    });

    test('of too many the newest', async () => {
      const h = harness();
      const { ana } = h.people;
      for (const text of ['one', 'two', 'three']) await h.say(ana, h.channel, text);
      const { messages, isCut } = await read(h, { max: 2 });
      expect(lines(messages)).toEqual([`${ana.name}: two`, `${ana.name}: three`]);
      expect(isCut).toBe(true);
    });
  });
}
