/** Size of text in pictures, in pixels. */
export const FONT_PX = 13;
const ELLIPSIS = '…';
const segments = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** What a font does not show, or what would turn the text around it. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}]/gu;

/** A text as pictures can show it: one line, and nothing that turns what stands beside it. */
export function plainLine(text: string): string {
  return text.toWellFormed().replace(/\s+/gu, ' ').replace(unseen, '').trim();
}

/** About how wide a text is, rather more than less, in pixels. @param sizePx of its letters */
export function widthOf(text: string, sizePx = FONT_PX): number {
  return [...segments.segment(text)].reduce((sum, { segment }) => sum + emOf(segment), 0) * sizePx;
}

/** Widths in the font's size, of bold DejaVu Sans, which is wider than most. */
function emOf(grapheme: string): number {
  if (/^[ .,:;|!'ijlI[\]()/\\tf-]$/.test(grapheme)) return 0.44;
  if (/^[mwMW@%]$/.test(grapheme)) return 1.11;
  if (/^[A-Z&#+=<>~^]$/.test(grapheme)) return 0.86;
  if (/^[\x20-\x7e]/.test(grapheme)) return 0.7;
  if (/^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u.test(grapheme)) return 0.88;
  return 1.2;
}

/** Size of labels, in pixels. */
export const LABEL_FONT_PX = 11;
/** Widest text of a label, in pixels. */
export const LABEL_MAX_PX = 200;

/** How wide a label is with the room around it, in pixels. */
export function labelWidth(text: string): number {
  return Math.min(widthOf(plainLine(text), LABEL_FONT_PX), LABEL_MAX_PX) + 8;
}

/** The beginning of a text that is no wider, with an ellipsis where something is left out. */
export function cutTo(text: string, maxPx: number, sizePx = FONT_PX): string {
  if (widthOf(text, sizePx) <= maxPx) return text;
  let kept = '';
  for (const { segment } of segments.segment(text)) {
    if (widthOf(kept + segment + ELLIPSIS, sizePx) > maxPx) break;
    kept += segment;
  }
  return kept.trimEnd() + ELLIPSIS;
}

/** A text in lines, broken between words where it can be; the last one is cut when there are too many. */
export function wrap(text: string, maxPx: number, linesMax: number): readonly string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest !== '' && lines.length < linesMax - 1 && widthOf(rest) > maxPx) {
    let fits = '';
    for (const word of rest.split(' ')) {
      const longer = fits === '' ? word : `${fits} ${word}`;
      if (widthOf(longer) > maxPx) break;
      fits = longer;
    }
    if (fits === '') break;
    lines.push(fits);
    rest = rest.slice(fits.length).trimStart();
  }
  return rest === '' ? lines : [...lines, cutTo(rest, maxPx)];
}

/** A text between the tags or quotes of XML. */
export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
