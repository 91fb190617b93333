import fc from 'fast-check';
import { expect } from 'vitest';
import { type Act, acts } from './acts.ts';
import { createPlay, type Stage } from './play.ts';
import { arbitrarySettings, flowOf, type Nameable, type Settings } from './settings.ts';

/** A stage, and how to leave it. */
export interface OpenStage extends Omit<Stage, 'settings'> {
  close?(): Promise<void>;
}

/**
 * Plays on stages of a kind, and tells as a story what was against the model. `MODEL_RUNS` and `MODEL_SEED` (a number, or
 * `random`) ask for other lives than those that are always tried.
 * @param isSlow the first failing life is told as it is: nobody waits for a shorter one
 */
export async function playAlong(
  nameable: Nameable,
  open: (flow: string) => Promise<OpenStage>,
  { numRuns, isSlow = false }: { readonly numRuns: number; readonly isSlow?: boolean },
): Promise<void> {
  const { MODEL_RUNS = numRuns, MODEL_SEED = 7 } = process.env;
  await fc.assert(
    fc.asyncProperty(arbitrarySettings(nameable), acts, async (settings, things) => {
      const stage = await open(flowOf(settings));
      try {
        await playOut({ ...stage, settings }, things);
      } finally {
        await stage.close?.();
      }
    }),
    {
      numRuns: Number(MODEL_RUNS),
      endOnFailure: isSlow,
      ...(MODEL_SEED !== 'random' && { seed: Number(MODEL_SEED) }),
    },
  );
}

/** Lets a run begin, these things happen, and all come to rest. */
async function playOut(stage: Stage, things: readonly Act[]): Promise<void> {
  const play = createPlay(stage);
  try {
    await play.act({ kind: 'start', who: 0 });
    for (const thing of things) await play.act(thing);
    await play.act({ kind: 'calm' });
    const errors = stage.world.log.lines.filter(({ level }) => level === 'error');
    expect(errors, 'nothing went wrong').toEqual([]);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error([why, '', wordsOf(stage.settings), ...play.lines.map(numbered)].join('\n'), {
      cause: error,
    });
  }
}

function wordsOf(settings: Settings): string {
  return `The flow is “${settings.shape}”: ${flowOf(settings)}`;
}

function numbered(line: string, index: number): string {
  return `${index + 1}. ${line}.`;
}
