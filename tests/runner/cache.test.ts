import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { CACHED_MAX_CHARS, CACHED_USE_MS, type Store } from '../../src/ports/store.ts';
import { type Cache, createCache } from '../../src/runner/cache.ts';
import { createHandClock, type HandClock } from '../fakes/clock.ts';
import { createKeptLog, type KeptLog } from '../fakes/log.ts';
import { createMemoryStore } from '../fakes/store.ts';

const output = (text: string) => ({ text, json: {} });

let clock: HandClock;
let log: KeptLog;
let store: Store;
/** Keys that the store was asked for. */
let asked: string[];
/** A cache as after a start, on the same store. */
let open: () => Cache;

beforeEach(() => {
  clock = createHandClock();
  log = createKeptLog();
  store = createMemoryStore();
  asked = [];
  open = () => {
    const watched: Pick<Store, 'cached' | 'keepCached'> = {
      keepCached: store.keepCached,
      cached: (key, nowMs) => {
        asked.push(key);
        return store.cached(key, nowMs);
      },
    };
    return createCache({ store: watched, clock, log });
  };
});

describe('a kept output', () => {
  test('is there at once and after a restart, where the store is asked for it once', async () => {
    const cache = open();
    expect(await cache.get('a', 'r1')).toBeUndefined();
    await cache.keep('a', output('one'), 'r1');
    await cache.keep('a', output('two'), 'r1');
    expect(await cache.get('a', 'r1')).toEqual(output('two'));
    expect(asked).toEqual(['a']);

    const next = open();
    expect(await next.get('a', 'r1')).toEqual(output('two'));
    expect(await next.get('a', 'r1')).toEqual(output('two'));
    expect(await next.get('b', 'r1')).toBeUndefined();
    expect(asked).toEqual(['a', 'a', 'b']);
  });

  test('that is too long is not kept anywhere', async () => {
    const cache = open();
    await cache.keep('a', output('x'.repeat(CACHED_MAX_CHARS)), 'r1');
    expect(await cache.get('a', 'r1')).toBeUndefined();
    expect(log.lines).toEqual([]);
  });

  test('in use tells the store so every hour, not more often', async () => {
    const cache = open();
    await cache.keep('a', output('a'), 'r1');
    clock.pass(CACHED_USE_MS - 1);
    await cache.get('a', 'r1');
    expect(asked).toEqual([]);
    clock.pass(1);
    await cache.get('a', 'r1');
    await cache.get('a', 'r1');
    expect(asked).toEqual(['a']);
    clock.set(0);
    expect(await cache.get('a', 'r1')).toEqual(output('a'));
    expect(asked).toEqual(['a']);
  });

  test('in memory does not go because the store has let go of it', async () => {
    const forgetful = { cached: async () => undefined, keepCached: async () => undefined };
    const cache = createCache({ store: forgetful, clock, log });
    await cache.keep('a', output('a'), 'r1');
    clock.pass(CACHED_USE_MS);
    expect(await cache.get('a', 'r1')).toEqual(output('a'));
  });
});

describe('memory', () => {
  test('has room for 500 outputs; those used longest ago are asked of the store again', async () => {
    const cache = open();
    const names = Array.from({ length: 500 }, (_, index) => `${index}`);
    for (const name of names) await cache.keep(name, output(name), 'r1');
    await cache.get('0', 'r1');
    await cache.keep('new', output('new'), 'r1');
    for (const name of ['0', '2', '499', 'new']) await cache.get(name, 'r1');
    expect(asked).toEqual([]);
    expect(await cache.get('1', 'r1')).toEqual(output('1'));
    expect(asked).toEqual(['1']);
  });

  test('has room for 50 MB', async () => {
    const cache = open();
    const large = output('x'.repeat(CACHED_MAX_CHARS - 100));
    for (let n = 0; n < 51; n += 1) await cache.keep(`${n}`, large, 'r1');
    await cache.keep('50', large, 'r1');
    for (const name of ['1', '50']) await cache.get(name, 'r1');
    expect(asked).toEqual([]);
    await cache.get('0', 'r1');
    expect(asked).toEqual(['0']);
    await cache.keep('1', output('small'), 'r1');
    for (const name of ['0', '1', '3', '50']) await cache.get(name, 'r1');
    expect(asked).toEqual(['0']);
  });

  test('never changes what is found, whatever is asked in which order', async () => {
    const names = fc.constantFrom('a', 'b', 'c');
    const step = fc.oneof(
      fc.record({ name: names, text: fc.string({ maxLength: 3 }) }),
      fc.record({ name: names, passMs: fc.nat(2 * CACHED_USE_MS), restart: fc.boolean() }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step), async (steps) => {
        store = createMemoryStore();
        const kept = new Map<string, string>();
        let cache = open();
        for (const one of steps) {
          if ('text' in one) {
            kept.set(one.name, one.text);
            await cache.keep(one.name, output(one.text), 'r1');
          } else {
            clock.pass(one.passMs);
            if (one.restart) cache = open();
            expect((await cache.get(one.name, 'r1'))?.text).toBe(kept.get(one.name));
          }
        }
      }),
    );
  });
});

describe('a store that fails', () => {
  const broken = async (): Promise<never> => {
    throw new Error('disk full');
  };

  test('is a miss and a line in the log, and what is in memory serves on', async () => {
    const cache = createCache({ store: { cached: broken, keepCached: broken }, clock, log });
    expect(await cache.get('a', 'r1')).toBeUndefined();
    await cache.keep('a', output('a'), 'r1');
    expect(await cache.get('a', 'r1')).toEqual(output('a'));
    clock.pass(CACHED_USE_MS);
    expect(await cache.get('a', 'r1')).toEqual(output('a'));
    expect(log.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'error: It could not be looked up whether an output was kept.',
      'error: An output could not be kept to be used again.',
      'error: It could not be looked up whether an output was kept.',
    ]);
  });
});
