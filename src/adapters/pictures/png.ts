import { createRequire } from 'node:module';
import { renderAsync } from '@resvg/resvg-js';

const require = createRequire(import.meta.url);
/** The font comes along, so that a picture is the same on every machine; for what it lacks the machine's are used. */
const fontFiles = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'].map((file) =>
  require.resolve(`dejavu-fonts-ttf/ttf/${file}`),
);
/** Longest side of a picture, in pixels. */
const SIDE_MAX_PX = 4_000;
/** How much finer than written small pictures are made, for screens with fine dots. */
const SCALE = 2;

/** Turns a picture into PNG, on another thread. @param picture `svg` with its size in pixels */
export async function pngOf(picture: {
  readonly svg: string;
  readonly widthPx: number;
  readonly heightPx: number;
}): Promise<Uint8Array> {
  const { svg, widthPx, heightPx } = picture;
  const scale = Math.min(SCALE, SIDE_MAX_PX / Math.max(widthPx, heightPx));
  const image = await renderAsync(svg, {
    fitTo: { mode: 'width', value: Math.max(1, Math.round(widthPx * scale)) },
    font: { fontFiles, loadSystemFonts: true, defaultFontFamily: 'DejaVu Sans' },
  });
  return image.asPng();
}
