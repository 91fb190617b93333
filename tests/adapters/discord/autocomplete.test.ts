import { expect, test } from 'vitest';
import { asking, expectCalm, lastPrivate, logged, release, runOf } from './asking.ts';
import { openDiscord } from './harness.ts';
import { openLive } from './live.ts';

const order = `
name: Order
triggers: [{ type: command, command: order, slash: true }, { type: manual }]
input:
  type: object
  required: [color, size]
  properties:
    color: { type: string, enum: [red, light blue] }
    size: { type: string, enum: [${Array.from({ length: 30 }, (_, index) => `s${index}`).join(', ')}] }
steps:
  done: { type: message, to: "#releases", text: "Ordered {{input.color}} {{input.size}}" }
`;

test('flows that somebody may start are offered by name, and stand for their id', async () => {
  const secret = release().replace('name: Release', 'name: Secret\nallow: { users: [discord:1] }');
  const { discord } = await openLive({
    order,
    release: release(),
    secret: secret.replace('command: release', 'command: secret'),
  });
  const { ana } = discord.people;
  expect(await discord.autocomplete(ana, discord.channel, 'run ')).toEqual([
    { name: 'Order (order)', value: 'order' },
    { name: 'Release (release)', value: 'release' },
  ]);
  expect(await discord.autocomplete(ana, discord.channel, 'run rel')).toMatchObject([{ value: 'release' }]);
  expect(await discord.autocomplete(ana, discord.channel, 'run nothing-like-it')).toEqual([]);
  expectCalm(discord);
});

test('values of an input are offered where they are typed', async () => {
  const { discord } = await openLive({ order });
  const { ana } = discord.people;
  expect(await discord.autocomplete(ana, discord.channel, 'run order color=')).toEqual([
    { name: 'color=red', value: 'color=red' },
    { name: 'color="light blue"', value: 'color="light blue"' },
  ]);
  const sizes = await discord.autocompleteOption(ana, discord.channel, 'order', { size: 's2' }, 'size');
  expect(sizes.map(({ value }) => value)).toEqual([
    's2',
    ...Array.from({ length: 10 }, (_, index) => `s2${index}`),
  ]);
  expectCalm(discord);
});

test('a value that was typed past what is offered is looked at when it is sent', async () => {
  const { discord, live } = await openLive({ order });
  const { ana } = discord.people;
  await discord.slash(ana, discord.channel, 'order', { color: 'red', size: 'huge' });
  expect((await lastPrivate(discord, ana))?.text).toContain('size');
  expect(await live.flowbot.bot.store.runs({ limit: 10 })).toEqual([]);
  expectCalm(discord);
});

test('open runs and questions are offered where they are to be named', async () => {
  const { discord, live } = await asking();
  const { ana } = discord.people;
  const run = (await runOf(live)).id;
  for (const word of ['status', 'cancel', 'approve', 'reject', 'answer']) {
    expect(await discord.autocomplete(ana, discord.channel, `${word} `)).toMatchObject([
      { value: run, name: expect.stringContaining(run) },
    ]);
  }
  expect(await discord.autocomplete(ana, discord.channel, `answer ${run} `)).toEqual([
    { name: 'Approve (approve)', value: 'approve' },
    { name: 'Reject (reject)', value: 'reject' },
  ]);
  expectCalm(discord);
});

test('in a thread it is what belongs to its channel', async () => {
  const { discord, live, thread } = await asking();
  const { ana } = discord.people;
  const run = (await runOf(live)).id;
  expect(await discord.autocomplete(ana, thread, 'status ')).toMatchObject([{ value: run }]);
  expectCalm(discord);
});

test('what fails is an empty list, not an error on the screen', async () => {
  const { discord, live } = await openLive({ order });
  const { ana } = discord.people;
  live.flowbot.bot.store.runs = async () => {
    throw new Error('The disk is full.');
  };
  expect(await discord.autocomplete(ana, discord.channel, 'status ')).toEqual([]);
  expect(logged(live, 'error')).toHaveLength(1);
  expectCalm(discord);
});

test('there are at most 25, each as long as Discord takes', async () => {
  const { discord, inbox } = await openDiscord();
  inbox.complete = async () =>
    Array.from({ length: 60 }, (_, index) => ({
      typed: `run f${index}`,
      shown: `${'x'.repeat(150)} ${index}`,
    }));
  const offered = await discord.autocomplete(discord.people.ana, discord.channel, 'run f');
  expect(offered).toHaveLength(25);
  expect(new Set(offered.map(({ name }) => name)).size).toBe(25);
  expectCalm(discord);
});
