import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import type { MessageRef } from '../../src/engine/people.ts';
import type { PostContent } from '../../src/engine/post.ts';
import { md, person } from '../../src/engine/prose.ts';
import type { Chat, EditOutcome, FindOutcome, PostOutcome } from '../../src/ports/chat.ts';
import type { PostTarget, Store } from '../../src/ports/store.ts';
import { createOutbox, type Outbox, type Sent } from '../../src/runner/outbox.ts';
import { createFakeChat, type FakeChat } from '../fakes/chat.ts';
import { createHandClock, type HandClock } from '../fakes/clock.ts';
import { createKeptLog } from '../fakes/log.ts';
import { createMemoryStore } from '../fakes/store.ts';

const channel = { platform: 'fake', conversation: 'C-releases' };

let store: Store;
let platform: FakeChat;
let clock: HandClock;
let outbox: Outbox;
/** What was asked of the platform, in order: `post k#0 in C-releases/thread`. */
let asked: string[];
/** Outcomes that come instead of the platform's own, first one first. */
let posts: (PostOutcome | 'lost')[];
let edits: EditOutcome[];
let finds: FindOutcome[];

beforeEach(() => {
  store = createMemoryStore();
  clock = createHandClock();
  platform = createFakeChat({ nowMs: clock.now });
  asked = [];
  posts = [];
  edits = [];
  finds = [];
  outbox = open();
});

/** A new process on the same store and platform. */
function open(): Outbox {
  const chats = new Map([['fake', watched(platform.chat)]]);
  return createOutbox({ store, chats, clock, log: createKeptLog(), editGapMs: 1_000 });
}

function watched(chat: Chat): Chat {
  return {
    ...chat,
    async post(place, part, key) {
      asked.push(`post ${key} in ${[place.conversation, place.thread].filter(Boolean).join('/')}`);
      const next = posts.shift();
      if (next !== undefined && next !== 'lost') return next;
      const outcome = await chat.post(place, part, key);
      return next === 'lost' ? { kind: 'unknown', message: 'The answer was lost.' } : outcome;
    },
    async edit(message, part) {
      asked.push(`edit ${message.id}`);
      return edits.shift() ?? chat.edit(message, part);
    },
    async find(place, key, sinceMs) {
      asked.push(`find ${key} in ${[place.conversation, place.thread].filter(Boolean).join('/')}`);
      return finds.shift() ?? chat.find(place, key, sinceMs);
    },
  };
}

function content(...texts: string[]): PostContent {
  return { prose: texts.map(md), buttons: [], notify: [] };
}

async function put(key: string, text: string, target: PostTarget = channel): Promise<void> {
  await store.commit({ posts: [{ key, target, content: content(text) }] });
}

async function seen(place = channel): Promise<readonly string[]> {
  return (await platform.messages(place)).map((message) => message.text);
}

/** Lets work go on until it only waits. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await turn();
}

/** The result, with all the time passing that it waits for. */
async function inTime(work: Promise<Sent>): Promise<Sent> {
  let sent: Sent | undefined;
  work.then(
    (value) => {
      sent = value;
    },
    () => {},
  );
  for (let turns = 0; turns < 100 && !sent; turns += 1) {
    await settle();
    const nextMs = clock.nextMs();
    if (!sent && nextMs !== undefined) clock.pass(nextMs - clock.now());
  }
  return work;
}

const long = (letter: string, parts: number): string =>
  Array.from({ length: parts }, () => letter.repeat(1_900)).join('\n\n');

describe('a new post', () => {
  test('is stored as an intent before it is sent', async () => {
    await put('k', 'hello');
    const { chat } = platform;
    const { post } = chat;
    let intents = 0;
    chat.post = async (place, part, key) => {
      intents = (await store.post('k'))?.parts.length ?? 0;
      return post(place, part, key);
    };
    outbox = open();
    expect(await outbox.send('k')).toMatchObject({ kind: 'shown', message: channel });
    expect(intents).toBe(1);
    expect(await seen()).toEqual(['hello']);
    expect(await store.pendingPosts()).toEqual([]);
  });

  test('is sent once, however often it is asked for', async () => {
    await put('k', 'hello');
    await Promise.all([outbox.send('k'), outbox.send('k'), outbox.send('k')]);
    await outbox.send('k');
    await open().send('k');
    expect(await seen()).toEqual(['hello']);
    expect(asked).toEqual(['post k#0 in C-releases']);
  });

  test('names people as their platform knows them, and those of others by their address', async () => {
    const prose = ['fake:U0BO', 'other:U0BO', '@leads', 'fake:U0NOBODY'].flatMap((one) => [
      person(one),
      md(' '),
    ]);
    await store.commit({
      posts: [{ key: 'k', target: channel, content: { prose, buttons: [], notify: [] } }],
    });
    await outbox.send('k');
    expect(await seen()).toEqual(['Bo other:U0BO @leads U0NOBODY']);
  });

  test('that nobody stored is refused', async () => {
    expect(await outbox.send('nope')).toEqual({ kind: 'refused', message: 'There is no post nope.' });
  });

  test('for a platform that is not connected waits for a start that is', async () => {
    await put('k', 'hello', { platform: 'other', conversation: 'C' });
    expect(await outbox.send('k')).toMatchObject({
      kind: 'refused',
      message: 'Flowbot is not connected to other.',
    });
    expect(await store.pendingPosts()).toHaveLength(1);
  });

  test('C07: of several messages is sent in order', async () => {
    await put('k', `${long('a', 1)}\n\n${long('b', 1)}\n\n${long('c', 1)}`);
    await outbox.send('k');
    expect((await seen()).map((text) => text[0])).toEqual(['a', 'b', 'c']);
  });
});

describe('C26: when nobody knows whether it is there', () => {
  test('an answer that was lost is looked up, not sent again', async () => {
    await put('k', 'hello');
    posts = ['lost'];
    expect(await inTime(outbox.send('k'))).toMatchObject({ kind: 'shown' });
    expect(asked).toEqual(['post k#0 in C-releases', 'find k#0 in C-releases']);
    expect(await seen()).toEqual(['hello']);
  });

  test('what is not found was not sent, and is sent', async () => {
    await put('k', 'hello');
    posts = [{ kind: 'unknown', message: 'reset' }];
    await inTime(outbox.send('k'));
    expect(asked).toEqual(['post k#0 in C-releases', 'find k#0 in C-releases', 'post k#0 in C-releases']);
    expect(await seen()).toEqual(['hello']);
  });

  test('where the platform can’t tell, it is never sent again', async () => {
    await put('k', 'hello');
    posts = ['lost'];
    finds = [
      { kind: 'unknowable', message: 'no history' },
      { kind: 'unknowable', message: 'no history' },
    ];
    expect(await inTime(outbox.send('k'))).toEqual({ kind: 'unknown', message: 'no history' });
    expect(await inTime(open().send('k'))).toEqual({ kind: 'unknown', message: 'no history' });
    expect(await seen()).toEqual(['hello']);
  });

  test('after a crash between intent and record it is looked up first', async () => {
    await put('k', 'hello');
    const [part] = platform.chat.render(content('hello'));
    const intent = { index: 0, part: part ?? null, intentAtMs: clock.now() };
    await store.commit({ posted: [{ key: 'k', parts: [intent] }] });
    await platform.chat.post(channel, part ?? null, 'k#0');
    await outbox.send('k');
    expect(asked).toEqual(['find k#0 in C-releases']);
    expect(await seen()).toEqual(['hello']);
  });

  test('what was sent before the crash and has changed since is edited', async () => {
    await put('k', 'first');
    posts = ['lost'];
    const dying = outbox.send('k');
    await settle();
    await outbox.stop();
    await expect(dying).rejects.toMatchObject({ name: 'Stopped' });
    await put('k', 'second');
    await open().send('k');
    expect(await seen()).toEqual(['second']);
  });
});

test('a look-up that the platform puts off is asked again, and nothing is sent before', async () => {
  await put('k', 'hello');
  posts = ['lost'];
  finds = [{ kind: 'later', afterMs: 30_000 }];
  await inTime(outbox.send('k'));
  expect(await seen()).toEqual(['hello']);
  expect(asked.filter((one) => one.startsWith('find'))).toHaveLength(2);
  expect(asked.filter((one) => one.startsWith('post'))).toHaveLength(1);
});

describe('what the platform says no to', () => {
  test('is given up, and tried again when it is asked for again', async () => {
    await put('k', 'hello');
    posts = [{ kind: 'refused', message: 'No such channel.' }];
    expect(await outbox.send('k')).toEqual({ kind: 'refused', message: 'No such channel.' });
    expect(await store.pendingPosts()).toEqual([]);
    expect(await outbox.send('k')).toMatchObject({ kind: 'shown' });
  });

  test('in a thread is said in the conversation', async () => {
    await put('k', 'hello', { ...channel, thread: 'M-gone' });
    expect(await outbox.send('k')).toMatchObject({ kind: 'shown', message: channel });
    expect(await seen()).toEqual(['hello']);
  });

  test('in a thread is not said twice in the conversation, whenever the process dies', async () => {
    await put('k', 'hello', { ...channel, thread: 'M-gone' });
    posts = [{ kind: 'refused', message: 'gone' }, 'lost'];
    const dying = outbox.send('k');
    await settle();
    await outbox.stop();
    await expect(dying).rejects.toThrow();
    await open().send('k');
    expect(await seen()).toEqual(['hello']);
  });

  test('too many requests: waits as long as it is told, and no longer', async () => {
    await put('k', 'hello');
    posts = [{ kind: 'later', afterMs: 30_000 }];
    const sent = outbox.send('k');
    await settle();
    clock.pass(29_999);
    await settle();
    expect(await seen()).toEqual([]);
    clock.pass(1);
    await sent;
    expect(await seen()).toEqual(['hello']);
  });
});

describe('edits of what stands in a thread that takes no changes any more', () => {
  const closed: EditOutcome = { kind: 'closed', message: 'The thread is locked.' };

  async function changed(): Promise<MessageRef> {
    const root = await platform.say(platform.people.ana, channel, 'root');
    const thread = { ...channel, thread: root.id };
    await put('k', 'before', thread);
    await outbox.send('k');
    await put('k', 'after', thread);
    edits = [closed];
    return root;
  }

  test('are said anew in the conversation, once, and go on there', async () => {
    await changed();
    expect(await outbox.send('k')).toMatchObject({ kind: 'shown', message: channel });
    expect((await seen()).filter((text) => text === 'after')).toHaveLength(1);
    await put('k', 'later', { ...channel, thread: 'M1' });
    clock.pass(1_000);
    await outbox.send('k');
    expect((await seen()).filter((text) => ['after', 'later'].includes(text))).toEqual(['later']);
  });

  test('are not said twice when the process dies meanwhile', async () => {
    await changed();
    posts = ['lost'];
    const dying = outbox.send('k');
    await settle();
    await outbox.stop();
    await expect(dying).rejects.toThrow();
    await open().send('k');
    expect((await seen()).filter((text) => text === 'after')).toHaveLength(1);
  });
});

describe('edits', () => {
  beforeEach(async () => {
    await put('k', 'one');
    await outbox.send('k');
  });

  test('C25: come at most once a second, and the newest content is what they show', async () => {
    await put('k', 'two');
    await outbox.send('k');
    for (const text of ['three', 'four', 'five']) {
      await put('k', text);
      outbox.wake('k');
      await settle();
      clock.pass(200);
    }
    expect(await seen()).toEqual(['two']);
    clock.pass(400);
    await settle();
    expect(await seen()).toEqual(['five']);
    expect(asked.filter((line) => line.startsWith('edit'))).toHaveLength(2);
  });

  test('C25: that wait for the platform show what is newest then', async () => {
    edits = [{ kind: 'later', afterMs: 10_000 }];
    await put('k', 'two');
    outbox.wake('k');
    await settle();
    await put('k', 'three');
    outbox.wake('k');
    clock.pass(10_000);
    await settle();
    expect(await seen()).toEqual(['three']);
    expect(asked.filter((line) => line.startsWith('edit'))).toHaveLength(2);
  });

  test.each(Array.from({ length: 16 }, (_, ticks) => ticks))(
    'a change at the very moment a send ends is not lost (%i ticks apart)',
    async (ticks) => {
      const change = put('k', 'two').then(() => outbox.wake('k'));
      for (let tick = 0; tick < ticks; tick += 1) await null;
      const sent = outbox.send('k');
      await change;
      await inTime(sent);
      await settle();
      expect(await seen()).toEqual(['two']);
    },
  );

  test('that got no answer are repeated', async () => {
    edits = [{ kind: 'unknown', message: 'reset' }];
    await put('k', 'two');
    await inTime(outbox.send('k'));
    expect(await seen()).toEqual(['two']);
  });

  test('of a deleted message are given up, and it is not posted again', async () => {
    const [message] = await platform.messages(channel);
    if (message) await platform.deleteMessage(message.ref);
    await put('k', 'two');
    expect(await outbox.send('k')).toEqual({ kind: 'refused', message: 'The message was deleted.' });
    expect(await seen()).toEqual([]);
    expect(await store.pendingPosts()).toEqual([]);
  });

  test('make more messages of content that grows, and empty those left over when it shrinks', async () => {
    await put('k', long('a', 3));
    await inTime(outbox.send('k'));
    expect((await seen()).map((text) => text[0])).toEqual(['a', 'a', 'a']);
    await put('k', 'short');
    await inTime(outbox.send('k'));
    expect(await seen()).toEqual(['short', '…', '…']);
    await put('k', long('b', 2));
    await inTime(outbox.send('k'));
    expect((await seen()).map((text) => text[0])).toEqual(['b', 'b', '…']);
  });
});

describe('a post under another', () => {
  const under = { ...channel, under: 'root' };

  test('waits for it and stands in its thread', async () => {
    await put('root', 'root');
    await put('k', 'reply', under);
    await outbox.send('k');
    const [root] = await platform.messages(channel);
    expect(root?.text).toBe('root');
    expect(await seen({ ...channel, thread: root?.ref.id } as typeof channel)).toEqual(['reply']);
  });

  test('C25: does not wait for edits of it', async () => {
    await put('root', 'root');
    await outbox.send('root');
    edits = [{ kind: 'later', afterMs: 60_000 }];
    await put('root', 'changed');
    outbox.wake('root');
    await put('k', 'reply', under);
    expect(await outbox.send('k')).toMatchObject({ kind: 'shown' });
  });

  test('stands in the conversation when it could not be posted, or was deleted', async () => {
    await put('root', 'root');
    await put('k', 'reply', under);
    posts = [{ kind: 'refused', message: 'no' }];
    await outbox.send('k');
    expect(await seen()).toEqual(['reply']);

    await outbox.send('root');
    const root = (await platform.messages(channel)).find((message) => message.text === 'root');
    if (root) await platform.deleteMessage(root.ref);
    await put('k2', 'second reply', under);
    await outbox.send('k2');
    expect(await seen()).toEqual(['reply', 'second reply']);
  });
});

describe('stopping', () => {
  test('ends what waits; the next start goes on with it', async () => {
    await put('k', 'hello');
    posts = [{ kind: 'later', afterMs: 60_000 }];
    const sent = outbox.send('k');
    await settle();
    await outbox.stop();
    await expect(sent).rejects.toMatchObject({ name: 'Stopped' });
    expect(clock.nextMs()).toBeUndefined();
    outbox.wake('k');
    await settle();
    expect(await seen()).toEqual([]);
    const [pending] = await store.pendingPosts();
    await open().send(pending?.key ?? '');
    expect(await seen()).toEqual(['hello']);
  });

  test('a post with too many files is given up, and the platform hears nothing of it', async () => {
    const file = { name: 'a.txt', mediaType: 'text/plain', alt: '', data: 'aGk=' };
    const tooMany = { ...content('hello'), files: Array.from({ length: 6 }, () => file) };
    await store.commit({ posts: [{ key: 'k', target: channel, content: tooMany }] });
    const message = 'A post carries at most 5 files, and this one has 6.';
    expect(await outbox.send('k')).toEqual({ kind: 'refused', message });
    expect(asked).toEqual([]);
    expect(await store.pendingPosts()).toEqual([]);
  });

  test('a store that fails is asked again later', async () => {
    await put('k', 'hello');
    const { commit } = store;
    store.commit = async () => {
      throw new Error('the disk is full');
    };
    outbox.wake('k');
    await settle();
    store.commit = commit;
    clock.pass(60_000);
    await settle();
    expect(await seen()).toEqual(['hello']);
  });
});
