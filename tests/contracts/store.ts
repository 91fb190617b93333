import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Json } from '../../src/engine/json.ts';
import type { Store } from '../../src/ports/store.ts';
import { auditTests } from './store-audit.ts';
import { cacheTests } from './store-cache.ts';
import { laneTests } from './store-lanes.ts';
import { postTests } from './store-posts.ts';
import { randomCommitsTest } from './store-random.ts';
import { runTests } from './store-runs.ts';
import {
  samplePlace as place,
  sampleCall,
  sampleContent,
  sampleDelivery,
  sampleEvent,
  sampleMove,
  sampleQuestion,
  sampleRow,
  sampleState,
} from './store-samples.ts';
import { usageTests } from './store-usage.ts';

/** A store under test. */
export interface StoreUnderTest {
  readonly store: Store;
  /** Closes the store and opens it again, as a restart does. */
  reopen(): Promise<Store>;
  dispose(): Promise<void>;
}

/** What every store promises. `make` gives an empty store each time. */
export function storeContract(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the store's promises`, () => {
    let under: StoreUnderTest;
    let store: Store;
    beforeEach(async () => {
      under = await make();
      store = under.store;
    });
    afterEach(() => under.dispose());

    runTests(() => under);
    laneTests(() => under);
    postTests(() => under);
    auditTests(() => under);
    cacheTests(() => under);
    usageTests(() => under);

    describe('all or nothing', () => {
      test.each([
        ['a conflict', { run: sampleMove('r1', 7, { calls: [sampleCall('b')] }) }, 'conflict'],
        [
          'a duplicate',
          { run: sampleMove('r2', 0, { startKey: 'k', calls: [sampleCall('b')] }) },
          'duplicate',
        ],
      ])(
        '%s stores nothing of its commit: no posts, no progress, no delivery, no begun call',
        async (_, refused, kind) => {
          await store.receive(sampleDelivery('e1'));
          await store.commit({
            run: sampleMove('r1', 0, { startKey: 'k', calls: [sampleCall('a')] }),
            posts: [{ key: 'card', target: place, content: sampleContent('one') }],
          });
          const outcome = await store.commit({
            ...refused,
            begin: [{ run: 'r1', key: 'a' }],
            posts: [
              { key: 'card', target: place, content: sampleContent('two') },
              { key: 'new', target: place, content: sampleContent('new') },
            ],
            posted: [{ key: 'card', shown: 1 }],
            delivered: ['slack:e1'],
          });
          expect(outcome.kind).toBe(kind);
          expect(await store.post('card')).toMatchObject({
            content: sampleContent('one'),
            revision: 1,
            shown: 0,
          });
          expect(await store.post('new')).toBeUndefined();
          expect(await store.undelivered()).toHaveLength(1);
          expect(await store.calls()).toEqual([{ run: 'r1', effect: sampleCall('a'), begun: false }]);
        },
      );

      test('a commit that can not be written fails alone, with all that is in it', async () => {
        const feedback = {
          get review(): string {
            throw new Error('This can not be written.');
          },
        };
        const bad = sampleState('r2', { feedback });
        const results = await Promise.allSettled([
          store.commit({ run: sampleMove('r1', 0) }),
          store.commit({
            run: sampleMove('r2', 0, { state: bad }),
            posts: [{ key: 'card', target: place, content: sampleContent('one') }],
          }),
          store.receive(sampleDelivery('e1')),
        ]);
        expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
        expect((await store.runs({ limit: 10 })).map(({ id }) => id)).toEqual(['r1']);
        expect(await store.post('card')).toBeUndefined();
        expect(await store.undelivered()).toHaveLength(1);
      });
    });

    describe('many at once', () => {
      const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

      test('of 200 moves from one revision, exactly one wins', async () => {
        await store.commit({ run: sampleMove('r1', 0) });
        const move = (name: number) => sampleMove('r1', 1, { events: [sampleEvent(name)] });
        const outcomes = await Promise.all(upTo(200).map((name) => store.commit({ run: move(name) })));
        expect(outcomes.filter(({ kind }) => kind === 'committed')).toEqual([
          { kind: 'committed', revision: 2 },
        ]);
        expect(outcomes.filter(({ kind }) => kind === 'conflict')).toHaveLength(199);
        expect(await store.journal('r1')).toHaveLength(1);
      });

      test('twenty who move one run until they win once each win another revision', async () => {
        const moveOnce = async (): Promise<number> => {
          for (;;) {
            const revision = (await store.run('r1'))?.revision ?? 0;
            const run = sampleMove('r1', revision, { events: [sampleEvent(revision + 1)] });
            const outcome = await store.commit({ run });
            if (outcome.kind === 'committed') return outcome.revision;
          }
        };
        const revisions = await Promise.all(upTo(20).map(moveOnce));
        expect(revisions.toSorted((a, b) => a - b)).toEqual(upTo(20));
        expect(await store.journal('r1')).toEqual(upTo(20).map((atMs) => sampleEvent(atMs)));
      });

      test('moves of many runs all land', async () => {
        const ids = Array.from({ length: 100 }, (_, index) => `r${index}`);
        const live = async (id: string) => {
          for (let revision = 0; revision < 5; revision += 1) {
            await store.commit({ run: sampleMove(id, revision, { events: [sampleEvent(revision, id)] }) });
          }
        };
        await Promise.all(ids.map(live));
        for (const id of ids) {
          expect(await store.journal(id)).toEqual([0, 1, 2, 3, 4].map((atMs) => sampleEvent(atMs, id)));
        }
      });

      test('what was asked for before closing is stored', async () => {
        const asked = ['r1', 'r2', 'r3'].map((id) => store.commit({ run: sampleMove(id, 0) }));
        store = await under.reopen();
        expect((await Promise.all(asked)).map(({ kind }) => kind)).toEqual([
          'committed',
          'committed',
          'committed',
        ]);
        expect(await store.runs({ limit: 10 })).toHaveLength(3);
      });
    });

    describe('data', () => {
      const deep = (levels: number): Json => (levels === 0 ? 'bottom' : { down: [deep(levels - 1)] });
      const odd: readonly (readonly [string, Json])[] = [
        ['NUL', 'a\u0000b'],
        ['lone surrogates', '\ud800 and \udfff'],
        ['emoji', '👩‍👩‍👧 e\u0301'],
        ['line ends and quotes', '\r\n\u2028"\'\\'],
        ['1 MB of text', 'é\n'.repeat(500_000)],
        ['deep data', deep(200)],
        ['dangerous names', JSON.parse('{"__proto__":{"a":1},"constructor":2,"":3}')],
        ['numbers', [0, -1.5, 1e300, 5e-324, Number.MAX_SAFE_INTEGER]],
      ];

      test.each(odd)('%s comes back as it was, from everywhere', async (_, data) => {
        const text = typeof data === 'string' ? data : JSON.stringify(data);
        const output = { text, json: { data } };
        const state = sampleState('r1', { reason: text });
        const row = sampleRow('r1', { startedBy: { platform: 'slack', id: 'U1', name: text } });
        const question = sampleQuestion('q1', 'r1', { title: text });
        const part = { index: 0, part: data, intentAtMs: 1 };
        const event = sampleEvent(1, text);
        const questions = { open: [question], closed: [] };
        await store.saveVersion('v1', data);
        await store.receive(sampleDelivery('e1', text));
        await store.commit({
          run: sampleMove('r1', 0, { row, state, outputs: [['a', output]], events: [event], questions }),
          posts: [{ key: 'card', target: place, content: sampleContent(text) }],
          posted: [{ key: 'card', parts: [part], failed: text }],
        });
        store = await under.reopen();
        // As JSON, which sees every difference; a failing comparison should not print a megabyte.
        const same = (found: unknown, given: unknown) =>
          expect(JSON.stringify(found) === JSON.stringify(given)).toBe(true);
        same(await store.version('v1'), data);
        same((await store.undelivered())[0]?.event, sampleDelivery('e1', text).event);
        const run = await store.run('r1');
        same(run?.state.outputs, { a: output });
        same(run?.state.reason, text);
        same(run?.row.startedBy?.name, text);
        same(await store.journal('r1'), [event]);
        same((await store.openQuestions(1))[0]?.title, text);
        const post = await store.post('card');
        same(post?.content, sampleContent(text));
        same(post?.parts, [part]);
        same(post?.failed, text);
      });

      test('what was read can be changed without changing what is stored', async () => {
        const feedback = { review: 'one' };
        const commit = store.commit({ run: sampleMove('r1', 0, { state: sampleState('r1', { feedback }) }) });
        await commit;
        feedback.review = 'two';
        expect((await store.run('r1'))?.state.feedback).toEqual({ review: 'one' });
        expect((await store.run('r1'))?.state).not.toBe((await store.run('r1'))?.state);
      });
    });

    randomCommitsTest(make);

    test('closing twice is fine', async () => {
      await store.close();
      await store.close();
    });
  });
}
