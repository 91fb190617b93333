import { Routes } from 'discord.js';
import { z } from 'zod';
import type { MessageRef, Place } from '../../engine/people.ts';
import { fileFault } from '../../engine/post-file.ts';
import type { EditOutcome, FindOutcome, Part, PostOutcome } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { createPace } from '../chat/pace.ts';
import { linkTo } from './addresses.ts';
import type { Called, Calls } from './calls.ts';
import { createDestinations, type Destination } from './destination.ts';
import type { Directory } from './directory.ts';
import { createEdits } from './edits.ts';
import { createForums } from './forum.ts';
import { createLookUp } from './look-up.ts';
import { markOf } from './mark.ts';
import { isFilePart, readPart, titleOf } from './part.ts';
import { createPayloads, onceBy, type Payload } from './payload.ts';
import type { People } from './people.ts';
import { isClosed } from './refusals.ts';

/** Our messages. */
export interface Posts {
  post(place: Place, part: Part, key: string): Promise<PostOutcome>;
  edit(message: MessageRef, part: Part): Promise<EditOutcome>;
  find(place: Place, key: string, sinceMs: number): Promise<FindOutcome>;
}

type InChannel = Extract<Destination, { kind: 'channel' }>;

/** Discord takes about five messages, and five changes, in five seconds from a bot in a channel. */
const channelRate = { burst: 5, perMinute: 50, reserve: 2 };
/** And fifty requests a second from a bot. */
const botRate = { burst: 40, perMinute: 2_000, reserve: 10 };
/** Wait after something that could not be found out, in milliseconds. */
const askAgainMs = 5_000;
/** The same for what is known as soon as Discord is connected. */
const connectingMs = 500;
/** Wait for a private thread that is closed to the bot: beside it, others would read what is meant for those in it. */
const closedMs = 300_000;

const saidShape = z.object({ id: z.string() });

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
  const { calls, directory, clock, log, user } = options;
  const destinations = createDestinations(options);
  const lookUp = createLookUp(calls, user);
  const forums = createForums({ ...options, lookUp });
  const payloads = createPayloads(options);
  const edits = createEdits({ ...options, lookUp, payloads, rate: channelRate });
  const channelPace = createPace(channelRate);
  const botPace = createPace(botRate);

  async function post(place: Place, anyPart: Part, key: string): Promise<PostOutcome> {
    const part = readPart(anyPart);
    const fault = isFilePart(part) ? fileFault(part.file) : undefined;
    if (fault !== undefined) return { kind: 'refused', message: fault };
    const matters = isFilePart(part) || part.progress !== true;
    const waitMs =
      channelPace.take(place.conversation, clock.now(), matters) || botPace.take('', clock.now(), matters);
    if (waitMs > 0) return { kind: 'later', afterMs: waitMs };
    const to = await destinations.toPost(place, titleOf(part));
    switch (to.kind) {
      case 'refused':
      case 'later':
        return to;
      case 'hidden':
        return to.isThread ? closed(place, to.message) : { kind: 'refused', message: to.message };
      case 'forum':
      case 'channel':
    }
    const payload = await payloads.of(part, markOf(key), to.kind === 'forum' ? to.forum : to.channel);
    if (payload.kind === 'later') return payload;
    const sent =
      to.kind === 'forum' ? await forums.post(to, payload, key, titleOf(part)) : await say(to, payload, key);
    switch (sent.kind) {
      case 'ok': {
        const { message } = sent.data;
        edits.remember(message.id, markOf(key));
        return { kind: 'posted', message, url: linkTo(to.guild, message) };
      }
      case 'later':
        channelPace.hold(place.conversation, clock.now(), sent.afterMs);
        return sent;
      case 'unknown':
        return sent;
      case 'refused':
        return to.kind === 'channel' &&
          isClosed(sent.refusal) &&
          directory.knownChannel(to.channel)?.isPrivate
          ? closed(place, sent.message)
          : { kind: 'refused', message: sent.message };
    }
  }

  async function say(
    to: InChannel,
    payload: Payload,
    key: string,
  ): Promise<Called<{ readonly message: MessageRef }>> {
    const { reply, ...beside } = to;
    const said = await calls.call(
      {
        method: 'POST',
        route: Routes.channelMessages(to.channel),
        body: {
          ...payload.body,
          ...onceBy(key),
          ...(reply !== undefined && {
            message_reference: { message_id: reply, fail_if_not_exists: false },
          }),
        },
        files: payload.files,
      },
      saidShape,
    );
    // What it answers can't be shown with it: then it stands alone.
    if (said.kind === 'refused' && said.refusal === 'unquotable' && reply !== undefined) {
      return say(beside, payload, key);
    }
    return said.kind === 'ok' ? { kind: 'ok', data: { message: to.ref(said.data.id) } } : said;
  }

  function closed({ conversation, thread = conversation }: Place, why: string): PostOutcome {
    log.warn('A private thread does not take a message of the bot; it waits.', { thread, why });
    return { kind: 'later', afterMs: closedMs };
  }

  async function find(place: Place, key: string, sinceMs: number): Promise<FindOutcome> {
    const at = await destinations.toLook(place);
    switch (at.kind) {
      case 'later':
        return at;
      case 'refused':
        return { kind: 'absent' };
      case 'hidden':
        return { kind: 'unknowable', message: at.message };
      case 'forum':
      case 'channel':
    }
    // Without the permission Discord shows an empty history, as if nothing had been posted.
    const mayRead = directory.mayRead(at.kind === 'forum' ? at.forum : at.channel);
    if (mayRead === undefined) return { kind: 'later', afterMs: connectingMs };
    if (!mayRead) return { kind: 'unknowable', message: unreadable };
    const seen = at.kind === 'forum' ? await forums.find(at, key, sinceMs) : await findIn(at, key, sinceMs);
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

  async function findIn(
    { channel, ref }: InChannel,
    key: string,
    sinceMs: number,
  ): Promise<Called<MessageRef | undefined>> {
    const seen = await lookUp.marked(channel, markOf(key), sinceMs);
    return seen.kind === 'ok' ? { kind: 'ok', data: seen.data && ref(seen.data.id) } : seen;
  }

  return { post, edit: edits.edit, find };
}

const unreadable = 'The bot may not read this channel back: give its role Read Message History there.';
