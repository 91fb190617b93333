import { setImmediate as immediate } from 'node:timers/promises';
import type { MessageRef, Person, Place } from '../../../src/engine/people.ts';
import type { SeenFile, SeenMessage } from '../../contracts/chat-harness.ts';
import { ackLimitMs, type Delivery } from './delivery.ts';
import { addMessage, changedEvent, messageEvent, messageWire, removeMessage } from './messages.ts';
import { addFile, fileWire, shareDue } from './methods/files.ts';
import type { Places } from './places.ts';
import { visibleButtons, visibleText } from './text.ts';
import { encodeTyped } from './typed.ts';
import { isWire, type Wire } from './wire.ts';
import type { Message, Workspace } from './workspace.ts';

/** What the bot is told about a message that mentions it. */
export type MentionEvents = 'both' | 'mention-first' | 'message' | 'mention';

/** Something that somebody types. */
export interface Typing {
  readonly person: Person;
  readonly place: Place;
  readonly text: string;
}

interface Written {
  readonly place: Place;
  readonly message: Message;
  readonly ref: MessageRef;
  readonly isMention: boolean;
}

/** What people and other bots write, and what can be read. */
export interface Writing {
  say(person: Person, place: Place, text: string): Promise<MessageRef>;
  /** Writes a message that has these further fields: `subtype`, `files`, a `text` that is already encoded. */
  sayRaw(person: Person, place: Place, fields: Wire): Promise<MessageRef>;
  /** The same, and the bot is told nothing about it: it is only in the history. */
  jot(person: Person, place: Place, text: string, fields?: Wire): MessageRef;
  react(person: Person, message: MessageRef, emoji: string): void;
  /** Writes a message with a file. */
  upload(
    person: Person,
    place: Place,
    text: string,
    file: { readonly name: string; readonly bytes: Buffer },
  ): Promise<MessageRef>;
  /** Another bot writes. `isPlain`: without the subtype that tells it from a person. */
  sayAsBot(place: Place, text: string, isPlain?: boolean): Promise<MessageRef>;
  /** Writes all messages at once; resolves when each was acknowledged, or was not within 3 s. */
  burst(typed: readonly Typing[]): Promise<readonly MessageRef[]>;
  editAs(person: Person, message: MessageRef, text: string): Promise<void>;
  deleteMessage(message: MessageRef): Promise<void>;
  messages(place: Place): Promise<readonly SeenMessage[]>;
  privates(person: Person): Promise<readonly Pick<SeenMessage, 'text' | 'buttons' | 'files'>[]>;
  notified(message: MessageRef): Promise<readonly string[]>;
}

/** Makes it. @param options `mentionEvents`: what is told when the bot is mentioned */
export function createWriting(options: {
  readonly workspace: Workspace;
  readonly delivery: Delivery;
  readonly places: Places;
  readonly mentionEvents: () => MentionEvents;
}): Writing {
  const { workspace, delivery } = options;
  const { channelOf } = options.places;

  function add(
    place: Place,
    message: Pick<Message, 'user' | 'text' | 'blocks'> &
      Partial<Omit<Message, 'ts' | 'edited' | 'reactions'>>,
  ): Message {
    const channel = channelOf(place);
    if (channel.archived) throw new Error(`#${channel.name} is archived`);
    if (message.user !== '' && !channel.members.has(message.user) && message.botId === undefined) {
      throw new Error(`${message.user} is not in ${channel.id}`);
    }
    return addMessage(workspace, channel, {
      notified: [],
      metadata: undefined,
      ...(place.thread !== undefined && { threadTs: place.thread }),
      ...message,
    });
  }

  /** Tells the bot, when it is there to hear it. */
  async function tell(
    place: Place,
    message: Message,
    isMention: boolean,
    more: Wire = {},
    limitMs?: number,
  ): Promise<void> {
    const channel = channelOf(place);
    if (!channel.members.has(workspace.botUserId)) return;
    const event = { ...messageEvent(workspace, channel, message), ...more };
    const limit = limitMs === undefined ? {} : { limitMs };
    const heard = isMention && channel.kind !== 'im' ? options.mentionEvents() : 'message';
    const mentioned = { ...event, type: 'app_mention', channel_type: undefined };
    const asMessage = () => delivery.event(event, { isLast: true, ...limit });
    const asMention = (isLast: boolean) => delivery.event(mentioned, { isLast, ...limit });
    switch (heard) {
      case 'message':
        return asMessage();
      case 'mention':
        return asMention(true);
      case 'both':
        await asMessage();
        return asMention(false);
      case 'mention-first':
        await asMention(false);
        return asMessage();
    }
  }

  function write({ person, place, text }: Typing, more: Wire = {}): Written {
    const typed = encodeTyped(workspace, text);
    const message = add(place, {
      user: person.id,
      text: typeof more.text === 'string' ? more.text : typed.text,
      blocks: typed.blocks,
      clientMsgId: workspace.nextId('client-'),
      ...(typeof more.subtype === 'string' && {
        subtype: more.subtype,
        isBroadcast: more.subtype === 'thread_broadcast',
      }),
      ...(Array.isArray(more.files) && { files: more.files.filter(isWire) }),
    });
    const ref = { ...place, id: message.ts };
    return { place, message, ref, isMention: typed.mentions.includes(workspace.botUserId) };
  }

  async function say(typing: Typing, more: Wire = {}): Promise<MessageRef> {
    const { place, message, ref, isMention } = write(typing, more);
    await tell(place, message, isMention, more);
    return ref;
  }

  const seen = (place: Place, message: Message): SeenMessage => ({
    ref: { ...place, id: message.ts },
    author: message.botId === workspace.botId ? 'bot' : message.user || (message.botId ?? ''),
    text: visibleText(workspace, message.blocks, message.text),
    buttons: visibleButtons(message.blocks).map(({ id, label }) => ({ id, label })),
    edited: message.edited !== undefined,
    files: filesIn(workspace, message),
  });

  return {
    say: (person, place, text) => say({ person, place, text }),
    sayRaw: (person, place, fields) => say({ person, place, text: '' }, fields),
    jot: (person, place, text, fields) => write({ person, place, text }, fields).ref,
    react(person, ref, emoji) {
      const message = channelOf(ref).messages.get(ref.id);
      if (message === undefined) throw new Error(`there is no message ${ref.id}`);
      message.reactions.set(emoji, [...(message.reactions.get(emoji) ?? []), person.id]);
    },
    upload(person, place, text, { name, bytes }) {
      const file = addFile(workspace, name, bytes.length, person.id);
      file.bytes = bytes;
      file.readyAtMs = workspace.nowMs();
      return say({ person, place, text }, { subtype: 'file_share', files: [fileWire(workspace, file)] });
    },
    async sayAsBot(place, text, isPlain = false) {
      const typed = encodeTyped(workspace, text);
      const message = add(place, {
        ...(isPlain ? { user: 'U0OTHERBOT' } : { user: '', subtype: 'bot_message' }),
        text: typed.text,
        blocks: typed.blocks,
        botId: 'B0OTHERBOT',
        appId: 'A0OTHERBOT',
      });
      await tell(place, message, typed.mentions.includes(workspace.botUserId));
      return { ...place, id: message.ts };
    },
    async burst(typed) {
      const told: Promise<void>[] = [];
      const written = typed.map((each) => write(each));
      for (const [index, { place, message, isMention }] of written.entries()) {
        // Acknowledgements must be read as they come, or our own work would be counted as the bot's.
        if (index % 20 === 0) await immediate();
        told.push(tell(place, message, isMention, {}, ackLimitMs));
      }
      await Promise.all(told);
      return written.map(({ ref }) => ref);
    },
    async editAs(person, ref, text) {
      const channel = channelOf(ref);
      const message = channel.messages.get(ref.id);
      if (message?.user !== person.id) throw new Error(`${person.name} can't edit ${ref.id}`);
      const previous = messageWire(workspace, channel, message);
      const typed = encodeTyped(workspace, text);
      message.text = typed.text;
      message.blocks = typed.blocks;
      message.edited = { user: person.id, ts: workspace.nextTs() };
      if (channel.members.has(workspace.botUserId)) {
        await delivery.event(changedEvent(workspace, channel, message, previous));
      }
    },
    async deleteMessage(ref) {
      const channel = channelOf(ref);
      const message = channel.messages.get(ref.id);
      if (message === undefined) throw new Error(`there is no message ${ref.id}`);
      const events = removeMessage(workspace, channel, message);
      if (!channel.members.has(workspace.botUserId)) return;
      for (const event of events) await delivery.event(event);
    },
    async messages(place) {
      shareDue(workspace);
      const channel = channelOf(place);
      return channel.messages
        .values()
        .filter(({ threadTs, isBroadcast }) => threadTs === place.thread || (isBroadcast && !place.thread))
        .map((message) => seen(place, message))
        .toArray();
    },
    privates: async (person) =>
      (workspace.privates.get(person.id) ?? []).map(({ blocks, text }) => ({
        text: visibleText(workspace, blocks, text),
        buttons: visibleButtons(blocks).map(({ id, label }) => ({ id, label })),
        files: filesIn(workspace, { blocks }),
      })),
    notified: async (ref) => channelOf(ref).messages.get(ref.id)?.notified ?? [],
  };
}

/** The files that people see in a message: shared ones, and pictures in its blocks. */
function filesIn({ files }: Workspace, message: Pick<Message, 'blocks' | 'files'>): readonly SeenFile[] {
  const fileOf = (id: unknown) => (typeof id === 'string' ? files.get(id) : undefined);
  const pictures = message.blocks.flatMap((block): readonly SeenFile[] => {
    const file = block.type === 'image' ? fileOf(block.slack_file?.id) : undefined;
    return file && block.type === 'image' ? [{ name: file.title, alt: block.alt_text }] : [];
  });
  const shared = (message.files ?? []).flatMap(({ id }): readonly SeenFile[] => {
    const file = fileOf(id);
    return file ? [{ name: file.title, text: file.bytes?.toString() ?? '' }] : [];
  });
  return [...shared, ...pictures];
}
