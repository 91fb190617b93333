import { statSync } from 'node:fs';
import { join } from 'node:path';
import { heapNow, inFolder, loaded, openSetting, percentile, startRun } from './setting.ts';

/** What many runs cost that wait for a person. */
export interface PausedFigures {
  /** From opening the file until any of them can be answered, in milliseconds. */
  readonly openMs: number;
  readonly answerP50Ms: number;
  readonly answerP99Ms: number;
  readonly heapBytesPerRun: number;
  readonly fileBytesPerRun: number;
}

const ANSWERS = 500;

/** Lets runs wait at an approval, starts a new process' worth of runner on the file, and answers some of them. */
export async function pausedRuns(runs: number): Promise<PausedFigures> {
  const flow = loaded({
    id: 'paused',
    steps: { ask: { type: 'approval' }, after: { type: 'template', text: 'done' } },
    edges: ['ask.approved -> after'],
  });
  return inFolder(async (folder) => {
    const file = join(folder, 'flowbot.db');
    const first = await openSetting(file);
    await first.runner.plans.add(flow.version, flow.definition, flow.plan);
    const ids: string[] = [];
    let left = runs;
    const lane = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        ids.push(await startRun(first, flow, {}));
      }
    };
    await Promise.all(Array.from({ length: 64 }, lane));
    await first.close();

    const fileBytesPerRun = statSync(file).size / runs;
    const heapBefore = heapNow();
    const openStart = performance.now();
    const second = await openSetting(file);
    await second.runner.resume();
    const openMs = performance.now() - openStart;
    const heapBytesPerRun = Math.max(0, heapNow() - heapBefore) / runs;

    const answerMs: number[] = [];
    for (const run of ids.slice(0, ANSWERS)) {
      const startMs = performance.now();
      await second.runner.runs.dispatch(run, () => ({
        event: {
          type: 'question.answered',
          atMs: Date.now(),
          question: `${run}.1`,
          action: 'approve',
          feedback: '',
          by: { platform: 'bench', id: 'ana', name: 'Ana' },
        },
        result: undefined,
      }));
      answerMs.push(performance.now() - startMs);
    }
    const done = await second.store.runs({ statuses: ['succeeded'], limit: ANSWERS + 1 });
    if (done.length !== ANSWERS)
      throw new Error(`${done.length} of ${ANSWERS} answered runs have succeeded.`);
    await second.close();
    return {
      openMs,
      answerP50Ms: percentile(answerMs, 0.5),
      answerP99Ms: percentile(answerMs, 0.99),
      heapBytesPerRun,
      fileBytesPerRun,
    };
  });
}
