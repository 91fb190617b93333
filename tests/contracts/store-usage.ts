import { beforeEach, describe, expect, test } from 'vitest';
import { NO_USAGE, type Usage } from '../../src/engine/agents/usage.ts';
import type { SpentOn, Store } from '../../src/ports/store.ts';
import type { StoreUnderTest } from './store.ts';
import { sampleConversation, sampleMove } from './store-samples.ts';

/** What stores promise about what runs use up, and about conversations of agents. */
export function usageTests(under: () => StoreUnderTest): void {
  let store: Store;
  beforeEach(() => {
    store = under().store;
  });

  const tokens = (count: number): Usage => ({ ...NO_USAGE, tokens: count });
  const on = (day: string, flow: string, usage: Usage, root = flow, agent?: string): SpentOn => ({
    day,
    flow,
    root,
    ...(agent !== undefined && { agent }),
    usage,
  });

  describe('what was used up', () => {
    test('is added up by day, flow, the flow at the top and agent, over restarts', async () => {
      const one: Usage = { tokens: 1_500_000_000_000, toolCalls: 2, turns: 3, costUsd: 0.1, unpriced: 1 };
      const more: Usage = { tokens: 1, toolCalls: 0, turns: 1, costUsd: 0.2, unpriced: 0 };
      await store.commit({ run: sampleMove('r1', 0), spent: on('2026-12-01', 'release', one) });
      await store.commit({ run: sampleMove('r1', 1), spent: on('2026-12-01', 'release', more) });
      await store.commit({ spent: on('2026-12-01', 'release', more, 'nightly') });
      store = await under().reopen();
      expect(await store.spent('2026-12-01', '2026-12-01')).toEqual([
        on('2026-12-01', 'release', more, 'nightly'),
        on('2026-12-01', 'release', {
          tokens: 1_500_000_000_001,
          toolCalls: 2,
          turns: 4,
          costUsd: 0.1 + 0.2,
          unpriced: 1,
        }),
      ]);
    });

    test('is listed from one day to another, both included: by day, then flow, root and agent', async () => {
      const all = [
        on('2026-11-29', 'b', tokens(1)),
        on('2026-11-30', 'a', tokens(2), 'b'),
        on('2026-11-30', 'b', tokens(3)),
        on('2026-12-01', 'a', tokens(4), 'a'),
        on('2026-12-01', 'a', tokens(5), 'b'),
        on('2026-12-01', 'a', tokens(7), 'b', 'sorter'),
        on('2026-12-01', 'a', tokens(8), 'b', 'writer'),
        on('2026-12-02', 'a', tokens(6)),
      ];
      for (const spent of all.toReversed()) await store.commit({ spent });
      expect(await store.spent('2026-11-29', '2026-12-02')).toEqual(all);
      expect(await store.spent('2026-11-30', '2026-12-01')).toEqual(all.slice(1, 7));
      expect(await store.spent('2026-12-03', '2026-12-04')).toEqual([]);
      expect(await store.spent('2026-12-01', '2026-11-30')).toEqual([]);
    });

    test('is stored with the move of its run or not at all', async () => {
      const outcome = await store.commit({
        run: sampleMove('r1', 7),
        spent: on('2026-12-01', 'a', tokens(1)),
        conversations: [{ run: 'r1', key: 'draft/1/1', conversation: sampleConversation('one') }],
      });
      expect(outcome.kind).toBe('conflict');
      expect(await store.spent('2026-12-01', '2026-12-01')).toEqual([]);
      expect(await store.conversation('r1', 'draft/1/1')).toBeUndefined();
    });
  });

  describe('conversations of agents', () => {
    test('come back as they were, over restarts; the last one of its run and key counts', async () => {
      const odd = 'a\u0000b \ud800 👩‍👩‍👧';
      const keep = (run: string, key: string, prompt: string) => ({
        run,
        key,
        conversation: sampleConversation(prompt),
      });
      await store.commit({ run: sampleMove('r1', 0), conversations: [keep('r1', 'draft/1/1', 'old')] });
      await store.commit({
        run: sampleMove('r2', 0),
        conversations: [
          keep('r2', 'draft/1/1', 'other'),
          keep('r1', 'draft/1/2', 'two'),
          keep('r1', 'draft/1/1', odd),
        ],
      });
      store = await under().reopen();
      expect(await store.conversation('r1', 'draft/1/1')).toEqual(sampleConversation(odd));
      expect(await store.conversation('r1', 'draft/1/2')).toEqual(sampleConversation('two'));
      expect(await store.conversation('r2', 'draft/1/1')).toEqual(sampleConversation('other'));
      expect(await store.conversation('r2', 'draft/1/2')).toBeUndefined();
    });

    test('of a run that is not stored are passed over', async () => {
      const conversation = sampleConversation('one');
      const outcome = await store.commit({ conversations: [{ run: 'r9', key: 'a/1/1', conversation }] });
      expect(outcome).toEqual({ kind: 'committed', revision: 0 });
      expect(await store.conversation('r9', 'a/1/1')).toBeUndefined();
    });
  });
}
