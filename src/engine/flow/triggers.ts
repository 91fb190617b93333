import { z } from 'zod';
import { durationSchema } from '../data/duration.ts';
import { withFix } from '../data/issue.ts';
import { addressSchema } from './address.ts';

/** What people type after the chat command, and so no flow and no command may be called. */
export const reservedWords: ReadonlySet<string> = new Set(
  (
    'help list show run status runs cancel retry approvals approve reject answer schedule enable disable pause ' +
    'resume rehearse reload audit whoami'
  ).split(' '),
);

const word = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}_-]{0,63}$/u;

/** One word that starts a flow; arrives in lower case. */
const commandSchema = z
  .string()
  .transform((text) => text.normalize('NFC').toLowerCase())
  .superRefine((command, context) => {
    if (!word.test(command)) {
      const message = `${JSON.stringify(command.slice(0, 80))} is not one word.`;
      const fix = 'Use letters, digits, "-" and "_", at most 64, without the sign in front.';
      context.addIssue({ code: 'custom', message: withFix(message, fix) });
    } else if (reservedWords.has(command)) {
      const message = withFix(
        `"${command}" is a word of the chat command itself.`,
        `Choose another, such as "${command}-it".`,
      );
      context.addIssue({ code: 'custom', message });
    }
  });

const scheduleSchema = z
  .strictObject({
    type: z.literal('schedule'),
    cron: z
      .string()
      .max(200)
      .optional()
      .describe('When to start, as a cron expression of five or six fields.'),
    every: durationSchema.optional().describe('Start again after each such length of time.'),
    at: z.string().max(60).optional().describe('Start once, at this date and time (ISO 8601).'),
    timezone: z.string().max(60).optional().describe('IANA time zone, such as Europe/Berlin.'),
    input: z.record(z.string(), z.json()).optional().describe('The input of the runs it starts.'),
    catchUp: z
      .enum(['latest', 'none', 'all'])
      .default('latest')
      .describe('Which missed times to make up for.'),
    grace: durationSchema.optional().describe('How late a missed time may still be made up for: 1h.'),
    overlap: z
      .enum(['skip', 'queue', 'allow'])
      .default('skip')
      .describe('What to do while the last run is at work.'),
  })
  .superRefine((schedule, context) => {
    const times = [schedule.cron, schedule.every, schedule.at].filter((time) => time !== undefined);
    if (times.length === 1) return;
    const message = withFix(
      'A schedule needs exactly one of cron, every and at.',
      'For example cron: "0 9 * * 1-5".',
    );
    context.addIssue({ code: 'custom', message });
  });

/** What starts runs of a flow, as written. */
export const triggerSchema = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z.literal('command'),
      command: commandSchema.describe('The word people type after the prefix or the mention of the bot.'),
      in: z
        .array(addressSchema)
        .min(1)
        .max(100)
        .optional()
        .describe('The conversations it works in; absent = all.'),
      slash: z
        .boolean()
        .optional()
        .describe('Also a slash command of its own, where platforms have such: /release on Discord.'),
    })
    .describe('Somebody types a command in a conversation.'),
  scheduleSchema.describe('A time comes.'),
  z.strictObject({ type: z.literal('manual') }).describe('Somebody starts it by /flow run.'),
  z.strictObject({ type: z.literal('webhook') }).describe('Another system calls its address.'),
  z.strictObject({ type: z.literal('api') }).describe('A program starts it through the API.'),
  z.strictObject({ type: z.literal('mcp') }).describe('An MCP client calls it as a tool.'),
]);

/** What starts runs of a flow. */
export type TriggerDefinition = z.output<typeof triggerSchema>;
