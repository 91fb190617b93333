import { describe, expect, test } from 'vitest';
import type { Person } from '../../../src/engine/people.ts';
import type { DiscordStandIn } from '../../fakes/discord/index.ts';
import { expectCalm, lastPrivate, runsOf } from './asking.ts';
import { note, order, short } from './flows.ts';
import { onceAsked, onceShown, openLive } from './live.ts';

/** What a client shows of a modal that the bot opened last. */
function modalOf(discord: DiscordStandIn, person: Person): unknown {
  return discord.answersOf(person).at(-1)?.data;
}

/** Presses the first button of what somebody was shown last. */
async function goOn(discord: DiscordStandIn, person: Person): Promise<void> {
  await discord.clickPrivate(person, (await lastPrivate(discord, person))?.buttons[0]?.id ?? '');
}

describe('what is missing is asked for in forms', () => {
  test('a form of 13 fields is three parts; what is wrong is said, and edited where it is', async () => {
    const { discord, live } = await openLive({ order });
    const { ana, bo } = discord.people;
    await discord.command(ana, discord.channel, 'run order');
    expect(modalOf(discord, ana)).toMatchObject({
      title: 'Order (1/3)',
      components: [
        { label: 'What', component: { type: 4, required: true } },
        { label: 'Notes', component: { type: 4, style: 2, required: false } },
        { label: 'price', component: { type: 4, placeholder: 'A number, 1 or more' } },
        { label: 'count', component: { type: 4, value: '3' } },
        {
          label: 'urgent',
          component: { type: 21, options: [{ label: 'Yes' }, { label: 'No', default: true }] },
        },
      ],
    });
    await discord.submit(ana, discord.channel, '', {
      name: 'Chair & <@&1> @everyone',
      notes: 'one\ntwo',
      price: '9.5',
    });
    expect(await lastPrivate(discord, ana)).toMatchObject({
      text: 'Kept. Part 2 of 3 comes next.',
      buttons: [{ label: 'Continue' }],
    });
    await goOn(discord, ana);
    expect(modalOf(discord, ana)).toMatchObject({
      title: 'Order (2/3)',
      components: [
        { label: 'color', component: { type: 3, options: [{ value: 'red' }, { value: 'light blue' }] } },
        { label: 'tags', component: { type: 3, max_values: 3 } },
        { label: 'day', component: { placeholder: '2026-11-30' } },
        { label: 'at', component: { placeholder: '09:30' } },
        { label: 'due', component: { placeholder: '2026-11-30T09:30:00Z' } },
      ],
    });
    await discord.submit(ana, discord.channel, '', {
      color: 'light blue',
      'tags[]': '["a","c"]',
      day: '2026-11-31',
      at: '09:30',
      due: '2026-11-30T09:30:00Z',
    });
    await goOn(discord, ana);
    expect(modalOf(discord, ana)).toMatchObject({
      title: 'Order (3/3)',
      components: [
        { label: 'owner', component: { type: 5 } },
        { label: 'where', component: { type: 8 } },
        { label: 'code', component: { type: 4 } },
      ],
    });
    await discord.submit(ana, discord.channel, '', {
      owner: bo.id,
      where: discord.otherChannel.conversation,
      code: 'abc',
    });
    const wrong = await lastPrivate(discord, ana);
    expect(wrong?.buttons).toMatchObject([{ label: 'Edit' }]);
    expect(wrong?.text.split('\n')).toEqual([
      expect.stringMatching(/^day .*\.$/),
      expect.stringMatching(/^code .*\.$/),
    ]);

    await goOn(discord, ana);
    expect(modalOf(discord, ana)).toMatchObject({
      title: 'Order (2/3)',
      components: [
        { component: { options: [{}, { default: true }] } },
        { component: { options: [{ default: true }, {}, { default: true }] } },
        { component: { value: '2026-11-31' } },
        {},
        {},
      ],
    });
    await discord.submit(ana, discord.channel, '', { day: '2026-11-30' });
    await goOn(discord, ana);
    expect(modalOf(discord, ana)).toMatchObject({
      components: [
        { component: { default_values: [{ id: bo.id }] } },
        { component: { default_values: [{ id: discord.otherChannel.conversation }] } },
        { component: { value: 'abc' } },
      ],
    });
    await discord.submit(ana, discord.channel, '', { code: 'ABC' });
    // All of it was one private message, which says how far it is.
    expect(await discord.privates(ana)).toEqual([{ text: 'Done.', buttons: [], files: [] }]);
    const [text = ''] = await onceShown(discord, discord.otherChannel, 'Ordered: ');
    expect(JSON.parse(text.slice('Ordered: '.length).trim())).toEqual({
      name: 'Chair & <@&1> @everyone',
      notes: 'one\ntwo',
      price: 9.5,
      count: 3,
      urgent: false,
      color: 'light blue',
      tags: ['a', 'c'],
      day: '2026-11-30',
      at: '09:30',
      due: '2026-11-30T09:30:00Z',
      owner: bo.id,
      where: discord.otherChannel.conversation,
      code: 'ABC',
    });
    expect(await runsOf(live)).toHaveLength(1);
    expectCalm(discord);
  });

  test('trap 8: begun twice and sent twice it starts one run', async () => {
    const { discord, live } = await openLive({ order: short });
    const { ana } = discord.people;
    await discord.command(ana, discord.channel, 'run order');
    const sent = () => discord.submit(ana, discord.channel, '', { name: 'Chair' });
    await sent();
    await discord.redeliver();
    await onceShown(discord, discord.otherChannel, 'Ordered Chair');
    expect(await runsOf(live)).toHaveLength(1);
    expectCalm(discord);
  });

  test('trap 9: a form of one part that was begun before a restart still starts its flow', async () => {
    const { discord, live } = await openLive({ order: short });
    const { ana } = discord.people;
    await discord.command(ana, discord.channel, 'run order');
    await live.restart();
    await discord.submit(ana, discord.channel, '', { name: 'Chair' });
    await onceShown(discord, discord.otherChannel, 'Ordered Chair');
    expect(await runsOf(live)).toHaveLength(1);
    expectCalm(discord);
  });

  test('trap 9: of a longer form begun before a restart they hear so, and get back what they typed', async () => {
    const { discord, live } = await openLive({ order });
    const { ana } = discord.people;
    await discord.command(ana, discord.channel, 'run order');
    await live.restart();
    await discord.submit(ana, discord.channel, '', { name: 'Chair', notes: 'A *long* text' });
    const heard = await lastPrivate(discord, ana);
    expect(heard?.text).toContain('This form was begun before I was started again');
    expect(heard?.text).toContain('A *long* text');
    expect(await runsOf(live)).toEqual([]);
    expectCalm(discord);
  });

  test('C22: a form that was offered in a message is everybody’s: each has their own', async () => {
    const { discord, live } = await openLive({ order: short });
    const { ana, bo } = discord.people;
    const asked = await discord.say(ana, discord.channel, '!order');
    const offer = await onceAsked(discord, { ...discord.channel, thread: asked.id }, 'Fill in');
    await discord.click(ana, offer.message, offer.button);
    await discord.click(bo, offer.message, offer.button);
    await discord.submit(ana, discord.channel, '', { name: 'Chair' });
    await onceShown(discord, discord.otherChannel, 'Ordered Chair');
    await discord.submit(bo, discord.channel, '', { name: 'Table' });
    expect((await lastPrivate(discord, bo))?.text).toContain('started already');
    expect(await runsOf(live)).toHaveLength(1);
    expectCalm(discord);
  });

  test('25 options are chosen from a list, more are typed, and named', async () => {
    const options = (count: number) => Array.from({ length: count }, (_, index) => `o${index}`).join(', ');
    const { discord } = await openLive({
      pick: `
name: Pick
triggers: [{ type: manual }]
input:
  type: object
  required: [few, many]
  properties: { few: { type: string, enum: [${options(25)}] }, many: { type: string, enum: [${options(26)}] } }
steps:
  done: { type: message, to: "#releases", text: "Picked {{input.few}} {{input.many}}" }
`,
    });
    const { ana } = discord.people;
    await discord.command(ana, discord.channel, 'run pick');
    expect(modalOf(discord, ana)).toMatchObject({
      components: [
        { component: { type: 3 } },
        { description: 'One of 26: o0, o1, o2, …', component: { type: 4 } },
      ],
    });
    await discord.submit(ana, discord.channel, '', { few: 'o24', many: 'o30' });
    const wrong = await lastPrivate(discord, ana);
    expect(wrong?.text).toContain('many');
    await goOn(discord, ana);
    await discord.submit(ana, discord.channel, '', { many: 'o25' });
    await onceShown(discord, discord.otherChannel, 'Picked o24 o25');
    expectCalm(discord);
  });

  test('/flow run without a flow asks which, then for its input', async () => {
    const { discord, live } = await openLive({ note, order: short });
    const { ana } = discord.people;
    await discord.command(ana, discord.channel, 'run');
    expect(await discord.form(ana)).toMatchObject({ title: 'Run a flow', fields: [{ id: 'flow' }] });
    await discord.submit(ana, discord.channel, '', { flow: 'order' });
    expect(await lastPrivate(discord, ana)).toMatchObject({
      text: 'Order needs more to go on.',
      buttons: [{ label: 'Fill in' }],
    });
    await goOn(discord, ana);
    await discord.submit(ana, discord.channel, '', { name: 'Chair' });
    await onceShown(discord, discord.otherChannel, 'Ordered Chair');
    expect(await runsOf(live)).toHaveLength(1);
    expectCalm(discord);
  });
});

describe('a command of a flow’s own', () => {
  test('takes what is given, typed, and starts the flow', async () => {
    const { discord } = await openLive({ order });
    const { ana, bo } = discord.people;
    await discord.slash(ana, discord.channel, 'order', {
      name: 'Chair',
      color: 'light blue',
      code: 'ABC',
      price: 2.5,
      urgent: true,
      tags: 'a, c',
      owner: bo.id,
    });
    const [text = ''] = await onceShown(discord, discord.otherChannel, 'Ordered: ');
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({
      name: 'Chair',
      color: 'light blue',
      code: 'ABC',
      price: 2.5,
      count: 3,
      urgent: true,
      tags: ['a', 'c'],
      owner: bo.id,
    });
    expectCalm(discord);
  });

  test('whose value is wrong says so and offers a form with what was given', async () => {
    const { discord, live } = await openLive({ order });
    const { ana } = discord.people;
    await discord.slash(ana, discord.channel, 'order', { name: 'Chair', color: 'red', code: 'abc' });
    const said = await lastPrivate(discord, ana);
    expect(said?.text).toContain('code must');
    expect(said?.buttons).toMatchObject([{ label: 'Fill in' }]);
    await goOn(discord, ana);
    expect(modalOf(discord, ana)).toMatchObject({
      components: [{ component: { value: 'Chair' } }, {}, {}, {}, {}],
    });
    expect(await runsOf(live)).toEqual([]);
    expectCalm(discord);
  });
});
