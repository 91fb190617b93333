import { createHash } from 'node:crypto';
import { type AllowedMentionsTypes, MessageFlags, type RawFile, Routes } from 'discord.js';
import { z } from 'zod';
import type { MessageRef, Place } from '../../engine/people.ts';
import type { PostFile } from '../../engine/post.ts';
import { fileFault } from '../../engine/post-file.ts';
import {
  ChatUnavailable,
  type EditOutcome,
  type FindOutcome,
  type Part,
  type PostOutcome,
} from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { createPace } from '../chat/pace.ts';
import { snowflakePattern } from './addresses.ts';
import { anything, type Called, type Calls } from './calls.ts';
import { createDestinations, type Destination } from './destination.ts';
import type { Directory } from './directory.ts';
import { createForums } from './forum.ts';
import { createLookUp, marksOf } from './look-up.ts';
import { contentMark, markOf } from './mark.ts';
import {
  componentsOf,
  type DiscordFilePart,
  type DiscordPart,
  fileComponents,
  isFilePart,
  readPart,
  titleOf,
} from './part.ts';
import type { People } from './people.ts';

/** Our messages. */
export interface Posts {
  post(place: Place, part: Part, key: string): Promise<PostOutcome>;
  edit(message: MessageRef, part: Part): Promise<EditOutcome>;
  find(place: Place, key: string, sinceMs: number): Promise<FindOutcome>;
}

/** Discord takes about five messages, and five changes, in five seconds from a bot in a channel. */
const channelRate = { burst: 5, perMinute: 50, reserve: 2 };
/** And fifty requests a second from a bot. */
const botRate = { burst: 40, perMinute: 2_000, reserve: 10 };
/** Wait after something that could not be found out, in milliseconds. */
const askAgainMs = 5_000;
/** Wait for a locked private thread: beside it, others would read what is meant for those in it. */
const lockedMs = 300_000;
/** Whose messages we know the marks of, at most. */
const marksMax = 5_000;

const saidShape = z.object({ id: z.string() });

/** What `allowed_mentions` says when nobody is to be notified. */
export const nobody = {
  parse: [] as AllowedMentionsTypes[],
  users: [] as string[],
  roles: [] as string[],
  replied_user: false,
};

/** Makes the part that posts, edits and looks up. */
export function createPosts(options: {
  readonly calls: Calls;
  readonly directory: Directory;
  readonly people: People;
  readonly clock: Clock;
  readonly log: Log;
  /** The bot's own id. */
  readonly user: () => Promise<string>;
}): Posts {
  const { calls, directory, people, clock, log, user } = options;
  const destinations = createDestinations(options);
  const lookUp = createLookUp(calls, user);
  const forums = createForums({ ...options, lookUp });
  const channelPace = createPace(channelRate);
  const editPace = createPace(channelRate);
  const botPace = createPace(botRate);
  const marks = new Map<string, number>();

  async function post(place: Place, anyPart: Part, key: string): Promise<PostOutcome> {
    const part = readPart(anyPart);
    const fault = isFilePart(part) ? fileFault(part.file) : undefined;
    if (fault !== undefined) return { kind: 'refused', message: fault };
    const matters = isFilePart(part) || part.progress !== true;
    const waitMs =
      channelPace.take(place.conversation, clock.now(), matters) || botPace.take('', clock.now(), matters);
    if (waitMs > 0) return { kind: 'later', afterMs: waitMs };
    const to = await destinations.toPost(place, titleOf(part));
    if (to.kind === 'refused' || to.kind === 'later') return to;
    const payload = await payloadOf(part, markOf(key), to.kind === 'forum' ? to.forum : to.channel);
    if (payload.kind === 'later') return payload;
    const sent =
      to.kind === 'forum' ? await forums.post(to, payload, key, titleOf(part)) : await say(to, payload, key);
    switch (sent.kind) {
      case 'ok': {
        const { message } = sent.data;
        remember(message.id, markOf(key));
        return { kind: 'posted', message, url: linkTo(to.guild, message) };
      }
      case 'later':
        channelPace.hold(place.conversation, clock.now(), sent.afterMs);
        return sent;
      case 'unknown':
        return sent;
      case 'refused':
        return to.kind === 'channel' &&
          sent.code === lockedCode &&
          directory.knownChannel(to.channel)?.isPrivate
          ? { kind: 'later', afterMs: lockedMs }
          : { kind: 'refused', message: sent.message };
    }
  }

  async function say(
    to: Extract<Destination, { kind: 'channel' }>,
    { body, files }: Payload,
    key: string,
  ): Promise<Called<{ readonly message: MessageRef }>> {
    const said = await calls.call(
      {
        method: 'POST',
        route: Routes.channelMessages(to.channel),
        body: {
          ...body,
          nonce: nonceOf(key),
          enforce_nonce: true,
          ...(to.reply !== undefined && {
            message_reference: { message_id: to.reply, fail_if_not_exists: false },
          }),
        },
        files,
      },
      saidShape,
    );
    return said.kind === 'ok' ? { kind: 'ok', data: { message: to.ref(said.data.id) } } : said;
  }

  async function edit(message: MessageRef, anyPart: Part): Promise<EditOutcome> {
    const at = await destinations.toLook(message);
    if (at.kind === 'later') return at;
    if (at.kind !== 'channel') return { kind: 'gone' };
    const part = readPart(anyPart);
    if (isFilePart(part)) return keepFile(at.channel, message.id, part);
    const waitMs = editPace.take(at.channel, clock.now(), part.progress !== true);
    if (waitMs > 0) return { kind: 'later', afterMs: waitMs };
    const mark = await markOfMessage(at.channel, message.id);
    if (mark.kind !== 'ok') return notEdited(mark);
    const payload = await payloadOf(part, mark.data, at.channel);
    if (payload.kind === 'later') return payload;
    const sent = await change(at.channel, message.id, payload);
    if (sent.kind === 'later') editPace.hold(at.channel, clock.now(), sent.afterMs);
    return sent.kind === 'ok' ? { kind: 'edited' } : notEdited(sent);
  }

  /** An archived thread is opened again for it; whoever may write in it may do that. */
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
    return opened.kind === 'ok' ? calls.call(changed, anything) : opened;
  }

  /** A changed message keeps the mark by which it is found. */
  async function markOfMessage(channel: string, id: string): Promise<Called<number>> {
    const known = marks.get(id);
    if (known !== undefined) return { kind: 'ok', data: known };
    const read = await lookUp.message(channel, id);
    if (read.kind !== 'ok') return read;
    const [mark] = marksOf(read.data);
    if (read.data.author.id !== (await user()) || mark === undefined) {
      return { kind: 'refused', code: 0, refusal: 'no', message: 'The message is not one of this bot.' };
    }
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

  async function find(place: Place, key: string, sinceMs: number): Promise<FindOutcome> {
    const at = await destinations.toLook(place);
    switch (at.kind) {
      case 'later':
        return at;
      case 'refused':
        return { kind: 'absent' };
      case 'forum':
      case 'channel':
    }
    const channel = at.kind === 'forum' ? at.forum : at.channel;
    // Without the permission Discord shows an empty history, as if nothing had been posted.
    const mayRead = directory.mayRead(channel);
    if (mayRead === undefined) return { kind: 'later', afterMs: askAgainMs };
    if (!mayRead) return { kind: 'unknowable', message: unreadable };
    const seen =
      at.kind === 'forum'
        ? await forums.find(at, key, sinceMs)
        : await found(at, await lookUp.marked(channel, markOf(key), sinceMs));
    switch (seen.kind) {
      case 'later':
        return seen;
      case 'unknown':
        return { kind: 'later', afterMs: askAgainMs };
      case 'refused':
        return seen.refusal === 'nowhere'
          ? { kind: 'absent' }
          : { kind: 'unknowable', message: seen.message };
      case 'ok':
        return seen.data
          ? { kind: 'found', message: seen.data, url: linkTo(at.guild, seen.data) }
          : { kind: 'absent' };
    }
  }

  async function found(
    at: Extract<Destination, { kind: 'channel' }>,
    seen: Called<{ readonly id: string } | undefined>,
  ): Promise<Called<MessageRef | undefined>> {
    return seen.kind === 'ok' ? { kind: 'ok', data: seen.data && at.ref(seen.data.id) } : seen;
  }

  /** @param channel where roles are looked up by name */
  async function payloadOf(
    part: DiscordPart | DiscordFilePart,
    mark: number,
    channel: string,
  ): Promise<Payload | { readonly kind: 'later'; readonly afterMs: number }> {
    if (isFilePart(part)) return filePayload(part.file, mark);
    try {
      const mentions = await mentioned(part.notify, channel);
      return {
        kind: 'payload',
        body: {
          components: componentsOf(part, { mark, mentions }),
          flags: shownFlags,
          allowed_mentions: { ...nobody, ...mentions },
        },
        files: [],
      };
    } catch (error) {
      if (error instanceof ChatUnavailable) return { kind: 'later', afterMs: askAgainMs };
      throw error;
    }
  }

  async function mentioned(
    notify: readonly string[],
    channel: string,
  ): Promise<{ readonly users: string[]; readonly roles: string[] }> {
    const named = notify.filter((one) => one.startsWith('@')).map((one) => one.slice(1));
    const server = named.length === 0 ? undefined : (await directory.channel(channel))?.guild;
    const roles = (await Promise.all(named.map((name) => people.role(name, server)))).flatMap(
      (role) => role?.id ?? [],
    );
    if (roles.length < named.length) {
      log.warn('A role that a message notifies is not known to Discord.', { roles: named });
    }
    return {
      users: [...new Set(notify.filter((one) => snowflakePattern.test(one)))],
      roles: [...new Set(roles)],
    };
  }

  function remember(id: string, mark: number): void {
    marks.set(id, mark);
    const [oldest] = marks.keys();
    if (marks.size > marksMax && oldest !== undefined) marks.delete(oldest);
  }

  return { post, edit, find };
}

/** What is sent for a part. */
export interface Payload {
  readonly kind: 'payload';
  readonly body: {
    readonly components: object[];
    readonly flags: number;
    readonly allowed_mentions: typeof nobody;
    readonly attachments?: object[];
  };
  readonly files: readonly RawFile[];
}

const shownFlags = MessageFlags.IsComponentsV2 | MessageFlags.SuppressEmbeds;
const lockedCode = 160005;
const unreadable = 'The bot may not read this channel back: give its role Read Message History there.';

function filePayload(file: PostFile, mark: number): Payload {
  return {
    kind: 'payload',
    body: {
      components: fileComponents(file, { mark, contentMark: contentMark(file) }),
      flags: shownFlags,
      allowed_mentions: nobody,
      attachments: [{ id: 0, filename: file.name, ...(file.alt.trim() !== '' && { description: file.alt }) }],
    },
    files: [{ name: file.name, data: Buffer.from(file.data, 'base64'), contentType: file.mediaType }],
  };
}

/** At most 25 characters: with the same one Discord makes no second message for some minutes. */
function nonceOf(key: string): string {
  return createHash('sha256').update(key).digest('base64url').slice(0, 25);
}

function notEdited(called: Exclude<Called<unknown>, { kind: 'ok' }>): EditOutcome {
  if (called.kind !== 'refused') return called;
  return called.refusal === 'gone' || called.refusal === 'nowhere'
    ? { kind: 'gone' }
    : { kind: 'refused', message: called.message };
}

/** The address under which people open a message. */
function linkTo(guild: string | undefined, { conversation, thread, id }: MessageRef): string {
  return `https://discord.com/channels/${guild ?? '@me'}/${thread ?? conversation}/${id}`;
}
