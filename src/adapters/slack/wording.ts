import type { Person, Place } from '../../engine/people.ts';
import type { ChatMessage } from '../../ports/chat.ts';
import { type ChannelRef, messageRef, placeOf, platform, readConversationId } from './addresses.ts';
import type { Directory } from './directory.ts';
import type { TypedMessage } from './incoming.ts';
import { decode, mentionedUsers, mentionsIn } from './typed.ts';

/** Slack's ids and texts in the bot's words, and places back. */
export interface Wording {
  /** Runs live where they began, also when Slack has given the conversation another id since. */
  here(channel: string): ChannelRef;
  placeIn(channel: string, thread?: string): Place;
  /** Where Slack has a place now. */
  whereIs(place: Place): { readonly channel?: string; readonly thread?: string };
  personOf(user: string): Promise<Person>;
  /** The same from what is known already: their id stands for a name that is not. */
  knownPerson(user: string): Person;
  messageOf(
    written: Omit<TypedMessage, 'kind' | 'direct'>,
  ): Promise<Pick<ChatMessage, 'message' | 'text' | 'mentions' | 'files'>>;
  /** A text as it was typed, with names for ids, and who and what is mentioned in it. */
  plain(text: string): Promise<Pick<ChatMessage, 'text' | 'mentions'>>;
  /** The text alone, with the names that are known already. */
  known(text: string): string;
}

/** Makes it for one workspace. */
export function createWording(team: string, directory: Directory): Wording {
  const names = { user: directory.knownName, channel: directory.knownChannel };
  const known = (text: string): string => decode(text, names);

  function here(channel: string): ChannelRef {
    return { team, channel: directory.firstId(channel) };
  }

  async function plain(text: string): Promise<Pick<ChatMessage, 'text' | 'mentions'>> {
    // Who did something comes before whom they mention.
    await Promise.all(mentionedUsers(text).map((user) => directory.nameOf(user, false)));
    const mentions = mentionsIn(text, names);
    return { text: known(text), ...(mentions.length > 0 && { mentions }) };
  }

  return {
    here,
    plain,
    known,
    placeIn: (channel, thread) => placeOf(here(channel), thread),
    whereIs({ conversation, thread }) {
      const at = readConversationId(conversation);
      return {
        ...(at && { channel: directory.currentId(at.channel) }),
        ...(thread !== undefined && { thread }),
      };
    },
    personOf: async (user) => ({ platform, id: user, name: await directory.nameOf(user) }),
    knownPerson: (user) => ({ platform, id: user, name: directory.knownName(user) ?? user }),
    async messageOf({ channel, ts, thread, files, text }) {
      return { message: messageRef(here(channel), ts, thread), ...(await plain(text)), files };
    },
  };
}
