import { beforeEach, describe, expect, test } from 'vitest';
import { runChatCommand } from '../../src/commands/table.ts';
import { createDesk, type Desk, onlyRun, runsOf } from './desk.ts';
import { echo, guarded, purchase, release } from './flows.ts';

const byWord = `
name: By word
triggers: [{ type: command, command: by-word }]
steps: { say: { type: template, text: hello } }
`;

const SPEND = `
name: Spend
input:
  type: object
  properties:
    budget: { type: number, minimum: 0, title: Budget in euros }
    what: { type: string, title: What for }
  required: [budget, what]
triggers: [{ type: manual }]
steps: { say: { type: template, text: "{{input.what}}" } }
`;

let desk: Desk;
beforeEach(async () => {
  desk = await createDesk({ echo, release, purchase, guarded, byWord });
});

const outputOf = async () => (await desk.store.run((await onlyRun(desk)).id))?.state.output;

describe.each(['red', 'blue'] as const)('/flow run on %s', (name) => {
  test('starts a flow where it was typed, and its card is seen there', async () => {
    const side = desk[name];
    const { text } = await side.flow(side.ana, 'run echo hello');
    const run = await onlyRun(desk);
    expect(text).toBe(`Started run ${run.id}.`);
    expect(run).toMatchObject({ flow: 'echo', startedBy: side.ana, home: side.here, status: 'succeeded' });
    expect((await side.posts(side.here)).map((post) => post.text)).toEqual([
      expect.stringContaining('Echo has succeeded'),
    ]);
    expect(await outputOf()).toBe('Got: hello');
  });

  test.each([
    ['the whole text for a sole text field', 'run release 1.2 final', '1.2 final'],
    ['the same by its name', 'run release version=1.2', '1.2'],
    ['with curly quotes', 'run release version=“1.2 final”', '1.2 final'],
    ['in any case', 'RUN Release 1.2', '1.2'],
  ])('takes %s', async (_what, typed, version) => {
    const side = desk[name];
    await side.flow(side.ana, typed);
    expect(await outputOf()).toBe(`Release ${version}`);
  });

  test('C11: takes what a phone makes of key=value', async () => {
    const side = desk[name];
    await side.flow(side.ana, 'run\u200B\u00A0purchase —item=“a chair” –-amount=120 note=‘Bo’s fix’');
    expect(await outputOf()).toEqual({ item: 'a chair', amount: 120 });
    const run = await desk.store.run((await onlyRun(desk)).id);
    expect(run?.state.start.input).toEqual({ item: 'a chair', amount: 120, note: 'Bo’s fix' });
  });

  test('opens a form for what is missing, filled with what is known', async () => {
    const side = desk[name];
    const { form } = await side.flow(side.ana, 'run purchase item=lamp');
    expect(form?.title).toBe('Purchase');
    expect(form?.fields.map((field) => field.id)).toEqual(['item', 'amount', 'note']);
    if (!form) return;
    await side.send(side.ana, form, { item: 'lamp', amount: '12', note: '' });
    expect(await outputOf()).toEqual({ item: 'lamp', amount: 12 });
    const run = await desk.store.run((await onlyRun(desk)).id);
    expect(run?.state.start).toMatchObject({ trigger: 'manual', prompt: 'item=lamp', home: side.here });
  });

  test('one command starts one run, however often its form is sent', async () => {
    const side = desk[name];
    const { form } = await side.flow(side.ana, 'run release');
    if (!form) throw new Error('no form');
    await side.send(side.ana, form, { version: '1' });
    const again = await side.send(side.ana, form, { version: '2' });
    expect(again.text).toBe(`This has been started already: run ${(await onlyRun(desk)).id}.`);
  });

  test('a form from elsewhere, or made up, starts nothing', async () => {
    const side = desk[name];
    const { form } = await side.flow(side.ana, 'run release');
    if (!form) throw new Error('no form');
    const { text } = await side.send(side.ana, form, { version: '1' }, side.elsewhere);
    expect(text).toBe('This form is too old: please type the command again.');
    const madeUp = await side.send(side.ana, { ...form, id: 'fill:release:E999' }, { version: '1' });
    expect(madeUp.text).toBe('This form is too old: please type the command again.');
    const otherFlow = await side.send(
      side.ana,
      { ...form, id: form.id.replace(':release:', ':purchase:') },
      { item: 'a', amount: '1' },
    );
    expect(otherFlow.text).toBe('This form is too old: please type the command again.');
    const other = await side.send(side.ana, { ...form, id: 'what:ever' }, { version: '1' });
    expect(other.text).toBe('This form is not in use any more.');
    expect(await runsOf(desk)).toEqual([]);
  });

  test('says in a sentence what is wrong', async () => {
    const side = desk[name];
    const { text, form } = await side.flow(side.ana, 'run purchase amount=many nite=x');
    expect(text).toBe(
      'Purchase needs more to start: nite is not an input of this flow. Did you mean "note"? amount must be a number. item is missing.',
    );
    expect(form).toBeUndefined();
    const small = await side.flow(side.ana, 'run purchase item=lamp amount=0');
    expect(small.text).toBe('Purchase needs more to start: amount must be at least 1.');
    expect(await runsOf(desk)).toEqual([]);
  });
});

describe('/flow run with an input that could not be read', () => {
  const typed = 'run purchase item=lamp amount=many note=green';

  test('offers a form, filled with what was understood, that starts the run', async () => {
    const { red } = desk;
    const { buttons } = await red.flow(red.ana, typed);
    expect(buttons.map(({ label }) => label)).toEqual(['Fill in']);
    const button = buttons[0]?.id ?? '';
    const click = { id: 'C1', atMs: 1, person: red.ana, message: { ...red.here, id: 'M-private' }, button };
    const fields = (await desk.inbound.formFor({ type: 'click', ...click }))?.fields ?? [];
    expect(fields.map(({ id, initial }) => [id, initial])).toEqual([
      ['item', 'lamp'],
      ['amount', undefined],
      ['note', 'green'],
    ]);
    const { form } = await red.pressId(red.ana, button);
    if (!form) throw new Error('no form');
    expect(await red.send(red.ana, form, { item: 'lamp', amount: '7', note: 'green' })).toMatchObject({
      text: '',
    });
    const run = await desk.store.run((await onlyRun(desk)).id);
    expect(run?.state.start).toMatchObject({
      input: { item: 'lamp', amount: 7, note: 'green' },
      home: red.here,
    });
  });

  test('gives nobody else a form that starts it', async () => {
    const { red } = desk;
    const { buttons } = await red.flow(red.ana, typed);
    const { form } = await red.pressId(red.bo, buttons[0]?.id ?? '');
    if (!form) throw new Error('no form');
    const { text } = await red.send(red.bo, form, { item: 'lamp', amount: '7', note: '' });
    expect(text).toBe('This form is too old: please type the command again.');
    expect(await runsOf(desk)).toEqual([]);
  });

  test('offers no form on the command line', async () => {
    const caller = { person: { platform: 'cli', id: 'root', name: 'root' }, event: 'x', atMs: 0 };
    const { content, form, draft } = await runChatCommand(desk.bot, caller, typed);
    expect({ buttons: content.buttons, form, draft }).toEqual({
      buttons: [],
      form: undefined,
      draft: undefined,
    });
  });
});

describe('/flow run', () => {
  test.each([
    ['run ecko', 'There is no flow ecko. Did you mean echo?'],
    ['run guarded', 'Only red:U0BO, blue:U0BO may start Guarded.'],
    ['run byWord', 'By word is not started by this command. Type !by-word.'],
  ])('/flow %s is refused in a sentence', async (typed, answer) => {
    expect((await desk.red.flow(desk.red.ana, typed)).text).toBe(answer);
    expect(await runsOf(desk)).toEqual([]);
  });

  test('without a flow opens a form to choose one, which then asks for its input', async () => {
    const { red } = desk;
    const { form, text } = await red.flow(red.ana, 'run');
    if (!form) throw new Error(text);
    expect(form).toMatchObject({ title: 'Run a flow', fields: [{ id: 'flow', required: true }] });
    const { form: input } = await red.send(red.ana, form, { flow: 'release' });
    if (!input) throw new Error('no form');
    expect(input.title).toBe('Release notes');
    expect((await red.send(red.bo, input, { version: '1.2' })).text).toBe(
      'This form is too old: please type the command again.',
    );
    await red.send(red.ana, input, { version: '1.2' });
    expect(await onlyRun(desk)).toMatchObject({ flow: 'release', startedBy: red.ana, home: red.here });
    expect(await outputOf()).toBe('Release 1.2');
  });

  test('without a flow starts a chosen one that needs no input, once', async () => {
    const { red } = desk;
    const { form } = await red.flow(red.ana, 'run');
    if (!form) throw new Error('no form');
    await red.send(red.ana, form, { flow: 'echo' });
    const { id } = await onlyRun(desk);
    expect((await red.send(red.ana, form, { flow: 'echo' })).text).toBe(
      `This has been started already: run ${id}.`,
    );
    expect(await runsOf(desk)).toHaveLength(1);
  });

  test('the form to choose a flow is only for who asked, and only where one was asked for', async () => {
    const { red } = desk;
    const { form } = await red.flow(red.ana, 'run');
    if (!form) throw new Error('no form');
    const tooOld = 'This form is too old: please ask for it again.';
    expect((await red.send(red.bo, form, { flow: 'echo' })).text).toBe(tooOld);
    await red.flow(red.ana, 'list');
    const [, event] = form.id.split(':');
    const other = `pick:${event?.replace(/\d+$/, (digits) => String(Number(digits) + 2).padStart(digits.length, '0'))}`;
    expect((await red.send(red.ana, { ...form, id: other }, { flow: 'echo' })).text).toBe(tooOld);
    expect(await runsOf(desk)).toEqual([]);
  });

  test('without a flow says so where there is none to choose', async () => {
    desk.load({ guarded });
    expect((await desk.red.flow(desk.red.ana, 'run')).text).toBe('Say which flow. /flow list shows them.');
  });

  test('a name that is like no flow is answered with all of them', async () => {
    const { text } = await desk.red.flow(desk.red.ana, 'run xylophone');
    expect(text).toContain('There is no flow xylophone. There are: ');
    expect(text).toContain('echo');
  });

  test('those who are named may start it', async () => {
    await desk.blue.flow(desk.blue.bo, 'run guarded');
    expect(await onlyRun(desk)).toMatchObject({ startedBy: desk.blue.bo });
  });

  test('a flow whose file is broken says so, and to an admin also why', async () => {
    desk.load({ echo, release: 'steps: { say: { type: shout } }' });
    expect((await desk.red.flow(desk.red.ana, 'run release')).text).toBe(
      'The flow release could not be loaded. An admin can see why with /flow list.',
    );
    const { text } = await desk.red.flow(desk.red.ada, 'run Release');
    expect(text).toMatch(/^The flow release could not be loaded\. flows\/release\.flow\.yaml:1:\d+/);
  });

  test('a form for a flow that is gone, switched off or not allowed any more is answered', async () => {
    const { form } = await desk.red.flow(desk.red.ana, 'run release');
    if (!form) throw new Error('no form');
    await desk.red.flow(desk.red.ada, 'disable release');
    const off = await desk.red.send(desk.red.ana, form, { version: '1' });
    expect(off.text).toBe('Release notes is switched off.');
    desk.load({ echo });
    const gone = await desk.red.send(desk.red.ana, form, { version: '1' });
    expect(gone.text).toBe('There is no flow release any more.');
    expect(await runsOf(desk)).toEqual([]);
  });

  test('people read the titles of fields, in messages and at the fields of a form', async () => {
    const { red } = desk;
    desk.load({ spend: SPEND });
    const { text } = await red.flow(red.ana, 'run spend budget=-1');
    expect(text).toBe('Spend needs more to start: Budget in euros must be at least 0. What for is missing.');
    const { form } = await red.flow(red.ana, 'run spend');
    if (!form) throw new Error('no form');
    const wrong = await red.send(red.ana, form, { budget: '-1', what: '' });
    expect(wrong.form?.errors).toEqual({
      budget: 'Budget in euros must be at least 0',
      what: 'What for is missing',
    });
  });

  test('a form with mistakes stays open and says what is wrong at its fields', async () => {
    const { form } = await desk.red.flow(desk.red.ana, 'run purchase');
    if (!form) throw new Error('no form');
    const wrong = await desk.red.send(desk.red.ana, form, { item: '', amount: 'many', note: '' });
    expect(wrong.form?.errors).toEqual({ item: 'item is missing', amount: 'amount must be a number' });
    expect(await runsOf(desk)).toEqual([]);
  });
});

describe('/flow list', () => {
  test('lists flows, how to start them, and why not', async () => {
    await desk.red.flow(desk.red.ada, 'disable echo');
    const { text } = await desk.red.flow(desk.red.ana, 'list');
    expect(text).toContain('Echo (!echo or /flow run echo): Says what it was told. Echo is switched off.');
    expect(text).toContain('Release notes (!release or /flow run release)');
    expect(text).toContain(
      'Guarded (!guarded or /flow run guarded) Only red:U0BO, blue:U0BO may start Guarded.',
    );
    expect(text).toContain('By word (!by-word)');
  });

  test('shows admins the files that could not be loaded, and others not', async () => {
    desk.load({ broken: 'steps: { say: { type: shout } }' });
    expect((await desk.red.flow(desk.red.ana, 'list')).text).toBe('There are no flows yet.');
    expect((await desk.red.flow(desk.red.ada, 'list')).text).toContain('flows/broken.flow.yaml');
  });
});

describe('/flow enable and disable', () => {
  test('are for admins', async () => {
    expect((await desk.red.flow(desk.red.ana, 'disable echo')).text).toBe(
      'Only admins may switch flows on and off.',
    );
    expect((await desk.red.flow(desk.red.ana, 'run echo')).text).toMatch(/^Started/);
  });

  test('last over a restart, and over the file', async () => {
    expect((await desk.red.flow(desk.red.ada, 'disable Echo')).text).toBe(
      'Echo is switched off. Runs under way go on.',
    );
    const later = await desk.restart();
    expect((await later.red.flow(later.red.ana, 'run echo')).text).toBe('Echo is switched off.');
    expect((await later.blue.flow(later.blue.ada, 'enable echo')).text).toBe('Echo is switched on.');
    expect((await later.red.flow(later.red.ana, 'run echo')).text).toMatch(/^Started/);
    later.load({ echo: `${echo}\nenabled: false\n` });
    expect((await later.red.flow(later.red.ana, 'run echo')).text).toMatch(/^Started/);
  });

  test.each([
    ['disable', 'Say which flow. /flow list shows them.'],
    ['enable ecko', 'There is no flow ecko. Did you mean echo?'],
  ])('/flow %s', async (typed, answer) => {
    expect((await desk.red.flow(desk.red.ada, typed)).text).toBe(answer);
  });
});
