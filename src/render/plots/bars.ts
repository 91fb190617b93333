import { escapeXml } from '../pictures/text.ts';

/** A plot of amounts by day: one bar a day, in it a part for each series. */
export interface Bars {
  readonly title: string;
  /** In order, each as `2026-11-30`. At least one. */
  readonly days: readonly string[];
  /** What the parts of a bar are, from below; at most `SERIES_MAX`. Amounts are by the position of their day, none below 0. */
  readonly series: readonly { readonly name: string; readonly amounts: readonly number[] }[];
  /** An amount for people: `$0.12`. */
  readonly inWords: (amount: number) => string;
}

/** Most series that are told apart. */
export const SERIES_MAX = 7;

const WIDTH = 720;
const HEIGHT = 220;
const [LEFT, RIGHT, TOP, BOTTOM] = [64, 8, 12, 26];
const LINES = 4;
const LEGEND_ROW = 20;

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

/** Draws it as SVG: no scripts and no styles; colours are `--plot-1` to `--plot-7`, `--plot-line` and `--plot-text`. */
export function barPlot({ title, days, series, inWords }: Bars): string {
  const shown = series.slice(0, SERIES_MAX);
  const totals = days.map((_, day) => sum(shown.map(({ amounts }) => amounts[day] ?? 0)));
  const top = niceTop(Math.max(...totals, 0));
  const height = HEIGHT + LEGEND_ROW * shown.length;
  const all = sum(totals);
  const most = totals.indexOf(Math.max(...totals));
  const alt = `${title}, ${days[0]} to ${days.at(-1)}: ${inWords(all)} in all; most on ${days[most]}: ${inWords(totals[most] ?? 0)}.`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 ${WIDTH} ${height}" role="img" font-size="11">`,
    `<title>${escapeXml(title)}</title><desc>${escapeXml(alt)}</desc>`,
    `<defs>${shown.map((_, index) => pattern(title, index)).join('')}</defs>`,
    ...axis(top, inWords),
    ...dayLabels(days),
    ...days.map((day, at) => bar({ title, day, at, count: days.length, top, inWords }, shown)),
    ...shown.map(({ name }, index) => legend(title, name, index)),
    '</svg>',
  ].join('\n');
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((one, other) => one + other, 0);
}

/** The least round number of which a fourth is round, too, that holds all. */
function niceTop(most: number): number {
  if (most <= 0) return LINES;
  const unit = 10 ** Math.floor(Math.log10(most / LINES));
  const step = [1, 2, 2.5, 5, 10].find((factor) => factor * unit * LINES >= most) ?? 10;
  return step * unit * LINES;
}

function axis(top: number, inWords: Bars['inWords']): readonly string[] {
  return Array.from({ length: LINES + 1 }, (_, index) => {
    const y = yOf((top * index) / LINES, top);
    return `<path d="M${LEFT} ${y}H${WIDTH - RIGHT}" stroke="var(--plot-line)" fill="none"/><text x="${LEFT - 6}" y="${y + 4}" text-anchor="end" fill="var(--plot-text)">${escapeXml(inWords((top * index) / LINES))}</text>`;
  });
}

/** Most days that are named. */
const NAMED_DAYS = 8;

function dayLabels(days: readonly string[]): readonly string[] {
  const every = Math.ceil(days.length / NAMED_DAYS);
  return days.flatMap((day, at) => {
    if (at % every !== 0) return [];
    const { left, width } = placeOf(at, days.length);
    return [
      `<text x="${round(left + width / 2)}" y="${HEIGHT - 8}" text-anchor="middle" fill="var(--plot-text)">${escapeXml(day.slice(5))}</text>`,
    ];
  });
}

function bar(
  of: Pick<Bars, 'title' | 'inWords'> & {
    readonly day: string;
    readonly at: number;
    readonly count: number;
    readonly top: number;
  },
  series: Bars['series'],
): string {
  const { left, width } = placeOf(of.at, of.count);
  let below = 0;
  const parts = series.map(({ name, amounts }, index) => {
    const amount = amounts[of.at] ?? 0;
    if (amount <= 0) return '';
    const bottom = yOf(below, of.top);
    below += amount;
    const y = yOf(below, of.top);
    const words = `${of.day}, ${name}: ${of.inWords(amount)}`;
    return `<rect x="${left}" y="${y}" width="${width}" height="${round(bottom - y)}" fill="${fillOf(of.title, index)}" data-amount="${amount}"><title>${escapeXml(words)}</title></rect>`;
  });
  return parts.join('');
}

function placeOf(at: number, count: number): { readonly left: number; readonly width: number } {
  const room = (WIDTH - LEFT - RIGHT) / count;
  return { left: round(LEFT + at * room + room * 0.1), width: round(room * 0.8) };
}

function yOf(amount: number, top: number): number {
  const room = HEIGHT - TOP - BOTTOM;
  return round(TOP + room * (1 - amount / top));
}

function legend(title: string, name: string, index: number): string {
  const y = HEIGHT + index * LEGEND_ROW;
  return `<rect x="${LEFT}" y="${y}" width="14" height="14" fill="${fillOf(title, index)}"/><text x="${LEFT + 22}" y="${y + 11}" fill="var(--plot-text)">${escapeXml(name)}</text>`;
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
