import { beforeEach, expect, test, vi } from 'vitest';
import { createRush, type Rush } from '../../../src/adapters/discord/rush.ts';
import { createHandClock, type HandClock } from '../../fakes/clock.ts';

let clock: HandClock;
let onBegin: () => void;
let rush: Rush;
beforeEach(() => {
  clock = createHandClock();
  onBegin = vi.fn();
  rush = createRush({ clock, most: 2, longestMs: 1_000, onBegin });
});

const people = (count: number) => Array.from({ length: count }, () => rush.begin());

/** Whether work may go on now. */
async function mayGoOn(work: Promise<void>): Promise<boolean> {
  const later = new Promise((resolve) => setTimeout(resolve, 5, 'later'));
  return (await Promise.race([work, later])) !== 'later';
}

test('work for a few people does not wait', async () => {
  people(2);
  expect(rush.isOn).toBe(false);
  expect(await mayGoOn(rush.over())).toBe(true);
  expect(onBegin).not.toHaveBeenCalled();
});

test('work for many waits until all but a few have heard, and leaves no alarm behind', async () => {
  const heard = people(4);
  const work = rush.over();
  heard[0]?.();
  expect(rush.isOn).toBe(true);
  expect(await mayGoOn(work)).toBe(false);
  heard[1]?.();
  expect(rush.isOn).toBe(false);
  expect(await mayGoOn(work)).toBe(true);
  expect(clock.nextMs()).toBeUndefined();
});

test('no work waits for longer than a second, however long a rush lasts', async () => {
  people(3);
  for (let times = 0; times < 2; times += 1) {
    const work = rush.over();
    expect(await mayGoOn(work)).toBe(false);
    clock.pass(1_000);
    expect(await mayGoOn(work)).toBe(true);
  }
});

test('a rush begins once, and again after it was over', () => {
  const heard = people(5);
  expect(onBegin).toHaveBeenCalledTimes(1);
  for (const each of heard) each();
  people(3);
  expect(onBegin).toHaveBeenCalledTimes(2);
});
