import { cutTo, escapeXml, plainLine, widthOf } from '../pictures/text.ts';

/** A plot of amounts by day: one bar a day, in it a part for each series. */
export interface Bars {
  readonly title: string;
  /** In order, each as `2026-11-30`. At least one. */
  readonly days: readonly string[];
  /** What the parts of a bar are, from below; at most `SERIES_MAX`. Amounts are by the position of their day, none below 0. */
  readonly series: readonly { readonly name: string; readonly amounts: readonly number[] }[];
  /** An amount for people: `$0.12`. */
  readonly inWords: (amount: number) => string;
  /** The smallest amount that `inWords` tells from nothing: the lines of the plot stand at multiples of it. */
  readonly least: number;
}

/** Most series that are told apart. */
export const SERIES_MAX = 7;

/** Narrow enough to be read on a telephone, where a plot is as wide as the page. */
const WIDTH = 480;
const HEIGHT = 200;
const [RIGHT, TOP, BOTTOM] = [8, 12, 26];
const LINES = 4;
const LEGEND_ROW = 20;
const FONT_PX = 12;
/** Room between the amounts and the bars. */
const GAP = 6;
/** Most room for amounts. */
const LEFT_MAX = 150;
/** Most days that are named. */
const NAMED_DAYS = 7;

/** Fills that differ in colour and in what is drawn into them; colours are given by the page. */
const PATTERNS = [
  '',
  'M0 8L8 0',
  'M0 4H8',
  'M0 0L8 8',
  'M4 0V8',
  'M0 8L8 0M0 0L8 8',
  'M0 4H8M4 0V8',
] as const;

/** Where everything is, and how high amounts are. */
interface Frame {
  readonly title: string;
  /** Where bars begin. */
  readonly left: number;
  /** How many days there are. */
  readonly count: number;
  /** The amount of the highest line. */
  readonly top: number;
  readonly inWords: Bars['inWords'];
}

/**
 * Draws it as SVG: no scripts and no styles; colours are `--plot-1` to `--plot-7`, `--plot-mark`, `--plot-line` and
 * `--plot-text`. Texts are cut to what there is room for.
 */
export function barPlot({ title, days, series, inWords, least }: Bars): string {
  const shown = series.slice(0, SERIES_MAX);
  const totals = days.map((_, day) => sum(shown.map(({ amounts }) => amounts[day] ?? 0)));
  const top = niceStep(Math.max(...totals) / LINES, least) * LINES;
  const labels = Array.from({ length: LINES + 1 }, (_, index) => inWords((top * index) / LINES));
  const left = GAP + Math.min(LEFT_MAX, Math.max(...labels.map((label) => widthOf(label, FONT_PX))));
  const frame: Frame = { title, left: round(left + GAP), count: days.length, top, inWords };
  const height = HEIGHT + LEGEND_ROW * shown.length;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 ${WIDTH} ${height}" role="img" font-size="${FONT_PX}">`,
    `<title>${asText(title)}</title><desc>${asText(alt(title, days, totals, inWords))}</desc>`,
    `<defs>${shown.map((_, index) => pattern(title, index)).join('')}</defs>`,
    ...labels.map((label, index) => line(frame, label, (top * index) / LINES)),
    ...dayLabels(frame, days),
    ...days.map((day, at) => bar(frame, day, at, shown)),
    ...shown.map(({ name }, index) => legend(frame, name, index)),
    '</svg>',
  ].join('\n');
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((one, other) => one + other, 0);
}

function alt(
  title: string,
  days: readonly string[],
  totals: readonly number[],
  inWords: Bars['inWords'],
): string {
  const most = Math.max(...totals);
  const highest = most > 0 ? `; most on ${days[totals.indexOf(most)]}: ${inWords(most)}` : '';
  return `${title}, ${days[0]} to ${days.at(-1)}: ${inWords(sum(totals))} in all${highest}.`;
}

/** The least round number that is no less than either, and a multiple of `least`. */
function niceStep(step: number, least: number): number {
  const from = Math.max(step, least);
  const unit = 10 ** Math.floor(Math.log10(from));
  const isMultiple = (one: number) => Math.abs(one / least - Math.round(one / least)) < 1e-6;
  const steps = [1, 2, 2.5, 5].map((factor) => factor * unit);
  return steps.find((one) => one >= from && isMultiple(one)) ?? 10 * unit;
}

/** A text between tags, in one line. @param maxPx absent = all of it */
function asText(text: string, maxPx = Number.POSITIVE_INFINITY): string {
  return escapeXml(cutTo(plainLine(text), maxPx, FONT_PX));
}

function line({ left, top }: Frame, label: string, amount: number): string {
  const y = yOf(amount, top);
  return `<path d="M${left} ${y}H${WIDTH - RIGHT}" stroke="var(--plot-line)" fill="none"/><text x="${round(left - GAP)}" y="${y + 4}" text-anchor="end" fill="var(--plot-text)">${asText(label, LEFT_MAX)}</text>`;
}

function dayLabels(frame: Frame, days: readonly string[]): readonly string[] {
  const every = Math.ceil(days.length / NAMED_DAYS);
  return days.flatMap((day, at) => {
    const label = day.slice(5);
    const { left, width } = placeOf(frame, at);
    const middle = left + width / 2;
    const isInside = middle + widthOf(label, FONT_PX) / 2 <= WIDTH;
    if (at % every !== 0 || !isInside) return [];
    return [
      `<text x="${round(middle)}" y="${HEIGHT - 8}" text-anchor="middle" fill="var(--plot-text)">${asText(label)}</text>`,
    ];
  });
}

function bar(frame: Frame, day: string, at: number, series: Bars['series']): string {
  const { title, top, inWords } = frame;
  const { left, width } = placeOf(frame, at);
  let below = 0;
  const parts = series.map(({ name, amounts }, index) => {
    const amount = amounts[at] ?? 0;
    if (amount <= 0) return '';
    const bottom = yOf(below, top);
    below += amount;
    const y = yOf(below, top);
    const words = `${day}, ${name}: ${inWords(amount)}`;
    return `<rect x="${left}" y="${y}" width="${width}" height="${round(bottom - y)}" fill="${fillOf(title, index)}" data-amount="${amount}"><title>${asText(words)}</title></rect>`;
  });
  return parts.join('');
}

function placeOf({ left, count }: Frame, at: number): { readonly left: number; readonly width: number } {
  const room = (WIDTH - left - RIGHT) / count;
  return { left: round(left + at * room + room * 0.1), width: round(room * 0.8) };
}

function yOf(amount: number, top: number): number {
  const room = HEIGHT - TOP - BOTTOM;
  return round(TOP + room * (1 - amount / top));
}

function legend({ title, left }: Frame, name: string, index: number): string {
  const y = HEIGHT + index * LEGEND_ROW;
  const x = round(left + 22);
  return `<rect x="${left}" y="${y}" width="14" height="14" fill="${fillOf(title, index)}"/><text x="${x}" y="${y + 11}" fill="var(--plot-text)">${asText(name, WIDTH - RIGHT - x)}</text>`;
}

/** Ids are of a whole page, so that each plot has its own. */
function idOf(title: string, index: number): string {
  return `plot-${title.replaceAll(/[^A-Za-z0-9]/g, '-')}-${index}`;
}

function fillOf(title: string, index: number): string {
  return `url(#${idOf(title, index)})`;
}

function pattern(title: string, index: number): string {
  const lines = PATTERNS[index] ?? '';
  const colour = `var(--plot-${index + 1})`;
  return `<pattern id="${idOf(title, index)}" width="8" height="8" patternUnits="userSpaceOnUse"><rect width="8" height="8" fill="${colour}"/>${lines === '' ? '' : `<path d="${lines}" stroke="var(--plot-mark)" stroke-width="1.5" fill="none"/>`}</pattern>`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
