import { beforeEach, describe, expect, test } from 'vitest';
import type { ChatClick } from '../../src/ports/chat.ts';
import { createDesk, type Desk, onlyRun, runsOf } from './desk.ts';
import { echo, guarded, purchase, release, review } from './flows.ts';

const deployIn = (conversations: string, text: string): string => `
name: Deploy ${text}
triggers: [{ type: command, command: deploy, in: [${conversations}] }]
steps: { say: { type: template, text: "${text} {{start.json.prompt}}" } }
output: "{{say.text}}"
`;

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk({
    echo,
    release,
    purchase,
    review,
    guarded,
    here: deployIn('"red:#releases", "blue:C-releases"', 'here'),
    elsewhere: deployIn('"red:#general"', 'elsewhere'),
    deployEu: echo.replace('command: echo', 'command: deploy-eu').replace('name: Echo', 'name: EU'),
  });
});

async function threadOf(side: Desk['red'], message: { readonly id: string; readonly conversation: string }) {
  return side.posts({ platform: side.name, conversation: message.conversation, thread: message.id });
}

const promptOf = async () => (await desk.store.run((await onlyRun(desk)).id))?.state.start.prompt;

describe.each(['red', 'blue'] as const)('a command in a conversation on %s', (name) => {
  test.each([
    '!echo hello',
    '@flowbot echo hello',
    '@Flowbot  !ECHO\u00A0hello',
    '\u200F!echo\u200B hello \n',
  ])('%j starts its flow, and the card is the answer, in the thread', async (text) => {
    const side = desk[name];
    const message = await side.say(side.ana, text);
    expect(await promptOf()).toBe('hello');
    expect(await onlyRun(desk)).toMatchObject({ home: { ...side.here, thread: message.id } });
    const [card, ...more] = await threadOf(side, message);
    expect(card?.text).toContain('Echo has succeeded');
    expect(more).toEqual([]);
    expect(await side.posts(side.here)).toEqual([]);
  });

  test('the prompt keeps its lines, quotes and code', async () => {
    const side = desk[name];
    const prompt = 'first “line”\n\n```js\nlet a = 1 < 2;\n```\n  – third';
    await side.say(side.ana, `!echo ${prompt}`);
    expect(await promptOf()).toBe(prompt);
  });

  test('a command in a thread is answered in that thread', async () => {
    const side = desk[name];
    const root = await side.say(side.ana, 'let us talk');
    await side.say(side.bo, '!echo', { ...side.here, thread: root.id });
    expect(await onlyRun(desk)).toMatchObject({ home: { thread: root.id } });
  });

  test.each([
    ['please do not deploy'],
    ['pack deploy x url=a/deploy'],
    ['`!echo`'],
    ['!'],
    ['!!!'],
    ['echo'],
    ['!important news'],
  ])('C71: %j is none: no run, no answer, nothing kept', async (text) => {
    const side = desk[name];
    const message = await side.say(side.ana, text);
    expect(await runsOf(desk)).toEqual([]);
    expect(await threadOf(side, message)).toEqual([]);
    expect(await desk.store.delivery(`${name}:E000002`)).toBeUndefined();
  });

  test.each([
    ['!echos', 'There is no command !echos here. Did you mean !echo?'],
    ['!releases', 'There is no command !releases here. Did you mean !release?'],
    ['@flowbot echos', 'There is no command !echos here. Did you mean !echo?'],
    ['@flowbot xylophone', "I don't know “xylophone”. Say help to see what I can do."],
    ['@flowbot approve k000000001', '“approve” is a word of the chat command: type /flow approve.'],
    ['@flowbot run echo', '“run” is a word of the chat command: type /flow run.'],
    ['@flowbot whoami', `You are Ana, ${name}:U0ANA in flow files.`],
    ['!guarded', 'Only red:U0BO, blue:U0BO may start Guarded.'],
  ])('%j is answered in its thread', async (text, answer) => {
    const side = desk[name];
    const message = await side.say(side.ana, text);
    expect((await threadOf(side, message)).map((post) => post.text)).toEqual([answer]);
    expect(await runsOf(desk)).toEqual([]);
  });

  test('C71: 40,000 characters and an unclosed quote are read as typed', async () => {
    const side = desk[name];
    await side.say(side.ana, `!echo "unclosed ${'x'.repeat(40_000)}`);
    expect(await promptOf()).toBe(`"unclosed ${'x'.repeat(40_000)}`);
  });
});

describe('where a command works', () => {
  test.each([
    ['red', 'here', 'here now'],
    ['red', 'elsewhere', 'elsewhere now'],
    ['blue', 'here', 'here now'],
  ] as const)('on %s in %s it is the flow of that place', async (name, place, output) => {
    const side = desk[name];
    await side.say(side.ana, '!deploy now', side[place]);
    expect((await desk.store.run((await onlyRun(desk)).id))?.state.output).toBe(output);
  });

  test('C71: the whole word counts, and elsewhere it does not work', async () => {
    const { red, blue } = desk;
    await red.say(red.ana, '!deploy-eu now');
    expect(await onlyRun(desk)).toMatchObject({ flow: 'deployEu' });
    const message = await blue.say(blue.ana, '!deploy now', blue.elsewhere);
    expect((await threadOf(blue, message)).map((post) => post.text)).toEqual([
      'There is no command !deploy here. /flow list shows what there is.',
    ]);
  });
});

describe('a command without its input', () => {
  test('offers a form, filled with what was understood, that starts the run', async () => {
    const { red } = desk;
    const message = await red.say(red.ana, '!purchase item="a lamp"');
    const [answer] = await threadOf(red, message);
    expect(answer?.text).toBe('Purchase needs more to start: amount is missing.');
    if (!answer) return;
    const { form } = await red.press(red.ana, answer.ref, 'Fill in');
    expect(form).toMatchObject({
      title: 'Purchase',
      fields: [{ id: 'item' }, { id: 'amount' }, { id: 'note' }],
    });
    expect((await desk.inbound.formFor(clickOn(answer.buttons[0]?.id ?? '')))?.fields).toMatchObject([
      { id: 'item', initial: 'a lamp' },
      { id: 'amount' },
      { id: 'note' },
    ]);
    if (!form) return;
    await red.send(red.ana, form, { item: 'a lamp', amount: '7', note: '' });
    const run = await desk.store.run((await onlyRun(desk)).id);
    expect(run?.state).toMatchObject({
      output: { item: 'a lamp', amount: 7 },
      start: { trigger: 'command', prompt: 'item="a lamp"', home: { thread: message.id } },
    });
    const again = await red.send(red.bo, form, { item: 'a sofa', amount: '900', note: '' });
    expect(again.text).toBe('This has been started already: run k000000001.');
    expect(await runsOf(desk)).toHaveLength(1);
  });

  test('its form, changed to another flow, starts nothing', async () => {
    const { red } = desk;
    const message = await red.say(red.ana, '!purchase item=lamp');
    const [answer] = await threadOf(red, message);
    if (!answer) throw new Error('no answer');
    const { form } = await red.press(red.ana, answer.ref, 'Fill in');
    if (!form) throw new Error('no form');
    const forged = { ...form, id: form.id.replace(':purchase:', ':release:') };
    const { text } = await red.send(red.bo, forged, { version: '1' });
    expect(text).toBe('This form is too old: please type the command again.');
    expect(await runsOf(desk)).toEqual([]);
  });

  test('what is cleared in the form is not taken from the message', async () => {
    const { red } = desk;
    const message = await red.say(red.ana, '!purchase item=lamp note=green');
    const [answer] = await threadOf(red, message);
    if (!answer) throw new Error('no answer');
    const { form } = await red.press(red.ana, answer.ref, 'Fill in');
    if (!form) throw new Error('no form');
    await red.send(red.ana, form, { item: 'lamp', amount: '7', note: '' });
    expect((await desk.store.run((await onlyRun(desk)).id))?.state.start.input).toEqual({
      item: 'lamp',
      amount: 7,
    });
  });

  test('a platform whose form shows only some fields keeps what was typed for the others', async () => {
    const { red } = desk;
    const message = await red.say(red.ana, '!purchase item=lamp');
    const [answer] = await threadOf(red, message);
    if (!answer) throw new Error('no answer');
    const { form } = await red.press(red.ana, answer.ref, 'Fill in');
    if (!form) throw new Error('no form');
    await red.send(red.ana, form, { amount: '7' });
    expect((await desk.store.run((await onlyRun(desk)).id))?.state.start.input).toEqual({
      item: 'lamp',
      amount: 7,
    });
  });

  test('the button works after a restart, with a blank form', async () => {
    const { red } = desk;
    const message = await red.say(red.ana, '!purchase item=lamp');
    const [answer] = await threadOf(red, message);
    const button = answer?.buttons[0]?.id ?? '';
    const later = await desk.restart();
    expect((await later.inbound.formFor(clickOn(button)))?.fields[0]).not.toHaveProperty('initial');
    const { form } = await later.red.pressId(red.ana, button);
    if (!form) throw new Error('no form');
    await later.red.send(red.ana, form, { item: 'lamp', amount: '7', note: '' });
    expect(await onlyRun(later)).toMatchObject({ status: 'succeeded' });
  });

  const changes: readonly [string, (desk: Desk) => unknown, string][] = [
    ['switched off', ({ red }) => red.flow(red.ada, 'disable purchase'), 'Purchase is switched off.'],
    ['gone', ({ load }) => load({ echo }), 'There is no flow purchase any more.'],
    [
      'without input now',
      ({ load }) => load({ purchase: echo.replace('name: Echo', 'name: Purchase') }),
      'Purchase needs no input now: start it again.',
    ],
  ];
  test.each(changes)('the button of a flow that is %s says so', async (_what, change, answer) => {
    const { red } = desk;
    const message = await red.say(red.ana, '!purchase');
    const [post] = await threadOf(red, message);
    if (!post) throw new Error('no answer');
    await change(desk);
    const pressed = await red.press(red.ana, post.ref, 'Fill in');
    expect(pressed).toEqual({ text: answer, buttons: [], files: [] });
    expect(await runsOf(desk)).toEqual([]);
  });

  test('the button’s id fits every platform, for the longest flow and any event', async () => {
    const long = `f${'x'.repeat(63)}`;
    desk.load({ [long]: purchase.replace('command: purchase', 'command: long') });
    const { ana, here } = desk.red;
    const taken = await desk.inbound.receive({
      type: 'message',
      id: 'E'.repeat(200),
      atMs: 0,
      person: ana,
      message: { ...here, id: 'M1' },
      text: '!long',
      toBot: false,
      files: [],
    });
    await taken.answer;
    const [post] = await desk.store.pendingPosts();
    const id = post?.content.buttons[0]?.id ?? '';
    expect(id.length).toBeGreaterThan(90);
    expect(id.length).toBeLessThanOrEqual(100);
    expect((await desk.inbound.formFor(clickOn(id)))?.id).toBe(id);
  });

  function clickOn(button: string): ChatClick {
    const { ana, here } = desk.red;
    return { type: 'click', id: 'E', atMs: 0, person: ana, message: { ...here, id: 'M' }, button };
  }
});
