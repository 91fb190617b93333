import { Worker } from 'node:worker_threads';
import type { Drawing, Drawings, PageDrawing } from '../../ports/drawings.ts';
import { graphOf } from '../../render/pictures/index.ts';
import type { Wanted } from './worker.ts';

/** Longest time for one picture, in milliseconds: a flow may have hundreds of steps and thousands of edges. */
const LONGEST_MS = 20_000;

/** Pictures, made beside everything else. */
export interface PictureMaker extends Drawings {
  close(): Promise<void>;
}

/** Draws flows and runs, without a browser, one after the other on a thread that begins with the first one. */
export function createDrawings(): PictureMaker {
  let thread: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function make<T>(wanted: Wanted): Promise<T> {
    const made = last.then(() => draw<T>(wanted));
    last = made.catch(() => undefined);
    return made;
  }

  async function draw<T>(wanted: Wanted): Promise<T> {
    // The published package has no TypeScript.
    const file = import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js';
    const worker = thread ?? new Worker(new URL(file, import.meta.url));
    thread = worker;
    // Nobody waits for pictures before the process may end.
    worker.unref();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const timer = setTimeout(() => reject(new Error('The picture took too long.')), LONGEST_MS);
    const onExit = () => reject(new Error('The thread for pictures has ended.'));
    worker.on('message', resolve).on('error', reject).on('exit', onExit);
    try {
      worker.postMessage(wanted);
      return await promise;
    } catch (error) {
      thread = undefined;
      await worker.terminate();
      throw error;
    } finally {
      clearTimeout(timer);
      worker.off('message', resolve).off('error', reject).off('exit', onExit);
    }
  }

  return {
    flow: (plan) => make<Drawing>({ graph: graphOf(plan), as: 'png' }),
    run: (plan, state, names) =>
      make<Drawing>({ graph: graphOf(plan, state, names), status: state.status, as: 'png' }),
    forPage: (plan, run) =>
      make<PageDrawing>({
        graph: graphOf(plan, run?.state, run?.names),
        ...(run && { status: run.state.status }),
        as: 'page',
      }),
    async close() {
      await last;
      await thread?.terminate();
      thread = undefined;
    },
  };
}
