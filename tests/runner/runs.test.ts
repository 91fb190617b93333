import { beforeEach, describe, expect, test } from 'vitest';
import { noRoles } from '../../src/engine/named.ts';
import { textOf } from '../../src/engine/prose.ts';
import { judgeAnswer } from '../../src/engine/run/answer.ts';
import type { RunState } from '../../src/engine/run/state.ts';
import { fold } from '../../src/engine/run/transition.ts';
import { createAdmission } from '../../src/runner/admission.ts';
import { createBus } from '../../src/runner/bus.ts';
import { createPlans } from '../../src/runner/plans.ts';
import { createRuns, type Performer } from '../../src/runner/runs.ts';
import { createCountingIds } from '../fakes/ids.ts';
import { createKeptLog } from '../fakes/log.ts';
import { ana, type Bench, bo, createBench, planOf, releases } from './bench.ts';

const approval = { id: 'sample', steps: { ask: { type: 'approval' } } };
const nap = { id: 'sample', steps: { nap: { type: 'wait', for: '1h' } } };

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});

const stateOf = async (run: string) => (await bench.store.run(run))?.state;

/** What another process has of its own. */
const besides = () => ({
  admission: createAdmission(100),
  clock: bench.clock,
  bus: createBus(createKeptLog()),
  log: createKeptLog(),
  admins: [],
  remindAfterMs: null,
});

describe('a start', () => {
  test('is one run for one start key', async () => {
    const [first, second] = await Promise.all([
      bench.start(approval, { startKey: 'once' }),
      bench.start(approval, { startKey: 'once' }),
    ]);
    expect(first).toBe(second);
    expect(await bench.store.runs({ limit: 9 })).toHaveLength(1);
    expect((await bench.platform.messages(releases)).length).toBe(1);
  });

  test('without a start key is a run each time', async () => {
    await bench.start(approval);
    await bench.start(approval);
    expect(await bench.store.runs({ limit: 9 })).toHaveLength(2);
  });
});

/** As the commands do it. */
function judged(state: RunState, run: string, by: typeof ana, action: string) {
  const atMs = bench.clock.now();
  const verdict = judgeAnswer(state, {
    also: [],
    standing: 'member',
    roles: noRoles,
    question: `${run}.1`,
    action,
    feedback: '',
    by,
    place: releases,
    atMs,
  });
  if (verdict.kind === 'unfit') throw new Error('There is no form.');
  return verdict.kind === 'counts'
    ? { event: verdict.event, result: 'counts' }
    : { result: textOf(verdict.why) };
}

describe('C19: two answers at once', () => {
  test('one counts, the other hears who won', async () => {
    for (let round = 0; round < 20; round += 1) {
      const run = await bench.start(approval);
      const answer = (by: typeof ana, action: string) =>
        bench.runner.runs.dispatch(run, (state) => judged(state, run, by, action));
      const results =
        round % 2 === 0
          ? await Promise.all([answer(ana, 'approve'), answer(bo, 'reject')])
          : await Promise.all([answer(bo, 'reject'), answer(ana, 'approve')]);
      expect(results).toEqual(['counts', expect.stringMatching(/^(Ana|Bo) has already answered/)]);
      const answers = (await bench.store.journal(run)).filter((event) => event.type === 'question.answered');
      expect(answers).toHaveLength(1);
    }
  });

  test('of two processes on one store one counts, and the other looks again', async () => {
    const run = await bench.start(approval);
    const performer: Performer = { call() {}, lane() {}, moved() {}, abandon() {}, show() {}, timer() {} };
    const plans = createPlans(bench.store);
    const other = createRuns({
      ...besides(),
      store: bench.store,
      plans,
      ids: createCountingIds('z'),
      performer,
    });
    const answer = (runs: typeof other, by: typeof ana, action: string) =>
      runs.dispatch(run, (state) => judged(state, run, by, action));
    const results = await Promise.all([
      answer(bench.runner.runs, ana, 'approve'),
      answer(other, bo, 'reject'),
    ]);
    expect(results.filter((result) => result === 'counts')).toHaveLength(1);
    expect((await bench.store.journal(run)).map((event) => event.type)).toEqual([
      'run.started',
      'question.answered',
    ]);
  });
});

describe('a run that is moved', () => {
  test('is moved by one event at a time', async () => {
    const run = await bench.start(nap);
    const order: string[] = [];
    const look = (name: string) =>
      bench.runner.runs.dispatch(run, () => {
        order.push(name);
        return { event: { type: 'timer.fired', atMs: 1, timer: `nothing ${name}` }, result: name };
      });
    expect(await Promise.all([look('a'), look('b'), look('c')])).toEqual(['a', 'b', 'c']);
    expect(order).toEqual(['a', 'b', 'c']);
  });

  test('goes on after somebody’s look at it has failed', async () => {
    const run = await bench.start(nap);
    const failing = bench.runner.runs.dispatch(run, () => {
      throw new Error('a bug');
    });
    const next = bench.runner.runs.dispatch(run, (state) => ({ result: state.status }));
    await expect(failing).rejects.toThrow('a bug');
    expect(await next).toBe('waiting');
  });

  test('that does not exist is told from one that does', async () => {
    expect(await bench.runner.runs.dispatch('nope', () => ({ result: 1 }))).toBeUndefined();
  });

  test('an event that does not fit any more is not in the journal, and its call has ended', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    bench = await createBench({
      answering: async () => {
        await promise;
        return { kind: 'failed', reason: 'connection', message: 'late', mayHaveArrived: true };
      },
    });
    const run = await bench.start({
      id: 'sample',
      steps: { call: { type: 'http', url: 'https://a.example/' } },
    });
    await bench.runner.runs.dispatch(run, () => ({
      event: { type: 'run.cancelled', atMs: 1, by: ana },
      result: undefined,
    }));
    expect(await bench.store.calls()).toEqual([]);
    resolve();
    await bench.settle();
    expect((await bench.store.journal(run)).map((event) => event.type)).toEqual([
      'run.started',
      'run.cancelled',
    ]);
    const late = {
      type: 'step.done',
      atMs: 2,
      step: 'call',
      round: 1,
      attempt: 1,
      output: { text: '', json: {} },
    } as const;
    await bench.runner.runs.dispatch(run, () => ({ event: late, result: undefined }));
    expect(await bench.store.journal(run)).toHaveLength(2);
    expect((await stateOf(run))?.status).toBe('cancelled');
  });

  test('only while it is running is it held in memory', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    bench = await createBench({
      answering: async () => {
        await promise;
        return { kind: 'failed', reason: 'dns', message: 'no such host', mayHaveArrived: false };
      },
    });
    const reads = new Map<string, number>();
    const { run: read } = bench.store;
    bench.store.run = (id) => {
      reads.set(id, (reads.get(id) ?? 0) + 1);
      return read(id);
    };
    const look = async (run: string) => {
      const before = reads.get(run) ?? 0;
      await bench.runner.runs.dispatch(run, () => ({ result: undefined }));
      return (reads.get(run) ?? 0) - before;
    };
    const running = await bench.start({
      id: 'sample',
      steps: { call: { type: 'http', url: 'https://a.example/' } },
    });
    const waiting = await bench.start(approval);
    expect(await look(running)).toBe(0);
    expect(await look(waiting)).toBe(1);
    resolve();
    await bench.settle();
    expect((await stateOf(running))?.status).toBe('failed');
    expect(await look(running)).toBe(1);
  });

  test('its snapshot is what its journal folds to', async () => {
    const flow = {
      id: 'sample',
      steps: {
        call: { type: 'http', url: 'https://a.example/x' },
        ask: { type: 'approval' },
        say: { type: 'message', to: 'fake:#general', text: 'done' },
      },
    };
    const run = await bench.start(flow);
    await bench.runner.runs.dispatch(run, () => ({
      event: {
        type: 'question.answered',
        atMs: 5,
        question: `${run}.1`,
        action: 'approve',
        feedback: '',
        by: bo,
      },
      result: undefined,
    }));
    await bench.settle();
    const state = await stateOf(run);
    expect(state?.status).toBe('succeeded');
    const folded = fold(planOf(flow), run, await bench.store.journal(run));
    expect(JSON.parse(JSON.stringify(folded))).toEqual(state);
  });
});

describe('C31, C32: a question', () => {
  test('is stored before its card can be seen', async () => {
    const { chat } = bench.platform;
    const { post } = chat;
    const open: number[] = [];
    chat.post = async (place, part, key) => {
      open.push((await bench.store.openQuestions(9)).length);
      return post(place, part, key);
    };
    bench = await createBench({ store: bench.store, platform: bench.platform, clock: bench.clock });
    await bench.start(approval);
    expect(open).toEqual([1, 1]);
  });

  test('answered right before the process dies: the run goes on by itself, once, and the card is true', async () => {
    const run = await bench.start({
      id: 'sample',
      steps: { ask: { type: 'approval' }, say: { type: 'message', to: 'fake:#general', text: 'done' } },
    });
    const performer: Performer = { call() {}, lane() {}, moved() {}, abandon() {}, show() {}, timer() {} };
    const dying = createRuns({
      ...besides(),
      store: bench.store,
      plans: createPlans(bench.store),
      ids: createCountingIds('z'),
      performer,
    });
    await dying.dispatch(run, () => ({
      event: {
        type: 'question.answered',
        atMs: 5,
        question: `${run}.1`,
        action: 'approve',
        feedback: '',
        by: bo,
      },
      result: undefined,
    }));
    expect((await stateOf(run))?.status).toBe('running');
    const later = await bench.restart();
    await later.pass(5_000);
    expect((await stateOf(run))?.status).toBe('succeeded');
    const general = await later.platform.messages({ platform: 'fake', conversation: 'C-general' });
    expect(general.map((message) => message.text)).toEqual(['done']);
    const [root] = await later.platform.messages(releases);
    const thread = await later.platform.messages({ ...releases, thread: root?.ref.id ?? '' });
    expect(thread.map((message) => message.buttons)).toEqual([[]]);
  });
});
