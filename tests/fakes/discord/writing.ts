import type { MessageRef, Person, Place } from '../../../src/engine/people.ts';
import type { SeenMessage } from '../../contracts/chat-harness.ts';
import { isThinking } from './answers.ts';
import type { Hands } from './hands.ts';
import {
  addMessage,
  editMessage,
  type Origin,
  removeMessage,
  removeMessages,
  type SentFile,
  tellEdit,
} from './messages.ts';
import { attachmentUrl } from './payloads.ts';
import { may } from './permissions.ts';
import type { Places } from './places.ts';
import { type Reading, readingOf } from './reading.ts';
import { openThread, starterType } from './threads.ts';
import { encodeTyped } from './typed.ts';
import type { Wire } from './wire.ts';
import type { Channel, Message, World } from './world.ts';

/** Something that somebody types. */
export interface Typing {
  readonly person: Person;
  readonly place: Place;
  readonly text: string;
}

/** A file that somebody adds. */
export type AddedFile = Pick<SentFile, 'name' | 'type' | 'bytes'>;

/** What people and other bots write, and what can be read. */
export interface Writing {
  say(person: Person, place: Place, text: string): Promise<MessageRef>;
  /** Writes without waiting for the bot. `more`: what else Discord shows of the message. */
  jot(person: Person, place: Place, text: string, more?: Wire): MessageRef;
  /** Somebody reacts to a message. */
  react(message: MessageRef, emoji: string): void;
  /** Writes a message with files. */
  upload(person: Person, place: Place, text: string, files: readonly AddedFile[]): Promise<MessageRef>;
  /** Writes a reply that shows the message it answers. */
  reply(person: Person, message: MessageRef, text: string): Promise<MessageRef>;
  /** A message that Discord writes itself because of a person: 6 = pinned something, 7 = has joined. */
  system(person: Person, place: Place, type: number): Promise<MessageRef>;
  sayAsBot(place: Place, text: string): Promise<MessageRef>;
  /** A webhook of somebody else writes. */
  sayAsWebhook(place: Place, text: string): Promise<MessageRef>;
  /** Writes all messages at once. */
  burst(typed: readonly Typing[]): Promise<readonly MessageRef[]>;
  editAs(person: Person, message: MessageRef, text: string): Promise<void>;
  /** Discord adds the preview of a link, which is told as an edit. */
  addPreview(message: MessageRef): Promise<void>;
  deleteMessage(message: MessageRef): Promise<void>;
  /** Somebody's bot deletes many messages of a place at once. */
  deleteTogether(place: Place, messages: readonly MessageRef[]): Promise<void>;
  messages(place: Place): Promise<readonly SeenMessage[]>;
  privates(person: Person): Promise<readonly Pick<SeenMessage, 'text' | 'buttons' | 'files'>[]>;
  notified(message: MessageRef): Promise<readonly string[]>;
}

/** Makes it. */
export function createWriting(options: {
  readonly world: World;
  readonly places: Places;
  readonly hands: Hands;
}): Writing {
  const { world, hands } = options;
  const { channelOf, messageOf } = options.places;

  /** The channel somebody writes in. A thread that is not there is opened from the message it has its id of. */
  function opened(person: Person, place: Place): Channel {
    const found = options.places.find(place);
    if (found) return found;
    const channel = channelOf({ ...place, thread: place.conversation });
    const message = channel.messages.get(place.thread ?? '');
    if (message === undefined) throw new Error(`there is no thread ${place.thread}`);
    const name = message.content.slice(0, 100) || 'A thread';
    return openThread(world, channel, message, { name, ownerId: person.id });
  }

  function write(
    { person, place, text }: Typing,
    files: readonly AddedFile[] = [],
    more: Partial<Origin> = {},
  ): MessageRef {
    const channel = opened(person, place);
    needSending(world, channel, person);
    const content = encodeTyped(world, world.guilds.get(channel.guildId ?? ''), text);
    const sent = files.map((file, index) => ({ index: String(index), ...file }));
    const message = addMessage(world, channel, { content }, sent, { authorId: person.id, ...more });
    return { ...place, id: message.id };
  }

  async function settled(ref: MessageRef): Promise<MessageRef> {
    await hands.settle();
    return ref;
  }

  function foreign(place: Place, text: string, origin: Origin): Promise<MessageRef> {
    const channel = channelOf(place);
    const content = encodeTyped(world, world.guilds.get(channel.guildId ?? ''), text);
    const { id } = addMessage(world, channel, { content }, [], origin);
    return settled({ ...place, id });
  }

  const seen = (place: Place, message: Message): SeenMessage => ({
    ref: { ...place, id: message.id },
    author: message.authorId === world.botId ? 'bot' : message.authorId,
    ...readMessage(world, message),
    edited: message.editedAtMs !== undefined,
  });

  return {
    say: (person, place, text) => settled(write({ person, place, text })),
    jot: (person, place, text, more = {}) => write({ person, place, text }, [], { more }),
    react(ref, emoji) {
      const { reactions } = messageOf(ref);
      reactions.set(emoji, (reactions.get(emoji) ?? 0) + 1);
    },
    upload: (person, place, text, files) => settled(write({ person, place, text }, files)),
    reply(person, { id, ...place }, text) {
      const channel = channelOf(place);
      const original = channel.messages.get(id);
      const reference = { type: 0, message_id: id, channel_id: channel.id, guild_id: channel.guildId };
      const more = { type: 19, reference, ...(original && { repliedUser: original.authorId }) };
      return settled(write({ person, place, text }, [], more));
    },
    system: (person, place, type) => settled(write({ person, place, text: '' }, [], { type })),
    sayAsBot: (place, text) => foreign(place, text, { authorId: world.otherBotId }),
    sayAsWebhook: (place, text) =>
      foreign(place, text, { authorId: '500000000000000001', webhookId: '500000000000000001' }),
    async burst(typed) {
      const refs = typed.map((each) => write(each));
      await hands.settle();
      return refs;
    },
    async editAs(person, ref, text) {
      const message = messageOf(ref);
      if (message.authorId !== person.id) throw new Error(`${person.name} can't edit ${ref.id}`);
      const guild = world.guilds.get(message.guildId ?? '');
      editMessage(world, message, { content: encodeTyped(world, guild, text) }, []);
      await hands.settle();
    },
    async addPreview(ref) {
      const message = messageOf(ref);
      message.embeds = [{ type: 'link', url: 'https://example.com/', title: 'Example' }];
      tellEdit(world, message);
      await hands.settle();
    },
    async deleteMessage(ref) {
      removeMessage(world, messageOf(ref));
      await hands.settle();
    },
    async deleteTogether(place, refs) {
      removeMessages(
        world,
        channelOf(place),
        refs.map(({ id }) => id),
      );
      await hands.settle();
    },
    async messages(place) {
      const found = options.places.find(place);
      // Nobody has written in a thread that is not opened.
      if (found === undefined && place.thread !== undefined) return [];
      return [...channelOf(place).messages.values()]
        .filter(({ type }) => type !== starterType)
        .map((message) => seen(place, message));
    },
    privates: async (person) =>
      [...(world.privates.get(person.id)?.values() ?? [])]
        .filter((message) => !isThinking(message))
        .map((message) => {
          const { text, buttons, files } = readMessage(world, message);
          return { text, buttons, files };
        }),
    notified: async (ref) => messageOf(ref).notified,
  };
}

/** What a person reads of a message. */
function readMessage(world: World, { content, components, attachments }: Message): Reading {
  const names = {
    user: (id: string) => world.users.get(id)?.name,
    role: (id: string) =>
      [...world.guilds.values()].map(({ roles }) => roles.get(id)?.name).find((name) => name !== undefined),
    channel: (id: string) => world.channels.get(id)?.name,
  };
  const files = attachments.map((attachment) => ({
    filename: attachment.filename,
    description: attachment.description,
    url: attachmentUrl(world, attachment),
    ...(!attachment.contentType.startsWith('image/') && { text: attachment.bytes.toString() }),
  }));
  return readingOf({ content, components, attachments: files }, (kind, id) => names[kind](id));
}

function needSending(world: World, channel: Channel, person: Person): void {
  const isAllowed =
    channel.guildId === undefined ||
    may(world, channel, person.id, channel.thread ? 'SEND_MESSAGES_IN_THREADS' : 'SEND_MESSAGES');
  if (!isAllowed) throw new Error(`${person.name} can't write in ${channel.name}`);
  if (channel.thread?.locked) throw new Error(`${channel.name} is locked`);
}
