import type { Json } from '../../src/engine/json.ts';
import type { MessageRef, Person, Place } from '../../src/engine/people.ts';
import type { Form, FormField } from '../../src/engine/post.ts';
import type { Answer, Chat, ChatEvent, Completion, Inbound, Menu } from '../../src/ports/chat.ts';

/** What a platform can't do; the reason is shown where its test is skipped. */
export interface ChatSkips {
  /** Posting into a thread whose first message was deleted is refused. */
  readonly deletedThread?: string;
  /** Events that happened while the bot was away come when it is back. */
  readonly missedEvents?: string;
  /** A message that was not found is known not to be there. */
  readonly absence?: string;
}

/** A message as people see it. */
export interface SeenMessage {
  readonly ref: MessageRef;
  /** `bot` for our own. */
  readonly author: string;
  /** Plain visible text: formatting gone, nothing added for mentions of `notify`. */
  readonly text: string;
  readonly buttons: readonly { readonly id: string; readonly label: string }[];
  readonly edited: boolean;
  readonly files: readonly SeenFile[];
}

/** A file as people see it: a picture with its description, another one with its text. */
export interface SeenFile {
  readonly name: string;
  readonly alt?: string;
  readonly text?: string;
}

/** A form that a person has open. */
export interface SeenForm {
  readonly id: string;
  readonly title: string;
  readonly fields: readonly Pick<FormField, 'id' | 'label' | 'required'>[];
  /** Sentences at its fields. */
  readonly errors: Readonly<Record<string, string>>;
}

/** Files that somebody adds to a form, by field. */
export type FieldFiles = Readonly<Record<string, readonly GivenFile[]>>;

/** A file on somebody's computer. */
export interface GivenFile {
  readonly name: string;
  /** Media type. */
  readonly type: string;
  readonly bytes: Buffer;
}

/** Accounts that are no members of the workspace of the channels, as far as a platform has such. */
export interface Outsiders {
  /** The bot itself. */
  readonly self: Person;
  /** Another bot. */
  readonly bot: Person;
  /** Somebody who was a member. */
  readonly gone: Person;
  /** Somebody who may be in some channels only. */
  readonly guest?: Person;
  /** Somebody of another organisation, in a channel that both share. */
  readonly foreign?: Person;
}

/** How the next post or edit fails. */
export type ChatFault =
  | 'refuse' // the platform says no
  | 'later' // too many requests
  | 'lost-answer' // it is done, but the answer is lost
  | 'reset'; // the connection breaks before it is done

/** The people's side of a platform. Every call resolves when the platform has done all it does because of it. */
export interface ChatPlatform {
  readonly people: { readonly ana: Person; readonly bo: Person };
  /** A channel that both see, as written in flows, and as it is resolved. */
  readonly address: string;
  readonly channel: Place;
  /** Another one. */
  readonly otherChannel: Place;
  /** Those who are there beside the members; somebody may have to leave for it. */
  outsiders(): Promise<Outsiders>;
  /** A role that bo has and ana has not. */
  roleOfBo(): Promise<{ readonly id: string; readonly name: string }>;
  say(person: Person, place: Place, text: string): Promise<MessageRef>;
  /** Another bot writes. */
  sayAsBot(place: Place, text: string): Promise<MessageRef>;
  editAs(person: Person, message: MessageRef, text: string): Promise<void>;
  deleteMessage(message: MessageRef): Promise<void>;
  /** Types the bot's command (`/flow`) followed by `text`. */
  command(person: Person, place: Place, text: string): Promise<void>;
  click(person: Person, message: MessageRef, button: string): Promise<void>;
  /** @param files what is added, by field; the form must be open */
  submit(
    person: Person,
    place: Place,
    form: string,
    values: Readonly<Record<string, string>>,
    files?: FieldFiles,
  ): Promise<void>;
  /** Takes a file away that was sent with a form. */
  removeFile(id: string): Promise<void>;
  /** The platform gives out no file until it is closed. */
  loseFiles(): void;
  /** The messages of a place, oldest first; of a thread: its replies. */
  messages(place: Place): Promise<readonly SeenMessage[]>;
  /** What only this person was shown, oldest first. */
  privates(person: Person): Promise<readonly Pick<SeenMessage, 'text' | 'buttons' | 'files'>[]>;
  /** Resolves when the check is true, which may take the bot a moment; rejects when it can't become true any more. */
  until(check: () => boolean | Promise<boolean>): Promise<void>;
  form(person: Person): Promise<SeenForm | undefined>;
  /** Ids of those whom a message notified; a notified group is an entry of its own. */
  notified(message: MessageRef): Promise<readonly string[]>;
  failNext(fault: ChatFault): void;
  /** Delivers the last event once more although it was taken, as platforms do at times. */
  redeliver(): Promise<void>;
  /** Lets the time pass after which an event that was not taken is delivered again. */
  retry(): Promise<void>;
  nowMs(): number;
  pass(ms: number): void;
}

/** A platform with the adapter under test connected to it and delivering to `inbox`. */
export interface ChatHarness extends ChatPlatform {
  readonly chat: Chat;
  readonly inbox: Inbox;
  /** The bot's process ends and comes back; the platform goes on meanwhile. Changes `chat`. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** A bot that keeps what it is given and does what the test says. Every message concerns it. */
export interface Inbox extends Inbound {
  /** Events that were taken, in order, repeats included. */
  readonly taken: readonly ChatEvent[];
  /** Messages of the bot that were told to be deleted, in order. */
  readonly gone: readonly MessageRef[];
  /** Resolves when so many events were taken. */
  until(count: number): Promise<void>;
  /** The next event is answered so. */
  answerNext(answer: Answer): void;
  /** The next events can't be stored. */
  refuseNext(count: number): void;
  /** Clicks open this form. */
  openOnClick(form: Form | undefined): void;
  /** What anything that is typed can go on with. */
  completeWith(completions: readonly Completion[]): void;
  /** There is another menu, on every platform. */
  offer(menu: Menu): void;
}

/** Makes an inbox. */
export function createInbox(): Inbox {
  const taken: ChatEvent[] = [];
  const gone: MessageRef[] = [];
  const notes = new Map<string, Json>();
  const waiters: { count: number; resolve: () => void }[] = [];
  let answer: Answer = { kind: 'none' };
  let refusals = 0;
  let form: Form | undefined;
  let completions: readonly Completion[] = [];
  let menu: Menu = { words: [], flows: [] };
  const followers: ((menu: Menu) => void)[] = [];
  return {
    taken,
    gone,
    deleted: (message) => void gone.push(message),
    until(count) {
      if (taken.length >= count) return Promise.resolve();
      const { promise, resolve } = Promise.withResolvers<void>();
      waiters.push({ count, resolve });
      return promise;
    },
    answerNext(next) {
      answer = next;
    },
    refuseNext(count) {
      refusals = count;
    },
    openOnClick(next) {
      form = next;
    },
    completeWith(next) {
      completions = next;
    },
    offer(next) {
      menu = next;
      for (const take of followers) take(menu);
    },
    formFor: async () => form,
    async receive(event) {
      if (refusals > 0) {
        refusals -= 1;
        throw new Error('the disk is full');
      }
      taken.push(event);
      for (const { count, resolve } of waiters) if (taken.length >= count) resolve();
      const given = answer;
      answer = { kind: 'none' };
      return { answer: Promise.resolve(given) };
    },
    concerns: () => true,
    note: async (platform, name) => notes.get(`${platform}/${name}`),
    async keepNote(platform, name, value) {
      notes.set(`${platform}/${name}`, value);
    },
    complete: async () => completions,
    followMenu(_platform, take) {
      followers.push(take);
      take(menu);
    },
    home: async () => ({ sections: [] }),
  };
}
