import { describe, expect, test } from 'vitest';
import { literal, md } from '../../../src/engine/prose.ts';
import type { Answer } from '../../../src/ports/chat.ts';
import type { DiscordStandIn } from '../../fakes/discord/index.ts';
import { expectCalm } from './asking.ts';
import { type DiscordHarness, openDiscord } from './harness.ts';

const saying = (text: string): Answer => ({
  kind: 'private',
  content: { prose: [literal(text)], buttons: [], notify: [] },
});

const withChart: Answer = {
  kind: 'private',
  content: {
    prose: [md('Done.')],
    buttons: [],
    notify: [],
    files: [
      {
        name: 'chart.png',
        mediaType: 'image/png',
        alt: 'A chart @everyone',
        data: Buffer.from('picture').toString('base64'),
      },
    ],
  },
};

const form = {
  id: 'form:1',
  title: 'A form',
  submitLabel: 'Send',
  fields: [{ id: 'a', label: 'A', type: 'text', required: true }],
} as const;

const privateTexts = async (discord: Pick<DiscordStandIn, 'privates' | 'people'>) =>
  (await discord.privates(discord.people.ana)).map(({ text }) => text);

/** The answer to the next thing that is done comes when it is given. */
function awaited({ inbox }: DiscordHarness): (answer: Answer) => void {
  const given = Promise.withResolvers<Answer>();
  inbox.receive = async () => ({ answer: given.promise });
  return given.resolve;
}

/** A post with a button. */
async function post({ chat, channel }: DiscordHarness) {
  const content = {
    prose: [md('Go?')],
    buttons: [{ id: 'x:1', label: 'Go', style: 'plain' as const }],
    notify: [],
  };
  const [part = null] = chat.render(content);
  const outcome = await chat.post(channel, part, 'key');
  if (outcome.kind !== 'posted') throw new Error('not posted');
  return outcome.message;
}

/** Fills in a form that a button of a private message opened. */
async function behindPrivateButton({ inbox, discord, people: { ana }, channel }: DiscordHarness) {
  const buttons = [{ id: 'x:1', label: 'Fill in', style: 'primary' }] as const;
  inbox.answerNext({ kind: 'private', content: { prose: [md('?')], buttons: [...buttons], notify: [] } });
  await discord.command(ana, channel, 'run release');
  inbox.openOnClick(form);
  await discord.clickPrivate(ana, 'x:1');
  return () => discord.submit(ana, channel, form.id, { a: 'x' });
}

/** Each way to do something: what comes before it, then the deed itself. */
const deeds: readonly [string, (harness: DiscordHarness) => Promise<() => Promise<unknown>>][] = [
  ['a command', async (harness) => () => harness.command(harness.people.ana, harness.channel, 'run release')],
  [
    'a click',
    async (harness) => {
      const message = await post(harness);
      return () => harness.click(harness.people.ana, message, 'x:1');
    },
  ],
  [
    'a form',
    async (harness) => () => harness.submit(harness.people.ana, harness.channel, form.id, { a: 'x' }),
  ],
  ['a form behind a private button', behindPrivateButton],
];

describe.each(deeds)('the answer to %s', (_, prepare) => {
  /** All is ready for the deed. */
  async function open() {
    const harness = await openDiscord();
    const { discord, inbox } = harness;
    const act = await prepare(harness);
    const answers = () =>
      discord.answersOf(discord.people.ana).filter(({ type }) => type !== undefined).length;
    const before = answers();
    return { harness, discord, inbox, act, onceAnswered: () => discord.until(() => answers() > before) };
  }

  test('is seen only by who did it, and mentions nobody', async () => {
    const { discord, inbox, act } = await open();
    inbox.answerNext(saying('if a < b @everyone <@400000000000000002> **not bold**'));
    await act();
    expect(await privateTexts(discord)).toEqual([
      expect.stringMatching(/^if a < b @.?everyone <.?@400000000000000002> \*\*not bold\*\*$/),
    ]);
    expect(await discord.privates(discord.people.bo)).toEqual([]);
    expect((await discord.messages(discord.channel)).map(({ text }) => text)).not.toContain('if a');
    expectCalm(discord);
  });

  test('comes once and late, when it takes longer than Discord waits', async () => {
    const { discord, harness, act, onceAnswered } = await open();
    const give = awaited(harness);
    const startMs = discord.nowMs();
    const done = act();
    await onceAnswered();
    expect(discord.nowMs() - startMs).toBeLessThan(3_000);
    discord.pass(5 * 60_000);
    give(saying('At last.'));
    await done;
    await discord.until(async () => (await privateTexts(discord)).includes('At last.'));
    await discord.quiet();
    expect(await privateTexts(discord)).toEqual(['At last.']);
    expectCalm(discord);
  });

  test('that is longer than a message comes in several, in order, the buttons under the last', async () => {
    const { discord, inbox, act } = await open();
    const lines = Array.from({ length: 400 }, (_, index) => `${index} ${'x'.repeat(25)}`);
    const buttons = [{ id: 'go:1', label: 'Go', style: 'primary' }] as const;
    inbox.answerNext({
      kind: 'private',
      content: { prose: [md(lines.join('\n\n'))], buttons: [...buttons], notify: [] },
    });
    await act();
    await discord.quiet();
    const shown = await discord.privates(discord.people.ana);
    expect(shown.length).toBeGreaterThan(2);
    expect(shown.flatMap(({ text }) => text.split(/\n+/)).filter((line) => line !== '')).toEqual(lines);
    expect(shown.map((one) => one.buttons.length)).toEqual([...shown.slice(1).map(() => 0), 1]);
    expectCalm(discord);
  });

  test('has its pictures behind the words, also when it comes late', async () => {
    const { discord, harness, act, onceAnswered } = await open();
    const { ana, bo } = discord.people;
    const give = awaited(harness);
    const done = act();
    await onceAnswered();
    give(withChart);
    await done;
    await discord.until(async () => (await discord.privates(ana)).some(({ files }) => files.length > 0));
    expect((await discord.privates(ana)).slice(-2)).toMatchObject([
      { text: 'Done.', files: [] },
      { text: '', files: [{ name: 'chart.png', alt: 'A chart @everyone' }] },
    ]);
    expect(await discord.privates(bo)).toEqual([]);
    const sent = discord.calls().find(({ files }) => files.length > 0);
    expect(sent?.body).toMatchObject({
      attachments: [{ id: 0, filename: 'chart.png', description: 'A chart @everyone' }],
      flags: (1 << 15) | (1 << 6) | (1 << 2),
      allowed_mentions: { parse: [] },
    });
    expectCalm(discord);
  });

  test('that there is none leaves nobody waiting', async () => {
    const { discord, harness, act, onceAnswered } = await open();
    const give = awaited(harness);
    const done = act();
    await onceAnswered();
    give({ kind: 'none' });
    await done;
    await discord.quiet();
    expect((await privateTexts(discord)).every((text) => text === 'Done.')).toBe(true);
    expectCalm(discord);
  });

  test('after a quarter of an hour reaches nobody and breaks nothing', async () => {
    const { discord, harness, act } = await open();
    const { log } = harness;
    const give = awaited(harness);
    await act();
    discord.pass(16 * 60_000);
    give(saying('Too late.'));
    await discord.until(() => discord.calls().some(({ code }) => code === 50027));
    await discord.quiet();
    expect(log.lines.map(({ message }) => message)).toContain('An answer did not reach its person.');
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(discord.faults()).toEqual([]);
  });

  test('that is a form opens, or is opened by a button where Discord opens none', async () => {
    const { discord, inbox, act } = await open();
    inbox.answerNext({ kind: 'form', form: { ...form, id: 'form:2', title: 'Another form' } });
    await act();
    const { ana } = discord.people;
    const [shown] = await discord.privates(ana);
    if (shown) {
      expect(shown).toMatchObject({
        text: 'Another form needs more to go on.',
        buttons: [{ label: 'Fill in' }],
      });
      await discord.clickPrivate(ana, shown.buttons[0]?.id ?? '');
    }
    expect(await discord.form(ana)).toMatchObject({ title: 'Another form' });
    expectCalm(discord);
  });

  test('that is a form and comes late is opened by a button', async () => {
    const { discord, harness, act, onceAnswered } = await open();
    const { ana } = discord.people;
    const give = awaited(harness);
    const done = act();
    await onceAnswered();
    give({ kind: 'form', form: { ...form, id: 'form:2', title: 'Another form' } });
    await done;
    await discord.until(async () => (await privateTexts(discord)).length > 0);
    await discord.clickPrivate(ana, (await discord.privates(ana))[0]?.buttons[0]?.id ?? '');
    expect(await discord.form(ana)).toMatchObject({ title: 'Another form' });
    expectCalm(discord);
  });
});

test.each([
  ['Discord refuses it', { kind: 'error', status: 400, code: 40005, message: 'Request entity too large' }],
  ['Discord wants to be asked later', { kind: '429', retryAfterS: 600 }],
] as const)('a picture is told of in words when %s', async (_, fault) => {
  const { discord, inbox, log } = await openDiscord();
  const { ana } = discord.people;
  discord.failRequest('POST /webhooks/:application/:token', fault);
  inbox.answerNext(withChart);
  await discord.command(ana, discord.channel, 'run release');
  await discord.until(async () => (await discord.privates(ana)).length === 2);
  expect(await privateTexts(discord)).toEqual([
    'Done.',
    expect.stringMatching(/^The picture “chart.png” could not be shown. What it shows: A chart @.?everyone$/),
  ]);
  expect(log.lines.map(({ message }) => message)).toContain('A picture did not reach its person.');
  expectCalm(discord);
});

test('a picture whose answer is lost on the way is there once', async () => {
  const { discord, inbox } = await openDiscord();
  const { ana } = discord.people;
  discord.failRequest('POST /webhooks/:application/:token', { kind: 'lost' });
  inbox.answerNext(withChart);
  await discord.command(ana, discord.channel, 'run release');
  await discord.until(async () => (await discord.privates(ana)).length === 2);
  await discord.quiet();
  expect(await discord.privates(ana)).toMatchObject([{ text: 'Done.' }, { files: [{ name: 'chart.png' }] }]);
});

test('C17: what Discord tells again after a broken connection is answered once', async () => {
  const harness = await openDiscord();
  const { discord, inbox } = harness;
  inbox.answerNext(saying('Once.'));
  await discord.command(discord.people.ana, discord.channel, 'run release');
  discord.gateway.reconnect();
  await discord.until(() => discord.gateway.counts().resumed > 0);
  await discord.redeliver();
  expect(await privateTexts(discord)).toEqual(['Once.']);
  expect(discord.calls().filter(({ route }) => route.includes('/callback'))).toHaveLength(1);
  expect(inbox.taken).toHaveLength(1);
  expectCalm(discord);
});

test('what is wrong with a form is said in sentences, and edited with what was typed', async () => {
  const { discord, inbox } = await openDiscord();
  const { ana } = discord.people;
  inbox.answerNext({ kind: 'form', form });
  await discord.command(ana, discord.channel, 'run release');
  for (let count = 0; count < 2; count += 1) {
    inbox.answerNext({ kind: 'errors', errors: { a: 'a must be longer', b: 'What is b?' } });
    await discord.submit(ana, discord.channel, form.id, { a: 'short' });
    const wrong = (await discord.privates(ana)).at(-1);
    expect(wrong).toMatchObject({ text: 'a must be longer.\nWhat is b?', buttons: [{ label: 'Edit' }] });
    await discord.clickPrivate(ana, wrong?.buttons[0]?.id ?? '');
    expect(JSON.stringify(discord.answersOf(ana).at(-1)?.data)).toContain('"value":"short"');
  }
  expectCalm(discord);
});

test('an answer whose message is gone is a new message', async () => {
  const harness = await openDiscord();
  const { discord, inbox } = harness;
  const act = await behindPrivateButton(harness);
  const gone = { kind: 'error', status: 404, code: 10008, message: 'Unknown Message' } as const;
  discord.failRequest('POST /interactions/:interaction/:token/callback', gone);
  inbox.answerNext(saying('Here.'));
  await act();
  expect(await privateTexts(discord)).toContain('Here.');
  expectCalm(discord);
});
