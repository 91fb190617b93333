import { describe, expect, test } from 'vitest';
import { md } from '../../../src/engine/prose.ts';
import type { Answer } from '../../../src/ports/chat.ts';
import { asking, decisions, lastPrivate, runOf } from './asking.ts';
import { openSlack } from './harness.ts';
import { onceShown } from './live.ts';

describe.each(['socket', 'http'] as const)('buttons of a question, over %s', (transport) => {
  test.each([2_900, 4_000])(
    'C20, trap 7: the form opens first, although the database takes %i ms',
    async (ms) => {
      const { slack, live, message, reject } = await asking(transport);
      const { store } = live.flowbot.bot;
      const { receive, questionRun } = store;
      store.receive = async (delivery) => {
        slack.pass(ms);
        return receive(delivery);
      };
      store.questionRun = async (question) => {
        slack.pass(ms);
        return questionRun(question);
      };
      await slack.click(slack.people.bo, message, reject);
      expect(await slack.form(slack.people.bo)).toMatchObject({ fields: [{ id: 'feedback' }] });
      expect(slack.troubles(slack.people.bo)).toEqual([]);
    },
  );

  const late: readonly [string, readonly string[]][] = [
    ['expired_trigger_id', []],
    ['exchanged_trigger_id', []],
    ['invalid_trigger_id', []],
    ['trigger_expired', []],
    ['trigger_exchanged', []],
    ['invalid_arguments', ['[ERROR] `trigger_id` expired [json-pointer:/trigger_id]']],
  ];
  test.each(late)(
    'C20, trap 7: too late (%s): a working button comes, nothing is recorded',
    async (code, messages) => {
      const { slack, live, message, reject } = await asking(transport);
      slack.failMethod('views.open', { kind: 'error', code, messages });
      await slack.click(slack.people.bo, message, reject);
      expect(await slack.form(slack.people.bo)).toBeUndefined();
      expect(await lastPrivate(slack, slack.people.bo)).toEqual({
        text: 'That took too long. Please press again.',
        buttons: [{ id: reject, label: 'Reject' }],
        files: [],
      });
      expect(await decisions(live)).toBe(0);
      await slack.clickPrivate(slack.people.bo, reject);
      const form = await slack.form(slack.people.bo);
      await slack.submit(slack.people.bo, slack.channel, form?.id ?? '', { feedback: 'Not yet' });
      expect(await runOf(live)).toMatchObject({ status: 'rejected' });
    },
  );

  test('C22: two people have a form each; the second one hears who decided', async () => {
    const { slack, live, message, reject } = await asking(transport);
    const { ana, bo } = slack.people;
    await slack.click(ana, message, reject);
    await slack.click(bo, message, reject);
    const form = (await slack.form(ana))?.id ?? '';
    await slack.submit(ana, slack.channel, form, { feedback: 'Too early' });
    await slack.submit(bo, slack.channel, form, { feedback: 'Wrong title' });
    const heard = await lastPrivate(slack, bo);
    expect(heard?.text).toContain('Ana has already answered “Reject”');
    expect(heard?.text).toContain('Wrong title');
    expect(await slack.privates(ana)).toEqual([]);
    expect(await slack.form(bo)).toBeUndefined();
    expect(await decisions(live)).toBe(1);
  });

  test('trap 9: a double click decides once', async () => {
    const { slack, live, thread, message, approve } = await asking(transport);
    const click = () => slack.click(slack.people.bo, message, approve);
    await Promise.all([click(), click(), click()]);
    await onceShown(slack, thread, 'has succeeded');
    expect(await slack.messages(slack.otherChannel)).toHaveLength(1);
    expect(await decisions(live)).toBe(1);
    expect(slack.troubles(slack.people.bo)).toEqual([]);
  });

  test('traps 8 and 9: a form that is sent twice at once decides once', async () => {
    const { slack, live, message, reject } = await asking(transport);
    await slack.click(slack.people.bo, message, reject);
    const form = (await slack.form(slack.people.bo))?.id ?? '';
    const submit = () => slack.submit(slack.people.bo, slack.channel, form, { feedback: 'No' });
    await Promise.all([submit(), submit()]);
    expect(await decisions(live)).toBe(1);
    expect(await slack.privates(slack.people.bo)).toEqual([]);
    expect(slack.troubles(slack.people.bo)).toEqual([]);
  });

  test('trap 10: an old card works after a restart', async () => {
    const { slack, live, thread, message, approve } = await asking(transport);
    await live.restart();
    await slack.click(slack.people.bo, message, approve);
    await onceShown(slack, thread, 'has succeeded');
    expect(await slack.messages(slack.otherChannel)).toHaveLength(1);
  });

  test('trap 10: after a decision by another way the card has no buttons, and an old click hears who decided', async () => {
    const { slack, live, thread, message, approve } = await asking(transport);
    await slack.command(slack.people.ana, slack.channel, `approve ${(await runOf(live)).id}`);
    const texts = await onceShown(slack, thread, 'has succeeded');
    expect(texts.join('\n')).toContain('Approved by Ana');
    const cards = await slack.messages(thread);
    expect(cards.find(({ ref }) => ref.id === message.id)?.buttons).toEqual([]);
    await slack.click(slack.people.bo, message, approve);
    expect((await lastPrivate(slack, slack.people.bo))?.text).toContain('Ana has already answered “Approve”');
    expect(await decisions(live)).toBe(1);
  });

  test('a click still decides when the card was deleted meanwhile, and the run goes on', async () => {
    const { slack, live, thread, message, approve } = await asking(transport);
    await slack.deleteMessage(message);
    await slack.click(slack.people.bo, message, approve);
    await onceShown(slack, thread, 'has succeeded');
    expect(await decisions(live)).toBe(1);
  });

  test('after the run was cancelled an old click hears that it is closed', async () => {
    const { slack, live, thread, message, approve } = await asking(transport);
    await slack.command(slack.people.ana, slack.channel, `cancel ${(await runOf(live)).id}`);
    await onceShown(slack, thread, 'was cancelled');
    await slack.click(slack.people.bo, message, approve);
    expect((await lastPrivate(slack, slack.people.bo))?.text).toMatch(/closed|ended/);
    expect(await decisions(live)).toBe(0);
  });

  test('a made-up button does nothing', async () => {
    const { slack, live, message } = await asking(transport);
    await slack.click(slack.people.bo, message, 'answer:nothing:approve');
    await slack.click(slack.people.bo, message, '<!channel>');
    expect(await slack.privates(slack.people.bo)).toMatchObject([
      { text: 'There is no such question.' },
      { text: 'This button is not in use any more.' },
    ]);
    expect(await decisions(live)).toBe(0);
  });

  test('C31: the process ends between the decision and the edit of the card: the run goes on once', async () => {
    const { slack, live, thread, message, approve } = await asking(transport);
    slack.failMethod('chat.update', { kind: 'reset' }, 2);
    const clicked = slack.click(slack.people.bo, message, approve);
    await slack.until(() => slack.calls().some(({ method }) => method === 'chat.update'));
    await live.restart();
    await clicked;
    const texts = await onceShown(slack, thread, 'has succeeded');
    expect(texts.join('\n')).toContain('Approved by Bo');
    const cards = await slack.messages(thread);
    expect(cards.find(({ ref }) => ref.id === message.id)?.buttons).toEqual([]);
    expect(await slack.messages(slack.otherChannel)).toHaveLength(1);
    expect(await decisions(live)).toBe(1);
  });

  test('C62: nothing that can be fetched decides, and the click of a person still does', async () => {
    const { slack, live, thread, message, approve } = await asking(transport);
    const sent = JSON.stringify(slack.calls().map(({ args }) => args));
    const addresses = sent.match(/https?:\/\/[^\s"\\]+/g) ?? [];
    expect(addresses).toEqual([]);
    for (const address of [
      `${live.flowbot.url}/slack/events`,
      `${live.flowbot.url}/slack/events?${approve}`,
    ]) {
      for (const method of ['GET', 'HEAD']) {
        for (let count = 0; count < 10; count += 1) {
          expect((await fetch(address, { method })).status).toBe(404);
        }
      }
    }
    expect(await decisions(live)).toBe(0);
    await slack.click(slack.people.bo, message, approve);
    await onceShown(slack, thread, 'has succeeded');
  });
});

describe('forms that are sent', () => {
  const form = {
    id: 'form:1',
    title: 'A form',
    submitLabel: 'Send',
    fields: [{ id: 'a', label: 'A', type: 'text', required: true }],
  } as const;

  test('trap 8: an answer that takes longer than Slack waits comes afterwards', async () => {
    const { slack, inbox } = await openSlack('http');
    inbox.answerNext({ kind: 'form', form });
    await slack.command(slack.people.ana, slack.channel, 'run release');
    const answer = Promise.withResolvers<Answer>();
    const done = { prose: [md('Done.')], buttons: [], notify: [] };
    inbox.receive = async () => ({ answer: answer.promise });
    await slack.submit(slack.people.ana, slack.channel, form.id, { a: 'x' });
    expect(slack.troubles(slack.people.ana)).toEqual([]);
    expect(await slack.form(slack.people.ana)).toBeUndefined();
    expect(await slack.privates(slack.people.ana)).toEqual([]);
    answer.resolve({ kind: 'private', content: done });
    await slack.until(async () => (await slack.privates(slack.people.ana)).length > 0);
    expect(await slack.privates(slack.people.ana)).toMatchObject([{ text: 'Done.' }]);
  });

  test('trap 8: the same wrong values, sent twice, show the sentences both times', async () => {
    const { slack, inbox } = await openSlack('http');
    inbox.answerNext({ kind: 'form', form });
    await slack.command(slack.people.ana, slack.channel, 'run release');
    inbox.answerNext({ kind: 'errors', errors: { a: 'Too short.' } });
    for (let count = 0; count < 2; count += 1) {
      await slack.submit(slack.people.ana, slack.channel, form.id, { a: 'x' });
      expect((await slack.form(slack.people.ana))?.errors).toEqual({ a: 'Too short.' });
      expect(slack.troubles(slack.people.ana)).toEqual([]);
    }
  });
});
