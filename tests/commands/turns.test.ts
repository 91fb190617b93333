import { describe, expect, test } from 'vitest';
import { createTurns } from '../../src/commands/turns.ts';

/** Work that ends when it is told to. */
function task(name: string, begun: string[]) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const work = async () => {
    begun.push(name);
    await promise;
    return name;
  };
  return { work, end: resolve };
}

const settle = () => new Promise(setImmediate);

describe('a line of work', () => {
  test('does so much at once, the rest in order, and urgent work first', async () => {
    const begun: string[] = [];
    const turns = createTurns(() => 2);
    const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((name) => task(name, begun));
    const done = [a, b, c, d].map((one) => turns.take(one?.work ?? (async () => ''), false));
    const urgent = turns.take(e?.work ?? (async () => ''), true);
    await settle();
    expect(begun).toEqual(['a', 'b']);
    a?.end();
    await settle();
    expect(begun).toEqual(['a', 'b', 'e']);
    for (const one of [b, c, d, e]) one?.end();
    expect(await Promise.all([...done, urgent])).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(begun).toEqual(['a', 'b', 'e', 'c', 'd']);
  });

  test('goes on when some work fails', async () => {
    const turns = createTurns(() => 1);
    const failed = turns.take(async () => Promise.reject(new Error('no')), false);
    const next = turns.take(async () => 'next', false);
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('next');
  });

  test('does more at once as soon as it may', async () => {
    let atOnce = 1;
    const begun: string[] = [];
    const turns = createTurns(() => atOnce);
    const tasks = ['a', 'b', 'c', 'd'].map((name) => task(name, begun));
    const done = tasks.map(({ work }) => turns.take(work, false));
    atOnce = 3;
    tasks[0]?.end();
    await settle();
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
    for (const { end } of tasks) end();
    await Promise.all(done);
  });

  test('whoever stands in line goes before whoever comes when more may be done at once', async () => {
    let atOnce = 1;
    const begun: string[] = [];
    const turns = createTurns(() => atOnce);
    const tasks = ['a', 'b', 'c'].map((name) => task(name, begun));
    const [a, b] = tasks.slice(0, 2).map(({ work }) => turns.take(work, false));
    await settle();
    atOnce = 2;
    const c = turns.take(tasks[2]?.work ?? (async () => ''), false);
    await settle();
    expect(begun).toEqual(['a', 'b']);
    for (const { end } of tasks) end();
    expect(await Promise.all([a, b, c])).toEqual(['a', 'b', 'c']);
  });

  test('can be closed twice', async () => {
    const turns = createTurns(() => 1);
    const { work, end } = task('a', []);
    const done = turns.take(work, false);
    const closings = [turns.close(), turns.close()];
    end();
    await Promise.all([...closings, done, turns.close()]);
  });

  test('closed, it sends away who waits, and is closed when what was begun has ended', async () => {
    const begun: string[] = [];
    const turns = createTurns(() => 1);
    const first = task('a', begun);
    const a = turns.take(first.work, false);
    const b = turns.take(task('b', begun).work, false);
    await settle();
    let isClosed = false;
    const closed = turns.close().then(() => {
      isClosed = true;
    });
    await settle();
    expect(isClosed).toBe(false);
    first.end();
    expect(await Promise.all([a, b])).toEqual(['a', undefined]);
    await closed;
    expect(begun).toEqual(['a']);
    expect(await turns.take(async () => 'late', true)).toBeUndefined();
  });
});
