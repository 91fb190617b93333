import { messageFlags } from './limits.ts';
import { addMessage, tellChannel, tellEdit } from './messages.ts';
import { addChannel, type Channel, channelType, type Message, type World } from './world.ts';

/** Opens the thread of a message: it has the message's id. */
export function openThread(
  world: World,
  channel: Channel,
  message: Message,
  thread: { readonly name: string; readonly ownerId: string; readonly autoArchiveMin?: number },
): Channel {
  const opened = addThread(world, channel, { id: message.id, ...thread });
  message.flags |= messageFlags.hasThread;
  tellChannel(world, 'THREAD_CREATE', opened, { newly_created: true });
  tellEdit(world, message);
  addMessage(world, opened, {}, [], {
    authorId: message.authorId,
    type: starterType,
    reference: { type: 0, message_id: message.id, channel_id: channel.id, guild_id: channel.guildId },
  });
  return opened;
}

/** The message that stands for the one a thread was opened from. */
export const starterType = 21;

/** Adds a thread to a channel or forum. */
export function addThread(
  world: World,
  channel: Channel,
  thread: {
    readonly id: string;
    readonly name: string;
    readonly ownerId: string;
    readonly autoArchiveMin?: number;
    readonly appliedTags?: readonly string[];
    /** Makes it a private one. */
    readonly onlyFor?: readonly string[];
  },
): Channel {
  const atMs = world.nowMs();
  return addChannel(world, {
    id: thread.id,
    name: thread.name,
    type: thread.onlyFor ? channelType.privateThread : channelType.publicThread,
    guildId: channel.guildId,
    parentId: channel.id,
    thread: {
      ownerId: thread.ownerId,
      createdAtMs: atMs,
      archived: false,
      locked: false,
      archiveChangedAtMs: atMs,
      autoArchiveMin: thread.autoArchiveMin ?? 4320,
      appliedTags: thread.appliedTags ?? [],
      onlyFor: thread.onlyFor && new Set(thread.onlyFor),
    },
  });
}
