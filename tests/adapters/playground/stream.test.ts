import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { md } from '../../../src/engine/prose.ts';
import { createPlaygroundHarness, type PlaygroundHarness, read } from './harness.ts';

let h: PlaygroundHarness;
let streams: AbortController;
beforeEach(async () => {
  streams = new AbortController();
  h = await createPlaygroundHarness();
});
afterEach(async () => {
  streams.abort();
  await h.close();
});

interface Frame {
  readonly id: string;
  readonly event: string;
  readonly data: {
    readonly id: string;
    readonly body: { readonly text?: string };
    readonly deleted?: boolean;
  };
}

/** Listens as a person's page does; `next` reads so many events. */
async function listen(as: string, options: { after?: number; lastEventId?: string } = {}) {
  const query = new URLSearchParams({
    as,
    ...(options.after === undefined ? {} : { after: `${options.after}` }),
  });
  const response = await fetch(`${h.url}/playground/events?${query}`, {
    signal: streams.signal,
    headers: options.lastEventId === undefined ? {} : { 'last-event-id': options.lastEventId },
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    async next(count: number): Promise<readonly Frame[]> {
      const frames: Frame[] = [];
      while (frames.length < count) {
        const end = text.indexOf('\n\n');
        if (end < 0) {
          const { value, done } = await reader.read();
          if (done) throw new Error(`the stream ended after ${frames.length} of ${count} events`);
          text += value;
          continue;
        }
        const fields = Object.fromEntries(
          text
            .slice(0, end)
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
        );
        text = text.slice(end + 2);
        if (fields.data)
          frames.push({ id: fields.id ?? '', event: fields.event ?? '', data: JSON.parse(fields.data) });
      }
      return frames;
    },
    async ended(): Promise<boolean> {
      for (;;) if ((await reader.read()).done) return true;
    },
  };
}

const texts = (frames: readonly Frame[]) => frames.map(({ data }) => data.body.text);

describe('the event stream', () => {
  test('shows new messages, edits and deletions as they happen', async () => {
    const stream = await listen('bo');
    const message = await h.say(h.people.ana, h.channel, 'first');
    await h.editAs(h.people.ana, message, 'changed');
    await h.deleteMessage(message);
    const frames = await stream.next(3);
    expect(texts(frames)).toEqual(['first', 'changed', '']);
    expect(frames[2]?.data.deleted).toBe(true);
  });

  test('goes on after the last event that was read', async () => {
    const stream = await listen('bo');
    await h.say(h.people.ana, h.channel, 'first');
    const [first] = await stream.next(1);
    await h.say(h.people.ana, h.channel, 'second');
    await h.say(h.people.ana, h.channel, 'third');
    const resumed = await listen('bo', { lastEventId: first?.id ?? '' });
    expect(texts(await resumed.next(2))).toEqual(['second', 'third']);
  });

  test('goes on over a restart of the server', async () => {
    const stream = await listen('bo');
    await h.say(h.people.ana, h.channel, 'first');
    const [first] = await stream.next(1);
    await h.restart();
    await h.say(h.people.ana, h.channel, 'second');
    const resumed = await listen('bo', { lastEventId: first?.id ?? '' });
    expect(texts(await resumed.next(1))).toEqual(['second']);
  });

  test('begins where the page was loaded, and Last-Event-ID counts more', async () => {
    const { version } = await read<{ version: number }>(h.get('api/state', { as: 'bo' }));
    await h.say(h.people.ana, h.channel, 'between');
    const stream = await listen('bo', { after: version });
    const [between] = await stream.next(1);
    expect(between?.data.body.text).toBe('between');
    await h.say(h.people.ana, h.channel, 'later');
    const resumed = await listen('bo', { after: version, lastEventId: between?.id ?? '' });
    expect(texts(await resumed.next(1))).toEqual(['later']);
  });

  test('sends hundreds of missed messages, each once, in order', async () => {
    const [part] = h.chat.render({ prose: [md('x')], buttons: [], notify: [] });
    for (let n = 0; n < 250; n += 1) await h.chat.post(h.channel, part ?? null, `key-${n}`);
    const stream = await listen('bo', { after: 0 });
    const frames = await stream.next(250);
    const versions = frames.map(({ id }) => Number(id));
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
    expect(new Set(frames.map(({ data }) => data.id)).size).toBe(250);
  });

  test("never shows other people's private and direct messages", async () => {
    const bo = await listen('bo', { after: 0 });
    await h.send('say', { as: 'ana', conversation: 'general', text: '/secret' });
    await h.send('say', { as: 'ana', conversation: '@ana', text: 'between us' });
    await h.say(h.people.ana, h.channel, 'for all');
    expect(texts(await bo.next(1))).toEqual(['for all']);
    const ana = await listen('ana', { after: 0 });
    expect((await ana.next(3)).map(({ event }) => event)).toEqual(['private', 'message', 'message']);
  });

  test('is open for a person only so many times; when one ends, another may begin', async () => {
    const ends = Array.from({ length: 20 }, () => new AbortController());
    const ask = (as: string, signal: AbortSignal) => fetch(`${h.url}/playground/events?as=${as}`, { signal });
    for (const { signal } of ends) expect((await ask('bo', signal)).status).toBe(200);
    const refused = await ask('bo', streams.signal);
    expect(refused.status).toBe(429);
    expect(await refused.json()).toEqual({ error: 'Bo has 20 pages open: close one of them.' });
    expect((await ask('ana', streams.signal)).status).toBe(200);
    for (const end of ends) end.abort();
    await expect.poll(async () => (await ask('bo', streams.signal)).status).toBe(200);
  });

  test('ends when the server closes', async () => {
    const stream = await listen('bo');
    await h.restart();
    expect(await stream.ended()).toBe(true);
  });
});
