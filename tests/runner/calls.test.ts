import { beforeEach, describe, expect, test } from 'vitest';
import type { HttpOutcome } from '../../src/ports/http.ts';
import { answered } from '../fakes/http.ts';
import { ana, type Bench, bo, createBench, releases } from './bench.ts';

const get = { id: 'sample', steps: { call: { type: 'http', url: 'https://a.example/x' } } };
const order = {
  id: 'sample',
  steps: { call: { type: 'http', method: 'POST', url: 'https://a.example/order' } },
};

let bench: Bench;
/** Lets the request under way end. */
let answer: (outcome: HttpOutcome) => void;

beforeEach(async () => {
  bench = await createBench({
    answering: () => {
      const { promise, resolve } = Promise.withResolvers<HttpOutcome>();
      answer = resolve;
      return promise;
    },
  });
});

const stateOf = async (run: string) => (await bench.store.run(run))?.state;
const statusOf = async (run: string) => (await stateOf(run))?.status;

async function say(run: string, action: string, feedback = ''): Promise<void> {
  await bench.runner.runs.dispatch(run, (state) => {
    const question = Object.values(state.questions).find((one) => one.state.status === 'open')?.id ?? '';
    return {
      event: { type: 'question.answered', atMs: bench.clock.now(), question, action, feedback, by: bo },
      result: undefined,
    };
  });
  await bench.settle();
}

describe('a request that the process died in', () => {
  test('is sent again when it is safe', async () => {
    const run = await bench.start(get);
    bench = await bench.restart();
    expect(bench.http.arrived).toHaveLength(2);
    answer(answered(200, {}));
    await bench.settle();
    expect(await statusOf(run)).toBe('succeeded');
    expect(await bench.store.calls()).toEqual([]);
  });

  test('is never sent again by itself when it is not: people are asked', async () => {
    const run = await bench.start(order);
    bench = await bench.restart();
    expect(bench.http.arrived).toHaveLength(1);
    expect(await statusOf(run)).toBe('attention');
    bench = await bench.restart();
    await bench.pass(60_000);
    expect(bench.http.arrived).toHaveLength(1);
    expect(Object.keys((await stateOf(run))?.questions ?? {})).toEqual([`${run}.1`]);
    const [root] = await bench.platform.messages(releases);
    const [card] = await bench.platform.messages({ ...releases, thread: root?.ref.id ?? '' });
    expect(card?.text).toContain('Flowbot was stopped in the middle of this call.');
    expect(card?.buttons.map((button) => button.label)).toEqual([
      'Run again',
      'Done, with this output',
      'Fail the step',
    ]);
  });

  test('is sent again when they say so', async () => {
    const run = await bench.start(order);
    bench = await bench.restart();
    await say(run, 'again');
    expect(bench.http.arrived).toHaveLength(2);
    answer(answered(201, {}));
    await bench.settle();
    expect(await statusOf(run)).toBe('succeeded');
  });

  test('that had not begun is just sent', async () => {
    const { commit } = bench.store;
    bench.store.commit = async (all) => (all.begin ? new Promise(() => {}) : commit(all));
    const run = await bench.start(order);
    expect(bench.http.arrived).toEqual([]);
    bench.store.commit = commit;
    bench = await bench.restart();
    expect(bench.http.arrived).toHaveLength(1);
    answer(answered(200, {}));
    await bench.settle();
    expect(await statusOf(run)).toBe('succeeded');
  });
});

describe('a call that is not wanted any more', () => {
  test('is aborted, and its answer does not count', async () => {
    const signals: AbortSignal[] = [];
    const { send } = bench.http;
    bench.http.send = (request, signal) => {
      signals.push(signal);
      return send(request, signal);
    };
    bench = await bench.restart();
    const run = await bench.start(get);
    await bench.runner.runs.dispatch(run, () => ({
      event: { type: 'run.cancelled', atMs: 1, by: ana },
      result: undefined,
    }));
    expect(signals.map((signal) => signal.aborted)).toEqual([true]);
    answer(answered(200, {}));
    await bench.settle();
    expect((await bench.store.journal(run)).map((event) => event.type)).toEqual([
      'run.started',
      'run.cancelled',
    ]);
  });
});

describe('stopping', () => {
  test('lets a call end within the grace', async () => {
    const run = await bench.start(get);
    const stopped = bench.runner.stop(10_000);
    await bench.settle();
    answer(answered(200, {}));
    await stopped;
    expect(await statusOf(run)).toBe('succeeded');
    expect(bench.clock.nextMs()).toBeUndefined();
  });

  test('cuts it short after the grace; the next start decides', async () => {
    const safe = await bench.start(get);
    const unsafe = await bench.start(order);
    bench = await bench.restart(10_000);
    expect(await statusOf(safe)).toBe('running');
    expect(await statusOf(unsafe)).toBe('attention');
    expect(bench.http.arrived.map(({ method }) => method)).toEqual(['GET', 'POST', 'GET']);
  });

  test('does not wait for a message that the platform keeps off', async () => {
    const { chat } = bench.platform;
    const { post } = chat;
    chat.post = async (place, part, key) =>
      key.startsWith('post/') ? { kind: 'later', afterMs: 3_600_000 } : post(place, part, key);
    const run = await bench.start({
      id: 'sample',
      steps: { say: { type: 'message', to: 'fake:#general', text: 'hi' } },
    });
    chat.post = post;
    bench = await bench.restart(10_000);
    await bench.settle();
    expect(await statusOf(run)).toBe('succeeded');
    const said = await bench.platform.messages({ platform: 'fake', conversation: 'C-general' });
    expect(said.map((message) => message.text)).toEqual(['hi']);
  });

  test('takes no new calls', async () => {
    await bench.runner.stop(0);
    const run = await bench.start(get);
    expect(bench.http.arrived).toEqual([]);
    bench = await bench.restart();
    expect(bench.http.arrived).toHaveLength(1);
    expect(await statusOf(run)).toBe('running');
  });
});

describe('a failure on our side', () => {
  test('to look up a conversation is tried again', async () => {
    const { chat } = bench.platform;
    const { conversation } = chat;
    let failures = 3;
    chat.conversation = async (address) => {
      failures -= 1;
      if (failures >= 0) throw new Error('the network is down');
      return conversation(address);
    };
    const run = await bench.start({
      id: 'sample',
      steps: { say: { type: 'message', to: 'fake:#general', text: 'hi' } },
    });
    expect(await statusOf(run)).toBe('running');
    await bench.pass(10_000);
    expect(await statusOf(run)).toBe('succeeded');
  });

  test('to store the result of a request is tried again, the request is not', async () => {
    const run = await bench.start(order);
    const { commit } = bench.store;
    bench.store.commit = async () => {
      throw new Error('the disk is full');
    };
    answer(answered(200, {}));
    await bench.settle();
    bench.store.commit = commit;
    await bench.pass(10_000);
    expect(await statusOf(run)).toBe('succeeded');
    expect(bench.http.arrived).toHaveLength(1);
  });

  test.each([
    ['longer than is kept', 'x'.repeat(50_000_001)],
    ['longer than a text can be once it is written as JSON', '\u0001'.repeat(100_000_000)],
  ])('an answer that is %s fails the step at once', async (_what, text) => {
    const run = await bench.start(get);
    answer({ kind: 'answered', status: 200, headers: {}, text, body: null, hops: [] });
    await bench.settle();
    expect(await statusOf(run)).toBe('failed');
    expect((await stateOf(run))?.reason).toContain('takes more than 50 MB as JSON');
    expect(bench.http.arrived).toHaveLength(1);
  });

  test('in the middle of an unsafe request leaves its outcome to people', async () => {
    bench.http.send = async () => {
      throw new Error('a bug');
    };
    bench = await bench.restart();
    const run = await bench.start(order);
    expect(await statusOf(run)).toBe('attention');
  });
});

describe('secrets', () => {
  const password = 'p"ss/wörd 1';
  const withSecrets = {
    id: 'sample',
    steps: {
      call: {
        type: 'http',
        method: 'POST',
        url: 'https://a.example/login',
        headers: { Authorization: 'Bearer {{secrets.PASSWORD}}', 'X-Plain': 'open' },
        body: { json: { user: 'ana', password: '{{secrets.PASSWORD}}', both: 'x {{secrets.PASSWORD}} y' } },
      },
      say: { type: 'message', to: 'fake:#general', text: '{{call.text}} {{call.json.body.echo}}' },
    },
  };

  test('go into the request, each as its place needs it, and nowhere else', async () => {
    const latin = 'p"ss/word 1';
    bench = await createBench({
      secrets: { PASSWORD: latin },
      answering: (request) =>
        answered(200, { echo: request.body ?? '', auth: request.headers.authorization ?? '' }),
    });
    const run = await bench.start(withSecrets);
    await bench.pass(5_000);
    const [request] = bench.http.arrived;
    expect(request?.headers).toEqual({
      'content-type': 'application/json',
      authorization: `Bearer ${latin}`,
      'x-plain': 'open',
    });
    expect(JSON.parse(request?.body ?? '')).toEqual({ user: 'ana', password: latin, both: `x ${latin} y` });
    expect(await statusOf(run)).toBe('succeeded');
    const posts = [
      ...(await bench.platform.messages({ platform: 'fake', conversation: 'C-general' })),
      ...(await bench.platform.messages(releases)),
    ];
    const everything = JSON.stringify([
      await bench.store.journal(run),
      await stateOf(run),
      posts,
      bench.log.lines,
    ]);
    expect(everything).not.toContain('ss/word');
    expect(everything).toContain('[secret]');
  });

  test('of a form body are encoded as forms are', async () => {
    bench = await createBench({ secrets: { PASSWORD: password }, answering: () => answered(200, {}) });
    await bench.start({
      id: 'sample',
      steps: {
        call: {
          type: 'http',
          method: 'POST',
          url: 'https://a.example/login',
          body: { form: { password: '{{secrets.PASSWORD}}', user: 'ana' } },
        },
      },
    });
    const [request] = bench.http.arrived;
    expect([...new URLSearchParams(request?.body)]).toEqual([
      ['password', password],
      ['user', 'ana'],
    ]);
  });

  test('that are not set fail the step before anything is sent', async () => {
    bench = await createBench({ answering: () => answered(200, {}) });
    const run = await bench.start(withSecrets);
    expect(bench.http.arrived).toEqual([]);
    expect((await stateOf(run))?.reason).toBe(
      '"call" failed: the secret PASSWORD is not set: give it to Flowbot and run this again.',
    );
  });

  test('that read like one of our own words change nothing of the run itself', async () => {
    bench = await createBench({
      secrets: { A: 'call', B: 'step.done', C: 'done' },
      answering: () => answered(200, {}),
    });
    const run = await bench.start(get);
    expect(await statusOf(run)).toBe('succeeded');
  });

  test('in the reason of a failure are hidden', async () => {
    bench = await createBench({
      secrets: { TOKEN: 'tok-12345' },
      answering: () => ({
        kind: 'failed',
        reason: 'connection',
        message: 'tok-12345 was refused',
        mayHaveArrived: false,
      }),
    });
    const run = await bench.start(get);
    expect(JSON.stringify(await bench.store.journal(run))).not.toContain('tok-12345');
    expect((await stateOf(run))?.reason).toContain('[secret] was refused');
  });
});
