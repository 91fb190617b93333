import { z } from 'zod';
import { isAdmin } from '../../commands/bot.ts';
import type { Reply } from '../../commands/command.ts';
import { comingTimes } from '../../commands/schedule.ts';
import { COMMANDS, runChatCommand } from '../../commands/table.ts';
import { firstWord } from '../../commands/typed.ts';
import { usageData } from '../../commands/usage-told.ts';
import { agentInWords } from '../../engine/agents/agent-words.ts';
import { readEntry } from '../../engine/audit/chain.ts';
import type { JsonObject } from '../../engine/json.ts';
import { dayOf, daysBefore } from '../../engine/run/day-budget.ts';
import { scheduleInWords } from '../../engine/schedule/words.ts';
import { proseText } from '../../render/markdown/index.ts';
import { isAtLeast } from '../access/door.ts';
import { done, failed, type Result } from '../problem.ts';
import { type Asked, type Operation, operation } from './operation.ts';
import { agentResource, auditResource, json, scheduleResource, usageDayResource } from './resources.ts';
import { refusedBy } from './runs.ts';
import { iso, personView } from './views.ts';

const listSchedules = operation({
  id: 'listSchedules',
  method: 'GET',
  path: '/v1/schedules',
  summary: 'Lists schedules with their next times',
  access: 'viewer',
  answer: {
    schema: z.strictObject({ schedules: z.array(scheduleResource) }),
    what: 'All that are in force.',
  },
  async run({ bot }) {
    return done({
      schedules: bot.schedules.all.map((one) => ({
        id: one.trigger.id,
        flow: one.flow.id,
        when: scheduleInWords(one.trigger),
        timezone: one.trigger.timezone,
        paused: one.paused
          ? {
              by: one.paused.by ? personView(one.paused.by) : null,
              why: one.paused.why,
              at: iso(one.paused.atMs),
            }
          : null,
        next: comingTimes(bot, one).map(iso),
      })),
    });
  },
});

const listAgents = operation({
  id: 'listAgents',
  method: 'GET',
  path: '/v1/agents',
  summary: 'Lists agents and what they may do',
  access: 'viewer',
  answer: { schema: z.strictObject({ agents: z.array(agentResource) }), what: 'All agents that are loaded.' },
  async run({ bot }) {
    const { agents, flows } = bot.catalog;
    return done({
      agents: [...agents.values()].map((agent) => ({
        name: agent.name,
        about: agentInWords(agent),
        flows: flows.filter(({ plan }) => plan.agents.has(agent.name)).map(({ id }) => id),
      })),
    });
  },
});

const getUsage = operation({
  id: 'getUsage',
  method: 'GET',
  path: '/v1/usage',
  summary: 'Lists what flows have used up, by day',
  description: 'For admins.',
  access: 'admin',
  query: z.object({
    days: z.coerce.number().int().min(1).max(366).default(30).describe('How many days, with today.'),
  }),
  answer: {
    schema: z.strictObject({ from: z.string(), to: z.string(), days: z.array(usageDayResource) }),
    what: 'A row for each day, flow, flow at the top and agent.',
  },
  problems: ['not-allowed'],
  async run({ bot, sight, query }) {
    if (!isAdmin(bot, await sight.callerAt(undefined)))
      return failed('not-allowed', 'Only admins may see what all flows have used up.');
    const to = dayOf(bot.clock.now());
    const from = daysBefore(to, query.days - 1);
    const spent = await bot.store.spent(from, to);
    return done({
      from,
      to,
      days: spent.map(({ usage, agent = null, ...row }) => ({ ...row, agent, usage: usageData(usage) })),
    });
  },
});

const readAudit = operation({
  id: 'readAudit',
  method: 'GET',
  path: '/v1/audit',
  summary: 'Reads the audit, the oldest entries first',
  description: 'For admins. Each entry’s hash covers the one before it.',
  access: 'admin',
  query: z.object({
    run: z.string().optional().describe('Only entries of this run.'),
    after: z.coerce.number().int().min(0).optional().describe('Only entries behind this one.'),
    newest: z.enum(['true', 'false']).optional().describe('The newest instead, still oldest first.'),
    limit: z.coerce.number().int().min(1).max(1_000).default(100).describe('How many, at most 1,000.'),
  }),
  answer: {
    schema: z.strictObject({
      head: z.strictObject({ count: z.number(), hash: z.string() }).nullable(),
      entries: z.array(auditResource),
    }),
    what: 'The entries, and the end of the chain.',
  },
  problems: ['not-allowed'],
  async run({ bot, sight, query }) {
    if (!isAdmin(bot, await sight.callerAt(undefined)))
      return failed('not-allowed', 'Only admins may read the audit.');
    const { run, after, newest, limit } = query;
    // The head first: the chain may grow, but never ends before it.
    const head = await bot.store.auditHead();
    const links = await bot.store.audit({
      limit,
      ...(run !== undefined && { run }),
      ...(after !== undefined && { afterN: after }),
      ...(newest === 'true' && { newest: true }),
    });
    return done({
      head: head ? { count: head.count, hash: head.hash } : null,
      entries: links.map(({ n, hash, text }) => ({ n, hash, entry: plain(readEntry(text)) })),
    });
  },
});

function plain(entry: object | undefined): JsonObject | null {
  return entry === undefined ? null : JSON.parse(JSON.stringify(entry));
}

/** Least that a token must let in for, for chat commands that do more than show something. */
const NEEDS = { approve: 'approver', reject: 'approver', answer: 'approver' } as const;

const runCommand = operation({
  id: 'runChatCommand',
  method: 'POST',
  path: '/v1/commands',
  summary: 'Does what a chat command does',
  description:
    'What would follow the chat command: `enable release`, `schedule pause release`, `pause`, `reload`. By the same rules as in a chat.',
  access: 'viewer',
  body: z.strictObject({ text: z.string().max(20_000).describe('What would follow /flow in a chat.') }),
  answer: {
    schema: z.strictObject({
      text: z.string().describe('What people would read.'),
      data: json.describe('The same for programs.'),
    }),
    what: 'What the command says.',
  },
  problems: ['not-allowed', 'conflict'],
  async run(asked) {
    const carried = await carryOut(asked, asked.body.text);
    if (!carried.ok) return carried;
    const { content, data } = carried.value;
    return done({ text: proseText(content.prose), data: data ?? null });
  },
});

/** Does what a chat command does, for a visitor, within the role that they were let in for. */
export async function carryOut(
  { bot, sight, visitor }: Pick<Asked<unknown, unknown, unknown>, 'bot' | 'sight' | 'visitor'>,
  text: string,
): Promise<Result<Reply>> {
  const { word } = firstWord(text);
  const command = COMMANDS.find(({ name }) => name === word);
  const needs = Object.entries(NEEDS).find(([name]) => name === word)?.[1] ?? 'runner';
  if (command && !command.looksOnly && !isAtLeast(visitor, needs)) {
    return failed('not-allowed', `“${word}” takes a token of the role ${needs}.`);
  }
  const reply = await runChatCommand(bot, await sight.callerAt(undefined), text);
  return reply.ok ? done(reply) : refusedBy(reply);
}

export const otherOperations: readonly Operation[] = [
  listSchedules,
  listAgents,
  getUsage,
  readAudit,
  runCommand,
];
