import { describe, expect, it } from 'vitest';
import { waitUntil } from '../../../src/adapters/system/wait.ts';
import { createHandClock } from '../../fakes/clock.ts';

describe('a wait until a time', () => {
  it('ends when the time has come, and leaves nothing behind', async () => {
    const clock = createHandClock(0);
    const leaving = new AbortController();
    const waiting = waitUntil(clock, 1_000, leaving.signal);
    clock.pass(1_000);
    expect(await waiting).toBe(true);
    expect(clock.nextMs()).toBeUndefined();
  });

  it('ends before that when nobody waits any more', async () => {
    const clock = createHandClock(0);
    const leaving = new AbortController();
    const waiting = waitUntil(clock, 1_000, leaving.signal);
    leaving.abort();
    expect(await waiting).toBe(false);
    expect(clock.nextMs()).toBeUndefined();
  });

  it('sets no alarm for a time that has been, or once nobody waits', async () => {
    const clock = createHandClock(5_000);
    expect(await waitUntil(clock, 5_000, new AbortController().signal)).toBe(true);
    expect(await waitUntil(clock, 9_000, AbortSignal.abort())).toBe(false);
    expect(clock.nextMs()).toBeUndefined();
  });
});
