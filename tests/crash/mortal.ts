import { basename } from 'node:path';
import type { AgentRuntime, AgentRuntimes } from '../../src/ports/agents.ts';
import type { Chat, Inbound } from '../../src/ports/chat.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { Http } from '../../src/ports/http.ts';
import type { Programs } from '../../src/ports/programs.ts';
import type { Commit, Store } from '../../src/ports/store.ts';
import type { Tools } from '../../src/ports/tools.ts';
import type { Workspaces } from '../../src/ports/workspaces.ts';
import { type Life, never } from './life.ts';

/** Does what has an effect outside, between two points of a life. */
async function act<T>(life: Life, what: string, work: () => Promise<T>): Promise<T> {
  if (!life.pass(`before ${what}`)) return never();
  const result = await work();
  return life.pass(`after ${what}`) ? result : never();
}

async function look<T>(life: Life, work: () => Promise<T>): Promise<T> {
  if (life.over) return never();
  const result = await work();
  return life.over ? never() : result;
}

/** The store, as a life uses it. */
export function mortalStore(life: Life, store: Store): Store {
  /** Types of the events that came in this life, by delivery. */
  const events = new Map<string, string>();
  return {
    commit: (commit) => act(life, `commit ${kindOf(commit, events)}`, () => store.commit(commit)),
    receive(delivery) {
      events.set(delivery.id, delivery.event.type);
      return act(life, `receive ${delivery.event.type}`, () => store.receive(delivery));
    },
    saveVersion: (hash, definition) => act(life, 'save version', () => store.saveVersion(hash, definition)),
    setSwitch: (flow, enabled) => act(life, 'set switch', () => store.setSwitch(flow, enabled)),
    saveSchedules: (...args) => act(life, 'save schedules', () => store.saveSchedules(...args)),
    keepCached: (key, output, atMs) => act(life, 'keep result', () => store.keepCached(key, output, atMs)),
    cached: (key, atMs) => look(life, () => store.cached(key, atMs)),
    setNote: (key, value) => act(life, 'set note', () => store.setNote(key, value)),
    keepPassing: (...args) => act(life, 'keep for a while', () => store.keepPassing(...args)),
    dropPassing: (key) => act(life, 'drop what was kept', () => store.dropPassing(key)),
    passing: (key, nowMs) => look(life, () => store.passing(key, nowMs)),
    version: (hash) => look(life, () => store.version(hash)),
    run: (id) => look(life, () => store.run(id)),
    runs: (filter) => look(life, () => store.runs(filter)),
    journal: (run, after) => look(life, () => store.journal(run, after)),
    calls: () => look(life, () => store.calls()),
    dueTimers: (nowMs, limit) => look(life, () => store.dueTimers(nowMs, limit)),
    nextTimerMs: () => look(life, () => store.nextTimerMs()),
    post: (key) => look(life, () => store.post(key)),
    pendingPosts: () => look(life, () => store.pendingPosts()),
    openQuestions: (limit) => look(life, () => store.openQuestions(limit)),
    questionRun: (question) => look(life, () => store.questionRun(question)),
    delivery: (id) => look(life, () => store.delivery(id)),
    undelivered: () => look(life, () => store.undelivered()),
    switches: () => look(life, () => store.switches()),
    runOfStartKey: (key) => look(life, () => store.runOfStartKey(key)),
    schedules: () => look(life, () => store.schedules()),
    note: (key) => look(life, () => store.note(key)),
    spent: (fromDay, toDay) => look(life, () => store.spent(fromDay, toDay)),
    conversation: (run, key) => look(life, () => store.conversation(run, key)),
    audit: (filter) => look(life, () => store.audit(filter)),
    auditHead: () => look(life, () => store.auditHead()),
    keepFile: (file) => act(life, 'keep file', () => store.keepFile(file)),
    file: (id) => look(life, () => store.file(id)),
    close: () => store.close(),
  };
}

/** What a commit is about, in few words: the same work always has the same words. */
function kindOf(
  { run, begin = [], posts = [], posted = [], delivered = [], audit = [] }: Commit,
  events: ReadonlyMap<string, string>,
): string {
  const about = [
    ...(run ? [run.events[0]?.type ?? 'late event'] : []),
    ...(begin.length > 0 ? ['begin'] : []),
    ...(!run && posts.length > 0 ? ['posts'] : []),
    ...posted.map(({ parts = [], failed }) => {
      if (failed !== undefined) return 'given up';
      if (parts.length === 0) return 'shown';
      return parts.some(({ message }) => message === undefined) ? 'intent' : 'sent';
    }),
    ...(!run && posted.length === 0 && audit.length > 0 ? ['audit'] : []),
    ...delivered.map((id) => `delivered ${events.get(id) ?? 'from before'}`),
  ];
  return about.join('+');
}

/** A chat, as a life uses it. Its platform notices when the life ends: what was not taken is kept. */
export function mortalChat(life: Life, chat: Chat): Chat {
  return {
    platform: chat.platform,
    hasOwnCommands: chat.hasOwnCommands,
    start: (inbound) => look(life, () => chat.start(mortalInbound(life, inbound))),
    stop: () => chat.stop(),
    conversation: (address) => look(life, () => chat.conversation(address)),
    nameOf: (id) => look(life, () => chat.nameOf(id)),
    hasRole: (...args) => look(life, () => chat.hasRole(...args)),
    knowsRole: (...args) => look(life, () => chat.knowsRole(...args)),
    standing: (...args) => look(life, () => chat.standing(...args)),
    canRead: (...args) => look(life, () => chat.canRead(...args)),
    health: () => chat.health(),
    render: (content) => chat.render(content),
    post: (place, part, key) => act(life, `post ${key.split('/')[0]}`, () => chat.post(place, part, key)),
    edit: (message, part) => act(life, 'edit', () => chat.edit(message, part)),
    history: (...args) => look(life, () => chat.history(...args)),
    download: (...args) => look(life, () => chat.download(...args)),
    find: (place, key, sinceMs) => act(life, 'find', () => chat.find(place, key, sinceMs)),
  };
}

function mortalInbound(life: Life, inbound: Inbound): Inbound {
  const cut = () =>
    life.end.then((): never => {
      throw new Error('The connection to the bot is lost.');
    });
  return {
    formFor: (click) => inbound.formFor(click),
    async receive(event) {
      const { answer } = await Promise.race([inbound.receive(event), cut()]);
      return { answer: Promise.race([answer, cut()]) };
    },
    deleted(message) {
      if (!life.over) inbound.deleted(message);
    },
    concerns: (message) => inbound.concerns(message),
    note: (...args) => inbound.note(...args),
    keepNote: (...args) => inbound.keepNote(...args),
    complete: (...args) => inbound.complete(...args),
    followMenu: (platform, take) =>
      inbound.followMenu(platform, (menu) => {
        if (!life.over) take(menu);
      }),
    home: (...args) => inbound.home(...args),
  };
}

/** The HTTP client, as a life uses it. */
export function mortalHttp(life: Life, http: Http): Http {
  return {
    send: (request, signal) => act(life, `http ${request.method}`, () => http.send(request, signal)),
  };
}

/** All that agents, programs and tools are reached by, as a life uses it. */
export interface Hands {
  readonly agents: AgentRuntimes;
  readonly programs: Programs;
  readonly tools: Tools;
  readonly workspaces: Workspaces;
}

/** Agents, programs, tools and workspaces, as a life uses them. */
export function mortalHands(life: Life, { agents, programs, tools, workspaces }: Hands): Hands {
  return {
    agents: new Map([...agents].map(([name, runtime]) => [name, mortalRuntime(life, runtime)])),
    programs: {
      run: (call, signal) => act(life, `program ${basename(call.argv[0])}`, () => programs.run(call, signal)),
    },
    tools: {
      list: (...args) => tools.list(...args),
      call: (request, ...args) => act(life, `tool ${request.tool}`, () => tools.call(request, ...args)),
    },
    workspaces: mortalWorkspaces(life, workspaces),
  };
}

function mortalRuntime(life: Life, runtime: AgentRuntime): AgentRuntime {
  return {
    turn: (request, signal) => act(life, `agent ${request.kind}`, () => runtime.turn(request, signal)),
    close: () => runtime.close(),
  };
}

function mortalWorkspaces(life: Life, workspaces: Workspaces): Workspaces {
  return {
    open: (...args) => act(life, 'open workspace', () => workspaces.open(...args)),
    snapshot: (...args) => act(life, 'snapshot workspace', () => workspaces.snapshot(...args)),
    changes: (...args) => look(life, () => workspaces.changes(...args)),
    restore: (...args) => act(life, 'restore workspace', () => workspaces.restore(...args)),
    async scratch() {
      const { path, remove } = await act(life, 'make scratch', () => workspaces.scratch());
      return { path, remove: () => act(life, 'remove scratch', remove) };
    },
    remove: (run) => act(life, 'remove workspace', () => workspaces.remove(run)),
    runs: () => look(life, () => workspaces.runs()),
  };
}

/** The clock, as a life uses it: it wakes nobody who is dead. */
export function mortalClock(life: Life, clock: Clock): Clock {
  return {
    now: () => clock.now(),
    alarm: (atMs, wake) =>
      clock.alarm(atMs, () => {
        if (!life.over) wake();
      }),
  };
}
