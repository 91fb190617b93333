import { beforeEach, describe, expect, test } from 'vitest';
import type { ChatEvent } from '../../src/ports/chat.ts';
import { ana, type Bench, createBench, releases } from './bench.ts';

const nap = (length: string) => ({ id: 'sample', steps: { nap: { type: 'wait', for: length } } });

let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});

const statusOf = async (run: string) => (await bench.store.run(run))?.row.status;
const minute = 60_000;
const day = 24 * 60 * minute;

describe('a timer', () => {
  test('fires when it is due, not before', async () => {
    const run = await bench.start(nap('1h'));
    await bench.pass(60 * minute - 1);
    expect(await statusOf(run)).toBe('waiting');
    await bench.pass(1);
    expect(await statusOf(run)).toBe('succeeded');
    expect(await bench.store.nextTimerMs()).toBeUndefined();
  });

  test('C35: 400 days away fires then, and only then', async () => {
    const run = await bench.start(nap('400d'));
    await bench.pass(399 * day);
    expect(await statusOf(run)).toBe('waiting');
    await bench.pass(day);
    expect(await statusOf(run)).toBe('succeeded');
  });

  test('an earlier one does not wait for a later one', async () => {
    const late = await bench.start(nap('2h'));
    const early = await bench.start(nap('1h'));
    await bench.pass(60 * minute);
    expect(await statusOf(early)).toBe('succeeded');
    expect(await statusOf(late)).toBe('waiting');
    await bench.pass(60 * minute);
    expect(await statusOf(late)).toBe('succeeded');
  });

  test('that came due while the bot was away fires at the start', async () => {
    const run = await bench.start(nap('1h'));
    await bench.restart(0);
    bench.clock.pass(5 * day);
    expect(await statusOf(run)).toBe('waiting');
    bench = await bench.restart();
    expect(await statusOf(run)).toBe('succeeded');
  });

  test('C43: fires once when the clock jumps ahead, and once when an alarm rings early', async () => {
    const run = await bench.start(nap('1h'));
    bench.clock.pass(3 * day);
    await bench.settle();
    expect(await statusOf(run)).toBe('succeeded');
    expect((await bench.store.journal(run)).map((event) => event.type)).toEqual([
      'run.started',
      'timer.fired',
    ]);
  });

  test('an alarm that rings too early is set again', async () => {
    const alarms: { atMs: number; wake: () => void }[] = [];
    const { clock } = bench;
    const early = {
      ...clock,
      alarm: (atMs: number, wake: () => void) => {
        alarms.push({ atMs, wake });
        return () => {};
      },
    };
    bench = await createBench({ clock: early });
    const run = await bench.start(nap('1h'));
    alarms.at(-1)?.wake();
    await bench.settle();
    expect(await statusOf(run)).toBe('waiting');
    const again = alarms.at(-1);
    expect(again?.atMs).toBe(clock.now() + 60 * minute);
    clock.pass(60 * minute);
    again?.wake();
    await bench.settle();
    expect(await statusOf(run)).toBe('succeeded');
  });

  test('450 of them at once all fire', async () => {
    for (let index = 0; index < 450; index += 1)
      await bench.start(nap('1h'), { home: { platform: 'none', conversation: 'C' } });
    await bench.pass(60 * minute);
    expect(await bench.store.runs({ statuses: ['succeeded'], limit: 1_000 })).toHaveLength(450);
  });

  test('of a run that can’t be moved keeps no other from firing, nor the bot from starting', async () => {
    const stuck = await bench.start(nap('1h'));
    const other = await bench.start({ id: 'other', steps: { nap: { type: 'wait', for: '1h' } } });
    const { version } = bench.store;
    bench.store.version = async (hash) => (hash.includes('other') ? version(hash) : { steps: {} });
    bench = await bench.restart(0);
    await bench.pass(60 * minute);
    expect(await statusOf(other)).toBe('succeeded');
    expect(await statusOf(stuck)).toBe('waiting');
    bench = await bench.restart(0);
    expect(bench.log.lines.filter((line) => line.level === 'error').length).toBeLessThan(10);
    bench.store.version = version;
    bench = await bench.restart(0);
    await bench.pass(minute);
    expect(await statusOf(stuck)).toBe('succeeded');
  });

  test('does not fire once the runner is stopped', async () => {
    const run = await bench.start(nap('1h'));
    await bench.runner.stop(0);
    expect(bench.clock.nextMs()).toBeUndefined();
    bench.clock.pass(day);
    await bench.settle();
    expect(await statusOf(run)).toBe('waiting');
  });
});

describe('C64: a question’s time', () => {
  const asking = { id: 'sample', steps: { ask: { type: 'approval', expiresAfter: '1h' } } };
  const questionOf = async (run: string) =>
    (await bench.store.run(run))?.state.questions[`${run}.1`]?.state.status;

  /** Keeps an event that nobody handles. */
  async function keep(type: ChatEvent['type'], receivedAtMs: number): Promise<void> {
    const at = { id: 'E1', atMs: receivedAtMs, person: ana };
    const message = { ...releases, id: 'M1' };
    const events: readonly ChatEvent[] = [
      { ...at, type: 'click', message, button: 'x' },
      { ...at, type: 'submit', place: releases, form: 'x', values: {} },
      { ...at, type: 'command', place: releases, text: 'x' },
      { ...at, type: 'message', message, text: 'x', toBot: false, files: [] },
    ];
    const event = events.find((one) => one.type === type);
    if (!event) throw new Error(`no ${type}`);
    await bench.store.receive({ id: 'fake:E1', event, receivedAtMs });
  }

  test.each(['click', 'submit', 'command'] as const)(
    'waits for a %s of before that is not handled',
    async (type) => {
      const run = await bench.start(asking);
      await keep(type, bench.clock.now() + 60 * minute - 1);
      await bench.pass(60 * minute + 5_000);
      expect(await questionOf(run)).toBe('open');
      await bench.store.commit({ delivered: ['fake:E1'] });
      await bench.pass(1_000);
      expect(await questionOf(run)).toBe('expired');
    },
  );

  test.each([
    ['click', 0],
    ['click', 500],
    ['message', -1],
  ] as const)('waits for no %s of %d ms after it', async (type, afterMs) => {
    const run = await bench.start(asking);
    await keep(type, bench.clock.now() + 60 * minute + afterMs);
    await bench.pass(60 * minute + 1_000);
    expect(await questionOf(run)).toBe('expired');
  });

  test('waits a minute at most, and holds up no other timer', async () => {
    const run = await bench.start(asking);
    await keep('click', bench.clock.now());
    const other = await bench.start(nap('61m'));
    await bench.pass(61 * minute);
    expect(await questionOf(run)).toBe('open');
    expect(await statusOf(other)).toBe('succeeded');
    await bench.pass(1_000);
    expect(await questionOf(run)).toBe('expired');
    expect(await bench.store.nextTimerMs()).toBeUndefined();
  });

  test('waits a minute after a start, too, however long nothing ran', async () => {
    const run = await bench.start(asking);
    await keep('click', bench.clock.now());
    await bench.runner.stop(0);
    bench.clock.pass(5 * day);
    bench = await bench.restart();
    await bench.pass(59_000);
    expect(await questionOf(run)).toBe('open');
    await bench.pass(1_000);
    expect(await questionOf(run)).toBe('expired');
  });
});
