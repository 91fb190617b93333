import { beforeEach, describe, expect, test } from 'vitest';
import type { Answer, ChatShortcut } from '../../src/ports/chat.ts';
import { createDesk, type Desk, onlyRun, runsOf } from './desk.ts';
import { echo, release, review } from './flows.ts';

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk({
    echo,
    book: BOOK,
    greet: GREET,
    mine: MINE,
    typed: TYPED,
    release,
    review,
  });
});

const GREET = `
name: Greet
input: { type: object, properties: { who: { type: string, title: Whom } }, required: [who] }
triggers: [{ type: manual }]
steps: { say: { type: template, text: "Hello {{input.who}}" } }
`;
const BOOK = `
name: Book
input:
  type: object
  properties:
    day: { type: string, format: date }
    at: { type: string, format: time }
    host: { type: string, format: slack-user }
  required: [day]
triggers: [{ type: manual }]
steps: { say: { type: template, text: "{{input.day}}" } }
`;
const TYPED = `
name: Typed only
triggers: [{ type: command, command: typed }]
steps: { say: { type: template, text: Hello } }
`;
const MINE = `
name: Only mine
allow: { users: ["red:U0BO"] }
triggers: [{ type: manual }]
steps: { say: { type: template, text: Hello } }
`;

function shortcut(text?: string): ChatShortcut {
  const { ana, here } = desk.red;
  return {
    type: 'shortcut',
    id: 'S-U0ANA-1764520000.000100',
    atMs: 1,
    person: ana,
    place: here,
    ...(text !== undefined && { used: { message: { ...here, id: 'M-used' }, text, files: [] } }),
  };
}

/** Chooses the shortcut, and a flow in its form. */
async function pick(event: ChatShortcut, flow: string, id = 'V1'): Promise<Answer> {
  const form = await desk.inbound.formFor(event);
  await desk.inbound.receive(event);
  const { ana, here } = desk.red;
  const values = { flow };
  const submit = { id, atMs: 2, person: ana, place: here, form: form?.id ?? '', values };
  return (await desk.inbound.receive({ type: 'submit', ...submit })).answer;
}

describe('the shortcut', () => {
  test('offers the flows that this person may start by hand', async () => {
    expect(await desk.inbound.formFor(shortcut())).toMatchObject({
      title: 'Run a flow',
      fields: [{ id: 'flow', type: 'select', required: true, options: expect.arrayContaining(['greet']) }],
    });
    const [field] = (await desk.inbound.formFor(shortcut()))?.fields ?? [];
    expect(field?.options).not.toContain('mine');
    expect(field).not.toHaveProperty('hint');
  });

  test('says how to start the flows that its list has no room for', async () => {
    const flows = Array.from({ length: 103 }, (_, at) => [`greet${at}`, GREET] as const);
    desk.load(Object.fromEntries(flows));
    const [field] = (await desk.inbound.formFor(shortcut()))?.fields ?? [];
    expect(field?.options).toHaveLength(100);
    expect(field?.hint).toBe('… and 3 more: type /flow run <flow>.');
  });

  test('asks for the input of the flow that was chosen, then starts it', async () => {
    const answer = await pick(shortcut(), 'greet');
    expect(answer).toMatchObject({ kind: 'form', form: { title: 'Greet', fields: [{ id: 'who' }] } });
    if (answer.kind !== 'form') throw new Error('no form');
    const { ana, here } = desk.red;
    const values = { who: 'Bo' };
    const submit = { id: 'V2', atMs: 3, person: ana, place: here, form: answer.form.id, values };
    const done = await desk.inbound.receive({ type: 'submit', ...submit });
    expect(await done.answer).toEqual({ kind: 'none' });
    await desk.settle();
    expect(await onlyRun(desk)).toMatchObject({ flow: 'greet', status: 'succeeded' });
  });

  test('a message that is used becomes the prompt, and the run lives in its thread', async () => {
    expect(await pick(shortcut('Bo & friends'), 'greet')).toEqual({ kind: 'none' });
    await desk.settle();
    const run = await onlyRun(desk);
    const stored = await desk.store.run(run.id);
    expect(stored?.state.start).toMatchObject({
      prompt: 'Bo & friends',
      input: { who: 'Bo & friends' },
      home: { ...desk.red.here, thread: 'M-used' },
    });
  });

  test('used once it starts one run, however often its form is sent', async () => {
    await pick(shortcut('Bo'), 'greet', 'V1');
    expect(await pick(shortcut('Bo'), 'greet', 'V2')).toMatchObject({ kind: 'private' });
    expect(await runsOf(desk)).toHaveLength(1);
  });

  test.each([
    ['a flow that is not there', 'nope'],
    ['a flow without a manual trigger', 'typed'],
  ])('%s is told at the field', async (_, flow) => {
    expect(await pick(shortcut(), flow)).toMatchObject({
      kind: 'errors',
      errors: { flow: expect.any(String) },
    });
  });

  test('another person’s form, or one nobody was given, starts nothing', async () => {
    await desk.inbound.receive(shortcut('Bo'));
    const { bo, here } = desk.red;
    for (const form of ['pick:S-U0ANA-1764520000.000100', 'pick:made-up']) {
      const submit = { id: form, atMs: 2, person: bo, place: here, form, values: { flow: 'greet' } };
      const taken = await desk.inbound.receive({ type: 'submit', ...submit });
      expect(await taken.answer).toMatchObject({ kind: 'private' });
    }
    expect(await runsOf(desk)).toEqual([]);
  });
});

describe('a form that somebody else was given, made up again,', () => {
  const tooOld = 'This form is too old: please type the command again.';

  test('starts nothing of their command', async () => {
    const { red } = desk;
    const { form } = await red.flow(red.ana, 'run greet');
    if (!form) throw new Error('no form');
    expect((await red.send(red.bo, form, { who: 'me' })).text).toBe(tooOld);
    expect(await runsOf(desk)).toEqual([]);
    await red.send(red.ana, form, { who: 'me' });
    expect(await onlyRun(desk)).toMatchObject({ startedBy: red.ana });
  });

  test('starts nothing of their shortcut', async () => {
    const { red } = desk;
    const answer = await pick(shortcut(), 'greet');
    if (answer.kind !== 'form') throw new Error('no form');
    const form = { ...answer.form, errors: {} };
    expect((await red.send(red.bo, form, { who: 'me' })).text).toBe(tooOld);
    expect(await runsOf(desk)).toEqual([]);
    await red.send(red.ana, form, { who: 'me' });
    expect(await onlyRun(desk)).toMatchObject({ startedBy: red.ana });
  });
});

describe('where Flowbot is not let in', () => {
  const refusal =
    'Flowbot is not in this conversation, so nobody would see the run: let it in first (on Slack: /invite; on Discord: give it access to the channel).';
  const leave = () => {
    desk.red.platform.chat.conversation = async () => undefined;
  };

  test.each([
    ['/flow run', () => desk.red.flow(desk.red.ana, 'run echo')],
    ['/flow run without the input', () => desk.red.flow(desk.red.ana, 'run greet')],
    ['the page', () => desk.red.pressId(desk.red.ana, 'start:echo')],
  ])('%s starts nothing and says how to let it in', async (_, act) => {
    leave();
    expect(await act()).toEqual({ text: refusal, buttons: [], files: [] });
    expect(await runsOf(desk)).toEqual([]);
  });

  test('a command in the conversation starts nothing', async () => {
    const { red } = desk;
    leave();
    const { id } = await red.say(red.ana, '!echo');
    expect((await red.posts({ ...red.here, thread: id })).map(({ text }) => text)).toEqual([refusal]);
    expect(await runsOf(desk)).toEqual([]);
  });

  test('neither a form nor the shortcut starts anything', async () => {
    const { red } = desk;
    const { form } = await red.flow(red.ana, 'run greet');
    if (!form) throw new Error('no form');
    leave();
    expect((await red.send(red.ana, form, { who: 'Bo' })).text).toBe(refusal);
    expect(await pick(shortcut('Bo'), 'greet')).toMatchObject({ content: { prose: [{ text: refusal }] } });
    expect(await runsOf(desk)).toEqual([]);
  });

  test('a run that lived there is not run again', async () => {
    const { red } = desk;
    await red.flow(red.ana, 'run echo');
    const { buttons } = await red.flow(red.ana, 'retry k000000001');
    const again = buttons.find(({ label }) => label === 'From the beginning');
    leave();
    expect((await red.pressId(red.ana, again?.id ?? '')).text).toBe(refusal);
    expect(await runsOf(desk)).toHaveLength(1);
  });
});

describe('a person’s own page', () => {
  test('shows what waits for them, their runs and the flows they may start', async () => {
    const { red } = desk;
    await red.flow(red.ana, 'run greet who=Bo');
    const page = await desk.inbound.home(red.ana, red.here);
    expect(page.sections.map(({ title }) => title)).toEqual(['Waiting for you', 'Your runs', 'Flows']);
    expect(page.sections[2]?.items).toContainEqual(
      expect.objectContaining({ buttons: [{ id: 'start:greet', label: 'Run', style: 'plain' }] }),
    );
    expect(JSON.stringify(page)).not.toContain('start:mine');
  });

  test('its button asks for the input first', async () => {
    const { ana, here } = desk.red;
    const click = { id: 'C1', atMs: 1, person: ana, message: { ...here, id: 'page' }, button: 'start:greet' };
    expect(await desk.inbound.formFor({ type: 'click', ...click })).toMatchObject({
      id: 'start:greet',
      fields: [{ id: 'who' }],
    });
  });

  test('what was filled in starts the flow; what is wrong is told at the field', async () => {
    const { ana, here } = desk.red;
    const send = async (id: string, who: string) => {
      const submit = { id, atMs: 1, person: ana, place: here, form: 'start:greet', values: { who } };
      return (await desk.inbound.receive({ type: 'submit', ...submit })).answer;
    };
    expect(await send('V1', '')).toMatchObject({ kind: 'errors', errors: { who: expect.any(String) } });
    expect(await send('V2', 'Bo')).toEqual({ kind: 'none' });
    expect(await onlyRun(desk)).toMatchObject({ flow: 'greet' });
  });

  test('a value that is not written as it must be is told at its field, with how to write it', async () => {
    const { ana, here } = desk.red;
    const values = { day: '2026-02-30', at: 'noon', host: '@ana' };
    const submit = { id: 'V1', atMs: 1, person: ana, place: here, form: 'start:book', values };
    expect(await (await desk.inbound.receive({ type: 'submit', ...submit })).answer).toEqual({
      kind: 'errors',
      errors: {
        day: 'day must be a date, such as 2026-11-30',
        at: 'at must be a time, such as 09:30',
        host: 'host must be the id of a person on Slack, such as U0ANA',
      },
    });
  });

  test.each(['start:mine', 'start:typed', 'start:nope'])('%s starts nothing', async (button) => {
    expect((await desk.red.pressId(desk.red.ana, button)).text).not.toBe('');
    expect(await runsOf(desk)).toEqual([]);
  });
});
