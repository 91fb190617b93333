import type { Ids } from '../../src/ports/ids.ts';

/** Ids in order: `k000000001`, `k000000002`, … */
export function createCountingIds(letter = 'k'): Ids {
  let made = 0;
  return {
    next() {
      made += 1;
      return `${letter}${String(made).padStart(9, '0')}`;
    },
  };
}
