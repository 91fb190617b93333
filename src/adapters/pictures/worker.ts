import { parentPort } from 'node:worker_threads';
import { draw, type Graph } from '../../render/pictures/index.ts';
import { pngOf } from './png.ts';

/** What the thread is asked: a graph, and the status of the run that it shows. */
export interface Wanted {
  readonly graph: Graph;
  readonly status?: string;
}

// A picture at a time: whoever asks waits for the one before.
parentPort?.on('message', async ({ graph, status }: Wanted) => {
  const picture = draw(graph, status);
  parentPort?.postMessage({ alt: picture.alt, png: await pngOf(picture) });
});
