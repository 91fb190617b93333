import { afterAll, expect, test } from 'vitest';
import { createDrawings } from '../../../src/adapters/pictures/index.ts';
import { pngOf } from '../../../src/adapters/pictures/png.ts';
import { fileFault } from '../../../src/engine/post-file.ts';
import { drive, post } from '../../engine/run/drive.ts';

const drawings = createDrawings();
afterAll(() => drawings.close());

/** Width and height, as the file says. */
const sizeOf = (png: Uint8Array) => {
  const view = Buffer.from(png);
  return [view.readUInt32BE(16), view.readUInt32BE(20)];
};
const square = (side: number) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}"><rect width="${side}" height="${side}" fill="#f00"/></svg>`;

test('a small picture is made twice as fine, and none is larger than 4,000 pixels', async () => {
  const made = async (side: number) =>
    sizeOf(await pngOf({ svg: square(side), widthPx: side, heightPx: side }));
  expect(await made(100)).toEqual([200, 200]);
  expect(await made(8_000)).toEqual([4_000, 4_000]);
});

test('pictures of flows and runs can be posted, with words and in any script', async () => {
  const steps = { a: { ...post, name: '漢字 and ألف and 🚀' }, b: post };
  const run = drive({ name: 'Größe', steps });
  const both = [drawings.flow(run.plan), drawings.run(run.plan, run.state, new Map())];
  for (const drawing of await Promise.all(both)) {
    const data = Buffer.from(drawing.png).toString('base64');
    expect(fileFault({ name: 'flow.png', mediaType: 'image/png', alt: drawing.alt, data })).toBeUndefined();
  }
});

test('a flow of 500 steps becomes a picture that can be posted', async () => {
  const steps = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`s${index}`, post]));
  const { png } = await drawings.flow(drive({ steps }).plan);
  expect(Math.max(...sizeOf(png))).toBeLessThanOrEqual(4_000);
  expect(png.length).toBeLessThan(4_000_000);
});
