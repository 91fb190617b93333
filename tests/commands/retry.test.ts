import { beforeEach, describe, expect, test } from 'vitest';
import { runChatCommand } from '../../src/commands/table.ts';
import type { Answering } from '../fakes/http.ts';
import { answered } from '../fakes/http.ts';
import { createDesk, type Desk, runsOf } from './desk.ts';
import { echo, review, shaky } from './flows.ts';

/** Fails on the first request only. */
const onceDown: Answering = (_request, before) => answered(before === 0 ? 404 : 200, {});

const announce = `
name: Announce
triggers: [{ type: command, command: announce }]
steps:
  say: { type: message, name: Say, to: "#general", text: "Hear ye" }
  call: { type: http, name: Call, url: "https://shaky.example/x" }
  done: { type: message, name: Done, to: "#general", text: "It is done" }
`;

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk({ shaky, echo, review, announce }, onceDown);
});

describe.each(['red', 'blue'] as const)('a retry on %s', (name) => {
  test('shows its plan first, and does it on the button', async () => {
    const side = desk[name];
    await side.say(side.ana, '!shaky');
    const plan = await side.flow(side.ana, 'retry k000000001');
    expect(plan.text).toBe(
      'A retry of run k000000001 is a new run of the same version.\n\nIt keeps: First\n\nIt runs: Call, Last',
    );
    expect(plan.buttons.map((button) => button.label)).toEqual(['Retry', 'From the beginning']);
    expect(await runsOf(desk)).toHaveLength(1);
    const [button] = plan.buttons;
    expect((await side.pressId(side.ana, button?.id ?? '')).text).toBe('Started run k000000002.');
    const run = await desk.store.run('k000000002');
    expect(run?.state).toMatchObject({ status: 'succeeded', output: 'one 200' });
    expect(run?.state.start).toMatchObject({ trigger: 'retry', retryOf: { run: 'k000000001' } });
    expect((await desk.store.run('k000000001'))?.row.status).toBe('failed');
  });

  test('is refused where the bot has left the conversation', async () => {
    const side = desk[name];
    await side.say(side.ana, '!shaky');
    side.platform.chat.conversation = async () => undefined;
    const told = await side.flow(side.ana, 'retry k000000001 yes');
    expect(told.text).toContain('nobody would see the run');
    expect(await runsOf(desk)).toHaveLength(1);
  });

  test('is done at once with yes, once per run', async () => {
    const side = desk[name];
    await side.say(side.ana, '!shaky');
    expect((await side.flow(side.ana, 'retry k000000001 YES')).text).toBe('Started run k000000002.');
    expect((await side.flow(side.ana, 'retry k000000001 yes')).text).toBe(
      'Run k000000001 has been retried already: run k000000002.',
    );
    expect(await runsOf(desk)).toHaveLength(2);
  });

  test('does not post again what was posted', async () => {
    const side = desk[name];
    await side.say(side.ana, '!announce');
    await side.flow(side.ana, 'retry k000000001 yes');
    const said = (await side.posts(side.elsewhere)).map((post) => post.text);
    expect(said).toEqual(['Hear ye', 'It is done']);
  });
});

describe('a retry', () => {
  test('goes on with a post that was half sent', async () => {
    const long = `
name: Long
triggers: [{ type: manual }]
steps:
  say: { type: message, name: Say, to: "red:#general", text: "${'first '.repeat(300)}\\n\\n${'second '.repeat(250)}" }
`;
    desk = await createDesk({ long });
    const { red } = desk;
    const chat = red.platform.chat;
    const { post } = chat;
    let posted = 0;
    chat.post = async (place, part, key) => {
      if (place.conversation !== red.elsewhere.conversation) return post(place, part, key);
      posted += 1;
      return posted === 2 ? { kind: 'refused', message: 'The channel is archived.' } : post(place, part, key);
    };
    await red.flow(red.ana, 'run long');
    expect((await desk.store.run('k000000001'))?.state.reason).toBe('"Say" failed: The channel is archived.');
    expect(await red.posts(red.elsewhere)).toHaveLength(1);
    await red.flow(red.ana, 'retry k000000001 yes');
    expect((await desk.store.run('k000000002'))?.row.status).toBe('succeeded');
    const parts = (await red.posts(red.elsewhere)).map((message) => message.text.slice(0, 6));
    expect(parts).toEqual(['first ', 'second']);
  });

  test('posts what the platform refused before', async () => {
    const { red } = desk;
    const { chat } = red.platform;
    const { post } = chat;
    chat.post = async () => ({ kind: 'refused', message: 'Flowbot is not in this channel.' });
    await red.say(red.ana, '!announce');
    expect((await desk.store.run('k000000001'))?.state.reason).toContain('Flowbot is not in this channel.');
    chat.post = post;
    await red.flow(red.ana, 'retry k000000001 yes');
    await red.flow(red.ana, 'retry k000000002 yes');
    expect((await red.posts(red.elsewhere)).map((each) => each.text)).toEqual(['Hear ye', 'It is done']);
  });

  test('is for the one who started the run, and admins', async () => {
    const { red } = desk;
    await red.say(red.ana, '!shaky');
    const refused = 'Only Ana, who started run k000000001, or an admin may';
    expect((await red.flow(red.bo, 'retry k000000001')).text).toBe(`${refused} run it again.`);
    expect((await red.flow(red.bo, 'retry k000000001 yes')).text).toBe(`${refused} retry it.`);
    expect((await red.pressId(red.bo, 'rerun:k000000001:E1')).text).toBe(`${refused} run it again.`);
    expect((await red.flow(red.ada, 'retry k000000001 yes')).text).toBe('Started run k000000002.');
  });

  test('by an admin leaves the request with the one who made it, who still may not approve it', async () => {
    const { red } = desk;
    desk.load({
      guardedRequest: `
name: Guarded request
triggers: [{ type: command, command: guarded }]
steps:
  call: { type: http, url: "https://shaky.example/x" }
  ask: { type: approval, approvers: { users: ["red:U0ANA", "red:U0BO"] } }
`,
    });
    await red.say(red.ana, '!guarded');
    expect((await red.flow(red.ada, 'retry k000000001 yes')).text).toBe('Started run k000000002.');
    const retried = await desk.store.run('k000000002');
    expect(retried?.row).toMatchObject({ status: 'waiting', startedBy: { id: 'U0ANA' } });
    expect((await red.flow(red.ana, 'approve k000000002')).text).toBe(
      'You started this run, so somebody else has to answer.',
    );
    expect((await red.flow(red.bo, 'approve k000000002')).text).toBe('Recorded: approve.');
  });

  test('needs the flow to be switched on and the person to be allowed', async () => {
    const { red } = desk;
    await red.say(red.ana, '!shaky');
    await red.flow(red.ada, 'disable shaky');
    expect((await red.flow(red.ana, 'retry k000000001 yes')).text).toBe('Shaky is switched off.');
    await red.flow(red.ada, 'enable shaky');
    desk.load({ shaky: `${shaky}\nallow: { users: ["red:U0BO"] }\n` });
    expect((await red.flow(red.ana, 'retry k000000001 yes')).text).toBe('Only red:U0BO may start Shaky.');
    desk.load({ echo });
    expect((await red.flow(red.ana, 'retry k000000001 yes')).text).toBe('Started run k000000002.');
  });

  test('of a run that has not ended, or has succeeded, is refused', async () => {
    const { red } = desk;
    await red.say(red.ana, '!review');
    await red.say(red.ana, '!echo');
    expect((await red.flow(red.ana, 'retry k000000001')).text).toBe('This run has not ended yet.');
    expect((await red.flow(red.ana, 'retry k000000001 yes')).text).toBe('This run has not ended yet.');
    expect((await red.flow(red.ana, 'retry k000000002 yes')).text).toBe(
      'This run has succeeded: there is nothing to retry.',
    );
    expect((await red.flow(red.ana, 'retry')).text).toBe('Say which run to retry.');
  });

  test('on the command line says how to do it', async () => {
    await desk.red.say(desk.red.ana, '!shaky');
    const caller = { person: { platform: 'cli', id: 'root', name: 'root' }, event: 'x', atMs: 0 };
    const { content } = await runChatCommand(desk.bot, caller, 'retry k000000001');
    expect(content.prose.map((piece) => piece.text).join('')).toContain(
      'To do it: /flow retry k000000001 yes',
    );
    expect(content.buttons).toEqual([]);
  });
});

describe('running again', () => {
  test('a run that succeeded is offered from the beginning, and one offer starts one run', async () => {
    const { red } = desk;
    const { id } = await red.say(red.ana, '!echo hello');
    const [card] = await red.posts({ ...red.here, thread: id });
    if (!card) throw new Error('no card');
    const offer = await red.press(red.ana, card.ref, 'Run again');
    expect(offer.text).toBe('Run Echo again from the beginning, with the same input?');
    const button = offer.buttons[0]?.id ?? '';
    expect((await red.pressId(red.ana, button)).text).toBe('Started run k000000002.');
    expect((await red.pressId(red.ana, button)).text).toBe('This has been started already: run k000000002.');
    const second = await red.press(red.ana, card.ref, 'Run again');
    expect((await red.pressId(red.ana, second.buttons[0]?.id ?? '')).text).toMatch(/^Started run/);
    const [newest, ...before] = await runsOf(desk);
    expect(before).toHaveLength(2);
    expect((await desk.store.run(newest?.id ?? ''))?.state).toMatchObject({
      output: 'Got: hello',
      start: { home: { conversation: red.here.conversation, thread: id } },
    });
  });

  test('a failed run can be run from the beginning, on the newest version', async () => {
    const { red } = desk;
    await red.say(red.ana, '!shaky');
    const plan = await red.flow(red.ana, 'retry k000000001');
    desk.load({ shaky: shaky.replace('text: one', 'text: two') });
    await red.pressId(red.ana, plan.buttons[1]?.id ?? '');
    expect((await desk.store.run('k000000002'))?.state.output).toBe('two 200');
  });

  test('is refused when the flow is gone or its input has changed', async () => {
    const { red } = desk;
    await red.say(red.ana, '!echo hello');
    desk.load({
      echo: `${echo}\ninput: { type: object, properties: { a: { type: string } }, required: [a] }\n`,
    });
    expect((await red.pressId(red.ana, 'rerun:k000000001:E1')).text).toBe(
      'The input does not fit the flow any more: a is missing.',
    );
    desk.load({});
    expect((await red.pressId(red.ana, 'rerun:k000000001:E2')).text).toBe('There is no flow echo any more.');
  });
});

describe('C34: a retry when the flow has changed since', () => {
  const steps = (more: string, call = 'https://shaky.example/x') => `
name: Shaky
triggers: [{ type: command, command: shaky }]
input: { type: object, properties: { word: { type: string } } }
steps:
  one: { type: template, name: First, text: one }
${more}  two: { type: http, name: Call, url: "${call}" }
  three: { type: template, name: Last, text: "{{one.text}} {{two.json.status}}" }
output: "{{three.text}}"
`;

  /** A run has failed at its call; then its file is changed. */
  async function changedTo(text: string): Promise<void> {
    const answers: Answering = ({ url }, before) =>
      answered(url.endsWith('/x') && before === 0 ? 404 : 200, {});
    desk = await createDesk({ shaky: steps('') }, answers);
    await desk.red.say(desk.red.ana, '!shaky');
    desk.load({ shaky: text });
  }

  test('goes on with the version it began with, or with the one that is in force now', async () => {
    await changedTo(steps('', 'https://shaky.example/y'));
    const offer = await desk.red.flow(desk.red.ana, 'retry k000000001');
    expect(offer.text).toContain('The flow has changed since. With it as it is now a retry runs: Call, Last');
    expect(offer.buttons.map(({ label }) => label)).toEqual([
      'Retry',
      'Retry as it is now',
      'From the beginning',
    ]);
    const [, renew] = offer.buttons;
    expect((await desk.red.pressId(desk.red.ana, renew?.id ?? '')).text).toBe('Started run k000000002.');
    const [old, renewed] = [await desk.store.run('k000000001'), await desk.store.run('k000000002')];
    expect(renewed?.state).toMatchObject({ status: 'succeeded', output: 'one 200' });
    expect(renewed?.row.version).not.toBe(old?.row.version);
    expect(desk.http.arrived.map(({ url }) => url)).toEqual([
      'https://shaky.example/x',
      'https://shaky.example/y',
    ]);
  });

  test.each([
    [
      'changed',
      steps('').replace('text: one }', 'text: uno }'),
      '“First” has finished, and does something else now.',
    ],
    [
      'gone',
      steps('')
        .replace(/ {2}one: .*\n/, '')
        .replaceAll('{{one.text}}', 'x'),
      '“First” has finished, and there is no such step any more.',
    ],
    [
      'behind a new one',
      steps('').replace('steps:', 'steps:\n  new: { type: template, name: New, text: new }'),
      '“First” has finished, and “New” comes before it now.',
    ],
    [
      'without its input',
      steps('').replace('} } }', '} }, required: [word] }'),
      'the input does not fit it: word is missing.',
    ],
  ])('says why not when a step that has finished is %s', async (_, text, why) => {
    await changedTo(text);
    const offer = await desk.red.flow(desk.red.ana, 'retry k000000001');
    expect(offer.text).toContain(`A retry with it as it is now is not possible: ${why}`);
    expect(offer.buttons.map(({ label }) => label)).toEqual(['Retry', 'From the beginning']);
    expect((await desk.red.flow(desk.red.ana, 'retry k000000001 current')).text).toBe(
      `With the flow as it is now this is not possible: ${why}`,
    );
    expect((await desk.red.flow(desk.red.ana, 'retry k000000001 yes')).text).toBe('Started run k000000002.');
  });

  test('the status of a run names its version', async () => {
    await changedTo(steps(''));
    const version = (await desk.store.run('k000000001'))?.row.version ?? '';
    expect((await desk.red.flow(desk.red.ana, 'status k000000001')).text).toContain(
      `Version ${version.slice(0, 16)}`,
    );
  });
});
