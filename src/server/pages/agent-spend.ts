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

/** Rows that are drawn as one. */
interface Group {
  readonly name: string;
  readonly rows: readonly SpentOn[];
}

type AmountOf = (row: SpentOn) => number;

const costOf: AmountOf = ({ usage }) => usage.costUsd;
const tokensOf: AmountOf = ({ usage }) => usage.tokens;
const counted = (count: number) => Math.round(count).toLocaleString('en');

/** What was used up on so many days, today (UTC) being the last. */
export async function spentOn({ clock, store }: Bot, count: number): Promise<Spent> {
  const to = dayOf(clock.now());
  const days = Array.from({ length: count }, (_, index) => daysBefore(to, count - 1 - index));
  return { days, rows: await store.spent(days[0] ?? to, to) };
}

/** Cost and tokens by day, stacked by what `nameOf` says of each row; the smallest ones together. */
export function spendPlots(spent: Spent, nameOf: (row: SpentOn) => string): Html {
  if (spent.rows.length === 0) return html`<p class="empty">Nothing was used up in these days.</p>`;
  const { costUsd, tokens, unpriced } = usedUp(spent.rows);
  const groups = groupsOf(spent.rows, nameOf);
  const plot = (title: string, amountOf: AmountOf, inWords: (amount: number) => string, least: number) =>
    markup(
      barPlot({ title, days: spent.days, series: seriesOf(spent.days, groups, amountOf), inWords, least }),
    );
  const cost =
    costUsd > 0
      ? plot(unpriced > 0 ? 'Known cost by day' : 'Cost by day', costOf, dollars, 0.0001)
      : html`<p class="empty">${unpriced > 0 ? 'Nobody knows what it cost.' : 'It cost nothing.'}</p>`;
  const used =
    tokens > 0
      ? plot('Tokens by day', tokensOf, counted, 1)
      : html`<p class="empty">No tokens were used up.</p>`;
  return html`<div class="columns">
<figure><figcaption>Cost by day${unpriced > 0 && html`, as far as it is known: that of ${counted(unpriced)} ${unpriced === 1 ? 'piece' : 'pieces'} of work is not`}</figcaption>${cost}</figure>
<figure><figcaption>Tokens by day</figcaption>${used}</figure>
</div>`;
}

/**
 * Groups in the order in which they stand in all plots, the greatest first: by its part of the cost or of the tokens,
 * whichever is more.
 */
function groupsOf(rows: readonly SpentOn[], nameOf: (row: SpentOn) => string): readonly Group[] {
  const partOf = (some: readonly SpentOn[], amountOf: AmountOf) =>
    sum(some, amountOf) / Math.max(sum(rows, amountOf), Number.MIN_VALUE);
  const groups = [...Map.groupBy(rows, nameOf)]
    .map(([name, own]) => ({
      name,
      rows: own,
      part: Math.max(partOf(own, costOf), partOf(own, tokensOf)),
    }))
    .filter(({ part }) => part > 0)
    .toSorted((one, other) => other.part - one.part);
  if (groups.length <= SERIES_MAX) return groups;
  const rest = groups.slice(SERIES_MAX - 1).flatMap((group) => group.rows);
  return [...groups.slice(0, SERIES_MAX - 1), { name: 'all others', rows: rest }];
}

function seriesOf(days: readonly string[], groups: readonly Group[], amountOf: AmountOf) {
  return groups.map(({ name, rows }) => {
    const byDay = Map.groupBy(rows, ({ day }) => day);
    return { name, amounts: days.map((day) => sum(byDay.get(day) ?? [], amountOf)) };
  });
}

function sum(rows: readonly SpentOn[], amountOf: AmountOf): number {
  return rows.reduce((all, row) => all + amountOf(row), 0);
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
      counted(tokens),
      counted(turns),
      counted(toolCalls),
      unpriced > 0 && costUsd === 0 ? 'unknown' : dollars(costUsd),
      unpriced > 0 ? counted(unpriced) : 'none',
    ];
  });
  const heads = [title, 'Tokens', 'Turns', 'Tool calls', 'Known cost', 'Work of unknown cost'];
  return html`<h3>${title}</h3>${table(title, heads, lines, 'Nothing was used up.')}`;
}
