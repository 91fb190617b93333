import { Routes } from 'discord.js';
import type { MessageRef } from '../../engine/people.ts';
import type { EditOutcome, Part } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import { createPace, type Rate } from '../chat/pace.ts';
import { snowflakePattern } from './addresses.ts';
import { anything, type Called, type Calls } from './calls.ts';
import { type LookUp, marksOf } from './look-up.ts';
import { contentMark, editedMark } from './mark.ts';
import { type DiscordFilePart, isFilePart, readPart } from './part.ts';
import { nobody, type Payload, type Payloads } from './payload.ts';

/** Changes of our messages. */
export interface Edits {
  edit(message: MessageRef, part: Part): Promise<EditOutcome>;
  /** Keeps in mind which mark a message of ours has. */
  remember(message: string, mark: number): void;
}

/** Whose messages we know the marks of, at most. */
const marksMax = 5_000;

/** Makes it. @param options `user`: the bot's own id */
export function createEdits(options: {
  readonly calls: Calls;
  readonly lookUp: LookUp;
  readonly payloads: Payloads;
  readonly clock: Clock;
  readonly rate: Rate;
  readonly user: () => Promise<string>;
}): Edits {
  const { calls, lookUp, payloads, clock, rate, user } = options;
  const pace = createPace(rate);
  const marks = new Map<string, number>();

  async function edit({ conversation, thread, id }: MessageRef, anyPart: Part): Promise<EditOutcome> {
    const channel = thread ?? conversation;
    if (!snowflakePattern.test(channel) || !snowflakePattern.test(id)) return { kind: 'gone' };
    const part = readPart(anyPart);
    if (isFilePart(part)) return keepFile(channel, id, part);
    const waitMs = pace.take(channel, clock.now(), part.progress !== true);
    if (waitMs > 0) return { kind: 'later', afterMs: waitMs };
    const mark = await markOfMessage(channel, id);
    if (mark.kind !== 'ok') return notEdited(mark);
    const payload = await payloads.of(part, mark.data, channel);
    if (payload.kind === 'later') return payload;
    const sent = await change(channel, id, payload);
    if (sent.kind === 'later') pace.hold(channel, clock.now(), sent.afterMs);
    return sent.kind === 'ok' ? { kind: 'edited' } : notEdited(sent);
  }

  /** An archived thread is opened again for it; whoever may write in it may do that, unless it is locked. */
  async function change(channel: string, id: string, { body }: Payload): Promise<Called<unknown>> {
    const route = Routes.channelMessage(channel, id);
    // A change notifies nobody; and nothing of what it showed before stays.
    const changed = {
      method: 'PATCH',
      route,
      body: { ...body, allowed_mentions: nobody, attachments: [] },
    } as const;
    const sent = await calls.call(changed, anything);
    if (sent.kind !== 'refused' || sent.refusal !== 'archived') return sent;
    const opened = await calls.call(
      { method: 'PATCH', route: Routes.channel(channel), body: { archived: false } },
      anything,
    );
    if (opened.kind === 'ok') return calls.call(changed, anything);
    return opened.kind === 'refused' && opened.refusal === 'outside'
      ? {
          ...sent,
          message:
            'The thread is archived, and locked or not to be opened by the bot: a moderator can do it.',
        }
      : opened;
  }

  /** A changed message keeps the mark by which it is found, as far as the bot may read it. */
  async function markOfMessage(channel: string, id: string): Promise<Called<number>> {
    const known = marks.get(id);
    if (known !== undefined) return { kind: 'ok', data: known };
    const read = await lookUp.message(channel, id);
    // Without Read Message History it can be changed all the same; whether it is ours, Discord says then.
    if (read.kind === 'refused' && read.refusal === 'outside') return { kind: 'ok', data: editedMark };
    if (read.kind !== 'ok') return read;
    if (read.data.author.id !== (await user())) return foreign;
    const [mark = editedMark] = marksOf(read.data);
    remember(id, mark);
    return { kind: 'ok', data: mark };
  }

  /** A file can't be changed; the same one need not be. */
  async function keepFile(channel: string, id: string, { file }: DiscordFilePart): Promise<EditOutcome> {
    const read = await lookUp.message(channel, id);
    if (read.kind !== 'ok') return notEdited(read);
    if (read.data.author.id === (await user()) && marksOf(read.data).includes(contentMark(file))) {
      return { kind: 'edited' };
    }
    return { kind: 'refused', message: `A message can’t be changed into the file “${file.name}”.` };
  }

  function remember(message: string, mark: number): void {
    marks.set(message, mark);
    const [oldest] = marks.keys();
    if (marks.size > marksMax && oldest !== undefined) marks.delete(oldest);
  }

  return { edit, remember };
}

const foreign = {
  kind: 'refused',
  code: 0,
  refusal: 'no',
  message: 'The message is not one of this bot.',
} as const;

function notEdited(called: Exclude<Called<unknown>, { kind: 'ok' }>): EditOutcome {
  if (called.kind !== 'refused') return called;
  switch (called.refusal) {
    case 'gone':
    case 'nowhere':
      return { kind: 'gone' };
    case 'archived':
      return { kind: 'closed', message: called.message };
    default:
      return { kind: 'refused', message: called.message };
  }
}
