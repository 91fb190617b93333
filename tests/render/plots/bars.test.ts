import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Bars, barPlot } from '../../../src/render/plots/bars.ts';

const days = (count: number) =>
  Array.from({ length: count }, (_, index) => new Date(index * 86_400_000).toISOString().slice(0, 10));
const inWords = (amount: number) => `$${amount}`;

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

describe('a plot of bars', () => {
  test('says in words what it shows, and has a line and a word for each amount', () => {
    const svg = barPlot({
      title: 'Cost by day',
      days: ['2026-11-29', '2026-11-30'],
      series: [
        { name: 'writer', amounts: [1, 3] },
        { name: 'sorter', amounts: [0, 1] },
      ],
      inWords,
    });
    expect(svg).toContain(
      '<desc>Cost by day, 2026-11-29 to 2026-11-30: $5 in all; most on 2026-11-30: $4.</desc>',
    );
    expect(svg).toContain('<title>2026-11-30, sorter: $1</title>');
    expect([...svg.matchAll(/text-anchor="end"[^>]*>([^<]+)</g)].map(([, text]) => text)).toEqual([
      '$0',
      '$1',
      '$2',
      '$3',
      '$4',
    ]);
    expect(svg).toMatch(/role="img"/);
  });

  test('hostile names are text', () => {
    const svg = barPlot({
      title: '<b>"',
      days: days(1),
      series: [{ name: '"><script>alert(1)</script>', amounts: [1] }],
      inWords,
    });
    expect(svg).not.toMatch(/<script|<b>/);
  });

  test('each amount has a bar, and nothing leaves the picture', () => {
    const amount = fc.oneof(fc.constant(0), fc.double({ min: 1e-6, max: 1e9, noNaN: true }));
    const plots = fc.integer({ min: 1, max: 366 }).chain((count) =>
      fc.record({
        title: fc.string(),
        days: fc.constant(days(count)),
        series: fc.array(
          fc.record({ name: fc.string(), amounts: fc.array(amount, { minLength: count, maxLength: count }) }),
          { minLength: 1, maxLength: 7 },
        ),
      }),
    );
    fc.assert(
      fc.property(plots, (plot) => {
        const bars: Bars = { ...plot, inWords };
        const svg = barPlot(bars);
        const [, width = 0, height = 0] = (/viewBox="0 0 (\d+) (\d+)"/.exec(svg) ?? []).map(Number);
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
      }),
      { numRuns: 60 },
    );
  });

  test('amounts and heights are in proportion', () => {
    const svg = barPlot({
      title: 'x',
      days: days(3),
      series: [{ name: 'a', amounts: [10, 20, 40] }],
      inWords,
    });
    const [one, two, four] = barsOf(svg).map(({ height }) => height);
    expect([(two ?? 0) / (one ?? 1), (four ?? 0) / (one ?? 1)]).toEqual([
      expect.closeTo(2, 2),
      expect.closeTo(4, 2),
    ]);
  });
});
