import { parentPort } from 'node:worker_threads';
import { draw, type Graph } from '../../render/pictures/index.ts';
import { pngOf } from './png.ts';

/** What the thread is asked: a graph, the status of the run that it shows, and whether a page or a chat shows it. */
export interface Wanted {
  readonly graph: Graph;
  readonly status?: string;
  readonly as: 'png' | 'page';
}

// A picture at a time: whoever asks waits for the one before.
parentPort?.on('message', async ({ graph, status, as }: Wanted) => {
  const picture = draw(graph, status, { theme: as === 'page' ? 'page' : 'light', isLinked: as === 'page' });
  const { alt, svg } = picture;
  parentPort?.postMessage(as === 'page' ? { alt, svg } : { alt, png: await pngOf(picture) });
});
