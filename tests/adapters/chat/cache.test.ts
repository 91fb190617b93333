import { expect, test } from 'vitest';
import { createCache } from '../../../src/adapters/chat/cache.ts';
import { createHandClock } from '../../fakes/clock.ts';

function counted<T>(values: readonly (T | undefined)[]) {
  let asked = 0;
  const lookUp = async () => {
    asked += 1;
    return values[Math.min(asked, values.length) - 1];
  };
  return { lookUp, asked: () => asked };
}

test('a value is looked up once while it is believed, also when it is asked for at the same time', async () => {
  const clock = createHandClock();
  const cache = createCache<string>(clock, 1_000, 100);
  const { lookUp, asked } = counted(['one', 'two']);
  expect(await Promise.all([cache.get('a', lookUp), cache.get('a', lookUp)])).toEqual(['one', 'one']);
  expect(cache.known('a')).toBe('one');
  clock.pass(1_000);
  expect(cache.known('a')).toBeUndefined();
  expect(await cache.get('a', lookUp)).toBe('two');
  expect(asked()).toBe(2);
});

test('what is not there is asked for again sooner', async () => {
  const clock = createHandClock();
  const cache = createCache<string>(clock, 1_000, 100);
  const { lookUp } = counted([undefined, 'there']);
  expect(await cache.get('a', lookUp)).toBeUndefined();
  expect(await cache.get('a', lookUp)).toBeUndefined();
  clock.pass(100);
  expect(await cache.get('a', lookUp)).toBe('there');
});

test('a failed look-up is not remembered, and a forgotten value is asked for', async () => {
  const cache = createCache<string>(createHandClock(), 1_000, 100);
  const fail = async () => Promise.reject(new Error('no'));
  await expect(cache.get('a', fail)).rejects.toThrow('no');
  expect(await cache.get('a', async () => 'one')).toBe('one');
  cache.forget('a');
  expect(await cache.get('a', async () => 'two')).toBe('two');
});

test('when a look-up fails, what was known before is believed for a little longer', async () => {
  const clock = createHandClock();
  const cache = createCache<string>(clock, 1_000, 100);
  const { lookUp, asked } = counted(['one', 'two']);
  await cache.get('a', lookUp);
  clock.pass(5_000);
  expect(await cache.get('a', async () => Promise.reject(new Error('no')))).toBe('one');
  expect(await cache.get('a', lookUp)).toBe('one');
  clock.pass(100);
  expect(await cache.get('a', lookUp)).toBe('two');
  expect(asked()).toBe(2);
});

test('for what lets people do something, what was known before does not count when a look-up fails', async () => {
  const clock = createHandClock();
  const cache = createCache<string>(clock, 1_000, 100, false);
  await cache.get('a', async () => 'one');
  clock.pass(1_000);
  const fail = async () => Promise.reject(new Error('no'));
  await expect(cache.get('a', fail)).rejects.toThrow('no');
  expect(await cache.get('a', async () => 'two')).toBe('two');
});
