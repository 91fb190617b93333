import { createHash } from 'node:crypto';
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Bot } from '../../commands/bot.ts';
import { awaitedNames } from '../../commands/drawn.ts';
import { flowsFor } from '../../commands/may-start.ts';
import type { Sight } from '../../commands/visitor.ts';
import type { Json, JsonObject } from '../../engine/json.ts';
import { personAddress } from '../../engine/people.ts';
import { beginning } from '../../engine/prose.ts';
import { isFinal } from '../../engine/run/state.ts';
import { type Entry, isAtLeast } from '../access/door.ts';
import { answer } from '../api/questions.ts';
import { readRun } from '../api/runs.ts';
import type { RunView } from '../api/views.ts';
import { waitForRun } from '../api/wait.ts';
import { done, type Problem, type Result } from '../problem.ts';
import { startFor } from '../starting.ts';

/** Who calls, and with what. */
export interface McpCaller {
  readonly bot: Bot;
  readonly visitor: Entry;
  readonly sight: Sight;
  readonly event: string;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
  /** Starts under way, by what they would share with a repeat. */
  readonly starting: Map<string, Promise<Result<string>>>;
}

/** Clients give up a call after 60 s unless they are told otherwise: an answer comes before, in milliseconds. */
const WAIT_MS = 45_000;
/** Longest text of an answer, in UTF-16 units. */
const TEXT_MAX_CHARS = 20_000;
/** How long it is known that a call has started a run that has not ended, in milliseconds. */
const REPEAT_MS = 30 * 24 * 3_600_000;

const getRunArguments = z.strictObject({ run: z.string().max(100) });
const decideArguments = z.strictObject({
  question: z.string().max(100),
  action: z.string().max(100),
  comment: z.string().max(20_000).default(''),
});

const GET_RUN: Tool = {
  name: 'get_run',
  description: 'Shows where a run of a flow is, for whom it waits, and what it has given back.',
  inputSchema: {
    type: 'object',
    properties: { run: { type: 'string', description: 'Id of the run, as a flow has given it.' } },
    required: ['run'],
  },
  annotations: { readOnlyHint: true },
};

const DECIDE: Tool = {
  name: 'decide',
  description:
    'Answers an open question of a run, such as an approval. Only for somebody who has decided so: never make up a decision.',
  inputSchema: {
    type: 'object',
    properties: {
      question: { type: 'string', description: 'Id of the question, as get_run shows it.' },
      action: { type: 'string', description: 'Id of one of its actions: approve, reject and so on.' },
      comment: { type: 'string', description: 'What is said with it.' },
    },
    required: ['question', 'action'],
  },
};

/** The tools of a visitor: a flow each that says `mcp: true` and that they may start, and what belongs to its runs. */
export async function listTools({ bot, visitor, sight }: McpCaller): Promise<readonly Tool[]> {
  const flows = isAtLeast(visitor, 'runner') ? await flowsFor(bot, await sight.callerAt(undefined)) : [];
  const tools = flows
    .filter(({ flow, why }) => why === undefined && isForMcp(flow.plan))
    .map(({ flow: { id, plan } }): Tool => {
      const { name, description, input } = plan;
      return {
        name: id,
        title: name,
        description: description ?? `Starts a run of ${name}.`,
        inputSchema: { ...(input ?? { properties: {} }), type: 'object' },
      };
    });
  return [...tools, GET_RUN, ...(isAtLeast(visitor, 'approver') ? [DECIDE] : [])];
}

/** Calls a tool. What is refused is said to the model, in a sentence. */
export async function callTool(caller: McpCaller, name: string, given: JsonObject): Promise<CallToolResult> {
  const run = await called(caller, name, given);
  return run.ok ? runResult(caller.bot, run.value) : problemResult(run.problem);
}

async function called(caller: McpCaller, name: string, given: JsonObject): Promise<Result<RunView>> {
  const { bot, visitor } = caller;
  switch (name) {
    case GET_RUN.name: {
      const read = getRunArguments.safeParse(given);
      return read.success ? readRun(caller, read.data.run) : misfit('Say which run.');
    }
    case DECIDE.name: {
      if (!isAtLeast(visitor, 'approver')) return noTool(name);
      const read = decideArguments.safeParse(given);
      return read.success ? decide(caller, read.data) : misfit('Say which question, and which action.');
    }
    default: {
      const flow = bot.catalog.flow(name);
      return flow && isForMcp(flow.plan) && isAtLeast(visitor, 'runner')
        ? start(caller, name, given)
        : noTool(name);
    }
  }
}

async function decide(
  caller: McpCaller,
  { question, action, comment }: z.output<typeof decideArguments>,
): Promise<Result<RunView>> {
  return answer(caller, question, { action, comment });
}

/**
 * Starts a run and waits for it for a while. The same call again, while the run that it has started is open, gives that run:
 * clients that gave up waiting call again.
 */
async function start(caller: McpCaller, id: string, input: JsonObject): Promise<Result<RunView>> {
  const { bot, visitor, signal, starting } = caller;
  const key = `mcp/${hash([personAddress(visitor.person), id, input])}`;
  const begun = starting.get(key) ?? runOf(caller, id, input, key);
  starting.set(key, begun);
  const run = await begun.finally(() => starting.delete(key));
  if (!run.ok) return run;
  await waitForRun(bot, run.value, WAIT_MS, signal);
  return readRun(caller, run.value);
}

/** The run that a call has started and that is open; else it starts one. */
async function runOf(
  { bot, sight, event }: McpCaller,
  id: string,
  input: JsonObject,
  key: string,
): Promise<Result<string>> {
  const flow = bot.catalog.flow(id);
  if (!flow) return noTool(id);
  const nowMs = bot.clock.now();
  const known = await bot.store.passing(key, nowMs);
  const stored = typeof known === 'string' ? await bot.store.run(known) : undefined;
  if (stored && !isFinal(stored.row.status)) return done(stored.row.id);
  const startKey = `mcp:${event}`;
  const started = await startFor(bot, sight, { flow, trigger: 'mcp', input, prompt: '', startKey });
  if (!started.ok) return started;
  const { run } = started.value;
  await bot.store.keepPassing(key, run, nowMs + REPEAT_MS, nowMs);
  return done(run);
}

function isForMcp({ triggers }: { readonly triggers: readonly { readonly type: string }[] }): boolean {
  return triggers.some(({ type }) => type === 'mcp');
}

async function runResult(bot: Bot, run: RunView): Promise<CallToolResult> {
  const { id, flow, status, ok, output, reason } = run;
  const stored = await bot.store.run(id);
  const names = stored ? await awaitedNames(bot, stored.state) : new Map<string, string>();
  const questions = run.questions.map(({ id: question, title, approvers, actions }) => ({
    question,
    title,
    waitsFor: approvers?.map((address) => names.get(address) ?? address) ?? ['people of its conversation'],
    actions: actions.map((action) => action.id),
  }));
  const waiting = questions.map(
    (one) => `It waits for ${one.waitsFor.join(', ')}: “${one.title}” (question ${one.question}).`,
  );
  const words = [
    `Run ${id} of ${flow} is ${status}.`,
    ...(reason === null ? [] : [reason]),
    ...waiting,
    ...(ok === null ? [`Ask again with ${GET_RUN.name}, run ${id}.`] : []),
    ...(output === null ? [] : [typeof output === 'string' ? output : JSON.stringify(output)]),
  ];
  return {
    content: [{ type: 'text', text: beginning(words.join('\n'), TEXT_MAX_CHARS) }],
    structuredContent: { run: id, flow, status, ok, output, reason, questions },
    ...(ok === false && { isError: true }),
  };
}

function problemResult({ detail }: Problem): CallToolResult {
  return { content: [{ type: 'text', text: detail }], isError: true };
}

function noTool(name: string): Result<never> {
  return { ok: false, problem: { code: 'not-found', detail: `There is no tool ${name.slice(0, 60)} here.` } };
}

function misfit(detail: string): Result<never> {
  return { ok: false, problem: { code: 'does-not-fit', detail } };
}

/** Of the same data in whichever order its keys come. */
function hash(data: Json): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(data)))
    .digest('base64url');
}

function sorted(data: Json): Json {
  if (Array.isArray(data)) return data.map(sorted);
  if (typeof data !== 'object' || data === null) return data;
  const entries = Object.entries(data).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, value]) => [key, sorted(value)]));
}
