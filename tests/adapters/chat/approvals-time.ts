import { describe, expect, test } from 'vitest';
import {
  answersIn,
  approvers,
  asking,
  begin,
  cardOf,
  onceAcknowledged,
  oncePrivate,
  type Platform,
  release,
  runOf,
} from './approvals.ts';
import { onceShown } from './waiting.ts';

const hourMs = 3_600_000;

/** Reminders, escalation and deadlines, as people meet them. */
export function timesOn(platform: Platform): void {
  const { people } = platform;

  describe(`reminders on ${platform.name}`, () => {
    test('notify those who are asked, and nobody else, and say until when it is open', async () => {
      const asked = await asking(platform, approvers(people.bo), 'remindAfter: 12h', 'expiresAfter: 2d');
      const { desk, live, message, button, thread } = asked;
      const openedAtMs = desk.nowMs();
      await live.stop();
      desk.pass(12 * hourMs + 1);
      await live.start();
      const texts = await onceShown(desk, thread, 'Still waiting for');
      expect(texts.filter((text) => text.includes('Still waiting'))).toHaveLength(1);
      const reminder = (await desk.messages(thread)).find(({ text }) => text.includes('Still waiting'));
      expect(reminder?.buttons).toEqual([]);
      expect(reminder && (await desk.notified(reminder.ref))).toEqual([people.bo.id]);
      expect((await cardOf(asked)).text).toContain('Reminded once');
      expect(asked.sent()).toContain(platform.readerTime(openedAtMs + 48 * hourMs));
      await desk.click(people.bo, message, button);
      await onceShown(desk, thread, 'has succeeded');
      const after = (await desk.messages(thread)).find(({ ref }) => ref.id === reminder?.ref.id);
      expect(after?.text).toContain('✅ Approved by Bo');
      expect(after?.text).not.toContain('Still waiting');
      expect((await cardOf(asked)).text).not.toMatch(/Waiting for|Reminded|Open until/);
      expect(asked.complaints()).toEqual([]);
    });

    test('notify a group that is asked as a group', async () => {
      const stage = await platform.open({
        release: release('approvers: { roles: [keepers] }', 'remindAfter: 1h'),
      });
      await stage.group('keepers', [people.bo]);
      const asked = await begin(stage);
      const { desk, live, message, thread } = asked;
      const whom = await desk.notified(message);
      expect(whom).toHaveLength(1);
      expect(whom).not.toContain(people.bo.id);
      await live.stop();
      desk.pass(hourMs + 1);
      await live.start();
      await onceShown(desk, thread, 'Still waiting for');
      const reminder = (await desk.messages(thread)).find(({ text }) => text.includes('Still waiting'));
      expect(reminder && (await desk.notified(reminder.ref))).toEqual(whom);
      expect(asked.complaints()).toEqual([]);
    });

    test('come once after a time in which nothing ran, and not at all after the answer', async () => {
      const asked = await asking(platform, 'remindAfter: 1h');
      const { desk, live, message, button, thread } = asked;
      await live.stop();
      desk.pass(100 * hourMs);
      await live.start();
      await onceShown(desk, thread, 'Still waiting');
      await desk.click(people.bo, message, button);
      await onceShown(desk, thread, 'has succeeded');
      await live.stop();
      desk.pass(100 * hourMs);
      await live.start();
      await desk.quiet();
      const texts = (await desk.messages(thread)).map(({ text }) => text);
      expect(texts.filter((text) => text.startsWith('⏰'))).toHaveLength(1);
      expect(texts.join()).not.toContain('Still waiting');
      expect(asked.complaints()).toEqual([]);
    });
  });

  test(`escalation on ${platform.name}: others are notified, may answer from then on, and the card says so`, async () => {
    const asked = await asking(
      platform,
      approvers(people.bo),
      approvers(people.cy).replace('approvers', 'escalateTo'),
      'escalateAfter: 4h',
    );
    const { desk, live, message, button, thread } = asked;
    await desk.click(people.cy, message, button);
    expect((await oncePrivate(desk, people.cy)).text).toMatch(/^Only @?Bo may answer this\.$/);
    await live.stop();
    desk.pass(4 * hourMs + 1);
    await live.start();
    await onceShown(desk, thread, 'Nobody has decided yet');
    const escalated = (await desk.messages(thread)).find(({ text }) => text.includes('Nobody has decided'));
    expect(escalated && (await desk.notified(escalated.ref))).toEqual([people.cy.id]);
    expect((await cardOf(asked)).text).toMatch(/Waiting for @?Bo, or @?Cy/);
    await desk.click(people.cy, message, button);
    await onceShown(desk, thread, 'has succeeded');
    expect((await cardOf(asked)).text).toContain('✅ Approved by Cy');
    expect((await desk.messages(thread)).map(({ text }) => text).join()).not.toContain('Nobody has decided');
    expect(asked.complaints()).toEqual([]);
  });

  describe(`a deadline on ${platform.name}`, () => {
    test('stands on the card in each reader’s own time; when it passes nobody can answer, and the run ends so', async () => {
      const asked = await asking(platform, 'expiresAfter: 2d');
      const { desk, live, message, button, thread } = asked;
      const deadlineMs = desk.nowMs() + 48 * hourMs;
      expect((await cardOf(asked)).text).toContain('Open until');
      expect(asked.sent()).toContain(platform.readerTime(deadlineMs));
      await live.stop();
      desk.pass(48 * hourMs + 5_000);
      await live.start();
      await onceShown(desk, thread, 'was not decided in time');
      expect((await cardOf(asked)).text).toContain('⌛ Expired');
      expect((await cardOf(asked)).buttons).toEqual([]);
      await desk.click(people.bo, message, button);
      expect((await oncePrivate(desk, people.bo)).text).toContain('This question expired at ');
      await desk.command(people.bo, desk.channel, `approve ${(await runOf(asked)).id}`);
      expect((await oncePrivate(desk, people.bo, 1)).text).toContain('This question expired at ');
      expect(asked.sent().split(platform.readerTime(deadlineMs)).length).toBeGreaterThan(2);
      expect(await answersIn(asked)).toEqual([]);
      expect(await desk.messages(desk.otherChannel)).toEqual([]);
      expect(asked.complaints()).toEqual([]);
    });

    test('C64: a click before it counts however late it is handled; one after it does not, although the card still asks', async () => {
      const stage = await platform.open({ release: release('expiresAfter: 1h') });
      const early = await begin(stage);
      const { desk, live } = early;
      const { store } = live.flowbot.bot;
      const { questionRun } = store;
      desk.pass(hourMs - 1);
      let passMs = 5_000;
      store.questionRun = async (question) => {
        await onceAcknowledged(stage, 1);
        desk.pass(passMs);
        passMs = 0;
        return questionRun(question);
      };
      await desk.click(people.bo, early.message, early.button);
      await onceShown(desk, early.thread, 'has succeeded');
      expect((await cardOf(early)).text).toContain('✅ Approved by Bo');

      const late = await begin(stage);
      desk.pass(hourMs);
      expect((await cardOf(late)).buttons).toHaveLength(2);
      await desk.click(people.bo, late.message, late.button);
      expect((await oncePrivate(desk, people.bo)).text).toContain('This question expired at ');
      expect(await answersIn(late)).toEqual([]);
      expect(stage.complaints()).toEqual([]);
    });

    test('passes while somebody types: what they typed comes back', async () => {
      const asked = await asking(platform, 'expiresAfter: 1h');
      const { desk, message, thread } = asked;
      await desk.click(people.bo, message, await asked.buttonOf('Reject'));
      const form = (await desk.form(people.bo))?.id ?? '';
      desk.pass(hourMs);
      await desk.submit(people.bo, thread, form, { feedback: 'Typed for a whole hour' });
      const { text } = await oncePrivate(desk, people.bo);
      expect(text).toContain('This question expired at ');
      expect(text).toContain('Typed for a whole hour');
      expect(await answersIn(asked)).toEqual([]);
      expect(asked.complaints()).toEqual([]);
    });

    test('C64: what came in before it and is handled only after a restart beyond it counts', async () => {
      const asked = await asking(platform, 'expiresAfter: 1h');
      const { desk, live, message, button, thread } = asked;
      const { store } = live.flowbot.bot;
      const { questionRun } = store;
      const reached = Promise.withResolvers<void>();
      const held = Promise.withResolvers<void>();
      store.questionRun = async (question) => {
        reached.resolve();
        await held.promise;
        throw new Error(`the process has ended before it came to ${await questionRun(question)}`);
      };
      desk.pass(hourMs - 1_000);
      const clicked = desk.click(people.bo, message, button);
      await reached.promise;
      desk.pass(hourMs);
      held.resolve();
      await live.restart();
      await clicked;
      await onceShown(desk, thread, 'has succeeded');
      expect((await cardOf(asked)).text).toContain('✅ Approved by Bo');
      expect(await answersIn(asked)).toHaveLength(1);
    });

    test('onExpire approves in the name of nobody, with what counts as filled in', async () => {
      const asked = await asking(
        platform,
        'form: { type: object, properties: { level: { type: integer } } }',
        'expiresAfter: 1h',
        'onExpire: { exit: approved, values: { level: 2 } }',
      );
      const { desk, live, thread } = asked;
      await live.stop();
      desk.pass(2 * hourMs);
      await live.start();
      await onceShown(desk, thread, 'has succeeded');
      expect((await cardOf(asked)).text).toContain('⌛ Expired');
      expect((await cardOf(asked)).buttons).toEqual([]);
      expect(await answersIn(asked)).toEqual([]);
      expect(asked.complaints()).toEqual([]);
    });
  });
}
