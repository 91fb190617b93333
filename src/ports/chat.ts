import type { PastMessage } from '../engine/digest.ts';
import type { Json, JsonObject } from '../engine/json.ts';
import type { Mention, MessageRef, Person, Place, Standing } from '../engine/people.ts';
import type { Form, FormField, HomePage, PostContent } from '../engine/post.ts';

/** Something people did on a platform. `id` is the platform's id of the happening: a redelivery has the same one. */
export type ChatEvent =
  | ChatMessage
  | ChatCommand
  | ChatSlash
  | ChatClick
  | ChatSubmit
  | ChatShortcut
  | ChatInvited;

/** A message somebody typed. Adapters pass on only new messages of people: no bots, edits or own posts. */
export interface ChatMessage {
  readonly type: 'message';
  readonly id: string;
  readonly atMs: number;
  readonly person: Person;
  readonly message: MessageRef;
  /** What was typed, decoded once, without the leading mention of the bot. */
  readonly text: string;
  /** The message began with a mention of the bot. */
  readonly toBot: boolean;
  /** Attachments, as the platform describes them. */
  readonly files: readonly JsonObject[];
  /** Who and what is mentioned in the text. */
  readonly mentions?: readonly Mention[];
}

/** A `/flow` command: `text` is what was typed after the command's name. */
export interface ChatCommand {
  readonly type: 'command';
  readonly id: string;
  readonly atMs: number;
  readonly person: Person;
  readonly place: Place;
  readonly text: string;
  /** Who and what is mentioned in the text. */
  readonly mentions?: readonly Mention[];
}

/** A flow's own command (`/release version:1.2`), of those that the menu offers. */
export interface ChatSlash {
  readonly type: 'slash';
  readonly id: string;
  readonly atMs: number;
  readonly person: Person;
  readonly place: Place;
  /** Id of the flow, as the menu had it when the command was made known: perhaps an old one. */
  readonly flow: string;
  /** What was given, by `FormField.id`, each a text as `FieldType` says. */
  readonly values: Readonly<Record<string, string>>;
}

/** A press of a button of one of our posts. */
export interface ChatClick {
  readonly type: 'click';
  readonly id: string;
  readonly atMs: number;
  readonly person: Person;
  /** The post whose button was pressed. */
  readonly message: MessageRef;
  /** `Button.id` as we gave it. May come from an old post, or be made up. */
  readonly button: string;
}

/** A form that was sent. */
export interface ChatSubmit {
  readonly type: 'submit';
  readonly id: string;
  readonly atMs: number;
  readonly person: Person;
  readonly place: Place;
  /** `Form.id` as we gave it. May come from an old form, or be made up. */
  readonly form: string;
  readonly values: Readonly<Record<string, string>>;
}

/** "Run a flow" from the platform's own menu. */
export interface ChatShortcut {
  readonly type: 'shortcut';
  readonly id: string;
  readonly atMs: number;
  readonly person: Person;
  readonly place: Place;
  /** The message it was chosen for. */
  readonly used?: Pick<ChatMessage, 'message' | 'text' | 'files'>;
}

/** The bot was let into a conversation. */
export interface ChatInvited {
  readonly type: 'invited';
  readonly id: string;
  readonly atMs: number;
  /** Who let it in, as far as the platform says. */
  readonly person: Person;
  readonly place: Place;
}

/** What the person who did it gets back, at once and only they. */
export type Answer =
  | { readonly kind: 'none' }
  | { readonly kind: 'private'; readonly content: PostContent }
  | { readonly kind: 'form'; readonly form: Form }
  /** Only for a submission: keep the form open and show these sentences at its fields (by `FormField.id`). */
  | { readonly kind: 'errors'; readonly errors: Readonly<Record<string, string>> };

/** What a platform that has commands of its own offers to people. */
export interface Menu {
  /** The words after the chat command, in the order help shows them. */
  readonly words: readonly MenuWord[];
  /** Flows with a command of their own, each command once, in the order of their ids. */
  readonly flows: readonly MenuFlow[];
}

/** A word after the chat command, with what follows it. */
export interface MenuWord {
  readonly name: string;
  /** What it does, in one sentence. */
  readonly summary: string;
  readonly options: readonly MenuOption[];
}

/** One thing that follows such a word, separated from the next by a space; the last one may be of several words. */
export interface MenuOption {
  readonly name: string;
  readonly summary: string;
  readonly required: boolean;
  /** `Inbound.complete` has values for it. */
  readonly completes: boolean;
}

/** A flow that people start by a command of its own. */
export interface MenuFlow {
  readonly flow: string;
  /** The command, without a sign before it. */
  readonly command: string;
  /** What the flow does, in few words; never empty. */
  readonly summary: string;
  /** Its input, a field for each value that can be given. */
  readonly fields: readonly FormField[];
}

/** How what was typed after the chat command can go on. */
export interface Completion {
  /** All that is typed then. */
  readonly typed: string;
  /** What people choose it by: `Release notes (release)`. */
  readonly shown: string;
}

/** An event that is durable: it can be acknowledged, whatever becomes of the answer. */
export interface Taken {
  /** What the person gets. Never rejects; may take longer than a platform waits. */
  readonly answer: Promise<Answer>;
}

/** The bot, as an adapter sees it. */
export interface Inbound {
  /**
   * The form that a click or shortcut opens. It looks into the store and asks nobody else, because platforms
   * accept a form only as the first answer within 3 s. Undefined: a click is an ordinary one, give it to `receive`;
   * for a shortcut there is nothing to choose from. A shortcut goes to `receive` in any case. Never rejects.
   */
  formFor(event: ChatClick | ChatShortcut): Promise<Form | undefined>;
  /**
   * Takes an event. When the promise resolves the event is durable: only then may the adapter acknowledge it.
   * A repeat (same platform and `id`) changes nothing, and its answer is `none`. Rejects only when the event could
   * not be stored.
   *
   * @param calm asked when it is the event's turn to be handled: that waits until it resolves; default: it does not
   */
  receive(event: ChatEvent, calm?: () => Promise<void>): Promise<Taken>;
  /** One of our messages is gone: somebody has deleted it. Told as it happens, and perhaps not at all. Synchronous. */
  deleted(message: MessageRef): void;
  /** Whether a message is meant for the bot: adapters need find out nothing more about others. Synchronous. */
  concerns(message: Pick<ChatMessage, 'text' | 'toBot'>): boolean;
  /** Something small that an adapter of this platform kept under a name; undefined = nothing. */
  note(platform: string, name: string): Promise<Json | undefined>;
  /** Keeps something small for the adapter, durably: the last thing kept under a name counts. */
  keepNote(platform: string, name: string, value: Json): Promise<void>;
  /** Completions for what was typed after `/flow` so far, best first, at most 25. */
  complete(typed: string, person: Person, place: Place): Promise<readonly Completion[]>;
  /** Gives what a platform can offer to `take` now, and each time that it has changed. */
  followMenu(platform: string, take: (menu: Menu) => void): void;
  /** What concerns a person, for platforms that have a page for it. `place`: their direct conversation with the bot. */
  home(person: Person, place: Place): Promise<HomePage>;
}

/** One platform message, as the adapter wants it kept: plain data, rendered once and stored before it is sent. */
export type Part = Json;

/** What became of a post. `unknown` = it may or may not be there. */
export type PostOutcome =
  | { readonly kind: 'posted'; readonly message: MessageRef; readonly url?: string }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'later'; readonly afterMs: number }
  | { readonly kind: 'unknown'; readonly message: string };

/**
 * What became of an edit. Edits are safe to repeat. `gone` = the message is not there any more; `closed` = its thread is,
 * and takes no changes.
 */
export type EditOutcome =
  | { readonly kind: 'edited' }
  | { readonly kind: 'gone' }
  | { readonly kind: 'closed'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'later'; readonly afterMs: number }
  | { readonly kind: 'unknown'; readonly message: string };

/** What a look-up of an earlier post found. `unknowable` = this platform or place gives no answer. */
export type FindOutcome =
  | { readonly kind: 'found'; readonly message: MessageRef; readonly url?: string }
  | { readonly kind: 'absent' }
  /** Ask again after this time. */
  | { readonly kind: 'later'; readonly afterMs: number }
  | { readonly kind: 'unknowable'; readonly message: string };

/** Which messages of a conversation are read. */
export interface HistoryWindow {
  /** From then on, and before `untilMs` (epoch). */
  readonly sinceMs: number;
  readonly untilMs: number;
  /** Most messages; the newest are kept. */
  readonly max: number;
}

/** What became of reading a conversation back. */
export type HistoryOutcome =
  /** Oldest first. `isCut`: there were more, and these are the newest. */
  | { readonly kind: 'read'; readonly messages: readonly PastMessage[]; readonly isCut: boolean }
  | { readonly kind: 'refused'; readonly message: string }
  /** Ask again after this time. */
  | { readonly kind: 'later'; readonly afterMs: number };

/** A conversation as people know it. */
export interface Conversation {
  readonly platform: string;
  readonly id: string;
  /** With its sign, as people write it: `#releases`. */
  readonly name: string;
  /** Not everybody of the platform's workspace or server can read it. */
  readonly isPrivate?: true;
}

/** A platform gives no answer now; later it may. */
export class ChatUnavailable extends Error {
  override readonly name = 'ChatUnavailable';
}

/** Whether a platform is connected. */
export type ChatHealth = { readonly kind: 'up' } | { readonly kind: 'down'; readonly why: string };

/** What became of fetching a file. */
export type DownloadOutcome =
  /** Its bytes in base64. */
  | { readonly kind: 'fetched'; readonly data: string }
  /** It is not there any more, too large, or not ours to read; a sentence for the person who sent it. */
  | { readonly kind: 'refused'; readonly message: string };

/** A chat platform. Every adapter passes `tests/contracts/chat.ts`. */
export interface Chat {
  /** The word before the colon in addresses: `slack`, `discord`, `playground`. */
  readonly platform: string;
  /** Whether flows can have commands of their own here (`slash: true`). */
  readonly hasOwnCommands: boolean;
  /** Connects and begins to deliver events; resolves when connected. Call once. */
  start(inbound: Inbound): Promise<void>;
  /** Stops delivering, then disconnects; complete when it resolves, may be called twice. */
  stop(): Promise<void>;
  /**
   * A conversation by what follows the platform in its address: `#name`, `@name`, or an id. Undefined = there is
   * certainly none, or the bot may not be there. Rejects with `ChatUnavailable` when nobody can tell now.
   */
  conversation(address: string): Promise<Conversation | undefined>;
  /** How people know a person or role, by the platform's id (`U0ANA`) or as `@role`; what was given when nobody can tell. */
  nameOf(id: string): Promise<string>;
  /**
   * Turns content into the messages it takes, each within the platform's limits, nothing cut, every mention
   * inert but those of `notify`; buttons go under the last. Then come the files, one message each; there are no others
   * when the content has nothing but files. Pure: the same content gives the same parts.
   */
  render(content: PostContent): readonly Part[];
  /**
   * Sends one message, with `key` as a marker that `find` can see; the keys of the messages of one post differ only
   * behind their last `#`. Never repeats the request by itself. A file that
   * `fileFault` objects to is refused and never reaches the platform.
   */
  post(place: Place, part: Part, key: string): Promise<PostOutcome>;
  /** Replaces one of our messages. A file can't be changed: `edited` when the message shows the same, else `refused`. */
  edit(message: MessageRef, part: Part): Promise<EditOutcome>;
  /**
   * Whether a person has a role now: a user group, a server role, by name or id as `place` knows it. Undefined =
   * there is no such role, or nobody can tell: then nobody has it. May be up to a minute old.
   */
  hasRole(person: Person, role: string, place: Place): Promise<boolean | undefined>;
  /**
   * Whether a role is there, by name or id as `place` knows it; without a place, wherever the bot is. Rejects with
   * `ChatUnavailable` when nobody can tell now.
   */
  knowsRole(role: string, place?: Place): Promise<boolean>;
  /**
   * What an account is at present, seen from `place`; without one, from wherever the bot is. May be up to a minute old.
   * Rejects with `ChatUnavailable` when nobody can tell now.
   */
  standing(person: Pick<Person, 'id'>, place?: Place): Promise<Standing>;
  /**
   * Whether a person can read a conversation now, as people who open it in the chat: its id, as `conversation` gives it.
   * May be up to a minute old, and false where it is not certain. Rejects with `ChatUnavailable` when nobody can tell now.
   */
  canRead(person: Pick<Person, 'id'>, conversation: string): Promise<boolean>;
  /**
   * Fetches a file that a person sent, as the event described it (`{ id, name, type, sizeBytes, url }`): only from where the
   * platform keeps its files, and never more than `maxBytes`. Rejects with `ChatUnavailable` when it can't be had now.
   */
  download(file: JsonObject, maxBytes: number): Promise<DownloadOutcome>;
  /** Whether events arrive and posts can go out; a sentence says why not. */
  health(): ChatHealth;
  /** Looks for our own message with this key, sent at `sinceMs` (epoch) or later. */
  find(place: Place, key: string, sinceMs: number): Promise<FindOutcome>;
  /**
   * What people wrote in a conversation and its threads within a window: no bots, no notices of the platform, nothing that
   * was deleted. Answers to older messages come with the message that they answer.
   * @param conversation its id, as `conversation` gives it
   */
  history(conversation: string, window: HistoryWindow): Promise<HistoryOutcome>;
}
