import { usageWords } from '../engine/agents/usage-words.ts';
import { literal, md } from '../engine/prose.ts';
import { countsFor, dayOf, daysBefore, usedUp } from '../engine/run/day-budget.ts';
import type { SpentOn } from '../ports/store.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import { type Bot, type Caller, isAdmin, say } from './bot.ts';
import { type Command, deny, type Reply, refuse } from './command.ts';
import { isNotAllowed } from './may-start.ts';
import { words } from './typed.ts';
import { line, usageData } from './usage-told.ts';

/** Days that are told when nobody says how many. */
const DAYS = 7;
const DAYS_MAX = 366;

/** `/flow usage [days]`: what flows have used up, by flow and by day. */
export const usage: Command = {
  name: 'usage',
  options: [
    {
      name: 'days',
      summary: `How many days, with today; ${DAYS} when nothing is said.`,
      required: false,
      completes: false,
    },
  ],
  summary: 'Lists what flows and days have used up (admins).',
  async run(bot, caller, typed) {
    if (!isAdmin(bot, caller)) return deny('Only admins may see what all flows have used up.');
    const [word = String(DAYS)] = words(typed);
    const count = /^\d{1,3}$/.test(word) ? Number(word) : 0;
    if (count < 1 || count > DAYS_MAX) {
      return refuse(`Say how many days, from 1 to ${DAYS_MAX}, for example: usage 30`);
    }
    const { from, to, spent } = await spentIn(bot, count);
    const flows = grouped(spent, ({ root }) => root);
    const days = grouped(spent, ({ day }) => day);
    const data = {
      from,
      to,
      total: usageData(usedUp(spent)),
      flows: flows.map(([flow, rows]) => ({ flow, ...usageData(usedUp(rows)) })),
      days: days.map(([day, rows]) => ({ day, ...usageData(usedUp(rows)) })),
      rows: spent.map(({ day, flow, root, agent = null, usage: used }) => ({
        day,
        flow,
        root,
        agent,
        ...usageData(used),
      })),
    };
    const period = from === to ? `on ${to} (UTC)` : `from ${from} to ${to} (UTC)`;
    if (spent.length === 0) return { ok: true, content: say(md(`Nothing was used up ${period}.`)), data };
    return {
      ok: true,
      content: say(
        md(`Used up ${period}: ${usageWords(usedUp(spent))}\n\nBy flow, with its lanes:\n\n`),
        ...flows.flatMap(([flow, rows]) => line(bot.catalog.flow(flow)?.plan.name ?? flow, usedUp(rows))),
        md('\nBy day:\n\n'),
        ...days.flatMap(([day, rows]) => line(day, usedUp(rows))),
      ),
      data,
    };
  },
};

/** What a flow has used up lately, for whoever may start it: runs of it, and runs below these. */
export async function flowUsage(bot: Bot, caller: Caller, { id, plan }: LoadedFlow): Promise<Reply> {
  // What it did in other conversations is in it.
  if (caller.isOverheard) return refuse('What a flow uses up is told to you alone.');
  const why = isAdmin(bot, caller) ? undefined : await isNotAllowed(bot, plan, caller);
  if (why !== undefined) return refuse(why);
  const { to, spent } = await spentIn(bot, DAYS);
  const own = spent.filter((one) => countsFor(id, one));
  const today = usedUp(own.filter(({ day }) => day === to));
  const lately = usedUp(own);
  return {
    ok: true,
    content: say(
      md('**'),
      literal(plan.name),
      md('** has used up:\n\n'),
      ...line('today (UTC)', today),
      ...line(`in the last ${DAYS} days`, lately),
    ),
    data: {
      flow: id,
      today: usageData(today),
      lastDays: { days: DAYS, ...usageData(lately) },
      perDay: { ...plan.perDay },
    },
  };
}

/** What was used up on so many days, today being the last. */
async function spentIn(
  { clock, store }: Bot,
  count: number,
): Promise<{ readonly from: string; readonly to: string; readonly spent: readonly SpentOn[] }> {
  const to = dayOf(clock.now());
  const from = daysBefore(to, count - 1);
  return { from, to, spent: await store.spent(from, to) };
}

function grouped(
  spent: readonly SpentOn[],
  nameOf: (one: SpentOn) => string,
): readonly (readonly [name: string, rows: readonly SpentOn[]])[] {
  return [...Map.groupBy(spent, nameOf)].toSorted(([one], [other]) => (one < other ? -1 : 1));
}
