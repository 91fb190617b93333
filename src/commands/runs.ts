import { literal, md, type ProsePiece } from '../engine/prose.ts';
import { FINAL_STATUSES, OPEN_STATUSES, type RunStatus } from '../engine/run/state.ts';
import { utcMinute } from '../engine/utc.ts';
import type { Completion } from '../ports/chat.ts';
import type { RunRow } from '../ports/store.ts';
import { type Bot, type Caller, say, seesAll } from './bot.ts';
import { type Command, refuse } from './command.ts';
import { after, flowCompletion, matching, wholeWord, wordCompletion } from './completing.ts';
import { findFlow } from './run.ts';
import { shown, words } from './typed.ts';

/** Whatever has become of a run. */
export const STATUSES: readonly RunStatus[] = [...OPEN_STATUSES, ...FINAL_STATUSES];
const SHOWN = 20;

/** `/flow runs [flow] [status]`: the newest runs of this conversation. */
export const runs: Command = {
  name: 'runs',
  options: [
    { name: 'flow', summary: 'Only runs of this flow.', required: false, completes: true },
    {
      name: 'status',
      summary: 'Only open ones, or those with this status.',
      required: false,
      completes: true,
    },
  ],
  summary: 'Lists the newest runs of this conversation.',
  looksOnly: true,
  async run(bot, caller, typed) {
    const filters = words(typed);
    const statuses = filters.flatMap((word) =>
      word === 'open' ? OPEN_STATUSES : STATUSES.filter((status) => status === word),
    );
    const word = filters.find((one) => one !== 'open' && !STATUSES.some((status) => status === one));
    const flow = word === undefined ? undefined : findFlow(bot, word)?.id;
    if (word !== undefined && flow === undefined) {
      return refuse(
        `“${shown(word)}” is neither a flow nor a status. Statuses: open, ${STATUSES.join(', ')}.`,
      );
    }
    const rows = await bot.store.runs({
      limit: SHOWN,
      ...(flow !== undefined && { flow }),
      ...(statuses.length > 0 && { statuses }),
      // The host's own command line sees every conversation, and so do most tokens.
      ...(caller.place && !seesAll(caller) && { home: caller.place }),
    });
    return {
      ok: true,
      content: rows.length === 0 ? say(md('There are no such runs here.')) : say(...rows.flatMap(line)),
      data: rows.map((row) => ({
        id: row.id,
        flow: row.flow,
        status: row.status,
        startedAt: new Date(row.startedAtMs).toISOString(),
        startedBy: row.startedBy?.name ?? null,
      })),
    };
  },
  async complete(bot, _caller, typed) {
    const statuses = ['open', ...STATUSES].map(wordCompletion);
    const named = wholeWord(typed);
    if (named && findFlow(bot, named.word)) return after(named.before, matching(named.rest, statuses));
    return matching(typed, [...bot.catalog.flows.map(flowCompletion), ...statuses]);
  },
};

/** Completion for commands that take a run: those of this conversation and your own, newest first. */
export async function completeRun(
  bot: Bot,
  caller: Caller,
  typed: string,
  statuses: readonly RunStatus[],
  may: (bot: Bot, caller: Caller, row: RunRow) => boolean,
): Promise<readonly Completion[]> {
  const filter = { statuses, limit: 100 };
  const here = await bot.store.runs({ ...filter, ...(caller.place && { home: caller.place }) });
  const own = await bot.store.runs({ ...filter, startedBy: caller.person });
  const rows = [...here, ...own].toSorted((one, other) => other.startedAtMs - one.startedAtMs);
  const seen = new Map(rows.filter((row) => may(bot, caller, row)).map((row) => [row.id, row]));
  const candidates = [...seen.values()].map(({ id, flow, status }): Completion => {
    return { typed: id, shown: `${id} · ${bot.catalog.flow(flow)?.plan.name ?? flow}, ${status}` };
  });
  return matching(typed, candidates);
}

function line(row: RunRow): readonly ProsePiece[] {
  return [
    md(`- \`${row.id}\` `),
    literal(row.flow),
    md(`: ${row.status}${row.status === 'queued' ? ' since' : ', started'} ${utcMinute(row.startedAtMs)}`),
    ...(row.startedBy ? [md(' by '), literal(row.startedBy.name)] : []),
    md('\n'),
  ];
}
