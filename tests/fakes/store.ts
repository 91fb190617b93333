import { sha256 } from '../../src/adapters/system/sha256.ts';
import type { Conversation } from '../../src/engine/agents/conversation.ts';
import { addUsage } from '../../src/engine/agents/usage.ts';
import {
  type AuditHead,
  type AuditLink,
  EMPTY_HEAD,
  entryText,
  linkText,
  readEntry,
} from '../../src/engine/audit/chain.ts';
import type { AuditEntry } from '../../src/engine/audit/entry.ts';
import type { Json } from '../../src/engine/json.ts';
import { personAddress } from '../../src/engine/people.ts';
import type { RunEvent } from '../../src/engine/run/event.ts';
import type { Output } from '../../src/engine/steps/step-type.ts';
import {
  type AuditFilter,
  CACHED_MAX,
  CACHED_MAX_CHARS,
  CACHED_USE_MS,
  type Commit,
  type CommitOutcome,
  type PostProgress,
  type QuestionRow,
  type RunFilter,
  type RunRow,
  type SpentOn,
  type Store,
  type StoredAudit,
  type StoredCall,
  type StoredDelivery,
  type StoredFile,
  type StoredPost,
  type StoredSchedule,
  type StoredTimer,
} from '../../src/ports/store.ts';

type RunMove = NonNullable<Commit['run']>;

/** A run as the memory keeps it. */
interface MemoryRun {
  readonly row: RunRow;
  readonly revision: number;
  readonly startKey: string | undefined;
  readonly schedule: string | undefined;
  readonly state: RunMove['state'];
  readonly outputs: ReadonlyMap<string, Output>;
  readonly journal: readonly RunEvent[];
}

/**
 * A store in memory that behaves like the real ones: it passes their contract. Data is copied as JSON on its way in
 * and out, and writes take effect in a later microtask. It outlives `close`, so a "restarted" bot can go on with it.
 */
export function createMemoryStore(): Store {
  // Maps keep the order in which keys were first set, which is the order of every list.
  const runs = new Map<string, MemoryRun>();
  const calls = new Map<string, StoredCall>();
  const timers = new Map<string, StoredTimer>();
  const questions = new Map<string, { readonly row: QuestionRow; readonly open: boolean }>();
  const posts = new Map<string, StoredPost>();
  const deliveries = new Map<string, { readonly delivery: StoredDelivery; readonly done: boolean }>();
  const versions = new Map<string, Json>();
  const switches = new Map<string, boolean>();
  const schedules = new Map<string, StoredSchedule>();
  const notes = new Map<string, Json>();
  const passing = new Map<string, { readonly value: Json; readonly untilMs: number }>();
  const files = new Map<string, StoredFile>();
  const kept = new Map<string, { readonly output: Output; readonly usedMs: number }>();
  const spent = new Map<string, SpentOn>();
  const conversations = new Map<string, Conversation>();
  const chain: AuditLink[] = [];
  let head: AuditHead = EMPTY_HEAD;

  return {
    commit: (commit) => write(commit, applyCommit),
    receive: (delivery) => write(delivery, keepDelivery),
    saveVersion: (hash, definition) =>
      write(definition, (data) => {
        if (!versions.has(hash)) versions.set(hash, data);
      }),
    setSwitch: (flow, enabled) => write(enabled, (data) => void switches.set(flow, data)),
    saveSchedules: (changed, gone = []) =>
      write({ changed, gone }, (data) => {
        for (const id of data.gone) schedules.delete(id);
        for (const schedule of data.changed) schedules.set(schedule.id, schedule);
      }),
    setNote: (key, value) => write(value, (data) => void notes.set(key, data)),
    version: (hash) => read(() => versions.get(hash)),
    run: (id) =>
      read(() => {
        const run = runs.get(id);
        if (run === undefined) return undefined;
        const { row, revision, state, outputs } = run;
        return { row, revision, state: { ...state, outputs: Object.fromEntries(outputs) } };
      }),
    runOfStartKey: (key) => read(() => [...runs.values()].find(({ startKey }) => startKey === key)?.row.id),
    runs: (filter) => read(() => listRuns(filter)),
    journal: (run, after = 0) => read(() => (runs.get(run)?.journal ?? []).slice(after)),
    calls: () => read(() => [...calls.values()]),
    dueTimers: (nowMs, limit) =>
      read(() =>
        [...timers.values()]
          .filter(({ dueMs }) => dueMs <= nowMs)
          .toSorted((a, b) => a.dueMs - b.dueMs)
          .slice(0, limit),
      ),
    nextTimerMs: () =>
      read(() =>
        timers.size === 0 ? undefined : Math.min(...[...timers.values()].map((timer) => timer.dueMs)),
      ),
    post: (key) => read(() => posts.get(key)),
    pendingPosts: () =>
      read(() =>
        [...posts.values()].filter(({ shown, revision, failed }) => shown < revision && failed === undefined),
      ),
    openQuestions: (limit) =>
      read(() =>
        [...questions.values()]
          .filter(({ open }) => open)
          .map(({ row }) => row)
          .slice(0, limit),
      ),
    questionRun: (question) => read(() => questions.get(question)?.row.run),
    delivery: (id) => read(() => deliveries.get(id)?.delivery),
    undelivered: () =>
      read(() => [...deliveries.values()].filter(({ done }) => !done).map(({ delivery }) => delivery)),
    switches: () => read(() => Object.fromEntries(switches)),
    schedules: () =>
      read(() => [...schedules.values()].toSorted((one, other) => (one.id < other.id ? -1 : 1))),
    note: (key) => read(() => notes.get(key)),
    passing: (key, nowMs) =>
      read(() => {
        const found = passing.get(key);
        return found && found.untilMs > nowMs ? found.value : undefined;
      }),
    keepPassing: (key, value, untilMs, nowMs) =>
      write({ value, untilMs }, (data) => {
        for (const [known, one] of passing) if (one.untilMs <= nowMs) passing.delete(known);
        passing.set(key, data);
      }),
    dropPassing: (key) => write(null, () => void passing.delete(key)),
    audit: (filter) => read(() => listAudit(filter)),
    auditHead: () => read(() => head),
    async keepFile(file) {
      // Bytes are no JSON.
      const stored = structuredClone(file);
      await null;
      if (!files.has(stored.id)) files.set(stored.id, stored);
    },
    file: async (id) => structuredClone(files.get(id)),
    cached(key, nowMs) {
      const found = read(() => kept.get(key)?.output);
      change(kept, key, (one) => (one.usedMs <= nowMs - CACHED_USE_MS ? { ...one, usedMs: nowMs } : one));
      return found;
    },
    keepCached: (key, output, nowMs) => write({ output, nowMs }, (data) => keepOutput(key, data)),
    spent: (fromDay, toDay) =>
      read(() =>
        [...spent]
          .filter(([, { day }]) => day >= fromDay && day <= toDay)
          .toSorted(([one], [other]) => (one < other ? -1 : 1))
          .map(([, one]) => one),
      ),
    conversation: (run, key) => read(() => conversations.get(keyOf(run, key))),
    close: async () => {},
  };

  function applyCommit(commit: Commit): CommitOutcome {
    const outcome: CommitOutcome =
      commit.run === undefined ? { kind: 'committed', revision: 0 } : moveRun(commit.run);
    if (outcome.kind !== 'committed') return outcome;
    if (commit.spent) spend(commit.spent);
    for (const { run, key, conversation } of commit.conversations ?? []) {
      if (runs.has(run)) conversations.set(keyOf(run, key), conversation);
    }
    for (const { run, key } of commit.begin ?? []) {
      change(calls, keyOf(run, key), (call) => ({ ...call, begun: true }));
    }
    for (const post of commit.posts ?? []) putPost(post);
    for (const progress of commit.posted ?? []) {
      change(posts, progress.key, (post) => progressed(post, progress));
    }
    for (const id of commit.delivered ?? []) {
      change(deliveries, id, (delivery) => ({ ...delivery, done: true }));
    }
    for (const entry of commit.audit ?? []) appendAudit(entry);
    return outcome;
  }

  function spend(more: SpentOn): void {
    const key = [more.day, more.flow, more.root, more.agent ?? ''].join('\0');
    const before = spent.get(key);
    spent.set(key, before ? { ...before, usage: addUsage(before.usage, more.usage) } : more);
  }

  function appendAudit(entry: AuditEntry): void {
    const n = head.count + 1;
    const text = entryText(entry);
    const hash = sha256(linkText(head.hash, n, text));
    chain.push({ n, hash, text });
    head = { count: n, hash };
  }

  function listAudit({ run, afterN = 0, limit, newest }: AuditFilter): readonly StoredAudit[] {
    const wanted = chain
      .map((link) => ({ ...link, entry: readEntry(link.text) }))
      .filter(({ n, entry }) => n > afterN && (run === undefined || runOf(entry) === run));
    return newest ? wanted.slice(-limit) : wanted.slice(0, limit);
  }

  function moveRun(move: RunMove): CommitOutcome {
    const { row, expectedRevision, state } = move;
    const known = runs.get(row.id);
    if (expectedRevision === 0 && move.startKey !== undefined) {
      const earlier = [...runs.values()].find(({ startKey }) => startKey === move.startKey);
      if (earlier !== undefined) return { kind: 'duplicate', run: earlier.row.id };
    }
    if ((known?.revision ?? 0) !== expectedRevision) return { kind: 'conflict' };

    const outputs = new Map(known?.outputs);
    for (const [step, output] of move.outputs) {
      if (output === null) outputs.delete(step);
      else outputs.set(step, output);
    }
    runs.set(row.id, {
      row: known === undefined ? row : { ...known.row, status: row.status, updatedAtMs: row.updatedAtMs },
      revision: expectedRevision + 1,
      startKey: known === undefined ? move.startKey : known.startKey,
      schedule: known === undefined ? move.schedule : known.schedule,
      state,
      outputs,
      journal: [...(known?.journal ?? []), ...move.events],
    });
    moveWork(row.id, move);
    return { kind: 'committed', revision: expectedRevision + 1 };
  }

  function moveWork(run: string, move: RunMove): void {
    for (const key of move.ended) {
      calls.delete(keyOf(run, key));
      timers.delete(keyOf(run, key));
    }
    for (const effect of move.calls) calls.set(keyOf(run, effect.key), { run, effect, begun: false });
    for (const timer of move.timers) timers.set(keyOf(run, timer.key), { run, ...timer });
    for (const id of move.questions.closed) {
      change(questions, id, (question) => ({ ...question, open: false }));
    }
    for (const row of move.questions.open) questions.set(row.id, { row, open: true });
  }

  function putPost({ key, run, target, content }: NonNullable<Commit['posts']>[number]): void {
    const known = posts.get(key);
    if (known === undefined) {
      const owner = run === undefined ? {} : { run };
      posts.set(key, { key, ...owner, target, content, revision: 1, shown: 0, parts: [] });
    } else if (JSON.stringify(known.content) !== JSON.stringify(content)) {
      const { failed: _, ...post } = known;
      posts.set(key, { ...post, content, revision: known.revision + 1 });
    }
  }

  function keepDelivery(delivery: StoredDelivery): boolean {
    if (deliveries.has(delivery.id)) return false;
    deliveries.set(delivery.id, { delivery, done: false });
    return true;
  }

  function keepOutput(key: string, { output, nowMs }: { readonly output: Output; readonly nowMs: number }) {
    if (JSON.stringify(output).length > CACHED_MAX_CHARS) return;
    kept.set(key, { output, usedMs: Math.max(nowMs, kept.get(key)?.usedMs ?? nowMs) });
    if (kept.size <= CACHED_MAX) return;
    const [oldest] = [...kept].toSorted(([, one], [, other]) => one.usedMs - other.usedMs)[0] ?? [];
    if (oldest !== undefined) kept.delete(oldest);
  }

  function listRuns(filter: RunFilter): readonly RunRow[] {
    const { flow, statuses, startedBy, home, schedule, lanes, root, parent, before, limit } = filter;
    const areLanes = lanes === true || root !== undefined || parent !== undefined;
    const wanted = ({ row, schedule: of }: MemoryRun) =>
      (row.parent !== undefined) === areLanes &&
      (root === undefined || row.parent?.root === root) &&
      (parent === undefined || row.parent?.run === parent) &&
      (schedule === undefined || of === schedule) &&
      (flow === undefined || row.flow === flow) &&
      (statuses === undefined || statuses.includes(row.status)) &&
      (startedBy === undefined ||
        (row.startedBy !== undefined && personAddress(row.startedBy) === personAddress(startedBy))) &&
      (home === undefined ||
        (row.home?.platform === home.platform && row.home.conversation === home.conversation));
    const older = [...runs.keys()].indexOf(before ?? '');
    return [...runs.values()]
      .slice(0, before === undefined ? runs.size : Math.max(older, 0))
      .filter(wanted)
      .map(({ row }) => row)
      .toReversed()
      .slice(0, limit);
  }
}

function runOf(entry: AuditEntry | undefined): string | undefined {
  return entry && 'run' in entry ? entry.run : undefined;
}

async function write<D, T>(data: D, apply: (data: D) => T): Promise<T> {
  const stored = copy(data);
  await null;
  return copy(apply(stored));
}

async function read<T>(look: () => T): Promise<T> {
  return copy(look());
}

function copy<T>(data: T): T {
  return data === undefined ? data : JSON.parse(JSON.stringify(data));
}

function keyOf(run: string, key: string): string {
  return JSON.stringify([run, key]);
}

function change<T>(map: Map<string, T>, key: string, edit: (known: T) => T): void {
  const known = map.get(key);
  if (known !== undefined) map.set(key, edit(known));
}

function progressed(post: StoredPost, { parts, shown, failed }: PostProgress): StoredPost {
  const byIndex = new Map([...post.parts, ...(parts ?? [])].map((part) => [part.index, part]));
  return {
    ...post,
    parts: [...byIndex.values()].toSorted((a, b) => a.index - b.index),
    ...(shown === undefined ? {} : { shown }),
    ...(failed === undefined ? {} : { failed }),
  };
}
