import { z } from 'zod';
import { parseDuration } from '../data/duration.ts';
import { withFix } from '../data/issue.ts';
import { addressSchema } from '../flow/address.ts';
import type { StepType } from './step-type.ts';

const DAY_MS = 86_400_000;
/** Nothing older is read, however long ago the last run was. */
const PAST_MAX_MS = 31 * DAY_MS;

const sinceSchema = z
  .string()
  .default('lastRun')
  .transform((text, context): 'lastRun' | number => {
    if (text === 'lastRun') return text;
    const ms = parseDuration(text);
    if (ms !== undefined && ms <= PAST_MAX_MS) return ms;
    const message = `${JSON.stringify(text.slice(0, 40))} is neither "lastRun" nor a length of time up to 31d.`;
    context.addIssue({ code: 'custom', message: withFix(message, 'Write for example 24h.') });
    return z.NEVER;
  });

const schema = z.strictObject({
  conversation: addressSchema.describe('The conversation to read.'),
  since: sinceSchema.describe(
    'How far back to read, such as 24h; or lastRun: from where the last successful run of the schedule ended (24h for the first one, and for runs that no schedule started).',
  ),
  maxMessages: z.int().min(1).max(5_000).default(2_000).describe('Most messages; the newest are kept.'),
  whenEmpty: z
    .enum(['say', 'silent'])
    .default('say')
    .describe('When nobody wrote: say so in the text, or leave by the exit `empty`.'),
});

type HistoryConfig = z.output<typeof schema>;

/** Reads what people wrote in a conversation, and sums it up. */
export const history: StepType<HistoryConfig> = {
  type: 'history',
  schema,
  exits: ({ whenEmpty }) => (whenEmpty === 'silent' ? ['done', 'empty'] : ['done']),
  exitOf: ({ whenEmpty }, { json }) => (whenEmpty === 'silent' && json.count === 0 ? 'empty' : 'done'),
  plainEdges: true,
  calls: true,
  references: () => [],
  reads: ({ conversation }) => [{ address: conversation, at: ['conversation'] }],
  begin: ({ config: { conversation, since, maxMessages }, schedule, nowMs }) => {
    const untilMs = schedule?.dueAtMs ?? nowMs;
    const lastMs = Math.max(schedule?.lastDueAtMs ?? untilMs - DAY_MS, untilMs - PAST_MAX_MS);
    return {
      kind: 'history',
      conversation,
      sinceMs: since === 'lastRun' ? lastMs : untilMs - since,
      untilMs,
      maxMessages,
      timezone: schedule?.timezone ?? 'UTC',
    };
  },
};
