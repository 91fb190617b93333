import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Calls, createCalls } from '../../../src/adapters/slack/calls.ts';
import { createDirectory } from '../../../src/adapters/slack/directory.ts';
import { identify } from '../../../src/adapters/slack/identity.ts';
import { createPast } from '../../../src/adapters/slack/past.ts';
import { between, microsOf } from '../../../src/adapters/slack/past-message.ts';
import type { PastMessage } from '../../../src/engine/digest.ts';
import type { MessageRef, Person, Place } from '../../../src/engine/people.ts';
import type { Chat, HistoryWindow } from '../../../src/ports/chat.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { createKeptLog } from '../../fakes/log.ts';
import type { SlackStandIn } from '../../fakes/slack/index.ts';
import { answering } from './answering.ts';
import { createWorkspace, openSlack } from './harness.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

let slack: SlackStandIn;
let calls: Calls;
let history: Chat['history'];
let ana: Person;
let bo: Person;
let channel: Place;

beforeEach(async () => {
  slack = await createWorkspace();
  onTestFinished(() => slack.close());
  ({ ana, bo } = slack.people);
  channel = slack.channel;
  const clock = impatientClock(slack);
  const log = createKeptLog();
  calls = createCalls({ token: slack.botToken, apiUrl: slack.apiUrl, clock, log });
  const identity = identify(calls, log);
  const whoAmI = () => identity;
  const past = createPast({ calls, directory: createDirectory({ calls, clock, whoAmI }), clock, whoAmI });
  history = past.read;
});

/** The workspace's time, on which waits are over at once: the time has passed then. */
function impatientClock({ nowMs, pass }: SlackStandIn): Clock {
  return {
    now: nowMs,
    alarm(atMs, wake) {
      const timer = setImmediate(() => {
        pass(Math.max(0, atMs - nowMs()));
        wake();
      });
      return () => clearImmediate(timer);
    },
  };
}

/** What was written in the last hour, unless told otherwise. */
async function read(window: Partial<HistoryWindow> = {}, place = channel) {
  const outcome = await history(place.conversation, {
    sinceMs: slack.nowMs() - hourMs,
    untilMs: slack.nowMs() + 10,
    max: 5_000,
    ...window,
  });
  if (outcome.kind !== 'read') throw new Error(JSON.stringify(outcome));
  return outcome;
}

const texts = ({ messages }: { readonly messages: readonly PastMessage[] }) =>
  messages.map(({ text, isOlder }) => `${isOlder ? 'older: ' : ''}${text}`);
const inThread = (parent: MessageRef): Place => ({ ...channel, thread: parent.id });
const asked = (method: string) => slack.calls().filter((call) => call.method === method).length;

describe('the time that is asked for', () => {
  test('begins with its first microsecond and ends before its last', async () => {
    const sinceMs = slack.nowMs() + 2;
    const untilMs = sinceMs + 10;
    const fill = (text: string) => {
      for (let count = 0; count < 1_000; count += 1) slack.jot(ana, channel, text);
    };
    slack.pass(1);
    fill('too early');
    slack.pass(1);
    const first = slack.jot(ana, channel, 'first');
    slack.pass(9);
    fill('within');
    slack.pass(1);
    const late = slack.jot(ana, channel, 'too late');
    const { messages } = await read({ sinceMs, untilMs });
    expect(microsOf(first.id)).toBe(sinceMs * 1_000);
    expect(microsOf(late.id)).toBe(untilMs * 1_000);
    expect(new Set(messages.map(({ text }) => text))).toEqual(new Set(['first', 'within']));
    expect(messages).toHaveLength(1_001);
    expect(messages[0]).toMatchObject({ id: first.id, atMs: sinceMs });
    expect(microsOf(messages.at(-1)?.id ?? '')).toBe(untilMs * 1_000 - 1);
  });

  test('two windows that follow each other have every message once', async () => {
    const startMs = slack.nowMs();
    const written: MessageRef[] = [];
    for (let count = 0; count < 40; count += 1) {
      written.push(slack.jot(ana, channel, `m${count}`));
      if (count % 3 === 0) slack.pass(1);
    }
    // Reading takes time too.
    const endMs = slack.nowMs();
    for (let midMs = startMs; midMs <= endMs; midMs += 1) {
      const before = await read({ sinceMs: startMs, untilMs: midMs });
      const after = await read({ sinceMs: midMs });
      expect([...before.messages, ...after.messages].map(({ id }) => id)).toEqual(
        written.map(({ id }) => id),
      );
    }
  });

  test.each([
    [1_000, 2_000, '0.999999', '2.000000'],
    [1_772_434_800_123, 1_772_434_800_124, '1772434800.122999', '1772434800.124000'],
    [0, 0, '0.000000', '0.000000'],
    [-5, 1, '0.000000', '0.001000'],
  ])('from %d ms to %d ms is asked for as %s to %s', (fromMs, untilMs, oldest, latest) => {
    expect(between(fromMs, untilMs)).toEqual({ oldest, latest });
  });
});

describe('pages', () => {
  test('short and empty pages are no end', async () => {
    slack.pageSizes = [0, 1, 0, 2, 3];
    const parent = slack.jot(ana, channel, 'm0');
    for (let count = 1; count < 9; count += 1)
      slack.jot(ana, count % 2 ? channel : inThread(parent), `m${count}`);
    expect(texts(await read())).toEqual(['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7', 'm8']);
  });

  test('2,000 messages with 300 threads take 311 requests, as many a minute as Slack allows', async () => {
    const people = [ana, bo, slack.people.cy];
    const startMs = slack.nowMs();
    for (let count = 0; count < 1_100; count += 1) {
      const parent = slack.jot(people[count % 3] ?? ana, channel, `question ${count}?`);
      for (let answer = 0; count % 11 < 3 && answer < 3; answer += 1) {
        slack.jot(people[answer] ?? bo, inThread(parent), `answer ${count}.${answer}`);
      }
      slack.pass(40_000);
    }
    const readMs = slack.nowMs();
    const { messages, isCut } = await read({ sinceMs: startMs });
    expect(isCut).toBe(false);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(2_000);
    expect(asked('conversations.history')).toBe(7);
    expect(asked('conversations.replies')).toBe(300);
    expect(asked('users.info')).toBe(3);
    expect(slack.calls()).toHaveLength(311);
    const minutes = (slack.nowMs() - readMs) / minuteMs;
    expect(asked('conversations.replies')).toBeLessThanOrEqual(10 + 40 * minutes + 1);
    expect(minutes).toBeLessThan(8);
  });
});

describe('trap 17: threads', () => {
  test('answers to messages of the last seven days count, to older ones not', async () => {
    const forgotten = slack.jot(ana, channel, 'eight days old');
    slack.pass(dayMs + hourMs);
    const old = slack.jot(ana, channel, 'seven days old');
    slack.jot(bo, inThread(old), 'answered then');
    slack.pass(5 * dayMs);
    const idle = slack.jot(bo, channel, 'two days old');
    slack.jot(ana, inThread(idle), 'answered then, and not since');
    slack.pass(2 * dayMs - 2 * minuteMs);
    const sinceMs = slack.nowMs();
    slack.jot(bo, inThread(forgotten), 'answered now, too late');
    slack.jot(bo, inThread(old), 'answered now');
    const found = await read({ sinceMs });
    expect(texts(found)).toEqual(['older: seven days old', 'answered now']);
    expect(found.messages[1]?.thread).toBe(old.id);
    expect(asked('conversations.replies')).toBe(1);
  });

  test('an answer that is shown in the channel too counts once', async () => {
    const parent = slack.jot(ana, channel, 'parent');
    const shown = slack.jot(bo, inThread(parent), 'shown twice', { subtype: 'thread_broadcast' });
    const { messages } = await read();
    expect(messages.map(({ id, thread }) => [id, thread])).toEqual([
      [parent.id, undefined],
      [shown.id, parent.id],
    ]);
  });

  test('answers to a message that was deleted stay, the message does not', async () => {
    const parent = slack.jot(ana, channel, 'parent');
    slack.jot(bo, inThread(parent), 'answer');
    await slack.deleteMessage(parent);
    slack.forget();
    expect(texts(await read())).toEqual(['answer']);
    slack.pass(minuteMs);
    expect(texts(await read({ sinceMs: slack.nowMs() - 2 * minuteMs }))).toEqual(['answer']);
  });

  test('answers to a bot count, the bot does not', async () => {
    const alert = await slack.sayAsBot(channel, 'The disk is full');
    slack.pass(2 * hourMs);
    slack.jot(bo, inThread(alert), 'I have a look');
    expect(texts(await read())).toEqual(['I have a look']);
  });

  test('a thread that is gone when it is read is left out', async () => {
    const parent = slack.jot(ana, channel, 'parent');
    slack.jot(bo, inThread(parent), 'answer');
    slack.failMethod('conversations.replies', { kind: 'error', code: 'thread_not_found' });
    expect(texts(await read())).toEqual(['parent']);
  });
});

describe('whose messages', () => {
  test.each([
    'channel_join',
    'channel_leave',
    'channel_topic',
    'pinned_item',
    'reminder_add',
    'group_archive',
    'new_one',
  ])('no notices: %s', async (subtype) => {
    slack.jot(ana, channel, 'a notice', { subtype });
    slack.jot(ana, channel, 'words');
    expect(texts(await read())).toEqual(['words']);
  });

  test.each(['me_message', 'file_share', 'thread_broadcast'])('of people: %s', async (subtype) => {
    slack.jot(ana, channel, 'words', { subtype });
    expect(texts(await read())).toEqual(['words']);
  });

  test('no bots: with a subtype, without one, and as a user', async () => {
    await slack.sayAsBot(channel, 'bot');
    await slack.sayAsBot(channel, 'bot without a subtype', true);
    await slack.invite(ana, channel, 'U0OTHERBOT');
    slack.jot({ ...ana, id: 'U0OTHERBOT' }, channel, 'file of a bot', { subtype: 'file_share' });
    slack.jot({ ...ana, id: slack.botUserId }, channel, 'our own file', { subtype: 'file_share' });
    slack.jot(ana, channel, 'a person');
    expect(texts(await read())).toEqual(['a person']);
  });

  test('each author is looked up once, and who has left says so', async () => {
    for (let count = 0; count < 5; count += 1) {
      slack.jot(ana, channel, 'a');
      slack.jot(bo, channel, 'b');
    }
    await slack.deactivate(bo);
    const { messages } = await read();
    expect(new Set(messages.map(({ author }) => `${author.id} ${author.name}`))).toEqual(
      new Set(['U0ANA Ana', 'U0BO Bo (deactivated)']),
    );
    expect(asked('users.info')).toBe(2);
    await read();
    expect(asked('users.info')).toBe(2);
  });

  test('an author nobody can tell about has an id for a name', async () => {
    slack.jot(ana, channel, 'a');
    slack.failMethod('users.info', { kind: 'status', status: 503 }, 9);
    expect((await read()).messages).toMatchObject([{ author: { id: 'U0ANA', name: 'U0ANA' } }]);
  });
});

describe('what is in a message', () => {
  test.each([
    ['mentions', 'ask <@U0BO> &amp; <@U0CY>', 'ask @Bo & @Cy'],
    ['calls to everybody', '<!channel> <!here> <!subteam^S0OPS|@ops>', '@channel @here @ops'],
    [
      'links',
      'see <https://example.com/?a=1&amp;b=2|the page>',
      'see the page (https://example.com/?a=1&b=2)',
    ],
    ['what only looks like one', '&lt;!channel&gt; &amp;lt;b', '<!channel> &lt;b'],
    ['channels', '<#C0OPS|ops>', '#ops'],
    ['somebody who is not there', '<@U0NOBODY>', '@U0NOBODY'],
  ])('%s are plain words', async (_, text, words) => {
    slack.jot(ana, channel, '', { text });
    expect(texts(await read())).toEqual([words]);
  });

  test('reactions of all kinds, and files', async () => {
    const message = slack.jot(ana, channel, 'look', {
      subtype: 'file_share',
      files: [{ id: 'F1' }, { id: 'F2' }],
    });
    slack.react(ana, message, 'eyes');
    slack.react(bo, message, 'eyes');
    slack.react(bo, message, 'tada');
    slack.jot(bo, channel, 'plain');
    expect((await read()).messages).toMatchObject([
      { reactions: 3, files: 2 },
      { reactions: 0, files: 0 },
    ]);
  });

  test('the address under which people open it', async () => {
    const parent = slack.jot(ana, channel, 'parent');
    const answer = slack.jot(bo, inThread(parent), 'answer');
    const [p, a] = [parent.id.replace('.', ''), answer.id.replace('.', '')];
    expect((await read()).messages.map(({ url }) => url)).toEqual([
      `https://flowbot-test.slack.com/archives/C0GENERAL/p${p}`,
      `https://flowbot-test.slack.com/archives/C0GENERAL/p${a}?thread_ts=${parent.id}&cid=C0GENERAL`,
    ]);
    expect(asked('chat.getPermalink')).toBe(0);
  });
});

describe('of too many the newest', () => {
  test('no more is asked for than that takes', async () => {
    const busy = slack.jot(ana, channel, 'busy');
    for (let count = 0; count < 10; count += 1) slack.jot(bo, inThread(busy), 'old answer');
    for (let count = 0; count < 1_000; count += 1) slack.jot(ana, channel, `m${count}`);
    const found = await read({ max: 150 });
    expect(found.isCut).toBe(true);
    expect(texts(found)).toEqual(Array.from({ length: 150 }, (_, index) => `m${850 + index}`));
    expect(asked('conversations.history')).toBe(1);
    expect(asked('conversations.replies')).toBe(0);
  });

  test('answers are among them, threads with older ones are not read', async () => {
    const stale = slack.jot(ana, channel, 'stale');
    slack.jot(bo, inThread(stale), 'stale answer');
    const asks = slack.jot(ana, channel, 'asks');
    for (const text of ['one', 'two', 'three']) slack.jot(bo, channel, text);
    for (const text of ['four', 'five']) slack.jot(bo, inThread(asks), text);
    const found = await read({ max: 4 });
    expect(texts(found)).toEqual(['older: asks', 'two', 'three', 'four', 'five']);
    expect(found.isCut).toBe(true);
    expect(asked('conversations.replies')).toBe(1);
  });

  test('exactly so many are all', async () => {
    for (const text of ['one', 'two']) slack.jot(ana, channel, text);
    expect(await read({ max: 2 })).toMatchObject({ isCut: false, messages: [{}, {}] });
    expect(await read({ max: 1 })).toMatchObject({ isCut: true, messages: [{ text: 'two' }] });
  });
});

describe('what can’t be read', () => {
  const attempt = (conversation = channel.conversation) =>
    history(conversation, { sinceMs: slack.nowMs() - hourMs, untilMs: slack.nowMs() + 1, max: 10 });

  test('a channel without the bot: somebody must invite it', async () => {
    await slack.removeBot(channel);
    expect(await attempt()).toEqual({ kind: 'refused', message: expect.stringMatching(/\/invite\.$/) });
  });

  test('a permission is missing: its name is told', async () => {
    slack.scopes = slack.scopes.filter((scope) => scope !== 'channels:history');
    expect(await attempt()).toEqual({
      kind: 'refused',
      message: expect.stringMatching(/channels:history.*install the app again\.$/),
    });
  });

  test.each(['T0TEAM/C0NOWHERE', 'T0OTHER/C0GENERAL', 'C0GENERAL', '', '../x'])(
    '%j',
    async (conversation) => {
      expect(await attempt(conversation)).toEqual({ kind: 'refused', message: expect.stringMatching(/\.$/) });
    },
  );
});

describe('when Slack is busy', () => {
  const attempt = () =>
    history(channel.conversation, { sinceMs: slack.nowMs() - hourMs, untilMs: slack.nowMs() + 1, max: 10 });

  beforeEach(() => {
    const parent = slack.jot(ana, channel, 'parent');
    slack.jot(bo, inThread(parent), 'answer');
  });

  test.each(['conversations.history', 'conversations.replies', 'users.info'])(
    'a short wait in the middle is waited for: %s',
    async (method) => {
      slack.failMethod(method, { kind: '429', retryAfterS: 5 });
      expect(texts(await read())).toEqual(['parent', 'answer']);
    },
  );

  test.each(['conversations.history', 'conversations.replies'])('a long one is told: %s', async (method) => {
    slack.failMethod(method, { kind: '429', retryAfterS: 90 });
    expect(await attempt()).toEqual({ kind: 'later', afterMs: 90_000 });
    expect(texts(await read())).toEqual(['parent', 'answer']);
  });

  test('a broken connection is tried again, then it is for later', async () => {
    slack.failMethod('conversations.replies', { kind: 'reset' }, 2);
    expect(texts(await read())).toEqual(['parent', 'answer']);
    slack.failMethod('conversations.replies', { kind: 'status', status: 503 }, 4);
    expect(await attempt()).toEqual({ kind: 'later', afterMs: 10_000 });
  });

  test('at the end nothing more is asked', async () => {
    await read();
    const { length } = slack.calls();
    calls.close();
    expect(await attempt()).toMatchObject({ kind: 'later' });
    expect(slack.calls()).toHaveLength(length);
  });
});

test('what is no message in an answer is left out, and nothing else for it', async () => {
  const good = { ts: '1772434800.000100', user: 'U0ANA', text: 'good' };
  const odd = [
    null,
    3,
    'text',
    [],
    {},
    { ...good, ts: 'soon' },
    { ...good, user: 7 },
    {
      ...good,
      ts: '1772434800.000200',
      text: 5,
      reactions: 'many',
      files: null,
      latest_reply: 'x',
      thread_ts: [],
    },
  ];
  const calls = answering((method) => {
    switch (method) {
      case 'auth.test':
        return { ok: { team_id: 'T0TEAM', user_id: 'U0BOT', bot_id: 'B0BOT', url: 'https://x.slack.com/' } };
      case 'users.info':
        return { ok: { user: { id: 'U0ANA', name: 'ana' } } };
      default:
        return { ok: { messages: [...odd, good] } };
    }
  });
  const clock = impatientClock(slack);
  const whoAmI = () => identify(calls, createKeptLog());
  const past = createPast({ calls, directory: createDirectory({ calls, clock, whoAmI }), clock, whoAmI });
  const sinceMs = 1_772_434_800_000;
  const found = await past.read('T0TEAM/C0GENERAL', { sinceMs, untilMs: sinceMs + 1_000, max: 10 });
  expect(found).toMatchObject({
    kind: 'read',
    messages: [{ text: 'good' }, { text: '', reactions: 0, files: 0 }],
  });
});

describe('conversations that not everybody can read', () => {
  test('are private', async () => {
    const h = await openSlack('http');
    h.slack.createChannel({ name: 'secret', isPrivate: true });
    const isPrivate = async (address: string) => (await h.chat.conversation(address))?.isPrivate ?? false;
    expect(await isPrivate('#general')).toBe(false);
    expect(await isPrivate('#secret')).toBe(true);
    expect(await isPrivate('@ana')).toBe(true);
  });

  test('a channel that got another id is read under its first', async () => {
    const h = await openSlack('http');
    await h.slack.changeId(channel);
    const moved = await h.chat.conversation(channel.conversation);
    expect(moved).toMatchObject({ id: channel.conversation });
  });
});
