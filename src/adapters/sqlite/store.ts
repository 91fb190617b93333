import type Database from 'better-sqlite3';
import { CACHED_USE_MS, type Store } from '../../ports/store.ts';
import { prepareAuditReads } from './audit.ts';
import { prepareCache } from './cache.ts';
import { prepareFiles } from './files.ts';
import { preparePassing } from './passing.ts';
import { prepareReads } from './reads.ts';
import { WriteQueue } from './write-queue.ts';
import { prepareWrites } from './writes.ts';

/** The store on an open database of its own; `closed` is called once, when everything is over. */
export function createStore(db: Database.Database, closed: () => void): Store {
  const queue = new WriteQueue(db);
  const writes = prepareWrites(db);
  const reads = prepareReads(db);
  const audit = prepareAuditReads(db);
  const files = prepareFiles(db);
  const cache = prepareCache(db);
  const passing = preparePassing(db);
  let closing: Promise<void> | undefined;

  return {
    commit: (commit) => write(() => writes.commit(commit)),
    receive: (delivery) => write(() => writes.receive(delivery)),
    saveVersion: (hash, definition) => write(() => writes.saveVersion(hash, definition)),
    setSwitch: (flow, enabled) => write(() => writes.setSwitch(flow, enabled)),
    saveSchedules: (changed, gone = []) => write(() => writes.saveSchedules(changed, gone)),
    setNote: (key, value) => write(() => writes.setNote(key, value)),
    keepPassing: (key, value, untilMs, nowMs) => write(() => passing.keep(key, value, untilMs, nowMs)),
    dropPassing: (key) => write(() => passing.drop(key)),
    keepFile: (file) => write(() => files.keepFile(file)),
    version: async (hash) => reads.version(hash),
    run: async (id) => reads.run(id),
    runOfStartKey: async (startKey) => reads.runOfStartKey(startKey),
    runs: async (filter) => reads.runs(filter),
    journal: async (run, after = 0) => reads.journal(run, after),
    calls: async () => reads.calls(),
    dueTimers: async (nowMs, limit) => reads.dueTimers(nowMs, limit),
    nextTimerMs: async () => reads.nextTimerMs(),
    post: async (key) => reads.post(key),
    pendingPosts: async () => reads.pendingPosts(),
    openQuestions: async (limit) => reads.openQuestions(limit),
    questionRun: async (question) => reads.questionRun(question),
    delivery: async (id) => reads.delivery(id),
    undelivered: async () => reads.undelivered(),
    switches: async () => reads.switches(),
    schedules: async () => reads.schedules(),
    note: async (key) => reads.note(key),
    passing: async (key, nowMs) => passing.find(key, nowMs),
    spent: async (fromDay, toDay) => reads.spent(fromDay, toDay),
    conversation: async (run, key) => reads.conversation(run, key),
    audit: async (filter) => audit.audit(filter),
    auditHead: async () => audit.auditHead(),
    file: async (id) => files.file(id),
    keepCached: (key, output, nowMs) => write(() => cache.keep(key, output, nowMs)),
    async cached(key, nowMs) {
      const found = cache.find(key);
      if (found && found.usedMs <= nowMs - CACHED_USE_MS) await write(() => cache.use(key, nowMs));
      return found?.output;
    },
    close() {
      closing ??= finish();
      return closing;
    },
  };

  async function write<T>(work: () => T): Promise<T> {
    if (closing !== undefined) throw new Error(`${db.name} is closed: nothing can be stored any more.`);
    return queue.add(work);
  }

  async function finish(): Promise<void> {
    await queue.drain();
    db.close();
    closed();
  }
}
