import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../src/adapters/system/clock.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('an alarm', () => {
  test('rings once, when it is due', () => {
    const wake = vi.fn();
    systemClock.alarm(5_000, wake);
    vi.advanceTimersByTime(4_999);
    expect(wake).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(wake).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(day);
    expect(wake).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('that is due already rings soon, but not at once', () => {
    const wake = vi.fn();
    systemClock.alarm(-day, wake);
    expect(wake).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(wake).toHaveBeenCalledTimes(1);
  });

  test('C35: far beyond what Node’s timers can count does not ring early', () => {
    const wake = vi.fn();
    systemClock.alarm(30 * day, wake);
    vi.advanceTimersByTime(30 * day - 1);
    expect(wake).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(wake).toHaveBeenCalledTimes(1);
  });

  test('C35: rings within a minute when the clock was set ahead or the machine slept', () => {
    const wake = vi.fn();
    systemClock.alarm(30 * day, wake);
    vi.setSystemTime(31 * day);
    vi.advanceTimersByTime(minute);
    expect(wake).toHaveBeenCalledTimes(1);
  });

  test('C43: rings after the time that was left when the clock was set back, so that who waits can look again', () => {
    const wake = vi.fn();
    systemClock.alarm(30_000, wake);
    vi.setSystemTime(-365 * day);
    vi.advanceTimersByTime(29_999);
    expect(wake).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(wake).toHaveBeenCalledTimes(1);
  });

  test.each([0, 30_000, 10 * minute])('can be called off after %d ms', (afterMs) => {
    const wake = vi.fn();
    const cancel = systemClock.alarm(day, wake);
    vi.advanceTimersByTime(afterMs);
    cancel();
    cancel();
    vi.advanceTimersByTime(2 * day);
    expect(wake).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('tells the machine’s time', () => {
    vi.setSystemTime(1_234);
    expect(systemClock.now()).toBe(1_234);
  });
});
