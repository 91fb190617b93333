import { expect, test } from 'vitest';
import { createSessionPace } from '../../../src/adapters/discord/connections.ts';
import { createHandClock } from '../../fakes/clock.ts';

const limit = { total: 1_000, remaining: 1_000, reset_after: 0, max_concurrency: 1 };
const managing = (session_start_limit: typeof limit) => ({
  fetchGatewayInformation: async () => ({ url: '', shards: 1, session_start_limit }),
});

/** How many sessions a connection that breaks at once begins within a day. */
async function perDay(session_start_limit: typeof limit, shards: number): Promise<number> {
  const clock = createHandClock();
  const pace = await createSessionPace(managing(session_start_limit), clock);
  const endMs = clock.now() + 24 * 3_600_000;
  const never = new AbortController().signal;
  let begun = 0;
  for (let shard = 0; shard < shards; shard += 1) void begin(shard);
  async function begin(shard: number): Promise<void> {
    for (;;) {
      await pace.waitForIdentify(shard, never);
      begun += 1;
    }
  }
  for (;;) {
    for (let tick = 0; tick < 4 * shards; tick += 1) await Promise.resolve();
    const nextMs = clock.nextMs();
    if (nextMs === undefined || nextMs > endMs) return begun;
    clock.pass(nextMs - clock.now());
  }
}

test.each([
  ['one connection', limit, 1],
  ['several that count apart', { ...limit, max_concurrency: 3 }, 3],
])('what Discord allows a day is never used up: %s', async (_, session_start_limit, shards) => {
  const begun = await perDay(session_start_limit, shards);
  expect(begun).toBeLessThan(session_start_limit.total);
  expect(begun).toBeGreaterThan(session_start_limit.total / 2);
});

test('sessions begin five seconds apart, at once where Discord counts apart', async () => {
  const clock = createHandClock();
  const pace = await createSessionPace(managing({ ...limit, max_concurrency: 2 }), clock);
  const { signal } = new AbortController();
  const begun: number[] = [];
  const all = [0, 1, 2, 3].map((shard) =>
    pace.waitForIdentify(shard, signal).then(() => void begun.push(shard)),
  );
  await Promise.resolve();
  await Promise.resolve();
  expect(begun).toEqual([0, 1]);
  clock.pass(4_999);
  await new Promise(setImmediate);
  expect(begun).toEqual([0, 1]);
  clock.pass(1);
  await Promise.all(all);
  expect(begun).toEqual([0, 1, 2, 3]);
});

test('who waits can be told to stop', async () => {
  const clock = createHandClock();
  const pace = await createSessionPace(managing(limit), clock);
  const over = new AbortController();
  await pace.waitForIdentify(0, over.signal);
  const waiting = pace.waitForIdentify(0, over.signal);
  over.abort();
  await expect(waiting).rejects.toThrow();
  expect(clock.nextMs()).toBeUndefined();
});
