import { z } from 'zod';
import type { Bot } from '../../commands/bot.ts';
import type { Reply } from '../../commands/command.ts';
import { isAnyTheirs } from '../../commands/open-questions.ts';
import { retryTold } from '../../commands/retry-told.ts';
import { cancelRun, findRun, rerun, retryRun } from '../../commands/run-actions.ts';
import type { Sight } from '../../commands/visitor.ts';
import { isJsonObject } from '../../engine/json.ts';
import type { RunFilter, RunRow, StoredRun } from '../../ports/store.ts';
import { proseText } from '../../render/markdown/index.ts';
import { done, failed, type ProblemCode, type Result } from '../problem.ts';
import { type Asked, type Operation, operation } from './operation.ts';
import { retryPlanResource, runResource, runStatuses, runSummaryResource } from './resources.ts';
import { type RunView, runView, summaryView } from './views.ts';

/** Most runs of a list. */
const LISTED_MAX = 200;
/** Runs that are looked through at most for a page of those that somebody may see. */
const LOOKED_AT_MAX = 2_000;

const runParams = z.object({ run: z.string().describe('Id of the run.') });

type Context = Pick<Asked<unknown, unknown, unknown>, 'bot' | 'sight'>;

const listRuns = operation({
  id: 'listRuns',
  method: 'GET',
  path: '/v1/runs',
  summary: 'Lists runs, the newest first',
  access: 'viewer',
  query: z.object({
    flow: z.string().optional().describe('Only those of this flow.'),
    status: z
      .string()
      .optional()
      .describe(`Only those with one of these, separated by commas: ${runStatuses.join(', ')}; or open.`),
    mine: z.enum(['true', 'false']).optional().describe('Only those that you have started.'),
    root: z.string().optional().describe('Only those that steps of this run have started.'),
    before: z.string().optional().describe('Only those that are older than this run.'),
    limit: z.coerce
      .number()
      .int()
      .min(1)
      .max(LISTED_MAX)
      .default(50)
      .describe(`How many, at most ${LISTED_MAX}.`),
  }),
  answer: {
    schema: z.strictObject({
      runs: z.array(runSummaryResource),
      next: z.string().nullable().describe('What to send as `before` for older ones; null = there are none.'),
    }),
    what: 'The runs that you may see.',
  },
  problems: ['does-not-fit'],
  async run({ bot, sight, visitor, query }) {
    const { flow, mine, root, before, limit } = query;
    const statuses = readStatuses(query.status);
    if (!statuses.ok) return statuses;
    const { rows, next } = await seenRuns(bot, sight, limit, {
      ...(flow !== undefined && { flow }),
      ...(statuses.value && { statuses: statuses.value }),
      ...(mine === 'true' && { startedBy: visitor.person }),
      ...(root !== undefined && { root }),
      ...(before !== undefined && { before }),
    });
    return done({ runs: rows.map(summaryView), next });
  },
});

/** Runs that a visitor may see, the newest first, and what to give as `before` for older ones; null = there are none. */
export async function seenRuns(
  bot: Bot,
  sight: Sight,
  limit: number,
  filter: Omit<RunFilter, 'limit'>,
): Promise<{ readonly rows: readonly RunRow[]; readonly next: string | null }> {
  const seen: RunRow[] = [];
  let { before } = filter;
  for (let looked = 0; looked < LOOKED_AT_MAX; ) {
    const rows = await bot.store.runs({
      ...filter,
      limit: limit + 1,
      ...(before !== undefined && { before }),
    });
    looked += rows.length;
    for (const row of rows) {
      if (seen.length === limit) return { rows: seen, next: before ?? null };
      before = row.id;
      if (await sight.sees(row)) seen.push(row);
    }
    if (rows.length <= limit) return { rows: seen, next: null };
  }
  return { rows: seen, next: before ?? null };
}

/** Statuses of a list, as the API takes them: `open,failed`. */
export function readStatuses(
  written: string | undefined,
): Result<readonly (typeof runStatuses)[number][] | undefined> {
  if (written === undefined) return done(undefined);
  const words = written.split(',').map((word) => word.trim());
  const known = words.map((word) =>
    word === 'open' ? runStatuses.slice(0, 4) : runStatuses.filter((status) => status === word),
  );
  const at = known.findIndex((found) => found.length === 0);
  if (at < 0) return done(known.flat());
  const detail = `“${(words[at] ?? '').slice(0, 60)}” is no status: write open, ${runStatuses.join(', ')}.`;
  return failed('does-not-fit', detail, { errors: [{ pointer: 'status', detail }] });
}

const getRun = operation({
  id: 'getRun',
  method: 'GET',
  path: '/v1/runs/{run}',
  summary: 'Shows a run with its steps, outputs and open questions',
  access: 'viewer',
  params: runParams,
  answer: { schema: runResource, what: 'The run.' },
  problems: ['not-found'],
  run: (asked) => readRun(asked, asked.params.run),
});

const cancel = operation({
  id: 'cancelRun',
  method: 'POST',
  path: '/v1/runs/{run}/cancel',
  summary: 'Cancels a run',
  description: 'For whoever has started it, and for admins. What is under way finishes; nothing new starts.',
  access: 'runner',
  params: runParams,
  answer: { schema: runResource, what: 'The run.' },
  problems: ['not-found', 'not-allowed', 'conflict'],
  run: (asked) => act(asked, (stored) => actOn(asked, stored, cancelRun)),
});

const getRetryPlan = operation({
  id: 'getRetryPlan',
  method: 'GET',
  path: '/v1/runs/{run}/retry',
  summary: 'Shows what a retry would do',
  access: 'viewer',
  params: runParams,
  query: z.object({ from: z.string().optional().describe('Id of the step from which it runs again.') }),
  answer: { schema: retryPlanResource, what: 'What is kept and what runs again.' },
  problems: ['not-found', 'conflict'],
  async run(asked) {
    const found = await look(asked, asked.params.run);
    if (!found.ok) return found;
    const { plan, stored } = found.value;
    const retry = retryTold(plan, stored.state, asked.query.from);
    return 'refused' in retry ? failed('conflict', retry.refused) : done(retry);
  },
});

const retry = operation({
  id: 'retryRun',
  method: 'POST',
  path: '/v1/runs/{run}/retry',
  summary: 'Retries a run that has ended',
  description: 'Starts a new run that keeps what the old one had finished. A run is retried once.',
  access: 'runner',
  params: runParams,
  body: z.strictObject({
    version: z
      .enum(['same', 'current'])
      .default('same')
      .describe('The version that the run began with, or the one in force now.'),
    from: z.string().optional().describe('Id of the step from which it runs again, with all that follows.'),
  }),
  answer: { status: 201, schema: runResource, what: 'The new run.' },
  problems: ['not-found', 'not-allowed', 'conflict'],
  run: (asked) => {
    const { version, from } = asked.body;
    return act(asked, (stored) =>
      actOn(asked, stored, (bot, caller, id) => retryRun(bot, caller, id, version, from)),
    );
  },
});

const runAgain = operation({
  id: 'rerunRun',
  method: 'POST',
  path: '/v1/runs/{run}/rerun',
  summary: 'Starts a new run with the same or another input',
  access: 'runner',
  params: runParams,
  body: z.strictObject({
    input: runResource.shape.input.optional().describe('Another input instead of the same.'),
  }),
  answer: { status: 201, schema: runResource, what: 'The new run.' },
  problems: ['not-found', 'not-allowed', 'conflict', 'does-not-fit'],
  run: (asked) => {
    const { input } = asked.body;
    return act(asked, (stored) =>
      actOn(asked, stored, (bot, caller, id) => rerun(bot, caller, id, asked.event, input)),
    );
  },
});

/** A run that a visitor may see. */
export async function look(
  { bot, sight }: Context,
  id: string,
): Promise<Result<Exclude<Awaited<ReturnType<typeof findRun>>, { refused: Reply }>>> {
  const stored = await bot.store.run(id);
  const found = stored && (await findRun(bot, await sight.callerAt(stored.row.home), id));
  if (!found || 'refused' in found) return failed('not-found', `There is no run ${id.slice(0, 60)} here.`);
  return done(found);
}

/** A run with all that is known of it, for whoever may see it. */
export async function readRun(context: Context, id: string): Promise<Result<RunView>> {
  const found = await look(context, id);
  if (!found.ok) return found;
  const { stored, plan } = found.value;
  const { bot, sight } = context;
  const caller = await sight.callerAt(stored.row.home);
  const open = Object.values(stored.state.questions).filter(({ state }) => state.status === 'open');
  const theirs = await Promise.all(open.map((question) => isAnyTheirs(bot, caller, [question])));
  return done(runView(bot, stored, plan, (question) => theirs[open.indexOf(question)] === true));
}

/** Does something with a run that a visitor may see, and shows the run that comes of it. */
async function act(
  asked: Asked<z.output<typeof runParams>, unknown, unknown>,
  work: (stored: StoredRun) => Promise<Reply>,
): Promise<Result<RunView>> {
  const found = await look(asked, asked.params.run);
  if (!found.ok) return found;
  const reply = await work(found.value.stored);
  if (!reply.ok) return refusedBy(reply);
  const started = isJsonObject(reply.data) ? reply.data.run : undefined;
  return readRun(asked, typeof started === 'string' ? started : asked.params.run);
}

async function actOn(
  { bot, sight }: Context,
  { row }: StoredRun,
  work: (
    bot: Context['bot'],
    caller: Awaited<ReturnType<Context['sight']['callerAt']>>,
    id: string,
  ) => Promise<Reply>,
): Promise<Reply> {
  return work(bot, await sight.callerAt(row.home), row.id);
}

/** What a chat command refuses, as a problem. */
export function refusedBy(reply: Reply, code: ProblemCode = 'conflict'): ReturnType<typeof failed> {
  return failed(reply.denied ? 'not-allowed' : code, proseText(reply.content.prose));
}

export const runOperations: readonly Operation[] = [listRuns, getRun, cancel, getRetryPlan, retry, runAgain];
