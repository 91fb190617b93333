import { beforeEach, describe, expect, test } from 'vitest';
import type { Person, Place } from '../../src/engine/people.ts';
import type { Answer, ChatSlash } from '../../src/ports/chat.ts';
import { compose, plainText } from '../../src/render/markdown/index.ts';
import { createDesk, type Desk, onlyRun, runsOf } from './desk.ts';
import { echo, release } from './flows.ts';

const buy = `
name: Purchase
input:
  type: object
  properties:
    item: { type: string }
    amount: { type: number, minimum: 1 }
    urgent: { type: boolean, default: false }
    note: { type: string }
  required: [item, amount]
triggers: [{ type: command, command: buy, slash: true }]
steps: { list: { type: template, text: "{{input.item}}" } }
`;
const hello = `
name: Hello
triggers: [{ type: command, command: hello, slash: true }]
steps: { say: { type: template, text: hello } }
`;
const local = `
name: Local
input: { type: object, properties: { what: { type: string } }, required: [what] }
triggers: [{ type: command, command: local, slash: true, in: ["red:#releases", "blue:#general"] }]
steps: { say: { type: template, text: hello } }
`;
const guarded = `
name: Guarded
allow: { users: ["red:U0BO"] }
triggers: [{ type: command, command: guarded, slash: true }]
steps: { say: { type: template, text: hello } }
`;

let desk: Desk;
let made = 0;
beforeEach(async () => {
  desk = await createDesk({ buy, hello, local, guarded, echo, release });
  made = 0;
});

/** Uses a flow's own command. */
async function slash(
  flow: string,
  values: ChatSlash['values'] = {},
  more: { readonly person?: Person; readonly place?: Place; readonly id?: string } = {},
): Promise<Answer> {
  const { person = desk.red.ana, place = desk.red.here } = more;
  made += 1;
  const id = more.id ?? `9000000000000${made}`;
  const taken = await desk.inbound.receive({ type: 'slash', id, atMs: 1, person, place, flow, values });
  const answer = await taken.answer;
  await desk.settle();
  return answer;
}

async function submit(
  form: string,
  values: ChatSlash['values'],
  person = desk.red.ana,
  place = desk.red.here,
) {
  made += 1;
  const id = `V${made}`;
  const taken = await desk.inbound.receive({ type: 'submit', id, atMs: 2, person, place, form, values });
  const answer = await taken.answer;
  await desk.settle();
  return answer;
}

/** What the person reads. */
const textOf = (answer: Answer): string =>
  answer.kind === 'private' ? plainText(compose(answer.content.prose)).trim() : answer.kind;

const startOf = async () => (await desk.store.run((await onlyRun(desk)).id))?.state.start;

describe('a flow’s own command', () => {
  test('stands in list and help where people have it, and only there', async () => {
    const shownOn = async (chat: Desk['red']) => {
      const [list, help] = [await chat.flow(chat.ana, 'list'), await chat.flow(chat.ana, 'help')];
      return [list, help].map(({ text }) => /[!/]hello.*/.exec(text)?.[0]);
    };
    expect(await shownOn(desk.red)).toEqual(['!hello or /hello)', expect.stringContaining('!hello, /hello')]);
    expect(await shownOn(desk.blue)).toEqual(['!hello)', expect.not.stringContaining('/hello')]);
  });

  test('starts it where it was used, and says so', async () => {
    const answer = await slash('hello');
    const run = await onlyRun(desk);
    expect(textOf(answer)).toBe(`Started run ${run.id}.`);
    expect(run).toMatchObject({ flow: 'hello', startedBy: desk.red.ana, home: desk.red.here });
    expect(await startOf()).toMatchObject({ trigger: 'command', text: '/hello', prompt: '' });
    expect(await desk.red.posts(desk.red.here)).toMatchObject([
      { text: expect.stringContaining('Hello has succeeded') },
    ]);
  });

  test('gives its values the types of the input, and is told as one would type it', async () => {
    await slash('buy', { item: 'a chair', amount: '120', note: 'say "hi" now' });
    expect(await startOf()).toMatchObject({
      input: { item: 'a chair', amount: 120, urgent: false, note: 'say "hi" now' },
      text: `/buy item="a chair" amount=120 note='say "hi" now'`,
      prompt: `item="a chair" amount=120 note='say "hi" now'`,
    });
  });

  test('takes values that could not be typed as pairs', async () => {
    const note = `both "kinds" of 'quotes' and x=1\nmore`;
    await slash('buy', { item: 'lamp', amount: '1', note });
    expect((await startOf())?.input).toMatchObject({ item: 'lamp', note });
  });

  test('opens a form for what is missing, filled with what was given', async () => {
    const answer = await slash('buy', { item: 'lamp' });
    if (answer.kind !== 'form') throw new Error(textOf(answer));
    expect(answer.form.fields.map(({ id, initial }) => [id, initial])).toEqual([
      ['item', 'lamp'],
      ['amount', undefined],
      ['urgent', 'false'],
      ['note', undefined],
    ]);
    const sent = { item: 'lamp', amount: '12', urgent: 'true', note: '' };
    expect(await submit(answer.form.id, sent)).toEqual({ kind: 'none' });
    expect(await startOf()).toMatchObject({
      trigger: 'command',
      text: '/buy item=lamp',
      input: { item: 'lamp', amount: 12, urgent: true },
      home: desk.red.here,
    });
    expect(textOf(await submit(answer.form.id, sent))).toBe(
      `This has been started already: run ${(await onlyRun(desk)).id}.`,
    );
  });

  test('a form that has fewer fields than were given keeps the others', async () => {
    const answer = await slash('buy', { item: 'lamp', note: 'green' });
    if (answer.kind !== 'form') throw new Error(textOf(answer));
    await submit(answer.form.id, { amount: '12' });
    expect((await startOf())?.input).toMatchObject({ item: 'lamp', amount: 12, note: 'green' });
  });

  test('says what is wrong, with a button for a form that holds the rest', async () => {
    const answer = await slash('buy', { item: 'lamp', amount: '0', gone: 'x' });
    expect(textOf(answer)).toBe(
      'Purchase needs more to start: gone is not an input of this flow. Use one of: item, amount, urgent, note. amount must be at least 1.',
    );
    const button = (answer.kind === 'private' && answer.content.buttons[0]?.id) || '';
    const message = { ...desk.red.here, id: 'M-private' };
    const click = { type: 'click', id: 'C1', atMs: 1, person: desk.red.ana, message, button } as const;
    const form = await desk.inbound.formFor(click);
    expect(form?.fields.map(({ initial }) => initial)).toEqual(['lamp', '0', 'false', undefined]);
    await submit(button, { item: 'lamp', amount: '2', urgent: 'false', note: '' });
    expect((await startOf())?.input).toEqual({ item: 'lamp', amount: 2, urgent: false });
  });

  test('starts one run, however often it arrives', async () => {
    await slash('hello', {}, { id: '9'.repeat(40) });
    expect(await slash('hello', {}, { id: '9'.repeat(40) })).toEqual({ kind: 'none' });
    expect(await runsOf(desk)).toHaveLength(1);
  });

  test('is kept and done after a crash, once', async () => {
    const { ana, here } = desk.red;
    const event: ChatSlash = {
      type: 'slash',
      id: 'X1',
      atMs: 1,
      person: ana,
      place: here,
      flow: 'hello',
      values: {},
    };
    await desk.store.receive({ id: 'red:X1', event, receivedAtMs: desk.clock.now() });
    desk = await desk.restart();
    await desk.settle();
    expect(await onlyRun(desk)).toMatchObject({ flow: 'hello', status: 'succeeded' });
    desk = await desk.restart();
    await desk.settle();
    expect(await runsOf(desk)).toHaveLength(1);
  });
});

describe('a flow’s own command is refused', () => {
  test.each([
    ['of a flow that is gone', 'old', 'There is no flow old any more.'],
    [
      'of one that has none any more',
      'release',
      'Release notes has no command of its own any more. Type !release or /flow run release.',
    ],
    ['of one that others start', 'guarded', 'Only red:U0BO may start Guarded.'],
    ['with a made-up name', 'x'.repeat(4_000), `There is no flow ${'x'.repeat(39)}… any more.`],
  ])('%s', async (_, flow, why) => {
    expect(textOf(await slash(flow))).toBe(why);
    expect(await runsOf(desk)).toEqual([]);
  });

  test('where its conversations are others, which it names', async () => {
    expect(textOf(await slash('local', { what: 'x' }, { place: desk.red.elsewhere }))).toBe(
      '/local works only in #releases, blue:#general.',
    );
    expect(await runsOf(desk)).toEqual([]);
    await slash('local', { what: 'x' });
    expect(await onlyRun(desk)).toMatchObject({ flow: 'local' });
  });

  test('where its conversations are many, of which it names ten', async () => {
    const all = Array.from({ length: 60 }, (_, at) => `"#room-${at}"`).join(', ');
    desk.load({ local: local.replace('"red:#releases", "blue:#general"', all) });
    const { length } = textOf(await slash('local', { what: 'x' }));
    expect(textOf(await slash('local', { what: 'x' }))).toMatch(/#room-9 and 50 more\.$/);
    expect(length).toBeLessThan(200);
  });

  test('while it is switched off', async () => {
    await desk.red.flow(desk.red.ada, 'disable hello');
    expect(textOf(await slash('hello'))).toBe('Hello is switched off.');
    expect(await runsOf(desk)).toEqual([]);
  });

  test('where nobody would see the run', async () => {
    desk.red.platform.chat.conversation = async () => undefined;
    expect(textOf(await slash('hello'))).toContain('Flowbot is not in this conversation');
    expect(await runsOf(desk)).toEqual([]);
  });
});

describe('the form of a flow’s own command starts nothing', () => {
  const tooOld = 'This form is too old: please type the command again.';
  const sent = { what: 'x' };
  async function formId(): Promise<string> {
    const answer = await slash('local');
    if (answer.kind !== 'form') throw new Error(textOf(answer));
    return answer.form.id;
  }

  test('for somebody else, or elsewhere', async () => {
    const id = await formId();
    expect(textOf(await submit(id, sent, desk.red.bo))).toBe(tooOld);
    expect(textOf(await submit(id, sent, desk.red.ana, desk.red.elsewhere))).toBe(tooOld);
    expect(await runsOf(desk)).toEqual([]);
  });

  test('of another flow', async () => {
    const id = (await formId()).replace(':local:', ':buy:');
    expect(textOf(await submit(id, { item: 'a', amount: '1' }))).toBe(tooOld);
    expect(await runsOf(desk)).toEqual([]);
  });

  test('when the flow has no such command any more', async () => {
    const id = await formId();
    desk.load({ local: local.replace(', slash: true', '') });
    expect(textOf(await submit(id, sent))).toBe(tooOld);
    expect(await runsOf(desk)).toEqual([]);
  });
});
