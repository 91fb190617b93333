import { z } from 'zod';
import { withFix } from '../data/issue.ts';
import { addressSchema } from './address.ts';
import { scheduleSchema } from './schedule-trigger.ts';
import { webhookSchema } from './webhook-trigger.ts';

/** What people type after the chat command, and so no flow and no command may be called. */
export const reservedWords: ReadonlySet<string> = new Set(
  (
    'help list show run status runs cancel retry approvals approve reject answer schedule enable disable pause ' +
    'resume rehearse reload audit usage whoami'
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
  webhookSchema.describe('Another system calls its address.'),
  z.strictObject({ type: z.literal('api') }).describe('A program starts it through the API.'),
  z.strictObject({ type: z.literal('mcp') }).describe('An MCP client calls it as a tool.'),
]);

/** What starts runs of a flow. */
export type TriggerDefinition = z.output<typeof triggerSchema>;
