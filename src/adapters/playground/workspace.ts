import type { MessageRef, Place } from '../../engine/people.ts';
import type { PostFile } from '../../engine/post.ts';
import type {
  ChatEvent,
  Conversation,
  EditOutcome,
  FindOutcome,
  HistoryOutcome,
  HistoryWindow,
  Part,
  PostOutcome,
} from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import { openFile } from './database.ts';
import {
  canSee,
  channelName,
  directConversation,
  firstChannels,
  flowbot,
  type Member,
  person,
  platform,
  typedMentions,
} from './directory.ts';
import { createFiles, fileBody, type StoredFile } from './files.ts';
import { createIdMaker } from './ids.ts';
import { type PlaygroundFile, type PlaygroundPart, readFile, readPart } from './part.ts';
import { createPast } from './past.ts';
import { createTables, type MessageRow, type PrivateRow } from './tables.ts';
import { createUploads, type Uploads } from './uploads.ts';
import { type Body, type Change, createViews, type MessageView, type PrivateView } from './view.ts';

/** An event before the workspace has given it its id and time. */
export type Happening = ChatEvent extends infer E
  ? E extends ChatEvent
    ? Omit<E, 'id' | 'atMs'>
    : never
  : never;

/**
 * The platform behind the playground: channels, messages and the queue of what people did, in a file of its own.
 * It behaves like Slack or Discord would: it survives the bot, refuses what exceeds its limits, never notifies
 * anybody because of a post's text, and keeps every event until the bot has taken it.
 */
export interface Workspace {
  /** Adds the channels that are missing; names that can't be one are left out. */
  ensureChannels(names: readonly string[]): void;
  channels(): readonly Conversation[];
  /** By `#name`, `@person`, or an id, in any case. */
  conversation(address: string): Conversation | undefined;

  /** The bot posts. Posting twice with the same key makes two messages. */
  post(place: Place, part: Part, key: string): PostOutcome;
  /** The bot replaces one of its messages; nobody is notified. */
  edit(message: MessageRef, part: Part): EditOutcome;
  /** The bot's message with this key in this place, sent at `sinceMs` or later. */
  find(place: Place, key: string, sinceMs: number): FindOutcome;

  /** Somebody writes. `event` is kept in the same transaction, for the message that was made. */
  say(author: Member, place: Place, text: string, event?: (message: MessageRef) => Happening): Said;
  /** A person changes a message of their own; false = it is not there, or not theirs. */
  rewrite(author: Member, messageId: string, text: string): boolean;
  /** Takes a message away, whose ever it is, and gives the id of its author; undefined = it is not there. */
  remove(messageId: string): string | undefined;
  /** Shows something to one person only. */
  tell(personId: string, place: Place, part: PlaygroundPart): void;
  /** The person has read it; false = it is not there, or not theirs. */
  dismiss(personId: string, privateId: string): boolean;

  /** Keeps an event until it is settled. */
  keep(happening: Happening): ChatEvent;
  /** The oldest event that is not settled. */
  oldestEvent(): ChatEvent | undefined;
  /** The bot has taken the event; what it answered to the person is shown in the same transaction. */
  settle(
    event: ChatEvent,
    answer?: { readonly place: Place; readonly parts: readonly (PlaygroundPart | PlaygroundFile)[] },
  ): void;

  /** Where a message or private message stands, also when it is gone; undefined = there never was one. */
  locate(id: string): MessageRef | undefined;
  /** The file that a message or private message shows to a person; undefined = it shows them none, or is gone. */
  file(id: string, personId: string): StoredFile | undefined;
  /** What people upload for forms. */
  readonly uploads: Uploads;
  /** Top-level messages older than `beforeId`, newest last. */
  history(conversation: string, beforeId: string | undefined, limit: number): readonly MessageView[];
  /** What people wrote in a conversation and its threads. */
  past(conversation: string, window: HistoryWindow): HistoryOutcome;
  /** A message and the replies to it, newest last. */
  thread(rootId: string): readonly MessageView[];
  /** What a person was told last and has not dismissed, newest last. */
  privates(personId: string, limit: number): readonly PrivateView[];
  /** What changed for a person after `version`, oldest first. */
  changes(personId: string, version: number, limit: number): readonly Change[];
  /** Counts all changes. */
  version(): number;
  /** Calls after every change; the result ends that. */
  subscribe(listener: () => void): () => void;
  close(): void;
}

/** What became of something typed. */
export type Said =
  | { readonly kind: 'said'; readonly message: MessageRef; readonly event?: ChatEvent }
  | { readonly kind: 'refused'; readonly message: string };

/** Opens the workspace in its file, or makes it. */
export function openWorkspace(options: {
  readonly file: string;
  readonly clock: Clock;
  readonly ids: Ids;
}): Workspace {
  const { clock } = options;
  const { db, tag } = openFile(options.file, options.ids);
  const tables = createTables(db);
  const ids = createIdMaker(tag);
  const view = createViews(tables, ids);
  const files = createFiles(tables);
  const listeners = new Set<() => void>();
  for (const name of firstChannels) tables.addChannel(name);

  /** A durable change that people see. */
  function change<T>(make: (atMs: number) => T): T {
    const result = tables.atomic(() => make(clock.now()));
    for (const listener of listeners) listener();
    return result;
  }

  function conversation(address: string): Conversation | undefined {
    const wanted = address.trim().toLowerCase();
    const somebody = person(wanted.replace(/^@/, ''));
    if (wanted.startsWith('@')) return somebody && directConversation(somebody.id);
    const name = channelName(wanted);
    if (name !== undefined && tables.channels().includes(name)) return channel(name);
    return wanted.startsWith('#') ? undefined : somebody && directConversation(somebody.id);
  }

  /** Where something may be written now, or why not. */
  function open(place: Place): { readonly thread: number | null } | { readonly refused: string } {
    if (conversation(place.conversation)?.id !== place.conversation) {
      return { refused: `The playground has no conversation ${place.conversation}.` };
    }
    if (place.thread === undefined) return { thread: null };
    const root = message(place.thread);
    if (root === undefined || root.conversation !== place.conversation || root.thread !== null) {
      return { refused: 'The message that started the thread is not there any more.' };
    }
    return { thread: root.seq };
  }

  /** A message that is there. */
  function message(id: string): MessageRow | undefined {
    const seq = ids.read('m', id);
    const row = seq === undefined ? undefined : tables.message(seq);
    return row?.deleted_ms === null ? row : undefined;
  }

  function add(
    atMs: number,
    place: Place,
    thread: number | null,
    written: {
      readonly author: string;
      readonly body: Body;
      readonly marker: string | null;
      readonly notify: readonly string[];
      readonly file?: PostFile;
    },
  ): MessageRef {
    const { conversation } = place;
    const { author, marker } = written;
    const body = JSON.stringify(written.body);
    const seq = tables.addMessage({ conversation, thread, author, body, at_ms: atMs }, marker);
    for (const id of written.notify) if (canSee(id, conversation)) tables.addNotification(seq, id);
    if (written.file) files.keep(seq, written.file);
    if (thread !== null) tables.touchMessage(thread);
    return { ...place, platform, id: ids.make('m', seq) };
  }

  function queue(happening: Happening, atMs: number): ChatEvent {
    const seq = tables.addEvent(JSON.stringify({ ...happening, atMs }));
    return { ...happening, atMs, id: ids.make('e', seq) };
  }

  function tell(atMs: number, personId: string, place: Place, part: PlaygroundPart | PlaygroundFile) {
    const root = place.thread === undefined ? undefined : ids.read('m', place.thread);
    const body: Body = 'file' in part ? fileBody(part.file) : { kind: 'post', part };
    const seq = tables.addPrivate({
      person: personId,
      conversation: place.conversation,
      thread: root ?? null,
      body: JSON.stringify(body),
      at_ms: atMs,
    });
    if ('file' in part) files.keepPrivate(seq, part.file);
  }

  /** A private message that its person has not dismissed. */
  function privateFor(personId: string, id: string): PrivateRow | undefined {
    const seq = ids.read('p', id);
    const row = seq === undefined ? undefined : tables.private(seq);
    return row?.person === personId && row.dismissed === 0 ? row : undefined;
  }

  return {
    ensureChannels(names) {
      for (const name of names.flatMap((each) => channelName(each) ?? [])) tables.addChannel(name);
    },
    channels: () => tables.channels().map(channel),
    conversation,

    post(place, part, key) {
      const where = open(place);
      if ('refused' in where) return { kind: 'refused', message: where.refused };
      const read = readFile(part) ?? readPart(part);
      if ('refused' in read) return { kind: 'refused', message: read.refused };
      const said =
        'data' in read
          ? { body: fileBody(read), file: read, notify: [] }
          : { body: { kind: 'post', part: read } as const, notify: read.notify.filter(isPerson) };
      const written = { author: flowbot.id, marker: key, ...said };
      return { kind: 'posted', message: change((atMs) => add(atMs, place, where.thread, written)) };
    },
    edit(ref, part) {
      const row = message(ref.id);
      if (row === undefined || row.conversation !== ref.conversation) return { kind: 'gone' };
      if (row.author !== flowbot.id) return { kind: 'refused', message: 'That is not a message of the bot.' };
      const read = readFile(part) ?? readPart(part);
      if ('refused' in read) return { kind: 'refused', message: read.refused };
      if ('data' in read) {
        if (files.isShown(row, read)) return { kind: 'edited' };
        return { kind: 'refused', message: `A message can’t be changed into the file “${read.name}”.` };
      }
      const body: Body = { kind: 'post', part: read };
      const json = JSON.stringify(body);
      if (json !== row.body) {
        change((atMs) => {
          tables.setBody(row.seq, json, atMs);
          tables.removeFile(row.seq);
        });
      }
      return { kind: 'edited' };
    },
    find(place, key, sinceMs) {
      const thread = place.thread === undefined ? null : (ids.read('m', place.thread) ?? 0);
      const seq = tables.marked(key, flowbot.id, place.conversation, thread, sinceMs);
      if (seq === undefined) return { kind: 'absent' };
      return { kind: 'found', message: { ...place, platform, id: ids.make('m', seq) } };
    },

    say(author, place, text, event) {
      const where = open(place);
      if ('refused' in where) return { kind: 'refused', message: where.refused };
      const written = {
        author: author.id,
        body: { kind: 'typed', text } as const,
        marker: null,
        notify: typedMentions(text, author),
      };
      return change((atMs) => {
        const message = add(atMs, place, where.thread, written);
        if (event === undefined) return { kind: 'said', message } as const;
        return { kind: 'said', message, event: queue(event(message), atMs) } as const;
      });
    },
    rewrite(author, messageId, text) {
      const row = message(messageId);
      if (row?.author !== author.id) return false;
      const body: Body = { kind: 'typed', text };
      change((atMs) => tables.setBody(row.seq, JSON.stringify(body), atMs));
      return true;
    },
    remove(messageId) {
      const row = message(messageId);
      if (row === undefined) return undefined;
      const body: Body = { kind: 'typed', text: '' };
      change((atMs) => {
        tables.setDeleted(row.seq, JSON.stringify(body), atMs);
        tables.removeFile(row.seq);
        if (row.thread !== null) tables.touchMessage(row.thread);
      });
      return row.author;
    },
    tell: (personId, place, part) => change((atMs) => tell(atMs, personId, place, part)),
    dismiss(personId, privateId) {
      const seq = ids.read('p', privateId);
      const row = seq === undefined ? undefined : tables.private(seq);
      if (row?.person !== personId) return false;
      if (row.dismissed === 0) {
        change(() => {
          tables.dismiss(row.seq);
          tables.removePrivateFile(row.seq);
        });
      }
      return true;
    },

    keep: (happening) => tables.atomic(() => queue(happening, clock.now())),
    oldestEvent() {
      const row = tables.oldestEvent();
      return row && { ...JSON.parse(row.event), id: ids.make('e', row.seq) };
    },
    settle(event, answer) {
      const seq = ids.read('e', event.id);
      if (seq === undefined) throw new Error(`${event.id} is not an event of this workspace`);
      const parts = answer?.parts ?? [];
      if (answer === undefined || parts.length === 0) {
        tables.settleEvent(seq);
        return;
      }
      change((atMs) => {
        tables.settleEvent(seq);
        for (const part of parts) tell(atMs, event.person.id, answer.place, part);
      });
    },

    locate(id) {
      const row = tables.message(ids.read('m', id) ?? 0) ?? tables.private(ids.read('p', id) ?? 0);
      if (row === undefined) return undefined;
      const place = { platform, conversation: row.conversation, id };
      return row.thread === null ? place : { ...place, thread: ids.make('m', row.thread) };
    },
    file(id, personId) {
      const row = message(id);
      if (row) return canSee(personId, row.conversation) ? files.read(row) : undefined;
      const told = privateFor(personId, id);
      return told && files.readPrivate(told);
    },
    history(conversationId, beforeId, limit) {
      const before = beforeId === undefined ? Number.MAX_SAFE_INTEGER : (ids.read('m', beforeId) ?? 0);
      return tables.history(conversationId, before, limit).reverse().map(view.message);
    },
    uploads: createUploads(tables, ids),
    past: createPast(tables, ids),
    thread(rootId) {
      const root = message(rootId);
      if (root === undefined || root.thread !== null) return [];
      return [root, ...tables.replies(root.conversation, root.seq)].map(view.message);
    },
    privates: (personId, limit) => tables.privates(personId, limit).reverse().map(view.private),
    changes: (personId, version, limit) => tables.changes(personId, version, limit).flatMap(view.change),
    version: () => tables.version(),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      db.close();
    },
  };
}

function isPerson(id: string): boolean {
  return person(id)?.id === id;
}

function channel(name: string): Conversation {
  return { platform, id: name, name: `#${name}` };
}
