import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Reaction } from '../../../src/adapters/playground/delivery.ts';
import { type Playground, playgroundOf } from '../../../src/adapters/playground/index.ts';
import type { MessageView, PrivateView } from '../../../src/adapters/playground/view.ts';
import { openWorkspace, type Workspace } from '../../../src/adapters/playground/workspace.ts';
import type { MessageRef, Person, Place } from '../../../src/engine/people.ts';
import type { Form } from '../../../src/engine/post.ts';
import type { Inbound } from '../../../src/ports/chat.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { Log } from '../../../src/ports/log.ts';
import { createServer, type Server } from '../../../src/server/index.ts';
import type {
  ChatFault,
  ChatHarness,
  FieldFiles,
  Inbox,
  SeenFile,
  SeenForm,
  SeenMessage,
} from '../../contracts/chat.ts';
import { createInbox } from '../../contracts/chat.ts';
import { treeText } from './tree-text.ts';

/** The playground behind its real server, with its real file; people act over HTTP as the page does. */
export interface PlaygroundHarness extends ChatHarness {
  readonly url: string;
  /** Adds channels as flows that name them do. */
  ensureChannels(names: readonly string[]): void;
  /** What the page gets. */
  get(path: string, query: Readonly<Record<string, string>>): Promise<Response>;
  /** What the page sends. */
  send(path: string, body: unknown): Promise<Response>;
}

export const silentLog: Log = { info() {}, warn() {}, error() {} };

/** A clock that stands still until it is turned. */
export function createHandClock(): Clock & { pass(ms: number): void } {
  let nowMs = Date.UTC(2026, 0, 5, 9);
  let alarms: { readonly atMs: number; readonly wake: () => void }[] = [];
  return {
    now: () => nowMs,
    alarm(atMs, wake) {
      const alarm = { atMs, wake };
      alarms.push(alarm);
      return () => {
        alarms = alarms.filter((each) => each !== alarm);
      };
    },
    pass(ms) {
      nowMs += ms;
      const due = alarms.filter(({ atMs }) => atMs <= nowMs);
      alarms = alarms.filter(({ atMs }) => atMs > nowMs);
      for (const { wake } of due) wake();
    },
  };
}

/** The JSON of an answer, when it is not a refusal. */
export async function read<T>(response: Promise<Response>): Promise<T> {
  const answer = await response;
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
  return JSON.parse(await answer.text());
}

/** Workspaces made so far: each gets a tag of its own. */
let tags = 0;

/** What the playground delivers while no process of the bot is there waits for the next: it lives inside of them. */
export function createPatientInbox() {
  let bot = Promise.withResolvers<Inbound>();
  return {
    ...createInbox(),
    formFor: async (event: Parameters<Inbound['formFor']>[0]) => (await bot.promise).formFor(event),
    receive: async (event: Parameters<Inbound['receive']>[0]) => (await bot.promise).receive(event),
    connect: (inbound: Inbound) => bot.resolve(inbound),
    disconnect() {
      bot = Promise.withResolvers();
    },
  };
}

/** Opens a playground in a new folder and connects an inbox to it. @param options default: new ones */
export async function createPlaygroundHarness(
  options: { readonly inbox?: Inbox; readonly clock?: ReturnType<typeof createHandClock> } = {},
): Promise<PlaygroundHarness> {
  const folder = mkdtempSync(join(tmpdir(), 'playground-'));
  const file = join(folder, 'playground.db');
  const { inbox = createInbox(), clock = createHandClock() } = options;
  const person = (id: string, name: string): Person => ({ platform: 'playground', id, name });
  const people = { ana: person('ana', 'Ana'), bo: person('bo', 'Bo') };
  const place = (conversation: string): Place => ({ platform: 'playground', conversation });
  const forms = new Map<string, SeenForm>();
  let fault: ChatFault | undefined;
  let losesFiles = false;
  let { server, playground } = await start();

  async function start(): Promise<{ server: Server; playground: Playground }> {
    tags += 1;
    const ids = { next: () => `tag${tags}` };
    const workspace = failing(
      openWorkspace({ file, clock, ids }),
      () => {
        const now = fault;
        fault = undefined;
        return now;
      },
      () => losesFiles,
    );
    const server = await createServer({ host: '127.0.0.1', port: 0, log: silentLog });
    const playground = playgroundOf(workspace, {
      clock,
      log: silentLog,
      command: '/flow',
      url: () => server.url,
    });
    playground.routes(server.app);
    await server.listen();
    await playground.start(inbox);
    return { server, playground };
  }

  async function end(): Promise<void> {
    await playground.stop();
    await server.close();
    await playground.close();
  }

  async function restart(): Promise<void> {
    await end();
    ({ server, playground } = await start());
  }

  const get = (path: string, query: Readonly<Record<string, string>>) =>
    fetch(`${server.url}/playground/${path}?${new URLSearchParams(query)}`);
  const send = (path: string, body: unknown) =>
    fetch(`${server.url}/playground/api/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.url },
      body: JSON.stringify(body),
    });

  async function act(who: Person, path: string, body: object): Promise<Reaction> {
    const reaction = await read<Reaction>(send(path, { as: who.id, ...body }));
    if (reaction.kind === 'form') forms.set(who.id, seenForm(reaction.form));
    return reaction;
  }
  const inPlace = ({ conversation, thread }: Place) => (thread ? { conversation, thread } : { conversation });

  async function views(where: Place): Promise<readonly MessageView[]> {
    const as = where.conversation.startsWith('@') ? where.conversation.slice(1) : people.ana.id;
    if (where.thread === undefined) {
      const query = { as, conversation: where.conversation };
      const { messages } = await read<{ messages: MessageView[] }>(get('api/messages', query));
      return messages;
    }
    const { messages } = await read<{ messages: MessageView[] }>(
      get('api/thread', { as, root: where.thread }),
    );
    return messages.slice(1);
  }
  /** As whoever looks gets them. */
  async function filesIn({ id, conversation, body }: MessageView): Promise<readonly SeenFile[]> {
    const as = conversation.startsWith('@') ? conversation.slice(1) : people.ana.id;
    return filesFor(as, { id, body });
  }
  async function filesFor(
    as: string,
    { id, body }: Pick<MessageView, 'id' | 'body'>,
  ): Promise<readonly SeenFile[]> {
    if (body.kind !== 'file') return [];
    const answer = await get('api/file', { as, message: id });
    const name = /^attachment; filename="(.*)"$/.exec(answer.headers.get('content-disposition') ?? '')?.[1];
    const bytes = await answer.text();
    return [{ name: name ?? '', ...(body.picture ? { alt: body.alt } : { text: bytes }) }];
  }
  /** Sends the files before the form, as the page does. */
  async function uploaded(who: Person, given: FieldFiles): Promise<Record<string, string[]>> {
    const fields = Object.entries(given).map(async ([field, files]) => {
      const ids: string[] = [];
      for (const { name, type, bytes } of files) {
        const query = new URLSearchParams({ as: who.id, name, type });
        const headers = { 'content-type': 'application/octet-stream', origin: server.url };
        const url = `${server.url}/playground/api/upload?${query}`;
        const { id } = await read<{ id: string }>(
          fetch(url, { method: 'POST', headers, body: new Uint8Array(bytes) }),
        );
        ids.push(id);
      }
      return [field, ids] as const;
    });
    return Object.fromEntries(await Promise.all(fields));
  }
  async function newest(where: Place): Promise<MessageRef> {
    const view = (await views(where)).at(-1);
    if (view === undefined) throw new Error('nothing was written');
    return { ...where, id: view.id };
  }

  return {
    people,
    inbox,
    address: '#releases',
    channel: place('releases'),
    otherChannel: place('general'),
    outsiders: async () => ({
      self: person('flowbot', 'flowbot'),
      bot: person('ci', 'ci'),
      gone: person('gil', 'Gil'),
    }),
    roleOfBo: async () => ({ id: 'oncall', name: 'oncall' }),
    get chat() {
      return playground;
    },
    get url() {
      return server.url;
    },
    get,
    send,
    ensureChannels: (names) => playground.ensureChannels(names),
    async say(who, where, text) {
      await act(who, 'say', { ...inPlace(where), text });
      return newest(where);
    },
    async sayAsBot(where, text) {
      await act(person('ci', 'ci'), 'say', { ...inPlace(where), text });
      return newest(where);
    },
    async editAs(who, message, text) {
      await act(who, 'edit', { message: message.id, text });
    },
    async deleteMessage(message) {
      await act(people.ana, 'delete', { message: message.id });
    },
    async command(who, where, text) {
      await act(who, 'say', { ...inPlace(where), text: `/flow ${text}` });
    },
    async click(who, message, button) {
      await act(who, 'click', { message: message.id, button });
    },
    async submit(who, where, form, values, given = {}) {
      const open = forms.get(who.id);
      forms.delete(who.id);
      const files = await uploaded(who, given);
      const reaction = await act(who, 'submit', { ...inPlace(where), form, values, files });
      if (reaction.kind === 'errors' && open) forms.set(who.id, { ...open, errors: reaction.errors });
    },
    async removeFile(id) {
      // As if newer ones had taken its place.
      await end();
      const db = new Database(file);
      db.prepare('DELETE FROM uploads WHERE seq = ?').run(Number.parseInt(id.slice(1), 10));
      db.close();
      ({ server, playground } = await start());
    },
    loseFiles() {
      losesFiles = true;
    },
    async messages(where) {
      const seen = (await views(where)).map(async (view) => ({
        ref: { ...where, id: view.id },
        author: view.author.id === 'flowbot' ? 'bot' : view.author.name,
        edited: view.edited,
        ...seenBody(view),
        files: await filesIn(view),
      }));
      return Promise.all(seen);
    },
    async privates(who) {
      const { privates } = await read<{ privates: PrivateView[] }>(get('api/state', { as: who.id }));
      const seen = privates.map(async (view) => ({
        ...seenBody(view),
        files: await filesFor(who.id, view),
      }));
      return Promise.all(seen);
    },
    async until(check) {
      if (!(await check())) throw new Error('nothing more happens');
    },
    form: async (who) => forms.get(who.id),
    async notified(message) {
      const { conversation, thread } = message;
      const where = { platform: 'playground', conversation, ...(thread ? { thread } : {}) };
      return (await views(where)).find(({ id }) => id === message.id)?.notified ?? [];
    },
    failNext(next) {
      fault = next;
    },
    async redeliver() {
      // As if the process had died between taking the event and noting that it was taken.
      await end();
      const db = new Database(file);
      db.exec('UPDATE events SET delivered = 0 WHERE seq = (SELECT max(seq) FROM events)');
      db.close();
      ({ server, playground } = await start());
    },
    async retry() {
      clock.pass(60_000);
    },
    nowMs: () => clock.now(),
    pass: (ms) => clock.pass(ms),
    restart,
    async close() {
      await end();
      rmSync(folder, { recursive: true });
    },
  };
}

/** The workspace as it looks over a bad connection. */
function failing(
  workspace: Workspace,
  takeFault: () => ChatFault | undefined,
  losesFiles: () => boolean,
): Workspace {
  const unlessFailing = <T>(work: () => T) => {
    switch (takeFault()) {
      case undefined:
        return work();
      case 'refuse':
        return { kind: 'refused', message: 'Not today.' } as const;
      case 'later':
        return { kind: 'later', afterMs: 2000 } as const;
      case 'lost-answer':
        work();
        throw new Error('socket hang up');
      case 'reset':
        throw new Error('read ECONNRESET');
    }
  };
  return {
    ...workspace,
    post: (...args) => unlessFailing(() => workspace.post(...args)),
    edit: (...args) => unlessFailing(() => workspace.edit(...args)),
    uploads: {
      ...workspace.uploads,
      read(id) {
        if (losesFiles()) throw new Error('disk I/O error');
        return workspace.uploads.read(id);
      },
    },
  };
}

function seenBody({ body }: MessageView | PrivateView): Pick<SeenMessage, 'text' | 'buttons'> {
  if (body.kind === 'typed') return { text: body.text, buttons: [] };
  if (body.kind === 'file') return { text: '', buttons: [] };
  return { text: treeText(body.tree), buttons: body.buttons.map(({ id, label }) => ({ id, label })) };
}

function seenForm({ id, title, fields }: Form): SeenForm {
  return {
    id,
    title,
    fields: fields.map(({ id, label, required }) => ({ id, label, required })),
    errors: {},
  };
}
