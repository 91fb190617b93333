import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Json } from '../../src/engine/json.ts';
import type { Output } from '../../src/engine/steps/step-type.ts';
import type { Commit, PostProgress, RunRow, Store, StoredDelivery } from '../../src/ports/store.ts';
import { createMemoryStore } from '../fakes/store.ts';
import type { StoreUnderTest } from './store.ts';
import {
  type RunMove,
  sampleCall,
  sampleContent,
  sampleConversation,
  sampleDelivery,
  sampleEvent,
  sampleMove,
  sampleQuestion,
  sampleRow,
  sampleState,
} from './store-samples.ts';

/** Few names, so that random operations meet. */
const runIds = ['r1', 'r2', 'r3', 'r4'] as const;
const keys = ['a', 'b'] as const;

const runId = fc.constantFrom(...runIds);
const key = fc.constantFrom(...keys);
const someKeys = fc.uniqueArray(key);
const text = fc.string({ unit: 'binary', maxLength: 8 });
const status = fc.constantFrom('running', 'waiting', 'succeeded' as const);
const place = fc.record({ platform: fc.constantFrom('slack', 'discord'), conversation: key });

/** A run's move; `stale` = it was loaded one revision ago. */
const move = fc.record({
  id: runId,
  stale: fc.boolean(),
  startKey: fc.option(fc.constantFrom('k1', 'k2'), { nil: undefined, freq: 2 }),
  status,
  feedback: fc.dictionary(text, text, { maxKeys: 2 }),
  outputs: fc.array(
    fc.tuple(key, fc.option(fc.record({ text, json: fc.record({ data: fc.jsonValue({ maxDepth: 2 }) }) }))),
    { maxLength: 2 },
  ),
  events: fc.array(fc.tuple(fc.nat(), text), { maxLength: 3 }),
  calls: someKeys,
  timers: fc.array(fc.tuple(fc.constantFrom('t1', 't2'), fc.nat(100)), { maxLength: 2 }),
  ended: fc.uniqueArray(fc.constantFrom('a', 'b', 't1', 't2')),
  opened: fc.boolean(),
  closed: fc.boolean(),
});

const part = fc.record({ index: fc.nat(2), part: fc.jsonValue({ maxDepth: 1 }), intentAtMs: fc.nat() });

const progress = fc.record(
  { key, parts: fc.array(part, { maxLength: 2 }), shown: fc.nat(3), failed: text },
  { requiredKeys: ['key'] },
);

/** With cents, whose sums depend on their order. */
const amount = fc.nat(1_000).map((cents) => cents / 100);

const commit = fc.record(
  {
    move,
    begin: fc.array(fc.record({ run: runId, key }), { maxLength: 2 }),
    posts: fc.array(
      fc.tuple(key, place, fc.constantFrom('one', 'two')).map(([name, target, words]) => ({
        key: name,
        target,
        content: sampleContent(words),
      })),
      { maxLength: 2 },
    ),
    posted: fc.array(progress, { maxLength: 2 }),
    spent: fc.record({
      day: fc.constantFrom('2026-11-30', '2026-12-01'),
      flow: key,
      root: key,
      agent: fc.constantFrom('sorter', 'writer'),
      usage: fc.record({
        tokens: amount,
        toolCalls: amount,
        turns: amount,
        costUsd: amount,
        unpriced: amount,
      }),
    }),
    conversations: fc.array(
      fc.record({ run: runId, key, conversation: text.map((words) => sampleConversation(words)) }),
      { maxLength: 2 },
    ),
    delivered: fc.array(
      key.map((name) => `slack:${name}`),
      { maxLength: 1 },
    ),
    audit: fc.array(
      fc.record({
        type: fc.constant('flow.changed' as const),
        atMs: fc.nat(),
        flow: text,
        version: key,
      }),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: [] },
);

type RandomMove = typeof move extends fc.Arbitrary<infer T> ? T : never;
type RandomProgress = typeof progress extends fc.Arbitrary<infer T> ? T : never;
type RandomCommit = typeof commit extends fc.Arbitrary<infer T> ? T : never;

type Operation =
  | { readonly do: 'commit'; readonly commit: RandomCommit }
  | { readonly do: 'receive'; readonly delivery: StoredDelivery }
  | { readonly do: 'saveVersion'; readonly hash: string; readonly definition: Json }
  | { readonly do: 'setSwitch'; readonly flow: string; readonly enabled: boolean }
  | { readonly do: 'keepCached'; readonly key: string; readonly output: Output; readonly nowMs: number }
  | { readonly do: 'cached'; readonly key: string; readonly nowMs: number };

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant('commit' as const), commit }), weight: 8 },
  fc.record({
    do: fc.constant('receive' as const),
    delivery: fc.tuple(key, text).map(([id, words]) => sampleDelivery(id, words)),
  }),
  fc.record({
    do: fc.constant('saveVersion' as const),
    hash: key,
    definition: fc.jsonValue({ maxDepth: 2 }).map(asJson),
  }),
  fc.record({ do: fc.constant('setSwitch' as const), flow: key, enabled: fc.boolean() }),
  fc.record({
    do: fc.constant('keepCached' as const),
    key,
    output: fc.record({ text, json: fc.constant({}) }),
    nowMs: fc.nat(),
  }),
  fc.record({ do: fc.constant('cached' as const), key, nowMs: fc.nat() }),
);

/** Operations asked for at the same moment, perhaps after a restart. */
const turn = fc.record({
  restart: fc.boolean(),
  operations: fc.array(operation, { minLength: 1, maxLength: 5 }),
});

/** Random operations do to a store what they do to the store in memory, which is simple enough to be believed. */
export function randomCommitsTest(make: () => Promise<StoreUnderTest>): void {
  test('any sequence of commits leaves what a simple model says', async () => {
    const history = fc.array(turn, { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(history, async (turns) => {
        const under = await make();
        try {
          const model = createMemoryStore();
          let store = under.store;
          for (const { restart, operations } of turns) {
            if (restart) store = await under.reopen();
            const revisions = await loadRevisions(model);
            const perform = (target: Store) =>
              Promise.all(operations.map((one) => performOn(target, one, revisions)));
            expect(await perform(store)).toEqual(await perform(model));
          }
          expect(await everythingIn(await under.reopen())).toEqual(await everythingIn(model));
        } finally {
          await under.dispose();
        }
      }),
      { numRuns: 40 },
    );
  }, 60_000);
}

async function loadRevisions(store: Store): Promise<ReadonlyMap<string, number>> {
  const loaded = runIds.map(async (id) => [id, (await store.run(id))?.revision ?? 0] as const);
  return new Map(await Promise.all(loaded));
}

function performOn(store: Store, one: Operation, revisions: ReadonlyMap<string, number>): Promise<unknown> {
  switch (one.do) {
    case 'commit':
      return store.commit(commitOf(one.commit, revisions));
    case 'receive':
      return store.receive(one.delivery);
    case 'saveVersion':
      return store.saveVersion(one.hash, one.definition);
    case 'setSwitch':
      return store.setSwitch(one.flow, one.enabled);
    case 'keepCached':
      return store.keepCached(one.key, one.output, one.nowMs);
    case 'cached':
      return store.cached(one.key, one.nowMs);
  }
}

function commitOf(
  { move: random, posted, ...rest }: RandomCommit,
  revisions: ReadonlyMap<string, number>,
): Commit {
  return {
    ...rest,
    ...(posted === undefined ? {} : { posted: posted.map(progressOf) }),
    ...(random === undefined ? {} : { run: moveOf(random, revisions) }),
  };
}

function progressOf({ parts, ...progress }: RandomProgress): PostProgress {
  if (parts === undefined) return progress;
  return { ...progress, parts: parts.map((one) => ({ ...one, part: asJson(one.part) })) };
}

function moveOf(random: RandomMove, revisions: ReadonlyMap<string, number>): RunMove {
  const { id, startKey } = random;
  const revision = revisions.get(id) ?? 0;
  const question = sampleQuestion(`${id}/q`, id);
  return sampleMove(id, random.stale ? Math.max(0, revision - 1) : revision, {
    row: sampleRow(id, {
      flow: id === 'r1' ? 'release' : 'other',
      status: random.status,
      updatedAtMs: 1_000 + revision,
      ...(id === 'r3' ? {} : { startedBy: { platform: 'slack', id: 'U1', name: 'Ana' } }),
      ...(id === 'r2' ? {} : { home: { platform: 'slack', conversation: 'C1' } }),
      ...parentOf(id),
    }),
    ...(startKey === undefined ? {} : { startKey }),
    state: sampleState(id, { feedback: random.feedback }),
    outputs: random.outputs.map(([step, output]) => [
      step,
      output && { text: output.text, json: { data: asJson(output.json.data) } },
    ]),
    events: random.events.map(([atMs, timer]) => sampleEvent(atMs, timer)),
    calls: random.calls.map(sampleCall),
    timers: random.timers.map(([timer, dueMs]) => ({ key: timer, dueMs })),
    ended: random.ended,
    questions: { open: random.opened ? [question] : [], closed: random.closed ? [question.id] : [] },
  });
}

/** `r3` is a lane of `r1`, and `r4` a lane of `r3`. */
function parentOf(id: string): Pick<RunRow, 'parent'> {
  switch (id) {
    case 'r3':
      return { parent: { run: 'r1', root: 'r1' } };
    case 'r4':
      return { parent: { run: 'r3', root: 'r1' } };
    default:
      return {};
  }
}

/** All a store can tell. Timers due at the same time may come in any order. */
async function everythingIn(store: Store): Promise<unknown> {
  const each = <T>(names: readonly string[], look: (name: string) => Promise<T>) =>
    Promise.all(names.map(look));
  const timers = await store.dueTimers(1_000, 1_000);
  return {
    runs: await each(runIds, (id) => store.run(id)),
    journals: await each(runIds, (id) => store.journal(id)),
    lists: [
      await store.runs({ limit: 2 }),
      await store.runs({ flow: 'other', statuses: ['running', 'waiting'], limit: 10 }),
      await store.runs({ startedBy: { platform: 'slack', id: 'U1' }, limit: 10 }),
      await store.runs({ home: { platform: 'slack', conversation: 'C1' }, statuses: ['waiting'], limit: 10 }),
      await store.runs({ lanes: true, statuses: ['running', 'succeeded'], limit: 10 }),
      await store.runs({ root: 'r1', limit: 1 }),
      await store.runs({ root: 'r1', startedBy: { platform: 'slack', id: 'U1' }, limit: 10 }),
      await store.runs({ parent: 'r3', lanes: true, limit: 10 }),
    ],
    calls: await store.calls(),
    timers: timers.map(({ run, key: name, dueMs }) => `${dueMs} ${run} ${name}`).toSorted(),
    nextTimerMs: await store.nextTimerMs(),
    posts: await each(keys, (name) => store.post(name)),
    pendingPosts: await store.pendingPosts(),
    openQuestions: await store.openQuestions(10),
    questionRuns: await each(runIds, (id) => store.questionRun(`${id}/q`)),
    deliveries: await each(keys, (name) => store.delivery(`slack:${name}`)),
    undelivered: await store.undelivered(),
    versions: await each(keys, (hash) => store.version(hash)),
    switches: await store.switches(),
    cached: await each(keys, (name) => store.cached(name, 0)),
    spent: await store.spent('2026-11-30', '2026-12-01'),
    conversations: await each(runIds, (id) => each(keys, (name) => store.conversation(id, name))),
    audit: [await store.audit({ limit: 1_000 }), await store.auditHead()],
  };
}

/** Data as JSON carries it: without `-0`. */
function asJson(data: unknown): Json {
  return JSON.parse(JSON.stringify(data));
}
