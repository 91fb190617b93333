import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSlackStandIn, type SlackStandIn } from './index.ts';
import { callApi, connectBot, type Envelope } from './little-bot.ts';
import { isWire, type Wire } from './wire.ts';

let slack: SlackStandIn;
beforeEach(async () => {
  slack = await createSlackStandIn({ settleMs: 50 });
});
afterEach(() => slack.close());

const plain = (text: string) => ({ type: 'plain_text', text });
const eventOf = ({ payload }: Envelope): Wire => (isWire(payload.event) ? payload.event : {});

describe('forms and buttons', () => {
  const modal = (more: Wire = {}) => ({
    type: 'modal',
    callback_id: 'form:1',
    title: plain('Why?'),
    submit: plain('Send'),
    private_metadata: '{"c":"C0GENERAL"}',
    blocks: [
      {
        type: 'input',
        block_id: 'why',
        label: plain('Reason'),
        element: { type: 'plain_text_input', action_id: 'value' },
      },
      {
        type: 'input',
        block_id: 'sure',
        label: plain('Sure'),
        optional: true,
        element: { type: 'checkboxes', action_id: 'value', options: [{ text: plain('Yes'), value: 'true' }] },
      },
      {
        type: 'input',
        block_id: 'when',
        label: plain('When'),
        optional: true,
        element: { type: 'datetimepicker', action_id: 'value' },
      },
    ],
    ...more,
  });
  const open = (trigger_id: unknown, view: Wire = modal()) =>
    callApi(slack, 'views.open', { trigger_id, view });
  const lastTrigger = (envelopes: readonly Envelope[]) => envelopes.at(-1)?.payload.trigger_id;

  test('a trigger is good once and for three seconds', async () => {
    const bot = await connectBot(slack);
    await slack.command(slack.people.ana, slack.channel, '');
    const trigger = lastTrigger(bot.envelopes);
    expect(await open('made-up')).toMatchObject({ error: 'invalid_trigger_id' });
    expect(await open(trigger)).toMatchObject({ ok: true });
    expect(await open(trigger)).toMatchObject({ error: 'exchanged_trigger_id' });
    await slack.command(slack.people.ana, slack.channel, '');
    slack.pass(3001);
    expect(await open(lastTrigger(bot.envelopes))).toMatchObject({ error: 'expired_trigger_id' });
  });

  test('a form is filled in by what its fields take, and follows the answer', async () => {
    const bot = await connectBot(slack);
    await slack.command(slack.people.ana, slack.channel, '');
    await open(lastTrigger(bot.envelopes));
    expect(await slack.form(slack.people.ana)).toMatchObject({
      id: 'form:1',
      title: 'Why?',
      fields: [{ id: 'why', label: 'Reason', required: true }, { required: false }, { required: false }],
    });
    const submit = (values: Record<string, string>) =>
      slack.submit(slack.people.ana, slack.channel, 'form:1', values);
    await submit({ sure: 'true' });
    expect((await slack.form(slack.people.ana))?.errors).toHaveProperty('why');
    bot.answer = () => ({ response_action: 'errors', errors: { why: 'Say more.' } });
    await submit({ why: 'so', sure: 'true', when: '2026-11-30T09:30:00Z' });
    expect(bot.envelopes.at(-1)?.payload).toMatchObject({
      type: 'view_submission',
      view: {
        callback_id: 'form:1',
        private_metadata: '{"c":"C0GENERAL"}',
        state: {
          values: {
            why: { value: { type: 'plain_text_input', value: 'so' } },
            sure: { value: { selected_options: [{ value: 'true' }] } },
            when: { value: { selected_date_time: 1_796_031_000 } },
          },
        },
      },
    });
    expect((await slack.form(slack.people.ana))?.errors).toEqual({ why: 'Say more.' });
    bot.answer = () => ({ response_action: 'errors', errors: { other: 'No such field.' } });
    await submit({ why: 'so' });
    expect(slack.troubles(slack.people.ana)).toEqual(['We had some trouble connecting. Try again?']);
    bot.answer = () => ({ response_action: 'update', view: modal({ title: plain('Done'), blocks: [] }) });
    await submit({ why: 'so' });
    expect(await slack.form(slack.people.ana)).toMatchObject({ title: 'Done', fields: [] });
    bot.answer = () => ({ response_action: 'push', view: modal({ callback_id: 'form:2' }) });
    await submit({});
    expect(await slack.form(slack.people.ana)).toMatchObject({ id: 'form:2' });
    bot.answer = () => ({});
    await slack.submit(slack.people.ana, slack.channel, 'form:2', { why: 'x' });
    expect(await slack.form(slack.people.ana)).toMatchObject({ id: 'form:1' });
    bot.answer = () => ({ response_action: 'clear' });
    await submit({});
    expect(await slack.form(slack.people.ana)).toBeUndefined();
  });

  test('a stale hash is refused, a fourth view too', async () => {
    const bot = await connectBot(slack);
    const push = async () => {
      await slack.command(slack.people.ana, slack.channel, '');
      return callApi(slack, 'views.push', { trigger_id: lastTrigger(bot.envelopes), view: modal() });
    };
    expect(await push()).toMatchObject({ error: 'not_found' });
    await slack.command(slack.people.ana, slack.channel, '');
    const { view } = await open(lastTrigger(bot.envelopes));
    const { id, hash } = isWire(view) ? view : {};
    const update = (args: Wire) => callApi(slack, 'views.update', { view_id: id, view: modal(), ...args });
    expect(await update({ hash })).toMatchObject({ ok: true });
    expect(await update({ hash })).toMatchObject({ error: 'hash_conflict' });
    expect(await update({})).toMatchObject({ ok: true });
    expect(await update({ view_id: 'V0NONE' })).toMatchObject({ error: 'not_found' });
    expect([await push(), await push(), await push()]).toMatchObject([
      { ok: true },
      { ok: true },
      { error: 'push_limit_reached' },
    ]);
  });

  test('a click carries what the button was, also when it is gone; a response_url is good five times', async () => {
    const bot = await connectBot(slack);
    const button = { type: 'button', action_id: 'q1:yes', value: 'q1:yes', text: plain('Yes') };
    const { ts } = await callApi(slack, 'chat.postMessage', {
      channel: 'C0GENERAL',
      text: 'x',
      blocks: [{ type: 'actions', block_id: 'b1', elements: [button] }],
    });
    const message = { ...slack.channel, id: String(ts) };
    await slack.click(slack.people.bo, message, 'q1:yes');
    const clicked = bot.envelopes.at(-1)?.payload;
    expect(clicked).toMatchObject({
      type: 'block_actions',
      user: { id: 'U0BO' },
      channel: { id: 'C0GENERAL' },
      container: { message_ts: ts },
      actions: [{ action_id: 'q1:yes', value: 'q1:yes', block_id: 'b1' }],
    });
    await slack.click(slack.people.bo, message, 'q0:no');
    expect(bot.envelopes.at(-1)?.payload).toMatchObject({
      actions: [{ action_id: 'q0:no', value: 'q0:no' }],
    });
    const respond = async (body: Wire) => {
      const url = String(clicked?.response_url);
      return (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).status;
    };
    expect(await respond({ text: 'For you' })).toBe(200);
    expect(await slack.privates(slack.people.bo)).toEqual([{ text: 'For you', buttons: [], files: [] }]);
    expect(await respond({ text: 'Changed', replace_original: true })).toBe(200);
    expect(await slack.messages(slack.channel)).toMatchObject([{ text: 'Changed', buttons: [] }]);
    expect(await respond({ text: 'All', response_type: 'in_channel' })).toBe(200);
    expect(await respond({ invented: true })).toBe(400);
    expect(await respond({ delete_original: true })).toBe(200);
    expect(await respond({ text: 'six' })).toBe(404);
    expect((await slack.messages(slack.channel)).map(({ text }) => text)).toEqual(['All']);
  });

  test('a response_url is good for half an hour, also where the bot is not', async () => {
    const bot = await connectBot(slack);
    const outside = slack.createChannel({ name: 'outside', isPrivate: true, botIsMember: false });
    await slack.command(slack.people.ana, outside, 'help');
    const url = String(bot.envelopes.at(-1)?.payload.response_url);
    const respond = async () =>
      (await fetch(url, { method: 'POST', body: JSON.stringify({ text: 'Hello' }) })).status;
    expect(await respond()).toBe(200);
    slack.pass(31 * 60_000);
    expect(await respond()).toBe(404);
    expect(await slack.privates(slack.people.ana)).toEqual([{ text: 'Hello', buttons: [], files: [] }]);
  });

  test('a private message has buttons too; Home is published and clicked', async () => {
    const bot = await connectBot(slack);
    const button = { type: 'button', action_id: 'go', text: plain('Go') };
    const blocks = [{ type: 'actions', elements: [button] }];
    await callApi(slack, 'chat.postEphemeral', { channel: 'C0GENERAL', user: 'U0ANA', text: 'x', blocks });
    expect(await slack.privates(slack.people.ana)).toEqual([
      { text: '', buttons: [{ id: 'go', label: 'Go' }], files: [] },
    ]);
    await slack.clickPrivate(slack.people.ana, 'go');
    expect(bot.envelopes.at(-1)?.payload).toMatchObject({ container: { is_ephemeral: true } });
    const outsider = { channel: 'C0GENERAL', user: 'U0DEE', text: 'x' };
    expect(await callApi(slack, 'chat.postEphemeral', outsider)).toMatchObject({
      error: 'user_not_in_channel',
    });
    await slack.openHome(slack.people.ana);
    expect(eventOf(bot.envelopes.at(-1) ?? { envelope_id: '', type: '', payload: {} })).toMatchObject({
      type: 'app_home_opened',
      tab: 'home',
    });
    const view = { type: 'home', blocks: [{ type: 'header', text: plain('Yours') }, ...blocks] };
    expect(await callApi(slack, 'views.publish', { user_id: 'U0ANA', view })).toMatchObject({ ok: true });
    expect(await slack.home(slack.people.ana)).toEqual({
      text: 'Yours',
      buttons: [{ id: 'go', label: 'Go' }],
    });
    await slack.clickHome(slack.people.ana, 'go');
    expect(bot.envelopes.at(-1)?.payload).toMatchObject({
      container: { type: 'view' },
      actions: [{ action_id: 'go' }],
    });
  });
});
