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
    forPage: async (plan, run) => ({
      alt: run ? `${plan.name} is ${run.state.status}` : `Flow ${plan.name}`,
      svg: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"></svg>',
    }),
  };
}
