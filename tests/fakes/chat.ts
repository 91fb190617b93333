import { z } from 'zod';
import { readAttachment } from '../../src/engine/attachments.ts';
import type { PastMessage } from '../../src/engine/digest.ts';
import type { JsonObject } from '../../src/engine/json.ts';
import type { MessageRef, Person, Place, Standing } from '../../src/engine/people.ts';
import type { Form, PostContent, PostFile } from '../../src/engine/post.ts';
import { fileFault, isOnlyFiles, isPicture, picturesOf } from '../../src/engine/post-file.ts';
import {
  type Answer,
  type Chat,
  type ChatEvent,
  ChatUnavailable,
  type Conversation,
  type EditOutcome,
  type Inbound,
  type Part,
  type PostOutcome,
} from '../../src/ports/chat.ts';
import { compose, plainText, shorten, splitMarkdown } from '../../src/render/markdown/index.ts';
import type { ChatFault, ChatPlatform, GivenFile, SeenForm, SeenMessage } from '../contracts/chat-harness.ts';

/** A chat platform in memory. Its people act through `ChatPlatform`; the bot through `chat`. */
export interface FakeChat extends ChatPlatform {
  /** The adapter of the bot that is alive. */
  readonly chat: Chat;
  /** The bot's process is gone: its adapter gets nothing more. Makes the adapter for the next one. */
  reconnect(): Chat;
  /** What an account is from now on, or that nobody can tell. Whoever does something is a member, unless said otherwise here. */
  setStanding(person: Pick<Person, 'id'>, standing: Standing | 'unknown'): void;
  /** Makes a role, or changes who has it. */
  setRole(name: string, people: readonly Pick<Person, 'id'>[]): void;
}

/** A message of the platform. */
interface Message extends SeenMessage {
  readonly key?: string;
  readonly atMs: number;
  readonly notified: readonly string[];
  /** The part it shows, when that is a file. */
  readonly file?: PostFile;
}

const fileAddress = 'https://files.fake.example/';
const textLimit = 2000;
const labelLimit = 40;

/**
 * Makes a platform with the people ana and bo and the channels `#general` and `#releases`, plus those given.
 *
 * @param options `nowMs` is its time before what `pass` adds; default: a fixed morning.
 */
export function createFakeChat(
  options: {
    readonly platform?: string;
    readonly channels?: readonly string[];
    /** Further members. */
    readonly others?: readonly Pick<Person, 'id' | 'name'>[];
    readonly nowMs?: () => number;
    readonly hasOwnCommands?: boolean;
  } = {},
): FakeChat {
  const platform = options.platform ?? 'fake';
  const channels = ['general', 'releases', ...(options.channels ?? [])];
  const ana: Person = { platform, id: 'U0ANA', name: 'Ana' };
  const bo: Person = { platform, id: 'U0BO', name: 'Bo' };
  const members: readonly Pick<Person, 'id' | 'name'>[] = [ana, bo, ...(options.others ?? [])];
  const outsiders = {
    self: { platform, id: 'U0FLOWBOT', name: 'flowbot' },
    bot: { platform, id: 'U0BOT', name: 'other bot' },
    gone: { platform, id: 'U0GIL', name: 'Gil' },
    guest: { platform, id: 'U0GUS', name: 'Gus' },
    foreign: { platform, id: 'U0FAY', name: 'Fay' },
  };
  const standings = new Map<string, Standing | 'unknown'>([
    ...members.map(({ id }) => [id, 'member'] as const),
    [outsiders.gone.id, 'gone'],
    [outsiders.self.id, 'bot'],
    [outsiders.bot.id, 'bot'],
    [outsiders.guest.id, 'guest'],
    [outsiders.foreign.id, 'guest'],
  ]);
  /** Ids of who has a role, by its name. */
  const roles = new Map<string, readonly string[]>();

  /** By id, in the order they were written. */
  const messages = new Map<string, Message>();
  const privates = new Map<string, readonly Pick<SeenMessage, 'text' | 'buttons' | 'files'>[]>();
  const forms = new Map<string, SeenForm>();
  /** Bytes of files that people sent, by id. */
  const uploads = new Map<string, Buffer>();
  let losesFiles = false;
  /** Events the bot has not taken, oldest first. */
  const waiting: ChatEvent[] = [];
  let last: ChatEvent | undefined;
  let bot: { readonly inbound: Inbound; readonly adapter: Chat } | undefined;
  let fault: ChatFault | undefined;
  let made = 0;
  let passedMs = 0;
  let adapter = connect();

  const nowMs = () => (options.nowMs?.() ?? Date.UTC(2026, 0, 5, 9)) + passedMs;
  const nextId = (kind: string) => {
    made += 1;
    return `${kind}${String(made).padStart(6, '0')}`;
  };
  const stamp = () => ({ id: nextId('E'), atMs: nowMs() });

  function conversation(address: string): Conversation | undefined {
    const wanted = address.toLowerCase();
    const channel = channels.find((each) => wanted === `#${each}` || wanted === `c-${each}`);
    if (channel !== undefined) return { platform, id: `C-${channel}`, name: `#${channel}` };
    const person = members.find(({ id }) => [id, `d-${id}`].some((each) => each.toLowerCase() === wanted));
    return person && { platform, id: `D-${person.id}`, name: `@${person.name}`, isPrivate: true };
  }

  function add(where: Place, message: Omit<Message, 'ref' | 'atMs' | 'edited'>): MessageRef {
    const ref: MessageRef = { ...where, id: nextId('M') };
    messages.set(ref.id, { ...message, ref, atMs: nowMs(), edited: false });
    return ref;
  }

  function upload({ name, type, bytes }: GivenFile): JsonObject {
    const id = nextId('F');
    uploads.set(id, bytes);
    return { id, name, type, sizeBytes: bytes.length, url: `${fileAddress}${id}` };
  }

  async function happen(event: ChatEvent): Promise<void> {
    if (!standings.has(event.person.id)) standings.set(event.person.id, 'member');
    last = event;
    waiting.push(event);
    await deliver();
  }

  /** Offers what waits, in order, until the bot can't take one. Concurrent calls offer different events. */
  async function deliver(): Promise<void> {
    while (bot !== undefined) {
      const event = waiting.shift();
      if (event === undefined) return;
      try {
        const form = event.type === 'click' ? await bot.inbound.formFor(event) : undefined;
        show(event, form ? { kind: 'form', form } : await (await bot.inbound.receive(event)).answer);
      } catch {
        waiting.unshift(event);
        return;
      }
    }
  }

  function show({ type, person }: ChatEvent, answer: Answer): void {
    const open = forms.get(person.id);
    if (type === 'submit') forms.delete(person.id);
    switch (answer.kind) {
      case 'none':
        return;
      case 'private': {
        const words = renderWords(answer.content).map((part) => ({ ...seenPart(part), files: [] }));
        const shown = [...words, ...picturesOf(answer.content).map(seenPicture)];
        privates.set(person.id, [...(privates.get(person.id) ?? []), ...shown]);
        return;
      }
      case 'form':
        forms.set(person.id, seenForm(answer.form));
        return;
      case 'errors':
        if (open) forms.set(person.id, { ...open, errors: answer.errors });
        return;
    }
  }

  /** Does it, unless a fault was asked for, which is used up by that. */
  function unlessFailing<T>(work: () => T) {
    const failed = fault;
    fault = undefined;
    switch (failed) {
      case undefined:
        return work();
      case 'refuse':
        return { kind: 'refused', message: 'The platform said no.' } as const;
      case 'later':
        return { kind: 'later', afterMs: 1000 } as const;
      case 'lost-answer':
        work();
        return { kind: 'unknown', message: 'The answer was lost.' } as const;
      case 'reset':
        return { kind: 'unknown', message: 'The connection broke.' } as const;
    }
  }

  function connect(): Chat {
    const self: Chat = {
      platform,
      hasOwnCommands: options.hasOwnCommands === true,
      async start(inbound) {
        bot = { inbound, adapter: self };
        void deliver();
      },
      async stop() {
        if (bot?.adapter === self) bot = undefined;
      },
      conversation: async (address) => conversation(address),
      nameOf: async (id) => members.find((each) => each.id === id)?.name ?? id,
      hasRole: async ({ id }, role) => roles.get(role.toLowerCase())?.includes(id),
      knowsRole: async (role) => roles.has(role.toLowerCase()),
      async standing({ id }) {
        const standing = standings.get(id) ?? 'gone';
        if (standing === 'unknown') throw new ChatUnavailable('The platform does not answer.');
        return standing;
      },
      async canRead({ id }, where) {
        const standing = standings.get(id) ?? 'gone';
        if (standing === 'unknown') throw new ChatUnavailable('The platform does not answer.');
        const isThere = conversation(where)?.id === where;
        return isThere && standing === 'member' && (!where.startsWith('D-') || where === `D-${id}`);
      },
      health: () => ({ kind: 'up' }),
      render,
      post: async (where, part, key) =>
        unlessFailing((): PostOutcome => {
          if (conversation(where.conversation)?.id !== where.conversation) {
            return { kind: 'refused', message: 'There is no such conversation.' };
          }
          if (where.thread !== undefined && !messages.has(where.thread)) {
            return { kind: 'refused', message: 'The thread is gone.' };
          }
          const file = filePartSchema.safeParse(part).data?.file;
          const fault = file && fileFault(file);
          if (fault !== undefined) return { kind: 'refused', message: fault };
          if (file) return { kind: 'posted', message: add(where, { ...seenFile(file), key }) };
          const read = partSchema.safeParse(part);
          if (!read.success) return { kind: 'refused', message: 'The message is not as it must be.' };
          const notified = read.data.notify.filter((id) => members.some((one) => one.id === id));
          const shown = { ...seenPart(part), files: [], author: 'bot' };
          return { kind: 'posted', message: add(where, { ...shown, key, notified }) };
        }),
      edit: async (ref, part) =>
        unlessFailing((): EditOutcome => {
          const message = messages.get(ref.id);
          if (message === undefined) return { kind: 'gone' };
          if (message.author !== 'bot') return { kind: 'refused', message: 'That is not your message.' };
          const file = filePartSchema.safeParse(part).data?.file;
          if (file) {
            const isSame = JSON.stringify(file) === JSON.stringify(message.file);
            return isSame ? { kind: 'edited' } : { kind: 'refused', message: 'Files can’t be changed.' };
          }
          messages.set(ref.id, { ...message, ...seenPart(part), edited: true });
          return { kind: 'edited' };
        }),
      async find(where, key, sinceMs) {
        const found = [...messages.values()].find(
          (each) => each.key === key && inPlace(each.ref, where) && each.atMs >= sinceMs,
        );
        return found ? { kind: 'found', message: found.ref } : { kind: 'absent' };
      },
      async download(given, maxBytes) {
        if (losesFiles) throw new ChatUnavailable('The platform gives out no files.');
        const file = readAttachment(given);
        const bytes = file?.url?.startsWith(fileAddress) ? uploads.get(file.id) : undefined;
        if (bytes === undefined) return { kind: 'refused', message: 'The file is not there any more.' };
        const isTooLarge = Math.max(bytes.length, file?.sizeBytes ?? 0) > maxBytes;
        if (isTooLarge) return { kind: 'refused', message: 'The file is too large.' };
        return { kind: 'fetched', data: bytes.toString('base64') };
      },
      async history(where, { sinceMs, untilMs, max }) {
        const typed = [...messages.values()].filter(
          ({ ref, author }) => ref.conversation === where && [ana, bo].some(({ name }) => name === author),
        );
        const within = typed.filter(({ atMs }) => atMs >= sinceMs && atMs < untilMs);
        const recent = within.slice(-max);
        const answered = new Set(recent.map(({ ref }) => ref.thread));
        const older = typed.filter((one) => answered.has(one.ref.id) && !recent.includes(one));
        const past = ({ ref, atMs, author, text }: Message): PastMessage => ({
          id: ref.id,
          atMs,
          author: { id: author === ana.name ? ana.id : bo.id, name: author },
          text,
          reactions: 0,
          files: 0,
          ...(ref.thread !== undefined && { thread: ref.thread }),
        });
        return {
          kind: 'read',
          messages: [
            ...older.map((one): PastMessage => ({ ...past(one), isOlder: true })),
            ...recent.map(past),
          ],
          isCut: within.length > max,
        };
      },
    };
    return self;
  }

  return {
    people: { ana, bo },
    address: '#releases',
    channel: { platform, conversation: 'C-releases' },
    otherChannel: { platform, conversation: 'C-general' },
    outsiders: async () => outsiders,
    async roleOfBo() {
      roles.set('helpers', [bo.id]);
      return { id: 'helpers', name: 'helpers' };
    },
    setStanding: ({ id }, standing) => void standings.set(id, standing),
    setRole: (name, people) =>
      void roles.set(
        name.toLowerCase(),
        people.map(({ id }) => id),
      ),
    get chat() {
      return adapter;
    },
    reconnect() {
      bot = undefined;
      adapter = connect();
      return adapter;
    },
    async say(person, where, text) {
      const message = add(where, { author: person.name, text, buttons: [], files: [], notified: [] });
      const mention = /^@flowbot\b\s*/i.exec(text)?.[0];
      const typed = { text: text.slice(mention?.length ?? 0), toBot: mention !== undefined };
      await happen({ type: 'message', ...stamp(), person, message, ...typed, files: [] });
      return message;
    },
    sayAsBot: async (where, text) =>
      add(where, { author: 'other bot', text, buttons: [], files: [], notified: [] }),
    async editAs(_person, ref, text) {
      const message = messages.get(ref.id);
      if (message) messages.set(ref.id, { ...message, text, edited: true });
    },
    async deleteMessage(ref) {
      const isOurs = messages.get(ref.id)?.author === 'bot';
      messages.delete(ref.id);
      if (isOurs) bot?.inbound.deleted(ref);
    },
    command: (person, where, text) => happen({ type: 'command', ...stamp(), person, place: where, text }),
    click: (person, message, button) => happen({ type: 'click', ...stamp(), person, message, button }),
    submit(person, where, form, values, files = {}) {
      const added = Object.entries(files).map(([field, each]) => [field, JSON.stringify(each.map(upload))]);
      const given = { ...values, ...Object.fromEntries(added) };
      return happen({ type: 'submit', ...stamp(), person, place: where, form, values: given });
    },
    async removeFile(id) {
      uploads.delete(id);
    },
    loseFiles() {
      losesFiles = true;
    },
    messages: async (where) =>
      [...messages.values()]
        .filter(({ ref }) => inPlace(ref, where))
        .map(({ ref, author, text, buttons, edited, files }) => ({
          ref,
          author,
          text,
          buttons,
          edited,
          files,
        })),
    privates: async (person) => privates.get(person.id) ?? [],
    async until(check) {
      if (!(await check())) throw new Error('nothing more happens');
    },
    form: async (person) => forms.get(person.id),
    notified: async (ref) => messages.get(ref.id)?.notified ?? [],
    failNext(next) {
      fault = next;
    },
    async redeliver() {
      if (last) await happen(last);
    },
    retry: deliver,
    nowMs,
    pass(ms) {
      passedMs += ms;
    },
  };
}

const partSchema = z.strictObject({
  markdown: z.string().max(textLimit),
  buttons: z.array(
    z.strictObject({ id: z.string().max(100), label: z.string().max(labelLimit), style: z.string() }),
  ),
  notify: z.array(z.string()),
});

const filePartSchema = z.strictObject({
  file: z.strictObject({ name: z.string(), mediaType: z.string(), alt: z.string(), data: z.string() }),
});

function render(content: PostContent): readonly Part[] {
  const files = (content.files ?? []).map((file) => ({ file: { ...file } }));
  return isOnlyFiles(content) ? files : [...renderWords(content), ...files];
}

function renderWords({ prose, buttons, notify }: PostContent): readonly z.infer<typeof partSchema>[] {
  const texts = splitMarkdown(compose(prose).trim() || '(empty)', (text) => text.length <= textLimit);
  const shown = buttons.map((button) => ({ ...button, label: shorten(button.label, labelLimit) }));
  return texts.map((markdown, index) => ({
    markdown,
    buttons: index === texts.length - 1 ? shown : [],
    notify: index === 0 ? [...notify] : [],
  }));
}

function seenPart(part: Part): Pick<SeenMessage, 'text' | 'buttons'> {
  const { markdown, buttons } = partSchema.parse(part);
  return { text: plainText(markdown), buttons: buttons.map(({ id, label }) => ({ id, label })) };
}

function seenFile(file: PostFile): Omit<Message, 'ref' | 'atMs' | 'edited' | 'key'> {
  const { name, alt, data } = file;
  const shown = isPicture(file) ? { name, alt } : { name, text: Buffer.from(data, 'base64').toString() };
  return { author: 'bot', text: '', buttons: [], files: [shown], notified: [], file };
}

/** A picture of an answer, or what is said in its place. */
function seenPicture(file: PostFile): Pick<SeenMessage, 'text' | 'buttons' | 'files'> {
  const isShown = fileFault(file) === undefined;
  return isShown ? seenFile(file) : { text: `There is no picture ${file.name}.`, buttons: [], files: [] };
}

function seenForm({ id, title, fields }: Form): SeenForm {
  const seen = fields.map(({ id, label, required }) => ({ id, label: shorten(label, labelLimit), required }));
  return { id, title: shorten(title, labelLimit), fields: seen, errors: {} };
}

function inPlace(ref: MessageRef, place: Place): boolean {
  return ref.conversation === place.conversation && ref.thread === place.thread;
}
