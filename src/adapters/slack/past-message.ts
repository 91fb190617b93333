import { z } from 'zod';
import { pageShape } from './calls.ts';
import type { Identity } from './identity.ts';
import { ts } from './parse-message.ts';

const writtenShape = z.object({
  ts,
  thread_ts: ts.optional().catch(undefined),
  /** Of a message that was answered. */
  latest_reply: ts.optional().catch(undefined),
  subtype: z.string().optional(),
  bot_id: z.string().nullish(),
  hidden: z.boolean().optional(),
  user: z.string().optional(),
  text: z.string().default('').catch(''),
  files: z.array(z.unknown()).default([]).catch([]),
  reactions: z
    .array(z.object({ count: z.int().nonnegative() }))
    .default([])
    .catch([]),
});

/** A message as it stands in a history. */
export type Written = z.infer<typeof writtenShape>;

/** A page of a history. What is no message there is left out. */
export const writtenPage = z.object({
  messages: z
    .array(z.unknown())
    .transform((messages) => messages.flatMap((one) => writtenShape.safeParse(one).data ?? [])),
  ...pageShape,
});

/** Subtypes of what people write; all others are notices of Slack and messages of apps. */
const personal: readonly string[] = ['file_share', 'me_message', 'thread_broadcast'];
/** Slack itself, which writes like a person. */
const slackbot = 'USLACKBOT';

/** A message with a person as its author, as far as the message tells: bots also write as users. */
export type PersonWritten = Written & { readonly user: string };

/** Whether a person wrote a message, and it still stands. */
export function isOfPerson(written: Written, me: Identity): written is PersonWritten {
  const { user, subtype, bot_id: bot, hidden } = written;
  if (user === undefined || user === me.user || user === slackbot) return false;
  return (bot ?? undefined) === undefined && !hidden && (subtype === undefined || personal.includes(subtype));
}

/** Id of the message that it answers. A message that was answered names itself. */
export function answeredBy({ ts, thread_ts: thread }: Written): string | undefined {
  return thread === ts ? undefined : thread;
}

/** The time in a `ts`, in microseconds since the epoch. */
export function microsOf(ts: string): number {
  const [seconds = '', fraction = ''] = ts.split('.');
  return Number(seconds) * 1_000_000 + Number(fraction.padEnd(6, '0'));
}

/** The bounds of a history for everything from one time on and before another: Slack leaves out both ends. In milliseconds. */
export function between(
  fromMs: number,
  untilMs: number,
): { readonly oldest: string; readonly latest: string } {
  return { oldest: tsAt(Math.max(0, fromMs * 1_000 - 1)), latest: tsAt(Math.max(0, untilMs * 1_000)) };
}

function tsAt(micros: number): string {
  const digits = String(Math.ceil(micros)).padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}
