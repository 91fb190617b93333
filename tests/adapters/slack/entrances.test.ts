import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { onceAsked, onceShown, openLive } from './live.ts';

const note = `
name: Note
triggers: [{ type: command, command: note }, { type: manual }]
steps:
  post: { type: message, to: "#releases", text: "Noted: {{start.json.prompt}}" }
`;
const order = `
name: Order
triggers: [{ type: command, command: order }, { type: manual }]
input:
  type: object
  properties:
    name: { type: string, title: Name, minLength: 2, maxLength: 40 }
    notes: { type: string, title: Notes, maxLength: 2000 }
    price: { type: number, title: Price, minimum: 0, maximum: 10 }
    count: { type: integer, title: Count, minimum: 1, default: 3 }
    urgent: { type: boolean, title: Urgent, default: false }
    color: { type: string, title: Color, enum: [red, "light blue"] }
    tags: { type: array, title: Tags, items: { type: string, enum: [a, b, c] } }
    day: { type: string, title: Day, format: date }
    at: { type: string, title: At, format: time }
    due: { type: string, title: Due, format: date-time }
    owner: { type: string, title: Owner, format: slack-user }
    where: { type: string, title: Where, format: slack-channel }
    code: { type: string, title: Code, pattern: "^[A-Z]{3}$" }
  required: [name, color, code]
steps:
  post: { type: message, to: "#releases", text: "Ordered: {{input}}" }
`;
const guarded = `
name: Guarded
triggers: [{ type: command, command: guarded }, { type: manual }]
steps:
  ask: { type: approval, title: Publish?, approvers: { users: [slack:U0BO] } }
  post: { type: message, to: "#releases", text: Published }
`;

describe.each(['socket', 'http'] as const)('the bot in its workspace, over %s', (transport) => {
  test('/flow answers help, list, status and whoami privately', async () => {
    const { slack } = await openLive(transport, { note });
    for (const [typed, words] of [
      ['', '/flow run'],
      ['help', '/flow run'],
      ['list', 'note'],
      ['status nothing', 'nothing'],
      ['whoami', 'U0ANA'],
    ] as const) {
      await slack.command(slack.people.ana, slack.channel, typed);
      expect((await slack.privates(slack.people.ana)).at(-1)?.text).toContain(words);
    }
    expect(await slack.messages(slack.channel)).toEqual([]);
    expect(slack.troubles(slack.people.ana)).toEqual([]);
  });

  test('/flow run opens a form with a field for every kind of input; wrong values are told at their fields; it starts once', async () => {
    const { slack, live } = await openLive(transport, { order });
    const { ana } = slack.people;
    await slack.command(ana, slack.channel, 'run order');
    const form = await slack.form(ana);
    expect(form).toMatchObject({ title: 'Order', errors: {} });
    const view = slack.calls().find(({ method }) => method === 'views.open')?.args.view;
    expect(kindsIn(view)).toEqual({
      name: 'plain_text_input',
      notes: 'plain_text_input',
      price: 'number_input',
      count: 'number_input',
      urgent: 'radio_buttons',
      color: 'static_select',
      tags: 'multi_static_select',
      day: 'datepicker',
      at: 'timepicker',
      due: 'datetimepicker',
      owner: 'users_select',
      where: 'conversations_select',
      code: 'plain_text_input',
    });
    expect(form?.fields.flatMap(({ id, required }) => (required ? [id] : []))).toEqual([
      'name',
      'color',
      'code',
    ]);

    const id = form?.id ?? '';
    await slack.submit(ana, slack.channel, id, { name: 'Chair' });
    expect(Object.keys((await slack.form(ana))?.errors ?? {})).toEqual(['color', 'code']);
    const values = {
      name: 'Chair & <!channel>',
      notes: 'one\ntwo',
      price: '9.5',
      color: 'light blue',
      tags: '["a","c"]',
      day: '2026-11-30',
      at: '09:30',
      due: '2026-11-30T09:30:00Z',
      owner: 'U0BO',
      where: 'C0RELEASES',
    };
    for (let count = 0; count < 2; count += 1) {
      await slack.submit(ana, slack.channel, id, { ...values, code: 'abc' });
      expect(Object.keys((await slack.form(ana))?.errors ?? {})).toEqual(['code']);
    }
    const submit = () => slack.submit(ana, slack.channel, id, { ...values, code: 'ABC' });
    await Promise.all([submit(), submit()]);
    const [text = ''] = await onceShown(slack, slack.otherChannel, 'Ordered: ');
    expect(JSON.parse(text.slice('Ordered: '.length))).toEqual({
      ...values,
      price: 9.5,
      count: 3,
      urgent: false,
      tags: ['a', 'c'],
      code: 'ABC',
    });
    expect(await live.flowbot.bot.store.runs({ limit: 10 })).toHaveLength(1);
    expect(slack.troubles(ana)).toEqual([]);
  });

  test('a conversation command whose input is missing offers the same form', async () => {
    const { slack } = await openLive(transport, { order });
    const { ana } = slack.people;
    const asked = await slack.say(ana, slack.channel, '!order name="A chair"');
    const offer = await onceAsked(slack, { ...slack.channel, thread: asked.id }, 'Fill in');
    await slack.click(ana, offer.message, offer.button);
    const form = await slack.form(ana);
    await slack.submit(ana, slack.channel, form?.id ?? '', { color: 'red', code: 'ABC' });
    const [text] = await onceShown(slack, slack.otherChannel, 'Ordered: ');
    expect(text).toContain('A chair');
  });

  test('the shortcut "Run a flow" asks which one and starts it in the direct conversation', async () => {
    const { slack } = await openLive(transport, { note, order });
    const { ana } = slack.people;
    await slack.globalShortcut(ana);
    const form = await slack.form(ana);
    expect(form).toMatchObject({ title: 'Run a flow', fields: [{ id: 'flow', required: true }] });
    await slack.submit(ana, slack.channel, form?.id ?? '', { flow: 'order' });
    const second = await slack.form(ana);
    expect(second).toMatchObject({ title: 'Order' });
    await slack.submit(ana, slack.channel, second?.id ?? '', { name: 'Chair', color: 'red', code: 'ABC' });
    await onceShown(slack, slack.otherChannel, 'Ordered: ');
    const direct = await onceShown(slack, slack.directPlace(ana), 'Order has succeeded');
    expect(direct).toHaveLength(1);
    expect(slack.troubles(ana)).toEqual([]);
  });

  test('the shortcut "Use this message" starts a flow with its text, in its thread', async () => {
    const { slack } = await openLive(transport, { note });
    const { ana, bo } = slack.people;
    const message = await slack.say(bo, slack.channel, `ask ${slack.mention(ana)} about a < b`);
    await slack.messageShortcut(ana, message);
    const form = await slack.form(ana);
    await slack.submit(ana, slack.channel, form?.id ?? '', { flow: 'note' });
    expect(await onceShown(slack, slack.otherChannel, 'Noted')).toEqual(['Noted: ask @Ana about a < b']);
    await onceShown(slack, { ...slack.channel, thread: message.id }, 'has succeeded');
  });

  test('Home shows questions, runs and flows, and all of it can be done from there', async () => {
    const { slack, live } = await openLive(transport, { note, order, guarded });
    const { ana, bo } = slack.people;
    await slack.openHome(ana);
    const first = await slack.home(ana);
    expect(first?.text).toContain('Nothing waits for your answer.');
    expect(first?.buttons.map(({ label }) => label)).toEqual(['Run', 'Run', 'Run']);

    await slack.clickHome(ana, 'start:note');
    await onceShown(slack, slack.otherChannel, 'Noted');
    await slack.clickHome(ana, 'start:order');
    const form = await slack.form(ana);
    expect(form).toMatchObject({ title: 'Order' });
    await slack.submit(ana, slack.channel, form?.id ?? '', { name: 'Chair', color: 'red', code: 'ABC' });
    await onceShown(slack, slack.otherChannel, 'Ordered');

    await slack.say(ana, slack.channel, '!guarded');
    await slack.quiet();
    await slack.openHome(ana);
    expect((await slack.home(ana))?.text).toContain('Guarded is waiting');
    await slack.openHome(bo);
    expect((await slack.home(bo))?.text).toContain('Publish?');
    const approve = (await slack.home(bo))?.buttons.find(({ label }) => label === 'Approve')?.id ?? '';
    await slack.clickHome(bo, approve);
    await onceShown(slack, slack.otherChannel, 'Published');
    expect((await slack.home(bo))?.text).toContain('Nothing waits for your answer.');
    expect(await live.flowbot.bot.store.runs({ limit: 10 })).toHaveLength(3);
  });

  test('who invites the bot is greeted once, with what it can do; a channel it joined by itself is not', async () => {
    const { slack } = await openLive(transport, { note });
    const launch = slack.createChannel({ name: 'launch', botIsMember: false });
    await slack.invite(slack.people.ana, launch);
    const texts = await onceShown(slack, launch, 'Hello!');
    expect(texts).toHaveLength(1);
    expect(texts[0]).toContain('/flow help');
    await slack.invite(slack.people.ana, launch, slack.people.bo.id);
    await slack.quiet();
    expect(await slack.messages(launch)).toHaveLength(1);
  });

  test('C23: what comes after 40 minutes are ordinary messages', async () => {
    const { slack } = await openLive(transport, { guarded });
    await slack.command(slack.people.ana, slack.channel, 'run guarded');
    await slack.quiet();
    slack.pass(40 * 60_000);
    const [card] = await slack.messages(slack.channel);
    const question = await onceAsked(slack, { ...slack.channel, thread: card?.ref.id ?? '' }, 'Approve');
    await slack.click(slack.people.bo, question.message, question.button);
    expect(await onceShown(slack, slack.otherChannel, 'Published')).toEqual(['Published']);
    await onceShown(slack, slack.channel, 'has succeeded');
  });
});

const viewShape = z.object({
  blocks: z.array(z.object({ block_id: z.string(), element: z.object({ type: z.string() }) })),
});

/** Types of the elements of a view, by field. */
function kindsIn(view: unknown): unknown {
  return Object.fromEntries(
    viewShape.parse(view).blocks.map((block) => [block.block_id, block.element.type]),
  );
}
