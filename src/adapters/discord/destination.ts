import { Routes } from 'discord.js';
import type { MessageRef, Place } from '../../engine/people.ts';
import { ChatUnavailable } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import { createCache } from '../chat/cache.ts';
import { messageRef } from './addresses.ts';
import { anything, type Calls } from './calls.ts';
import type { Channel, Directory } from './directory.ts';
import { sentenceFor } from './refusals.ts';

/** Where a message goes. */
export type Destination =
  | {
      readonly kind: 'channel';
      readonly channel: string;
      readonly guild: string | undefined;
      /** Where there are no threads: the message that it answers. */
      readonly reply?: string;
      /** The message as the bot knows it. */
      readonly ref: (id: string) => MessageRef;
    }
  /** A message there is the first of a thread of its own. */
  | { readonly kind: 'forum'; readonly forum: string; readonly guild: string | undefined }
  | { readonly kind: 'refused'; readonly message: string }
  /** It is there, but the bot may not see it: a private thread, or else the whole conversation. */
  | { readonly kind: 'hidden'; readonly isThread: boolean; readonly message: string }
  | { readonly kind: 'later'; readonly afterMs: number };

/** Finds out where the messages of a place are. */
export interface Destinations {
  /** For posting: opens the thread from its first message when it is not there yet. @param title of such a thread */
  toPost(place: Place, title: string): Promise<Destination>;
  /** For looking: what is not there is `refused`, what may be there `hidden`. */
  toLook(place: Place): Promise<Destination>;
}

/** How long a channel where no thread could be opened is not asked for one again, in milliseconds. */
const noThreadsMs = 300_000;
const askAgainMs = 2_000;

/** Makes it. */
export function createDestinations(options: {
  readonly calls: Calls;
  readonly directory: Directory;
  readonly clock: Clock;
}): Destinations {
  const { calls, directory, clock } = options;
  const withoutThreads = createCache<true>(clock, noThreadsMs, noThreadsMs);

  async function find(place: Place, title: string | undefined): Promise<Destination> {
    try {
      const at = await directory.channel(place.conversation);
      if (!at) return (await directory.isHidden(place.conversation)) ? hiddenConversation : nowhere(place);
      const { thread } = place;
      if (thread === undefined) return at.kind === 'forum' ? forumOf(at) : inChannel(at);
      if (at.kind === 'direct' || at.kind === 'thread') return inChannel(at, thread);
      if (directory.knownChannel(thread)) return inThread(at, thread);
      if (withoutThreads.known(at.id)) return inChannel(at, thread);
      if (title !== undefined && at.kind === 'channel') return await open(at, thread, title);
      return await existing(at, thread);
    } catch (error) {
      if (error instanceof ChatUnavailable) return { kind: 'later', afterMs: askAgainMs };
      throw error;
    }
  }

  /** The thread of a message has the message's id, so opening it twice is harmless. */
  async function open(at: Channel, message: string, title: string): Promise<Destination> {
    const opened = await calls.call(
      { method: 'POST', route: Routes.threads(at.id, message), body: { name: title } },
      anything,
    );
    switch (opened.kind) {
      case 'ok':
        return inThread(at, message);
      case 'later':
        return opened;
      case 'unknown':
        return { kind: 'later', afterMs: askAgainMs };
      case 'refused':
    }
    switch (opened.refusal) {
      case 'threaded':
      case 'gone':
        return existing(at, message);
      case 'nowhere':
        return { kind: 'refused', message: opened.message };
      default:
        // It may not be opened here: the answer stands in the channel.
        await withoutThreads.get(at.id, async () => true);
        return inChannel(at, message);
    }
  }

  async function existing(at: Channel, thread: string): Promise<Destination> {
    if (await directory.channel(thread)) return inThread(at, thread);
    return (await directory.isHidden(thread)) ? hiddenThread : noThread;
  }

  return {
    toPost: (place, title) => find(place, title),
    toLook: (place) => find(place, undefined),
  };
}

function inChannel({ id, guild }: Channel, reply?: string): Destination {
  return {
    kind: 'channel',
    channel: id,
    guild,
    ...(reply !== undefined && { reply }),
    ref: (message) => messageRef(id, message),
  };
}

function inThread({ id, guild }: Channel, thread: string): Destination {
  return { kind: 'channel', channel: thread, guild, ref: (message) => messageRef(id, message, thread) };
}

function forumOf({ id, guild }: Channel): Destination {
  return { kind: 'forum', forum: id, guild };
}

const noThread = {
  kind: 'refused',
  message: 'The thread is not there, and the message that would begin it was deleted.',
} as const;

const hiddenThread = {
  kind: 'hidden',
  isThread: true,
  message: 'The bot may not see this thread: add it to the thread.',
} as const;

const hiddenConversation = {
  kind: 'hidden',
  isThread: false,
  message: sentenceFor(50001, ''),
} as const;

function nowhere({ conversation }: Place): Destination {
  return {
    kind: 'refused',
    message: `Discord has no conversation “${conversation}” that the bot can see.`,
  };
}
