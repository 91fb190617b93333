import { expect, test } from 'vitest';
import { randomIds } from '../../../src/adapters/system/ids.ts';

test('ids have 10 characters that can’t be mistaken for each other, and each is new', () => {
  const ids = Array.from({ length: 20_000 }, () => randomIds.next());
  for (const id of ids) expect(id).toMatch(/^[0-9a-hjkmnp-tv-z]{10}$/);
  expect(new Set(ids).size).toBe(ids.length);
});

test('all characters occur equally often', () => {
  const counts = new Map<string, number>();
  for (let made = 0; made < 20_000; made += 1) {
    for (const character of randomIds.next()) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  expect(counts.size).toBe(32);
  for (const count of counts.values()) expect(Math.abs(count - 6_250)).toBeLessThan(800);
});
