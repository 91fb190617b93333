import type { Person, Place } from '../../engine/people.ts';
import type { ChatMessage } from '../../ports/chat.ts';
import { messageRef, placeOf, platform } from './addresses.ts';
import type { Channel, Directory } from './directory.ts';
import type { Member, Written } from './incoming.ts';
import type { People } from './people.ts';
import { decode, mentionedUsers, mentionsIn, type Names } from './typed.ts';

/** Discord's ids and texts in the bot's words. */
export interface Wording {
  /** The place that a channel or thread is. Rejects with `ChatUnavailable`. */
  placeIn(channel: string): Promise<Place>;
  /** The same from what is known already: a thread that is not known looks like a conversation. */
  knownPlace(channel: string): Place;
  personOf(member: Member): Person;
  /** What somebody typed into a command: Discord tells no names with it. */
  typed(text: string): Promise<Pick<ChatMessage, 'text' | 'mentions'>>;
  /** The same for what they typed into its options. */
  typedValues(values: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>>;
  messageOf(written: Written): Promise<Pick<ChatMessage, 'message' | 'text' | 'mentions' | 'files'>>;
  /** The text alone, with names for ids. */
  plain(written: Pick<Written, 'text' | 'names'>): string;
}

/** Most people of one text whose names are asked for. */
const namesAskedMax = 20;

/** Makes it. */
export function createWording(directory: Directory, people: People): Wording {
  const namesOf = ({ names }: Pick<Written, 'names'>): Names => ({
    user: (id) => names.get(id) ?? people.knownName(id),
    role: (id) => people.knownRole(id),
    channel: (id) => directory.knownChannel(id)?.name,
  });
  const plain = (written: Pick<Written, 'text' | 'names'>): string => decode(written.text, namesOf(written));

  async function placeIn(channel: string): Promise<Place> {
    return placeFrom(channel, await directory.channel(channel));
  }

  /** A text as people read it, and whom it mentions. */
  function shown(written: Pick<Written, 'text' | 'names'>): Pick<ChatMessage, 'text' | 'mentions'> {
    const mentions = mentionsIn(written.text, namesOf(written));
    return { text: plain(written), ...(mentions.length > 0 && { mentions }) };
  }

  async function typed(text: string): Promise<Pick<ChatMessage, 'text' | 'mentions'>> {
    const users = [...new Set(mentionedUsers(text))].slice(0, namesAskedMax);
    const names = await Promise.all(users.map(async (id) => [id, await people.nameOf(id)] as const));
    return shown({ text, names: new Map(names) });
  }

  return {
    placeIn,
    plain,
    typed,
    async typedValues(values) {
      const shown = Object.entries(values).map(
        async ([id, value]) => [id, (await typed(value)).text] as const,
      );
      return Object.fromEntries(await Promise.all(shown));
    },
    knownPlace: (channel) => placeFrom(channel, directory.knownChannel(channel)),
    personOf: ({ id, name }) => ({ platform, id, name }),
    async messageOf(written) {
      const { conversation, thread } = await placeIn(written.channel);
      return {
        message: messageRef(conversation, written.id, thread),
        ...shown(written),
        files: written.files,
      };
    },
  };
}

function placeFrom(channel: string, known: Channel | undefined): Place {
  return known?.kind === 'thread' && known.parent !== undefined
    ? placeOf(known.parent, channel)
    : placeOf(channel);
}
