import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { md } from '../../src/engine/prose.ts';
import type { Chat } from '../../src/ports/chat.ts';
import type { Store } from '../../src/ports/store.ts';
import { createOutbox, type Outbox } from '../../src/runner/outbox.ts';
import type { SeenMessage } from '../contracts/chat-harness.ts';
import { createFakeChat, type FakeChat } from '../fakes/chat.ts';
import { createHandClock, type HandClock } from '../fakes/clock.ts';
import { createKeptLog, type KeptLog } from '../fakes/log.ts';
import { createMemoryStore } from '../fakes/store.ts';

const channel = { platform: 'fake', conversation: 'C-releases' };

let store: Store;
let platform: FakeChat;
let clock: HandClock;
let log: KeptLog;
let outbox: Outbox;
/** What was asked of the platform, in order. */
let asked: string[];
/** Is done first when the platform is asked for something. */
let before: Partial<Record<'post' | 'edit', () => Promise<void>>>;
/** The platform can't tell what was posted. */
let isBlind: boolean;

beforeEach(begin);

function begin(): void {
  store = createMemoryStore();
  clock = createHandClock();
  platform = createFakeChat({ nowMs: clock.now });
  log = createKeptLog();
  asked = [];
  before = {};
  isBlind = false;
  outbox = open();
}

/** A new process on the same store and platform. */
function open(): Outbox {
  return createOutbox({
    store,
    chats: new Map([['fake', watched(platform.chat)]]),
    clock,
    log,
    editGapMs: 0,
  });
}

function watched(chat: Chat): Chat {
  const first = async (what: 'post' | 'edit') => {
    const work = before[what];
    delete before[what];
    await work?.();
  };
  return {
    ...chat,
    async post(place, part, key) {
      asked.push(`post ${key}`);
      await first('post');
      return chat.post(place, part, key);
    },
    async edit(message, part) {
      asked.push('edit');
      await first('edit');
      return chat.edit(message, part);
    },
    async find(place, key, sinceMs) {
      asked.push(`find ${key}`);
      return isBlind ? { kind: 'unknowable', message: 'no history' } : chat.find(place, key, sinceMs);
    },
  };
}

/** Says that a post must read so. */
async function put(text: string, lasting = true): Promise<void> {
  const content = { prose: [md(text)], buttons: [], notify: [], ...(lasting && { lasting: true as const }) };
  await store.commit({ posts: [{ key: 'card', target: channel, content }] });
}

/** Shows it, too. */
async function show(text: string, lasting = true): Promise<void> {
  await put(text, lasting);
  await outbox.send('card');
  asked = [];
}

/** First letters of the messages that people see, oldest first. */
async function seen(): Promise<readonly string[]> {
  return (await platform.messages(channel)).map(({ text }) => (text.length > 100 ? (text[0] ?? '') : text));
}

async function messages(): Promise<readonly SeenMessage[]> {
  return platform.messages(channel);
}

/** People delete messages, and the outbox is told. @param times how often it is told */
async function remove(gone: readonly SeenMessage[], times = 1): Promise<void> {
  for (const { ref } of gone) await platform.deleteMessage(ref);
  for (let nth = 0; nth < times; nth += 1) for (const { ref } of gone) outbox.repost('card', ref);
  await settle();
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 10; turns += 1) await turn();
}

const long = (...letters: string[]): string => letters.map((letter) => letter.repeat(1_900)).join('\n\n');

describe('a message that must last and was deleted', () => {
  test('is posted again at once, with a key of its own, and edited from then on', async () => {
    await show('asked');
    await remove(await messages());
    expect(await seen()).toEqual(['asked']);
    expect(asked).toEqual(['post card#0.1']);
    expect(await store.pendingPosts()).toEqual([]);
    await show('answered');
    expect(await seen()).toEqual(['answered']);
  });

  test('is posted again where the platform can’t tell what was posted', async () => {
    await show('asked');
    isBlind = true;
    await remove(await messages());
    expect(await seen()).toEqual(['asked']);
  });

  test('is posted again once, however often that is told', async () => {
    await show('asked');
    const gone = await messages();
    await remove(gone, 3);
    for (const { ref } of gone) outbox.repost('card', ref);
    await settle();
    expect(await seen()).toEqual(['asked']);
    expect(asked).toEqual(['post card#0.1']);
  });

  test('is left alone when it is another message that was deleted', async () => {
    await show('asked');
    outbox.repost('card', { ...channel, id: 'M-other' });
    outbox.repost('nothing', { ...channel, id: 'M-other' });
    await settle();
    expect(asked).toEqual([]);
  });

  test('shows what is newest when it is deleted while it is edited', async () => {
    await show('asked');
    before.edit = async () => {
      const [first] = await messages();
      if (!first) throw new Error('there is no message');
      await platform.deleteMessage(first.ref);
      outbox.repost('card', first.ref);
    };
    await put('one of two');
    await outbox.send('card');
    await settle();
    expect(await seen()).toEqual(['one of two']);
    expect(asked.filter((one) => one.startsWith('post'))).toEqual(['post card#0.1']);
  });

  test('shows what is newest when it is deleted right after it was edited', async () => {
    await show('asked');
    await put('one of two');
    const gone = await messages();
    const sent = outbox.send('card');
    await remove(gone);
    await sent;
    await settle();
    expect(await seen()).toEqual(['one of two']);
  });

  test('comes back with the decision when that is made while it is posted again', async () => {
    await show('asked');
    before.post = async () => {
      await put('decided', false);
      outbox.wake('card');
    };
    await remove(await messages());
    expect(await seen()).toEqual(['decided']);
  });

  test('does not come back when it need not last any more', async () => {
    await show('asked');
    await put('decided', false);
    await remove(await messages());
    expect(await seen()).toEqual([]);
    expect(asked.filter((one) => one.startsWith('post'))).toEqual([]);
    expect(await store.pendingPosts()).toEqual([]);
  });

  test('that never had to last does not come back', async () => {
    await show('hello', false);
    await remove(await messages());
    expect(await seen()).toEqual([]);
    expect(asked).toEqual([]);
  });
});

describe('of a post of several messages', () => {
  beforeEach(() => show(long('a', 'b', 'c')));

  test('all come back in their order, whatever the order they were deleted in', async () => {
    await remove((await messages()).toReversed());
    expect(await seen()).toEqual(['a', 'b', 'c']);
  });

  test('one comes back alone', async () => {
    await remove((await messages()).slice(1, 2));
    expect(await seen()).toEqual(['a', 'c', 'b']);
    expect(asked).toEqual(['post card#1.1']);
  });

  test('one that was deleted before it grew shorter does not', async () => {
    const gone = (await messages()).slice(2);
    await put('short');
    await remove(gone);
    expect(await seen()).toEqual(['short', '…']);
    expect(await store.pendingPosts()).toEqual([]);
  });
});

describe('deleted again and again', () => {
  test('it comes back three times, after that with its next change, and the log says so once', async () => {
    await show('asked');
    for (let times = 1; times <= 3; times += 1) {
      await remove(await messages());
      expect(await seen()).toEqual(['asked']);
    }
    const gone = await messages();
    await remove(gone);
    for (const { ref } of gone) outbox.repost('card', ref);
    await settle();
    expect(await seen()).toEqual([]);
    expect(await store.pendingPosts()).toEqual([]);
    const lines = log.lines.filter(({ message }) => message.includes('again and again'));
    expect(lines).toMatchObject([{ level: 'info', data: { post: 'card' } }]);
    await show('one of two');
    expect(await seen()).toEqual(['one of two']);
  });

  test('a message of several that did not come back does with any change, also in the next process', async () => {
    await show(long('a', 'b'));
    for (let times = 0; times <= 3; times += 1) {
      await remove((await messages()).filter(({ text }) => text.startsWith('a')));
    }
    expect(await seen()).toEqual(['b']);
    await outbox.stop();
    outbox = open();
    await show(long('a', 'c'));
    expect((await seen()).toSorted()).toEqual(['a', 'c']);
  });
});

describe('when the process dies', () => {
  test.each(['before it is posted again', 'after it'])(
    '%s, it is there once after the next start',
    async (when) => {
      await show('asked');
      before.post = async () => {
        if (when === 'after it')
          await platform.chat.post(
            channel,
            platform.chat.render({ prose: [md('asked')], buttons: [], notify: [] })[0] ?? null,
            'card#0.1',
          );
        await new Promise(() => {});
      };
      await remove(await messages());
      outbox = open();
      expect((await store.pendingPosts()).map(({ key }) => key)).toEqual(['card']);
      outbox.wake('card');
      await settle();
      expect(await seen()).toEqual(['asked']);
    },
  );

  test('before anything was stored, it comes back with its next change', async () => {
    await show('asked');
    for (const { ref } of await messages()) await platform.deleteMessage(ref);
    outbox = open();
    await show('one of two');
    expect(await seen()).toEqual(['one of two']);
  });

  test('before its messages are gone from the store, all come back', async () => {
    await show(long('a', 'b'));
    const { commit } = store;
    store.commit = async (what) => {
      const isIntent = what.posted?.some(({ parts = [] }) => parts.some(({ message }) => !message));
      return isIntent ? new Promise(() => {}) : commit(what);
    };
    await remove(await messages());
    store.commit = commit;
    outbox = open();
    for (const { key } of await store.pendingPosts()) await outbox.send(key);
    expect(await seen()).toEqual(['a', 'b']);
  });
});

const acts = fc.oneof(
  fc.record({ kind: fc.constant('change'), messages: fc.integer({ min: 1, max: 4 }) }),
  fc.record({
    kind: fc.constant('delete'),
    which: fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 4 }),
    told: fc.integer({ min: 0, max: 2 }),
  }),
  fc.record({ kind: fc.constant('die') }),
);

test('whatever people delete and whatever is told of it, the next change shows each message once', () =>
  fc.assert(
    fc.asyncProperty(fc.array(acts, { maxLength: 12 }), async (all) => {
      begin();
      let changes = 0;
      const letters = (count: number) => {
        changes += 1;
        return Array.from({ length: count }, (_, nth) =>
          String.fromCharCode(97 + ((changes * 5 + nth) % 26)),
        );
      };
      await show(long(...letters(2)));
      for (const act of all) {
        if ('messages' in act) await show(long(...letters(act.messages)));
        else if ('which' in act) {
          const there = await messages();
          await remove(
            there.filter((_, nth) => act.which.includes(nth)),
            act.told,
          );
        } else outbox = open();
      }
      const last = letters(4);
      await show(long(...last));
      expect((await seen()).filter((text) => text !== '…').toSorted()).toEqual(last.toSorted());
      expect(await store.pendingPosts()).toEqual([]);
    }),
    { numRuns: 60 },
  ));
