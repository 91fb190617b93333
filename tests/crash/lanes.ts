import { expect } from 'vitest';
import type { EndsAt } from './life.ts';
import type { Platform } from './platform.ts';
import { type Begun, type Stories, storiesOf } from './process-people.ts';

/** As many as there are cores to run on. */
const atOnce = 2;

/**
 * Lets a process die at each of these points, in homes of their own, and expects the same stories each time. Complete when
 * all that it has started has ended, also when it rejects.
 */
export async function dieAtEach(
  ends: readonly EndsAt[],
  world: {
    readonly platform: () => Promise<Platform>;
    readonly flows: readonly Begun[];
    readonly stories: Stories;
  },
): Promise<void> {
  const left = [...ends];
  const lane = async (): Promise<void> => {
    for (let endsAt = left.shift(); endsAt; endsAt = left.shift()) {
      const where = `${endsAt.nth}. point ${endsAt.of ?? ''}`;
      const life = storiesOf(await world.platform(), world.flows, endsAt);
      const { stories, crashed } = await life.catch((error: unknown) => {
        throw new Error(`Killed at the ${where}, it came to no end.`, { cause: error });
      });
      expect(stories, `killed at the ${where}`).toEqual(world.stories);
      if (endsAt.of !== undefined) expect(crashed, `nobody was killed at the ${where}`).toBe(true);
    }
  };
  const lanes = Array.from({ length: atOnce }, () =>
    lane().catch((error: unknown) => {
      // Nothing new begins, and what goes on must not outlive the test.
      left.length = 0;
      return { error };
    }),
  );
  const [failed] = (await Promise.all(lanes)).filter((outcome) => outcome !== undefined);
  if (failed) throw failed.error;
}
