import { Resvg } from '@resvg/resvg-js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { widthOf } from '../../../src/render/pictures/text.ts';
import { type Bars, barPlot } from '../../../src/render/plots/bars.ts';

const days = (count: number) =>
  Array.from({ length: count }, (_, index) => new Date(index * 86_400_000).toISOString().slice(0, 10));
const inWords = (amount: number) => `$${amount}`;
const plain = { title: 'Cost', inWords, least: 0.0001 };

/** Throws when it is no well-formed XML. */
const read = (svg: string) => new Resvg(svg, { font: { loadSystemFonts: false } });

/** Rectangles of bars, with what they stand for. */
function barsOf(svg: string) {
  const pattern =
    /<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)" fill="[^"]*" data-amount="([^"]+)">/g;
  return [...svg.matchAll(pattern)].map(([, x, y, width, height, amount]) => ({
    x: Number(x),
    y: Number(y),
    width: Number(width),
    height: Number(height),
    amount: Number(amount),
  }));
}

/** Texts that are drawn, with where they begin and end. */
function textsOf(svg: string) {
  const pattern = /<text x="([\d.]+)" y="([\d.]+)"(?: text-anchor="(\w+)")?[^>]*>([^<]*)</g;
  return [...svg.matchAll(pattern)].map(([, x, y, anchor, escaped = '']) => {
    const text = escaped.replaceAll(/&(?:lt|gt|quot|amp|#39);/g, '"');
    const before = { end: 1, middle: 0.5 }[anchor ?? ''] ?? 0;
    const left = Number(x) - widthOf(text, 12) * before;
    return { left, right: left + widthOf(text, 12), y: Number(y) };
  });
}

/** What stands at the lines, from below. */
const linesOf = (svg: string) =>
  [...svg.matchAll(/text-anchor="end"[^>]*>([^<]+)</g)].map(([, text]) => text);

const hostile = fc.oneof(
  fc.constantFrom(
    '"><script>alert(1)</script>',
    ']]>',
    '\u202Eevil',
    'a\u0000b',
    '\ud800',
    '漢'.repeat(120),
    'W'.repeat(300),
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
);
const amount = fc.oneof(fc.constant(0), fc.double({ min: 1e-6, max: 1e9, noNaN: true }));
const plots = fc.integer({ min: 1, max: 366 }).chain((count) =>
  fc.record({
    title: hostile,
    days: fc.constant(days(count)),
    series: fc.array(
      fc.record({ name: hostile, amounts: fc.array(amount, { minLength: count, maxLength: count }) }),
      { maxLength: 7 },
    ),
    inWords: fc.constantFrom(inWords, (one: number) => Math.round(one).toLocaleString('en')),
    least: fc.constantFrom(0.0001, 1),
  }),
);

describe('a plot of bars', () => {
  test('says in words what it shows, and has a line and a word for each amount', () => {
    const svg = barPlot({
      ...plain,
      title: 'Cost by day',
      days: ['2026-11-29', '2026-11-30'],
      series: [
        { name: 'writer', amounts: [1, 3] },
        { name: 'sorter', amounts: [0, 1] },
      ],
    });
    expect(svg).toContain(
      '<desc>Cost by day, 2026-11-29 to 2026-11-30: $5 in all; most on 2026-11-30: $4.</desc>',
    );
    expect(svg).toContain('<title>2026-11-30, sorter: $1</title>');
    expect(linesOf(svg)).toEqual(['$0', '$1', '$2', '$3', '$4']);
    expect(svg).toMatch(/role="img"/);
  });

  test.each([
    [1, 1, ['$0', '$1', '$2', '$3', '$4']],
    [9, 1, ['$0', '$5', '$10', '$15', '$20']],
    [95, 1, ['$0', '$25', '$50', '$75', '$100']],
    [0.000_01, 0.0001, ['$0', '$0.0001', '$0.0002', '$0.0003', '$0.0004']],
    [0.0009, 0.0001, ['$0', '$0.0005', '$0.001', '$0.0015', '$0.002']],
    [0.9, 0.0001, ['$0', '$0.25', '$0.5', '$0.75', '$1']],
    [123_456, 1, ['$0', '$50000', '$100000', '$150000', '$200000']],
  ])('lines for %f, told in steps of %f, are round', (most, least, lines) => {
    const rounded = (one: number) => `$${Number(one.toFixed(6))}`;
    const series = [{ name: 'a', amounts: [most] }];
    expect(linesOf(barPlot({ ...plain, days: days(1), series, inWords: rounded, least }))).toEqual(lines);
  });

  test('days without anything have no bar, and all of them none, but lines', () => {
    const one = barPlot({ ...plain, days: days(3), series: [{ name: 'a', amounts: [0, 5, 0] }] });
    expect(barsOf(one)).toHaveLength(1);
    const none = barPlot({ ...plain, days: days(3), series: [{ name: 'a', amounts: [0, 0, 0] }] });
    expect(barsOf(none)).toEqual([]);
    expect(none).toContain('<desc>Cost, 1970-01-01 to 1970-01-03: $0 in all.</desc>');
  });

  test('parts of a bar stand on each other and differ in more than colour', () => {
    const series = Array.from({ length: 7 }, (_, index) => ({ name: `agent ${index}`, amounts: [1] }));
    const svg = barPlot({ ...plain, days: days(1), series });
    const bars = barsOf(svg);
    for (const [index, one] of bars.slice(1).entries()) {
      expect(one.y + one.height).toBeCloseTo(bars[index]?.y ?? 0, 1);
    }
    const patterns = [
      ...svg.matchAll(/<pattern [^>]*><rect [^>]*\/>(?:<path d="([^"]*)"[^>]*\/>)?<\/pattern>/g),
    ];
    expect(new Set(patterns.map(([, drawn]) => drawn)).size).toBe(7);
  });

  test('signs that turn text and what can not be seen are left out', () => {
    const svg = barPlot({
      ...plain,
      days: days(1),
      series: [{ name: 'wri\u202eter\u0000', amounts: [1] }],
    });
    expect(svg).toContain('>writer</text>');
    expect(svg).not.toContain('\u202e');
  });

  test('is well-formed, holds no code, and nothing leaves it, whatever the names', () => {
    fc.assert(
      fc.property(plots, (plot: Bars) => {
        const svg = barPlot(plot);
        const { width, height } = read(svg);
        expect(svg).not.toMatch(/<script|style=|href/i);
        const drawn = barsOf(svg);
        expect(drawn).toHaveLength(
          plot.series.flatMap(({ amounts }) => amounts).filter((one) => one > 0).length,
        );
        for (const bar of drawn) {
          expect(bar.x).toBeGreaterThanOrEqual(0);
          expect(bar.x + bar.width).toBeLessThanOrEqual(width);
          expect(bar.y).toBeGreaterThanOrEqual(0);
          expect(bar.y + bar.height).toBeLessThanOrEqual(height);
        }
        for (const { left, right, y } of textsOf(svg)) {
          expect(left).toBeGreaterThanOrEqual(0);
          expect(right).toBeLessThanOrEqual(width);
          expect(y).toBeLessThanOrEqual(height);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('heights are in proportion to amounts', () => {
    fc.assert(
      fc.property(plots, (plot: Bars) => {
        const bars = barsOf(barPlot(plot));
        const most = bars.reduce((one, other) => (other.amount > one.amount ? other : one), {
          amount: 0,
          height: 0,
        });
        for (const { amount: own, height } of bars) {
          // Edges are drawn to a hundredth.
          expect(Math.abs(height - (most.height * own) / most.amount)).toBeLessThanOrEqual(0.025);
        }
      }),
      { numRuns: 60 },
    );
  });
});
