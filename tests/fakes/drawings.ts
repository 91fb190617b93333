import type { Drawings } from '../../src/ports/drawings.ts';

/** One pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Pictures whose words say what they would show. */
export function createFakeDrawings(): Drawings {
  return {
    flow: async (plan) => ({ alt: `Flow ${plan.name}`, png }),
    run: async (plan, state) => ({ alt: `${plan.name} is ${state.status}`, png }),
  };
}
