import { beforeEach, describe, expect, test } from 'vitest';
import type { GivenFile, SeenForm } from '../contracts/chat-harness.ts';
import { cardIn, createDesk, type Desk, onlyRun, type Side } from './desk.ts';

const SPEND = `
name: Spend
triggers: [{ type: command, command: spend }]
steps:
  ask:
    type: approval
    title: How much?
    form:
      type: object
      properties:
        amount: { type: number, minimum: 1, title: Amount }
        account: { type: string, default: travel }
      required: [amount]
  say: { type: template, text: "{{ask.json.values.amount}} from {{ask.json.values.account}}" }
output: "{{say.text}}"
`;
const LEADS = SPEND.replace(
  'form:',
  'approvers: { users: ["red:U0BO", "blue:U0BO"], roles: [leads] }\n    form:',
)
  .replaceAll('spend', 'leads')
  .replace('Spend', 'Leads');
const FILES = `
name: Files
triggers: [{ type: command, command: files }]
steps:
  ask:
    type: approval
    title: Which receipt?
    attachFiles: { maxFiles: 2, maxBytes: 1000, types: [text/plain, .csv] }
    actions: [{ id: approve, comment: optional }, { id: reject }]
    expiresAfter: 1h
  say: { type: template, data: "{{ask.json.files}}" }
output: "{{say.json}}"
`;

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk({ spend: SPEND, leads: LEADS, files: FILES });
  desk.red.platform.setRole('leads', []);
});

const stateOf = async (run = 'k000000001') => (await desk.store.run(run))?.state;

/** Starts a flow and presses a button of its question. */
async function pressed(side: Side, command: string, label: string, person = side.bo) {
  const { id } = await side.say(side.ana, command);
  const [card] = (await side.posts({ ...side.here, thread: id })).filter(({ buttons }) =>
    buttons.some((button) => button.label === label),
  );
  if (!card) throw new Error('no card');
  return { card, told: await side.press(person, card.ref, label) };
}

/** The same, when a form opens. */
async function opened(side: Side, command: string, label: string, person = side.bo): Promise<SeenForm> {
  const { form } = (await pressed(side, command, label, person)).told;
  if (!form) throw new Error('no form');
  return form;
}

describe.each(['red', 'blue'] as const)('a question with a form on %s', (name) => {
  test('asks for it first, with what is required and what counts otherwise', async () => {
    const side = desk[name];
    const form = await opened(side, '!spend', 'Approve');
    expect(form).toMatchObject({
      title: 'Approve',
      fields: [
        { id: 'field_amount', label: 'Amount', required: true },
        { id: 'field_account', label: 'account', required: false },
      ],
      errors: {},
    });
    await side.send(side.bo, form, { field_amount: '7.5', field_account: '' });
    expect(await stateOf()).toMatchObject({ status: 'succeeded', output: '7.5 from travel' });
    expect((await stateOf())?.outputs.ask?.json.values).toEqual({ amount: 7.5, account: 'travel' });
  });

  test('says at the field what is wrong, keeps the form open, and takes it once it is right', async () => {
    const side = desk[name];
    const form = await opened(side, '!spend', 'Approve');
    for (const [typed, sentence] of [
      ['much', /number/],
      ['0', /1/],
      ['', /missing|needed|required|value/],
    ] as const) {
      const again = await side.send(side.bo, form, { field_amount: typed, field_account: 'x' });
      expect(again.text).toBe('');
      expect(again.form?.errors, typed).toEqual({ field_amount: expect.stringMatching(sentence) });
      expect((await onlyRun(desk)).status).toBe('waiting');
    }
    expect(await side.posts(side.here)).toEqual([]);
    await side.send(side.bo, form, { field_amount: '3', field_account: 'x' });
    expect((await stateOf())?.output).toBe('3 from x');
  });

  test('does not ask for it when it is rejected', async () => {
    const side = desk[name];
    const form = await opened(side, '!spend', 'Reject');
    expect(form.fields.map(({ id }) => id)).toEqual(['feedback']);
    await side.send(side.bo, form, { feedback: 'too much' });
    expect(await stateOf()).toMatchObject({ status: 'rejected', feedback: { ask: 'too much' } });
  });

  test('typed without what it needs opens the form, and counts only with it', async () => {
    const side = desk[name];
    await side.say(side.ana, '!spend');
    const { form } = await side.flow(side.bo, 'approve k000000001');
    expect((await onlyRun(desk)).status).toBe('waiting');
    if (!form) throw new Error('no form');
    await side.send(side.bo, form, { field_amount: '3', field_account: '' });
    expect((await onlyRun(desk)).status).toBe('succeeded');
  });
});

describe('whoever may not answer', () => {
  test('gets no form but a sentence that only they read, with the names that people know', async () => {
    const { red } = desk;
    const { told, card } = await pressed(red, '!leads', 'Approve', red.cy);
    expect(told).toEqual({ text: 'Only Bo, blue:U0BO, @leads may answer this.', buttons: [], files: [] });
    expect((await red.press(red.cy, card.ref, 'Reject')).form).toBeUndefined();
    expect((await stateOf())?.status).toBe('waiting');
  });

  test('gets no form for a question of another conversation', async () => {
    const { red } = desk;
    await red.say(red.ana, '!spend');
    const told = await red.pressId(red.cy, 'explain:k000000001.1:approve', red.elsewhere);
    expect(told.form).toBeUndefined();
    expect(told.text).toBe('Only people of the conversation where this is asked may answer it.');
  });

  test('is refused before anything is said about what they filled in', async () => {
    const { red } = desk;
    const form = await opened(red, '!leads', 'Approve');
    const told = await red.send(red.cy, form, { field_amount: 'much', field_account: 'x' });
    expect(told.text).toBe(
      'Only Bo, blue:U0BO, @leads may answer this.\n\nWhat you wrote:\n\n> much\n>\n> x',
    );
  });
});

describe('somebody whose role has to be looked up', () => {
  test('gets the form as the answer to the click; whom it names in person gets it at once', async () => {
    const { red } = desk;
    red.platform.setRole('leads', [red.cy]);
    const { card } = await pressed(red, '!leads', 'Approve', red.cy);
    const button = card.buttons.find(({ label }) => label === 'Approve')?.id ?? '';
    const click = (id: string, person = red.cy) =>
      ({ type: 'click', id, atMs: 1, person, message: card.ref, button }) as const;
    expect(await desk.inbound.formFor(click('C1'))).toBeUndefined();
    const taken = await desk.inbound.receive(click('C1'));
    const answer = await taken.answer;
    expect(answer).toMatchObject({ kind: 'form', form: { title: 'Approve' } });
    expect(await desk.inbound.formFor(click('C2', red.bo))).toMatchObject({ title: 'Approve' });
    if (answer.kind !== 'form') throw new Error('no form');
    const submit = { id: 'V1', atMs: 2, person: red.cy, place: red.here, form: answer.form.id };
    const values = { field_amount: '2', field_account: '' };
    await desk.inbound.receive({ type: 'submit', ...submit, values });
    await desk.settle();
    expect((await stateOf())?.output).toBe('2 from travel');
  });
});

const receipt: GivenFile = { name: 'receipt.txt', type: 'text/plain', bytes: Buffer.from('Hotel: 90') };

describe('files with an answer', () => {
  /** Sends the form with these files. */
  async function attach(form: SeenForm, files: readonly GivenFile[]) {
    const { red } = desk;
    return red.send(red.bo, form, { feedback: 'here it is' }, red.here, { attachments: files });
  }

  test('are kept with the run, byte for byte, and later steps see which they are', async () => {
    const form = await opened(desk.red, '!files', 'Approve');
    expect(form.fields).toMatchObject([
      { id: 'attachments', label: 'Files', required: false },
      { id: 'feedback', required: false },
    ]);
    await attach(form, [receipt]);
    const state = await stateOf();
    const [kept] = state?.questions['k000000001.1']?.answers[0]?.files ?? [];
    if (!kept) throw new Error('no file');
    expect(kept).toEqual({ id: expect.any(String), name: 'receipt.txt', type: 'text/plain', sizeBytes: 9 });
    expect(state?.output).toEqual({ value: [kept] });
    expect(await desk.store.file(kept.id)).toMatchObject({ run: 'k000000001', name: 'receipt.txt' });
    expect(Buffer.from((await desk.store.file(kept.id))?.data ?? []).toString()).toBe('Hotel: 90');
  });

  test('are the same ones when the form is delivered again', async () => {
    const { red } = desk;
    const form = await opened(red, '!files', 'Approve');
    const kept: string[] = [];
    const { keepFile } = desk.store;
    desk.store.keepFile = (file) => {
      kept.push(file.id);
      return keepFile(file);
    };
    const { commit } = desk.store;
    let isBroken = true;
    desk.store.commit = async (change) => {
      if (isBroken && change.delivered) throw new Error('the disk is full');
      return commit(change);
    };
    await attach(form, [receipt, { ...receipt, name: 'more.csv' }]);
    isBroken = false;
    desk = await desk.restart();
    await desk.settle();
    await red.platform.redeliver();
    await desk.settle();
    expect(new Set(kept).size).toBe(2);
    expect((await stateOf())?.questions['k000000001.1']?.answers).toHaveLength(1);
  });

  test.each<[string, readonly GivenFile[], string]>([
    ['too many', [receipt, receipt, receipt], '3 files were sent; 2 files are allowed.'],
    ['too large', [{ ...receipt, bytes: Buffer.alloc(1001) }], '“receipt.txt” has 1001 bytes'],
    [
      'of another kind',
      [{ ...receipt, name: 'run.exe', type: 'application/x-msdownload' }],
      '“run.exe” is not of',
    ],
  ])('that are %s are refused, and what was typed comes back', async (_, files, why) => {
    const form = await opened(desk.red, '!files', 'Approve');
    const told = await attach(form, files);
    expect(told.text).toContain(why);
    expect(told.text).toContain('What you wrote:\n\n> here it is');
    expect((await stateOf())?.questions['k000000001.1']?.answers).toEqual([]);
    expect((await onlyRun(desk)).status).toBe('waiting');
  });

  test('that can’t be fetched are no answer: what was typed comes back, and the question stays open', async () => {
    const { red } = desk;
    const form = await opened(red, '!files', 'Approve');
    const gone = {
      id: 'F-gone',
      name: 'a.txt',
      type: 'text/plain',
      sizeBytes: 3,
      url: 'https://files.fake.example/x',
    };
    const told = await red.send(red.bo, form, {
      feedback: 'here it is',
      attachments: JSON.stringify([gone]),
    });
    expect(told.text).toBe('The file is not there any more.\n\nWhat you wrote:\n\n> here it is');
    expect((await stateOf())?.questions['k000000001.1']?.answers).toEqual([]);
    expect((await desk.store.journal('k000000001')).map(({ type }) => type)).toEqual(['run.started']);
  });

  test('C64: a form that is sent too late gets its text back, with when it expired', async () => {
    const { red } = desk;
    const form = await opened(red, '!files', 'Approve');
    await desk.pass(3_600_000);
    const told = await red.send(red.bo, form, { feedback: 'late but long' });
    expect(told.text).toBe(
      'This question expired at 2026-01-05 10:00 UTC.\n\nWhat you wrote:\n\n> late but long',
    );
    await desk.pass(2_000);
    expect((await red.send(red.bo, form, { feedback: 'later still' })).text).toBe(
      'This question expired at 2026-01-05 10:00 UTC.\n\nWhat you wrote:\n\n> later still',
    );
    expect((await onlyRun(desk)).status).toBe('rejected');
  });
});

test('a card shows what was decided and filled in, and no buttons', async () => {
  const { red } = desk;
  const { id } = await red.say(red.ana, '!spend');
  const card = await cardIn(red, id, 'How much?');
  const { form } = await red.press(red.bo, card.ref, 'Approve');
  if (!form) throw new Error('no form');
  await red.send(red.bo, form, { field_amount: '3', field_account: 'x' });
  const after = await cardIn(red, id, 'How much?');
  expect(after.buttons).toEqual([]);
  expect(after.text).toContain('Approved by Bo');
  expect(after.text).toContain('Amount: 3');
});
