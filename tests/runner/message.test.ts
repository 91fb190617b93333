import { beforeEach, describe, expect, test } from 'vitest';
import type { CallEffect } from '../../src/engine/run/effect.ts';
import { ChatUnavailable } from '../../src/ports/chat.ts';
import { messageHandler } from '../../src/runner/effects/message.ts';
import { createFakeChat } from '../fakes/chat.ts';
import { type Bench, createBench, releases } from './bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});

const sayTo = (to: string) => ({
  id: 'sample',
  steps: { say: { type: 'message', name: 'Say', to, text: 'hello' } },
});
const general = { platform: 'fake', conversation: 'C-general' };

describe('a message step', () => {
  test('C26: posts once, whether the answer is lost or the process dies', async () => {
    const { chat } = bench.platform;
    const { post } = chat;
    chat.post = async (place, part, key) => {
      const outcome = await post(place, part, key);
      return key.startsWith('post/') ? { kind: 'unknown', message: 'lost' } : outcome;
    };
    const run = await bench.start(sayTo('fake:#general'));
    chat.post = post;
    bench = await bench.restart();
    await bench.pass(10_000);
    expect((await bench.store.run(run))?.row.status).toBe('succeeded');
    expect((await bench.platform.messages(general)).map((message) => message.text)).toEqual(['hello']);
  });

  test('C26: asks people where nobody can tell', async () => {
    const { chat } = bench.platform;
    const { post } = chat;
    chat.post = async (place, part, key) =>
      key.startsWith('post/') ? { kind: 'unknown', message: 'lost' } : post(place, part, key);
    chat.find = async () => ({ kind: 'unknowable', message: 'This channel keeps no history.' });
    const run = await bench.start(sayTo('fake:#general'));
    await bench.pass(10_000);
    expect((await bench.store.run(run))?.row.status).toBe('attention');
  });

  test('gives later steps what they need to know', async () => {
    const run = await bench.start(sayTo('fake:#general'));
    const [message] = await bench.platform.messages(general);
    expect((await bench.store.run(run))?.state.outputs.say).toEqual({
      text: 'hello',
      json: { messageId: message?.ref.id, conversationName: '#general' },
    });
  });

  test.each([
    ['fake:#nowhere', 'there is no conversation fake:#nowhere, or Flowbot is not a member of it.'],
    ['slack:#general', "Flowbot is not connected to slack, so it can't reach slack:#general."],
  ])('to %s fails in a sentence', async (to, why) => {
    const run = await bench.start(sayTo(to));
    expect((await bench.store.run(run))?.state.reason).toBe(`"Say" failed: ${why}`);
  });

  test('that names no conversation goes where the run lives, in its thread', async () => {
    const step = { type: 'message', name: 'Say', text: 'hello' };
    const run = await bench.start({ id: 'sample', steps: { say: step } });
    const { home } = (await bench.store.run(run))?.row ?? {};
    const messages = await bench.platform.messages(home ?? general);
    expect(messages.map(({ text }) => text)).toContain('hello');
    const output = (await bench.store.run(run))?.state.outputs.say;
    expect(output?.json).toMatchObject({ conversationName: '#releases' });
  });

  test('C28: comes to who started the run when its conversation is gone', async () => {
    const { chat, people } = bench.platform;
    const { conversation } = chat;
    chat.conversation = async (address) =>
      address === releases.conversation ? undefined : conversation(address);
    const run = await bench.start({ id: 'sample', steps: { say: { type: 'message', text: 'hello' } } });
    const direct = await conversation(people.ana.id);
    const messages = await bench.platform.messages({ platform: 'fake', conversation: direct?.id ?? '' });
    expect(messages.map(({ text }) => text)).toEqual([
      'The conversation of this run is not there any more, so this comes to you.\n\nhello',
    ]);
    expect((await bench.store.run(run))?.row.status).toBe('succeeded');
  });

  test('waits while nobody can tell where its conversation is, then posts once', async () => {
    const { chat } = bench.platform;
    const { conversation } = chat;
    let asked = 0;
    chat.conversation = async () => {
      asked += 1;
      throw new ChatUnavailable('The platform gives no answer.');
    };
    const run = await bench.start(sayTo('fake:#general'));
    await bench.pass(10_000);
    expect(asked).toBeGreaterThan(2);
    expect((await bench.store.run(run))?.state.status).toBe('running');
    chat.conversation = conversation;
    await bench.pass(60_000);
    expect((await bench.store.run(run))?.state.status).toBe('succeeded');
    expect(await bench.platform.messages(general)).toHaveLength(1);
  });

  test('that the platform refuses fails with its words', async () => {
    const { chat } = bench.platform;
    chat.post = async () => ({ kind: 'refused', message: 'The channel is archived.' });
    const run = await bench.start(sayTo('fake:#general'));
    expect((await bench.store.run(run))?.state.reason).toBe('"Say" failed: The channel is archived.');
  });
});

describe('whom a message notifies', () => {
  const saying = (mention: readonly string[]) => ({
    steps: { say: { type: 'message', to: 'fake:#general', text: 'hello', mention } },
  });

  test('are those it mentions of the platform it is posted to', async () => {
    const run = await bench.start(
      saying(['fake:U0BO', 'slack:U0ANA', '@oncall', 'fake:@leads', 'slack:@ops']),
    );
    const [message] = await bench.platform.messages(general);
    if (!message) throw new Error('There is no message.');
    expect(await bench.platform.notified(message.ref)).toEqual(['U0BO']);
    expect((await bench.store.post(`post/${run}/say/1`))?.content.notify).toEqual([
      'U0BO',
      '@oncall',
      '@leads',
    ]);
  });

  test('is nobody of its text', async () => {
    await bench.start({ steps: { say: { type: 'message', to: 'fake:#general', text: '@here <@U0BO>' } } });
    const [message] = await bench.platform.messages(general);
    expect(message && (await bench.platform.notified(message.ref))).toEqual([]);
  });
});

/** Nothing of a post needs to be known before it leaves. */
const noLeaving = async () => {};

describe('a message of which later rounds are edits', () => {
  const handle = (post: string, text: string, edits: boolean) =>
    messageHandler({
      store: bench.store,
      outbox: bench.runner.outbox,
      chats: new Map([['fake', bench.platform.chat]]),
    })(
      'nope',
      {
        kind: 'message',
        key: 'say/1/1',
        step: 'say',
        round: 1,
        attempt: 1,
        post,
        to: 'fake:#general',
        prose: [{ kind: 'markdown', text }],
        ...(edits && { edits: true }),
      },
      new AbortController().signal,
      noLeaving,
    );
  const texts = async () => (await bench.platform.messages(general)).map(({ text }) => text);
  const deleteAll = async () => {
    for (const { ref } of await bench.platform.messages(general)) await bench.platform.deleteMessage(ref);
  };
  /** Rounds come long after each other: edits of one post keep some distance. */
  const round = async (text: string, edits = true) => {
    await bench.pass(10_000);
    return handle('post/x', text, edits);
  };

  test('is one message, whose id later steps keep', async () => {
    const first = await round('one');
    expect(await round('two')).toMatchObject({ output: { text: 'two' } });
    expect(await round('two')).toMatchObject({ kind: 'done' });
    expect(await texts()).toEqual(['two']);
    const third = await round('three');
    const id = first.kind === 'done' ? first.output.json.messageId : undefined;
    expect(third).toMatchObject({ output: { json: { messageId: id } } });
  });

  test('is posted anew when it was deleted, and edited from then on', async () => {
    await round('one');
    await deleteAll();
    expect(await round('two')).toMatchObject({ kind: 'done' });
    expect(await texts()).toEqual(['two']);
    expect(await round('three')).toMatchObject({ kind: 'done' });
    expect(await texts()).toEqual(['three']);
    await deleteAll();
    await round('four');
    expect(await texts()).toEqual(['four']);
  });

  test('fails with the words of the platform when it can not be posted at all', async () => {
    await round('one');
    await deleteAll();
    const { chat } = bench.platform;
    chat.post = async () => ({ kind: 'refused', message: 'The channel is archived.' });
    expect(await round('two')).toMatchObject({ failure: { message: 'The channel is archived.' } });
  });

  test('any other that was deleted is not posted again', async () => {
    await round('one', false);
    await deleteAll();
    expect(await round('two', false)).toMatchObject({ failure: { message: 'The message was deleted.' } });
    expect(await texts()).toEqual([]);
  });
});

describe('a message that is too long', () => {
  const half = 'word '.repeat(1_000);
  const whole = `${half}${half}`;
  const long = {
    id: 'sample',
    steps: {
      half: { type: 'template', text: half },
      say: { type: 'message', name: 'Say', to: 'fake:#general', text: '{{half.text}}{{half.text}}' },
    },
  };
  const start = async () => {
    const run = await bench.start(long);
    await bench.pass(10_000);
    return run;
  };
  const isFile = (key: string) => key.includes('/file#');
  const seen = () => bench.platform.messages(general);
  const files = async () => (await seen()).flatMap((message) => message.files);

  test('brings the whole text as a file after its beginning', async () => {
    const run = await start();
    const messages = await seen();
    expect(messages[0]?.text).toMatch(/^This is too long: .* the whole text is in the file below\./);
    expect(messages.at(-1)?.files).toEqual([{ name: 'say.md', text: whole }]);
    expect(await files()).toHaveLength(1);
    // What later steps refer to is the message, not its file.
    const { messageId } = (await bench.store.run(run))?.state.outputs.say?.json ?? {};
    expect(messageId).toBe(messages[0]?.ref.id);
  });

  test('C26: brings it once, whether the answer is lost or the process dies', async () => {
    const { chat } = bench.platform;
    const { post } = chat;
    chat.post = async (place, part, key) => {
      const outcome = await post(place, part, key);
      return isFile(key) ? { kind: 'unknown', message: 'lost' } : outcome;
    };
    chat.find = () => new Promise(() => {});
    const run = await start();
    const count = (await seen()).length;
    bench = await bench.restart();
    await bench.pass(10_000);
    expect((await bench.store.run(run))?.row.status).toBe('succeeded');
    expect(await seen()).toHaveLength(count);
    expect(await files()).toHaveLength(1);
  });

  test('fails with the words of the platform when it takes no files', async () => {
    const { chat } = bench.platform;
    const { post } = chat;
    chat.post = async (place, part, key) =>
      isFile(key) ? { kind: 'refused', message: 'No files here.' } : post(place, part, key);
    const run = await start();
    expect((await bench.store.run(run))?.state.reason).toBe('"Say" failed: No files here.');
  });

  test('is edited in later rounds, and brings a file for every other text', async () => {
    const handler = messageHandler({
      store: bench.store,
      outbox: bench.runner.outbox,
      chats: new Map([['fake', bench.platform.chat]]),
    });
    const round = async (text: string) => {
      await bench.pass(10_000);
      const effect = { kind: 'message', key: 'say/1/1', step: 'say', round: 1, attempt: 1 } as const;
      const prose = [{ kind: 'markdown', text: `About ${text}` } as const];
      const more = { post: 'post/x', to: 'fake:#general', prose, whole: text, edits: true } as const;
      return handler('nope', { ...effect, ...more }, new AbortController().signal, noLeaving);
    };
    for (const text of ['one', 'two', 'two']) expect(await round(text)).toMatchObject({ kind: 'done' });
    expect(await seen()).toMatchObject([
      { text: 'About two', edited: true },
      { files: [{ name: 'say.md', text: 'one' }], edited: false },
      { files: [{ name: 'say.md', text: 'two' }], edited: false },
    ]);
  });
});

describe('an address without a platform', () => {
  const effect = (to: string): Extract<CallEffect, { kind: 'message' }> => ({
    kind: 'message',
    key: 'say/1/1',
    step: 'say',
    round: 1,
    attempt: 1,
    post: 'post/x/say/1',
    to,
    prose: [{ kind: 'markdown', text: 'hello' }],
  });
  const handle = (chats: readonly string[], run: string, to: string) => {
    const { runner, store } = bench;
    const all = new Map(chats.map((platform) => [platform, createFakeChat({ platform }).chat]));
    return messageHandler({ store, outbox: runner.outbox, chats: all })(
      run,
      effect(to),
      new AbortController().signal,
      noLeaving,
    );
  };

  test('means the platform where the run lives', async () => {
    const run = await bench.start(sayTo('fake:#general'), { home: releases });
    expect(await handle(['other', 'fake'], run, '#general')).toMatchObject({ kind: 'done' });
  });

  test('means the only one there is', async () => {
    expect(await handle(['fake'], 'nope', '#general')).toMatchObject({ kind: 'done' });
  });

  test('is refused where it could be any', async () => {
    expect(await handle(['fake', 'other'], 'nope', '#general')).toMatchObject({
      kind: 'failed',
      failure: { message: '“#general” does not say on which platform: write for example fake:#general.' },
    });
  });

  test('that is none is refused', async () => {
    expect(await handle(['fake'], 'nope', 'not an address')).toMatchObject({
      kind: 'failed',
      failure: { message: '“not an address” is not the address of a conversation.' },
    });
  });
});
