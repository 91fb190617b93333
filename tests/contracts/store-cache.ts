import { beforeEach, describe, expect, test } from 'vitest';
import { CACHED_MAX, CACHED_MAX_CHARS, CACHED_USE_MS, type Store } from '../../src/ports/store.ts';
import type { StoreUnderTest } from './store.ts';

/** What stores promise about outputs that are kept to be used again. */
export function cacheTests(under: () => StoreUnderTest): void {
  let store: Store;
  beforeEach(() => {
    store = under().store;
  });

  describe('kept outputs', () => {
    const output = (text: string) => ({ text, json: { list: [1.5, null, 'a\u0000\ud800'] } });
    /** Keeps so many outputs, all at the same time. */
    const fill = (count: number, name: string, nowMs: number) =>
      Promise.all(
        Array.from({ length: count }, (_, index) => store.keepCached(`${name}${index}`, output(''), nowMs)),
      );

    test('come back as they were, over restarts; the last one under a key counts', async () => {
      await store.keepCached('a', output('old'), 1_000);
      await store.keepCached('b', output('b'), 1_000);
      await store.keepCached('a', output('new'), 1_000);
      store = await under().reopen();
      expect(await store.cached('a', 1_000)).toEqual(output('new'));
      expect(await store.cached('b', 1_000)).toEqual(output('b'));
      expect(await store.cached('constructor', 1_000)).toBeUndefined();
    });

    test('may be as long as the limit, and not a character longer', async () => {
      const sized = (chars: number) => ({
        text: 'é'.repeat(chars - '{"text":"","json":{}}'.length),
        json: {},
      });
      await store.keepCached('fits', sized(CACHED_MAX_CHARS), 1_000);
      await store.keepCached('long', sized(CACHED_MAX_CHARS + 1), 1_000);
      await store.keepCached('fits', sized(CACHED_MAX_CHARS + 1), 1_000);
      expect(JSON.stringify(await store.cached('fits', 1_000))).toHaveLength(CACHED_MAX_CHARS);
      expect(await store.cached('long', 1_000)).toBeUndefined();
    });

    test('go when there are too many: first those used longest ago, and a read is a use', async () => {
      await store.keepCached('unused', output('unused'), 1_000);
      await store.keepCached('read', output('read'), 1_000);
      await store.keepCached('read too soon', output('read too soon'), 1_001);
      await store.keepCached('kept again', output('kept'), 1_000);
      await fill(CACHED_MAX - 5, 'f', 2_000);
      expect(await store.cached('read', 1_000 + CACHED_USE_MS)).toEqual(output('read'));
      expect(await store.cached('read too soon', 1_000 + CACHED_USE_MS)).toEqual(output('read too soon'));
      await store.keepCached('kept again', output('kept again'), 2_000);
      const theirs = async () => {
        const keys = ['unused', 'read', 'read too soon', 'kept again', 'f0', 'f1'];
        const found = await Promise.all(keys.map((key) => store.cached(key, 0)));
        return keys.filter((_, at) => found[at] !== undefined);
      };

      await fill(1, 'g', 2_001);
      expect(await theirs()).toEqual(['unused', 'read', 'read too soon', 'kept again', 'f0', 'f1']);
      await fill(1, 'h', 2_001);
      expect(await theirs()).toEqual(['read', 'read too soon', 'kept again', 'f0', 'f1']);
      await fill(1, 'i', 2_001);
      expect(await theirs()).toEqual(['read', 'kept again', 'f0', 'f1']);
      await fill(2, 'j', 2_001);
      store = await under().reopen();
      expect(await theirs()).toEqual(['read', 'f1']);
    }, 30_000);

    test('are as old as they were when a clock is set back', async () => {
      await store.keepCached('a', output('a'), 5_000);
      await fill(CACHED_MAX - 1, 'f', 4_000);
      await store.keepCached('a', output('b'), 1_000);
      await store.keepCached('new', output('new'), 6_000);
      expect(await store.cached('a', 1_000)).toEqual(output('b'));
      expect(await store.cached('f0', 1_000)).toBeUndefined();
    }, 30_000);

    test('what was read can be changed without changing what is kept', async () => {
      await store.keepCached('a', output('a'), 1_000);
      const found = await store.cached('a', 1_000);
      expect(found).not.toBe(await store.cached('a', 1_000));
    });
  });
}
