import type { Drawing, Drawings } from '../../ports/drawings.ts';
import { flowPicture, type Picture, runPicture } from '../../render/pictures/index.ts';

/** Draws flows and runs as PNG, without a browser. */
export const drawings: Drawings = {
  flow: async (plan) => drawn(flowPicture(plan)),
  run: async (plan, state, names) => drawn(runPicture(plan, state, names)),
};

async function drawn(picture: Picture): Promise<Drawing> {
  // Loaded when the first picture is made: it is large.
  const { pngOf } = await import('./png.ts');
  return { alt: picture.alt, png: await pngOf(picture) };
}
