import type { MessageRef, Place } from '../../../src/engine/people.ts';
import type { Channel, Message, World } from './world.ts';

/** Channels by the places that the bot uses for them. */
export interface Places {
  /** Throws when there is none. */
  channelOf(place: Place): Channel;
  /** Undefined when there is none. */
  find(place: Place): Channel | undefined;
  placeOf(channel: Channel): Place;
  /** Throws when it is not there. */
  messageOf(ref: MessageRef): Message;
}

/** Makes them: a conversation is a channel that is no thread, and a thread is named by its own id. */
export function createPlaces({ channels, privates }: World): Places {
  const find = ({ conversation, thread }: Place) => channels.get(thread ?? conversation);
  function channelOf(place: Place): Channel {
    const channel = find(place);
    if (channel === undefined) throw new Error(`there is no channel ${place.thread ?? place.conversation}`);
    return channel;
  }
  return {
    find,
    channelOf,
    placeOf: ({ id, thread, parentId }) => ({
      platform: 'discord',
      conversation: thread ? (parentId ?? id) : id,
      ...(thread && { thread: id }),
    }),
    messageOf(ref) {
      const message =
        find(ref)?.messages.get(ref.id) ??
        [...privates.values()].find((each) => each.has(ref.id))?.get(ref.id);
      if (message === undefined) throw new Error(`there is no message ${ref.id}`);
      return message;
    },
  };
}
