import type { Bot } from '../../commands/bot.ts';
import { dollars } from '../../engine/agents/usage-words.ts';
import { dayOf, daysBefore, usedUp } from '../../engine/run/day-budget.ts';
import type { SpentOn } from '../../ports/store.ts';
import { barPlot, SERIES_MAX } from '../../render/plots/bars.ts';
import { type Content, type Html, html, markup } from './html.ts';
import { table } from './parts.ts';

/** What was used up in some days. */
export interface Spent {
  /** All days, those without anything, too. */
  readonly days: readonly string[];
  readonly rows: readonly SpentOn[];
}

/** What was used up on so many days, today (UTC) being the last. */
export async function spentOn({ clock, store }: Bot, count: number): Promise<Spent> {
  const to = dayOf(clock.now());
  const days = Array.from({ length: count }, (_, index) => daysBefore(to, count - 1 - index));
  return { days, rows: await store.spent(days[0] ?? to, to) };
}

/** Cost and tokens by day, stacked by what `nameOf` says of each row; the smallest ones together. */
export function spendPlots(spent: Spent, nameOf: (row: SpentOn) => string): Html {
  if (spent.rows.length === 0) return html`<p class="empty">Nothing was used up in these days.</p>`;
  const unknown = usedUp(spent.rows).unpriced;
  const plot = (title: string, amountOf: (row: SpentOn) => number, inWords: (amount: number) => string) =>
    markup(barPlot({ title, days: spent.days, series: seriesOf(spent, nameOf, amountOf), inWords }));
  return html`<div class="columns">
<figure><figcaption>Cost by day${unknown > 0 && html`, as far as it is known: that of ${unknown.toLocaleString('en')} pieces of work is not`}</figcaption>${plot('Cost by day', ({ usage }) => usage.costUsd, dollars)}</figure>
<figure><figcaption>Tokens by day</figcaption>${plot(
    'Tokens by day',
    ({ usage }) => usage.tokens,
    (count) => Math.round(count).toLocaleString('en'),
  )}</figure>
</div>`;
}

function seriesOf(
  { days, rows }: Spent,
  nameOf: (row: SpentOn) => string,
  amountOf: (row: SpentOn) => number,
): readonly { readonly name: string; readonly amounts: readonly number[] }[] {
  const sum = (some: readonly SpentOn[]) => some.reduce((all, row) => all + amountOf(row), 0);
  const groups = [...Map.groupBy(rows, nameOf)]
    .filter(([, some]) => sum(some) > 0)
    .toSorted(([, one], [, other]) => sum(other) - sum(one));
  const own = groups.length > SERIES_MAX ? groups.slice(0, SERIES_MAX - 1) : groups;
  const rest = groups.slice(own.length).flatMap(([, some]) => some);
  const named: readonly (readonly [string, readonly SpentOn[]])[] =
    rest.length > 0 ? [...own, ['all others', rest]] : own;
  return named.map(([name, some]) => ({
    name,
    amounts: days.map((day) => sum(some.filter((row) => row.day === day))),
  }));
}

/** What was used up, a line for each group of rows; what is unknown is never nothing. */
export function spendTable(
  title: string,
  { rows }: Spent,
  groupOf: (row: SpentOn) => string,
  shown: (group: string) => Content,
): Html {
  const lines = [...Map.groupBy(rows, groupOf)].map(([group, some]) => {
    const { tokens, turns, toolCalls, costUsd, unpriced } = usedUp(some);
    return [
      shown(group),
      tokens.toLocaleString('en'),
      turns.toLocaleString('en'),
      toolCalls.toLocaleString('en'),
      unpriced > 0 && costUsd === 0 ? 'unknown' : dollars(costUsd),
      unpriced > 0 && unpriced.toLocaleString('en'),
    ];
  });
  const heads = [title, 'Tokens', 'Turns', 'Tool calls', 'Known cost', 'Work of unknown cost'];
  return html`<h3>${title}</h3>${table(title, heads, lines, 'Nothing was used up.')}`;
}
