import { MessageReferenceType, MessageType } from 'discord.js';
import { z } from 'zod';
import { isNewer, snowflakeAt, snowflakePattern } from './addresses.ts';
import { userShape } from './parse-message.ts';

const snowflake = z.string().regex(snowflakePattern);

const contentShape = z.object({
  content: z.string().default('').catch(''),
  attachments: z.array(z.unknown()).default([]).catch([]),
  mentions: z.array(userShape).default([]).catch([]),
  sticker_items: z
    .array(z.object({ name: z.string() }))
    .default([])
    .catch([]),
});
type Content = z.infer<typeof contentShape>;

const mediaShape = z.object({ text: z.string().default('').catch('') });

const messageShape = contentShape.extend({
  id: snowflake,
  type: z.number(),
  channel_id: snowflake,
  author: userShape,
  webhook_id: z.string().nullish(),
  reactions: z
    .array(z.object({ count: z.int().nonnegative() }))
    .default([])
    .catch([]),
  message_reference: z
    .object({
      type: z.number().default(MessageReferenceType.Default),
      message_id: snowflake,
      channel_id: snowflake.optional(),
    })
    .optional()
    .catch(undefined),
  message_snapshots: z
    .array(z.object({ message: contentShape }))
    .default([])
    .catch([]),
  poll: z
    .object({ question: mediaShape, answers: z.array(z.object({ poll_media: mediaShape })) })
    .optional()
    .catch(undefined),
});

/** A message as it stands in a history. */
export type Written = z.infer<typeof messageShape>;

const listedShape = messageShape.extend({
  /** What it answers, or the message that a thread was opened from; null = it was deleted. */
  referenced_message: messageShape.nullish().catch(undefined),
});

/** A message in a list: what it refers to comes with it. */
export type Listed = z.infer<typeof listedShape>;

/** A page of a history, newest first. What is no message there is left out, and counts only for its length. */
export const writtenPage = z.array(z.unknown()).transform((all) => ({
  length: all.length,
  messages: all
    .flatMap((one) => listedShape.safeParse(one).data ?? [])
    .toSorted((one, other) => (isNewer(one.id, other.id) ? -1 : 1)),
}));

/** One message. */
export const writtenMessage: z.ZodType<Written> = messageShape;

/** Whether a person wrote it: no bot or webhook, and not Discord itself, as "Ana has joined". */
export function isOfPerson({ author, webhook_id, type }: Written): boolean {
  const isWritten = type === MessageType.Default || type === MessageType.Reply;
  return isWritten && !author.bot && (webhook_id ?? undefined) === undefined;
}

/** Id of the message in the same channel that it was written as a reply to. */
export function repliedTo({ type, channel_id, message_reference: to }: Written): string | undefined {
  const isReply = type === MessageType.Reply && to?.type === MessageReferenceType.Default;
  return isReply && (to.channel_id ?? channel_id) === channel_id ? to.message_id : undefined;
}

/** How many files came with it, those of what it forwards among them. */
export function filesOf({ attachments, message_snapshots }: Written): number {
  return message_snapshots.reduce((sum, { message }) => sum + message.attachments.length, attachments.length);
}

/** What people read in it. @param plain gives a text with names for ids */
export function wordsOf(written: Written, plain: (content: Content) => string): string {
  const body = (content: Content): string =>
    lines([plain(content), ...content.sticker_items.map(({ name }) => `[sticker: ${name}]`)]);
  const forwarded = written.message_snapshots.map(
    ({ message }) => `Forwarded: ${body(message) || 'a message'}`,
  );
  return lines([body(written), ...forwarded, pollOf(written)]);
}

function pollOf({ poll }: Written): string {
  if (!poll) return '';
  const answers = poll.answers.map(({ poll_media }) => poll_media.text).filter((text) => text !== '');
  return `Poll: ${poll.question.text} (${answers.join(', ')})`;
}

function lines(texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n');
}

/** The newest messages of people within a window. */
export interface Newest {
  /** What is wanted is older than this id. */
  readonly until: string;
  readonly messages: ReadonlyMap<string, Written>;
  /** There are more of them. */
  readonly isCut: boolean;
  /** Some are not looked at. */
  leaveOut(): void;
  /** Whether something with this id, or what is newer, can be among them. */
  reaches(id: string): boolean;
  take(written: Written): void;
}

/** Collects them: as many as are wanted, whatever the order in which they are found. */
export function createNewest(window: {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly max: number;
}): Newest {
  const until = snowflakeAt(window.untilMs);
  const messages = new Map<string, Written>();
  let isCut = false;
  /** What is wanted is newer than this id. */
  let after = snowflakeBefore(window.sinceMs);
  const reaches = (id: string): boolean => isNewer(id, after);
  return {
    until,
    messages,
    reaches,
    get isCut() {
      return isCut;
    },
    leaveOut() {
      isCut = true;
    },
    take(written) {
      if (!reaches(written.id) || !isNewer(until, written.id) || !isOfPerson(written)) return;
      messages.set(written.id, written);
      if (messages.size <= window.max) return;
      isCut = true;
      after = [...messages.keys()].reduce((oldest, id) => (isNewer(oldest, id) ? id : oldest));
      messages.delete(after);
    },
  };
}

/** The greatest id of what was made before this time (epoch ms). */
function snowflakeBefore(ms: number): string {
  const first = BigInt(snowflakeAt(ms));
  return String(first > 0n ? first - 1n : 0n);
}
