import { describe, expect, test } from 'vitest';
import type { DiscordStandIn } from '../../fakes/discord/index.ts';
import {
  asking,
  decisions,
  expectCalm,
  lastPrivate,
  logged,
  oncePrivates,
  release,
  runOf,
} from './asking.ts';
import { onceAsked, onceShown, openLive } from './live.ts';

/** First answers of the bot, by type. */
const answer = { message: 4, deferred: 5, silent: 6, modal: 9 } as const;
const callback = 'POST /interactions/:interaction/:token/callback';

/** Types of the first answers to what a person did. */
const typesOf = (discord: DiscordStandIn, person = discord.people.bo) =>
  discord.answersOf(person).map(({ type }) => type);

describe('a button of a question', () => {
  test('decides, says nothing to who pressed it, and the card tells the truth', async () => {
    const { discord, thread, message, approve } = await asking();
    await discord.click(discord.people.bo, message, approve);
    const texts = await onceShown(discord, thread, 'has succeeded');
    expect(texts.join('\n')).toContain('Approved by Bo');
    expect(typesOf(discord)).toEqual([answer.silent]);
    expect(await discord.privates(discord.people.bo)).toEqual([]);
    expectCalm(discord);
  });

  test('trap 1: a slow database is no reason for Discord to say that the bot failed', async () => {
    const { discord, live, thread, message, approve } = await asking();
    const { store } = live.flowbot.bot;
    const { receive } = store;
    const kept = Promise.withResolvers<void>();
    store.receive = async (delivery) => {
      await kept.promise;
      return receive(delivery);
    };
    const startMs = discord.nowMs();
    await discord.click(discord.people.bo, message, approve);
    expect(typesOf(discord)).toEqual([answer.silent]);
    expect(discord.nowMs() - startMs).toBeLessThan(3_000);
    kept.resolve();
    await onceShown(discord, thread, 'has succeeded');
    expect(await discord.privates(discord.people.bo)).toEqual([]);
    expectCalm(discord);
  });

  test.each([2_900, 4_000])(
    'trap 7, C22: where a comment is asked for the form opens first, although the database takes %i ms',
    async (ms) => {
      const { discord, live, message, reject } = await asking();
      const { store } = live.flowbot.bot;
      const { receive, questionRun } = store;
      store.receive = async (delivery) => {
        discord.pass(ms);
        return receive(delivery);
      };
      store.questionRun = async (question) => {
        discord.pass(ms);
        return questionRun(question);
      };
      await discord.click(discord.people.bo, message, reject);
      expect(typesOf(discord)).toEqual([answer.modal]);
      expect(await discord.form(discord.people.bo)).toMatchObject({
        title: 'Reject',
        fields: [{ id: 'feedback', label: 'What should change?' }],
      });
      expectCalm(discord);
    },
  );

  test('what could not be kept is said, and pressing again does it', async () => {
    const { discord, live, thread, message, approve } = await asking();
    const { store } = live.flowbot.bot;
    const { receive } = store;
    store.receive = async () => {
      throw new Error('The disk is full.');
    };
    await discord.click(discord.people.bo, message, approve);
    expect((await lastPrivate(discord, discord.people.bo))?.text).toBe(
      'This could not be kept, so nothing was done. Please do it again.',
    );
    store.receive = receive;
    await discord.click(discord.people.bo, message, approve);
    await onceShown(discord, thread, 'has succeeded');
    expectCalm(discord);
  });

  test('C22: two people have a form each; the second one hears who decided, and gets the text back', async () => {
    const { discord, live, message, reject } = await asking();
    const { ana, bo } = discord.people;
    await discord.click(ana, message, reject);
    await discord.click(bo, message, reject);
    await discord.submit(ana, discord.channel, '', { feedback: 'Too early' });
    await discord.submit(bo, discord.channel, '', { feedback: 'Wrong title' });
    const heard = await lastPrivate(discord, bo);
    expect(heard?.text).toContain('Ana has already answered “Reject”');
    expect(heard?.text).toContain('Wrong title');
    expect(await discord.privates(ana)).toEqual([]);
    expect(typesOf(discord, ana)).toEqual([answer.modal, answer.silent]);
    expect(await decisions(live)).toBe(1);
    expectCalm(discord);
  });

  test('trap 8: cancelled, opened again and sent decides once, with what was sent', async () => {
    const { discord, live, thread, message, reject } = await asking();
    const { bo } = discord.people;
    await discord.click(bo, message, reject);
    discord.closeForm(bo);
    await discord.click(bo, message, reject);
    await discord.submit(bo, discord.channel, '', { feedback: 'Second thought' });
    expect(await decisions(live)).toBe(1);
    expect((await discord.messages(thread)).map(({ text }) => text).join('\n')).toContain('Second thought');
    expect(await discord.privates(bo)).toEqual([]);
    expectCalm(discord);
  });

  test('trap 11: pressed three times at once it decides once', async () => {
    const { discord, live, thread, message, approve } = await asking();
    const click = () => discord.click(discord.people.bo, message, approve);
    await Promise.all([click(), click(), click()]);
    await onceShown(discord, thread, 'has succeeded');
    expect(await discord.messages(discord.otherChannel)).toHaveLength(1);
    expect(await decisions(live)).toBe(1);
    expectCalm(discord);
  });

  test('trap 11: of two people at once one decides, the other hears who did', async () => {
    const { discord, live, thread, message, approve } = await asking();
    const { ana, bo } = discord.people;
    await Promise.all([discord.click(ana, message, approve), discord.click(bo, message, approve)]);
    await onceShown(discord, thread, 'has succeeded');
    const told = async () => [...(await discord.privates(ana)), ...(await discord.privates(bo))];
    await discord.until(async () => (await told()).length > 0);
    const heard = await told();
    expect(heard).toHaveLength(1);
    expect(heard[0]?.text).toMatch(/(Ana|Bo) has already answered “Approve”/);
    expect(await decisions(live)).toBe(1);
    expectCalm(discord);
  });

  test('C17: told again by Discord it decides nothing more and says nothing', async () => {
    const { discord, live, thread, message, approve } = await asking();
    await discord.click(discord.people.bo, message, approve);
    await onceShown(discord, thread, 'has succeeded');
    const before = discord.calls().length;
    await discord.redeliver();
    await discord.redeliver();
    expect(discord.calls().slice(before)).toEqual([]);
    expect(await decisions(live)).toBe(1);
    expect(await discord.privates(discord.people.bo)).toEqual([]);
    expectCalm(discord);
  });

  test('C13, C17: told again after a restart it decides nothing more', async () => {
    const { discord, live, thread, message, approve } = await asking();
    await discord.click(discord.people.bo, message, approve);
    await onceShown(discord, thread, 'has succeeded');
    await live.restart();
    await discord.redeliver();
    expect(await decisions(live)).toBe(1);
    expect(await live.flowbot.bot.store.runs({ limit: 10 })).toHaveLength(1);
    expect(await discord.messages(discord.otherChannel)).toHaveLength(1);
    expect(await discord.privates(discord.people.bo)).toEqual([]);
    expect(logged(live, 'error')).toEqual([]);
    expectCalm(discord);
  });

  test('trap 9: works after a restart, with a comment too', async () => {
    const { discord, live, message, reject } = await asking();
    await live.restart();
    await discord.click(discord.people.bo, message, reject);
    await discord.submit(discord.people.bo, discord.channel, '', { feedback: 'No' });
    expect(await runOf(live)).toMatchObject({ status: 'rejected' });
    expectCalm(discord);
  });

  test('trap 9: a comment begun before a restart counts when it is sent after it', async () => {
    const { discord, live, message, reject } = await asking();
    await discord.click(discord.people.bo, message, reject);
    await live.restart();
    await discord.submit(discord.people.bo, discord.channel, '', { feedback: 'No' });
    expect(await runOf(live)).toMatchObject({ status: 'rejected' });
    expect(await decisions(live)).toBe(1);
    expectCalm(discord);
  });

  test('trap 9: after a decision by another way the card has no buttons, and an old one hears who decided', async () => {
    const { discord, live, thread, message, approve } = await asking();
    await discord.command(discord.people.ana, discord.channel, `approve ${(await runOf(live)).id}`);
    const texts = await onceShown(discord, thread, 'has succeeded');
    expect(texts.join('\n')).toContain('Approved by Ana');
    const cards = await discord.messages(thread);
    expect(cards.find(({ ref }) => ref.id === message.id)?.buttons).toEqual([]);
    await discord.click(discord.people.bo, message, approve);
    expect((await lastPrivate(discord, discord.people.bo))?.text).toContain(
      'Ana has already answered “Approve”',
    );
    expect(await decisions(live)).toBe(1);
    expectCalm(discord);
  });

  test('trap 9: of a run that was cancelled says that it is closed', async () => {
    const { discord, live, thread, message, approve } = await asking();
    await discord.command(discord.people.ana, discord.channel, `cancel ${(await runOf(live)).id}`);
    await onceShown(discord, thread, 'was cancelled');
    await discord.click(discord.people.bo, message, approve);
    expect((await lastPrivate(discord, discord.people.bo))?.text).toMatch(/closed|ended/);
    expect(await decisions(live)).toBe(0);
    expectCalm(discord);
  });

  test('decides although its card was deleted meanwhile, and the run goes on', async () => {
    const { discord, live, thread, message, approve } = await asking();
    await discord.deleteMessage(message);
    await discord.click(discord.people.bo, message, approve);
    await onceShown(discord, thread, 'has succeeded');
    expect(await decisions(live)).toBe(1);
    expectCalm(discord);
  });

  test('that was made up does nothing', async () => {
    const { discord, live, message } = await asking();
    const made = [
      'answer:nothing:approve',
      '@everyone',
      'page:',
      'page:nothing:1',
      'choose:0',
      'x'.repeat(100),
    ];
    for (const button of made) await discord.click(discord.people.bo, message, button);
    expect((await oncePrivates(discord, discord.people.bo, made.length)).map(({ text }) => text)).toEqual([
      'There is no such question.',
      'This button is not in use any more.',
      'This button is not in use any more.',
      'This form was begun before I was started again, or too long ago. Please begin it again.',
      'This button is not in use any more.',
      'This button is not in use any more.',
    ]);
    expect(await decisions(live)).toBe(0);
    expectCalm(discord);
  });

  test('in a locked and archived thread decides all the same: only its answer is lost', async () => {
    const { discord, live, thread, message, approve, reject } = await asking();
    await discord.archiveThread(thread);
    await discord.lockThread(thread);
    await discord.click(discord.people.bo, message, approve);
    await onceShown(discord, discord.otherChannel, 'Published');
    await discord.click(discord.people.bo, message, reject);
    expect(await decisions(live)).toBe(1);
    expect(logged(live, 'error')).toEqual([]);
    expect(discord.faults()).toEqual([]);
  });
});

describe('an answer that does not reach Discord as it should', () => {
  test('trap 1: too late (10062): what was done counts, and nothing breaks', async () => {
    const { discord, live, thread, message, approve } = await asking();
    discord.failRequest(callback, {
      kind: 'error',
      status: 404,
      code: 10062,
      message: 'Unknown interaction',
    });
    await discord.click(discord.people.bo, message, approve);
    await onceShown(discord, thread, 'has succeeded');
    expect(await decisions(live)).toBe(1);
    expect(logged(live, 'error')).toEqual([]);
    await discord.click(discord.people.cy, message, approve);
    expect((await lastPrivate(discord, discord.people.cy))?.text).toContain('Bo has already answered');
    expect(discord.faults()).toEqual([]);
  });

  test.each(['lost', 'reset', '500', '500 after it was done'] as const)(
    'a private answer comes once when the connection fails (%s)',
    async (how) => {
      const { discord, live, message, approve } = await asking(
        ', approvers: { users: [discord:400000000000000003] }',
      );
      discord.failRequest(
        callback,
        how === 'lost' || how === 'reset'
          ? { kind: how }
          : { kind: 'status', status: 500, ...(how === '500' ? {} : { isDone: true }) },
      );
      await discord.click(discord.people.bo, message, approve);
      expect((await oncePrivates(discord, discord.people.bo, 1)).map(({ text }) => text)).toEqual([
        'Only Cy may answer this.',
      ]);
      expect(await decisions(live)).toBe(0);
      expectCalm(discord);
    },
  );

  test('40060 after a time-out is the answer that was given: a form stays open, and nothing is said twice', async () => {
    const { discord, message, reject } = await asking();
    discord.failRequest(callback, { kind: 'lost' });
    await discord.click(discord.people.bo, message, reject);
    await discord.quiet();
    expect(await discord.form(discord.people.bo)).toMatchObject({ title: 'Reject' });
    expect(await discord.privates(discord.people.bo)).toEqual([]);
    expectCalm(discord);
  });

  test('a rate limit of a moment is waited out', async () => {
    const { discord, thread, message, approve } = await asking();
    discord.failRequest(callback, { kind: '429', retryAfterS: 1 });
    await discord.click(discord.people.bo, message, approve);
    await onceShown(discord, thread, 'has succeeded');
    expectCalm(discord);
  });

  test('a form that Discord does not take is said', async () => {
    const { discord, message, reject } = await asking();
    discord.failRequest(callback, { kind: 'error', status: 400, code: 50035, message: 'Invalid Form Body' });
    await discord.click(discord.people.bo, message, reject);
    expect((await lastPrivate(discord, discord.people.bo))?.text).toBe(
      'The form could not be opened. Please try again.',
    );
    expectCalm(discord);
  });
});

test('trap 12: ids of buttons and forms fit, for the longest id of a flow and every way to its form', async () => {
  const id = 'f'.repeat(64);
  const fields = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}: { type: string }`).join(', ');
  const { discord, live } = await openLive({
    [id]: `
name: Long
triggers: [{ type: command, command: long }, { type: manual }]
input: { type: object, required: [f], properties: { ${fields} } }
steps:
  done: { type: message, to: "#releases", text: "Done {{input.f}}" }
`,
  });
  const { ana } = discord.people;
  const fillIn = async (value: string) => {
    await discord.submit(ana, discord.channel, '', { a: 'x' });
    await discord.clickPrivate(ana, (await lastPrivate(discord, ana))?.buttons[0]?.id ?? '');
    await discord.submit(ana, discord.channel, '', { f: value });
    await onceShown(discord, discord.otherChannel, `Done ${value}`);
  };
  const asked = await discord.say(ana, discord.channel, '!long');
  const offer = await onceAsked(discord, { ...discord.channel, thread: asked.id }, 'Fill in');
  await discord.click(ana, offer.message, offer.button);
  await fillIn('by a message');
  await discord.command(ana, discord.channel, `run ${id}`);
  await fillIn('by a command');
  await discord.useMessage(ana, asked);
  await discord.submit(ana, discord.channel, '', { flow: id });
  await discord.clickPrivate(ana, (await lastPrivate(discord, ana))?.buttons[0]?.id ?? '');
  await fillIn('by the menu of a message');
  expect(await live.flowbot.bot.store.runs({ limit: 10 })).toHaveLength(3);
  expectCalm(discord);
});

test('C23, trap 6: a button works, and the run goes on, long after the command that started it', async () => {
  const { discord, live } = await openLive({ release: release() });
  const { ana, bo } = discord.people;
  await discord.command(ana, discord.channel, 'run release');
  await discord.quiet();
  const [card] = await discord.messages(discord.channel);
  const { message, button } = await onceAsked(
    discord,
    { ...discord.channel, thread: card?.ref.id ?? '' },
    'Approve',
  );
  discord.pass(20 * 60_000);
  await discord.click(bo, message, button);
  await onceShown(discord, discord.otherChannel, 'Published');
  await onceShown(discord, discord.channel, 'has succeeded');
  expect(logged(live, 'warn')).toEqual([]);
  expectCalm(discord);
});
