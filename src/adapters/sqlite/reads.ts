import type Database from 'better-sqlite3';
import type { Conversation } from '../../engine/agents/conversation.ts';
import type { Json } from '../../engine/json.ts';
import type { CallEffect } from '../../engine/run/effect.ts';
import type { RunEvent } from '../../engine/run/event.ts';
import type { Output } from '../../engine/steps/step-type.ts';
import type {
  QuestionRow,
  RunFilter,
  RunRow,
  SpentOn,
  StoredCall,
  StoredDelivery,
  StoredPart,
  StoredPost,
  StoredRun,
  StoredSchedule,
  StoredTimer,
} from '../../ports/store.ts';
import { parse, type RunColumns, runColumns, toRunRow } from './columns.ts';
import { prepareRunList } from './run-list.ts';
import { prepareSpent } from './spent.ts';

/** All reads of the store: short, and of what was committed. */
export interface Reads {
  version(hash: string): Json | undefined;
  run(id: string): StoredRun | undefined;
  runOfStartKey(startKey: string): string | undefined;
  runs(filter: RunFilter): readonly RunRow[];
  journal(run: string, after: number): readonly RunEvent[];
  calls(): readonly StoredCall[];
  dueTimers(nowMs: number, limit: number): readonly StoredTimer[];
  nextTimerMs(): number | undefined;
  post(key: string): StoredPost | undefined;
  pendingPosts(): readonly StoredPost[];
  openQuestions(limit: number): readonly QuestionRow[];
  questionRun(question: string): string | undefined;
  delivery(id: string): StoredDelivery | undefined;
  undelivered(): readonly StoredDelivery[];
  switches(): Readonly<Record<string, boolean>>;
  schedules(): readonly StoredSchedule[];
  note(key: string): Json | undefined;
  spent(fromDay: string, toDay: string): readonly SpentOn[];
  conversation(run: string, key: string): Conversation | undefined;
}

const deliveryColumns = 'id, received_at as receivedAtMs, event';

export function prepareReads(db: Database.Database): Reads {
  const runs = prepareRunList(db);
  const posts = preparePosts(db);
  const version = db.prepare<[string], { definition: string }>(
    'select definition from versions where hash = ?',
  );
  const run = db.prepare<[string], RunColumns & { n: number; revision: number; state: string }>(
    `select n, revision, state, ${runColumns} from runs where id = ?`,
  );
  const runOfStartKey = db.prepare<[string], { id: string }>('select id from runs where start_key = ?');
  const outputs = db.prepare<[number], { step: string; output: string }>(
    'select step, output from outputs where run = ?',
  );
  const journal = db.prepare<[string, number], { event: string }>(
    'select event from journal where run = (select n from runs where id = ?) order by n limit -1 offset ?',
  );
  const calls = db.prepare<[], { run: string; begun: number; effect: string }>(
    'select runs.id as run, begun, effect from calls join runs on runs.n = calls.run order by calls.n',
  );
  const dueTimers = db.prepare<[number, number], StoredTimer>(
    `select runs.id as run, key, due as dueMs from timers join runs on runs.n = timers.run
     where due <= ? order by due limit ?`,
  );
  const nextTimer = db.prepare<[], { due: number | null }>('select min(due) as due from timers');
  const openQuestions = db.prepare<[number], { id: string; run: string; question: string }>(
    `select questions.id, runs.id as run, question from questions join runs on runs.n = questions.run
     where open = 1 order by questions.n limit ?`,
  );
  const questionRun = db.prepare<[string], { run: string }>(
    'select runs.id as run from questions join runs on runs.n = questions.run where questions.id = ?',
  );
  const delivery = db.prepare<[string], DeliveryColumns>(
    `select ${deliveryColumns} from deliveries where id = ?`,
  );
  const undelivered = db.prepare<[], DeliveryColumns>(
    `select ${deliveryColumns} from deliveries where done = 0 order by n`,
  );
  const switches = db.prepare<[], { flow: string; enabled: number }>('select flow, enabled from switches');
  const schedules = db.prepare<[], { id: string; schedule: string }>(
    'select id, schedule from schedules order by id',
  );
  const note = db.prepare<[string], { value: string }>('select value from notes where key = ?');
  const conversation = db.prepare<[string, string], { conversation: string }>(
    'select conversation from conversations where run = (select n from runs where id = ?) and key = ?',
  );

  return {
    runs,
    ...posts,
    version(hash) {
      const found = version.get(hash);
      return found === undefined ? undefined : parse<Json>(found.definition);
    },
    run(id) {
      const found = run.get(id);
      if (found === undefined) return undefined;
      const { n, revision, state, ...columns } = found;
      const ready = outputs.all(n).map(({ step, output }) => [step, parse<Output>(output)] as const);
      return {
        row: toRunRow(columns),
        revision,
        state: { ...parse<Omit<StoredRun['state'], 'outputs'>>(state), outputs: Object.fromEntries(ready) },
      };
    },
    runOfStartKey: (startKey) => runOfStartKey.get(startKey)?.id,
    journal: (id, after) => journal.all(id, after).map(({ event }) => parse<RunEvent>(event)),
    calls: () =>
      calls
        .all()
        .map(({ run, begun, effect }) => ({ run, begun: begun === 1, effect: parse<CallEffect>(effect) })),
    dueTimers: (nowMs, limit) => dueTimers.all(nowMs, limit),
    nextTimerMs: () => nextTimer.get()?.due ?? undefined,
    openQuestions: (limit) =>
      openQuestions.all(limit).map(({ id, run, question }) => ({
        ...parse<Omit<QuestionRow, 'id' | 'run'>>(question),
        id,
        run,
      })),
    questionRun: (question) => questionRun.get(question)?.run,
    delivery(id) {
      const found = delivery.get(id);
      return found === undefined ? undefined : toDelivery(found);
    },
    undelivered: () => undelivered.all().map(toDelivery),
    switches: () => Object.fromEntries(switches.all().map(({ flow, enabled }) => [flow, enabled === 1])),
    schedules: () =>
      schedules.all().map(({ id, schedule }) => ({ ...parse<Omit<StoredSchedule, 'id'>>(schedule), id })),
    note(key) {
      const found = note.get(key);
      return found === undefined ? undefined : parse<Json>(found.value);
    },
    spent: prepareSpent(db),
    conversation(run, key) {
      const found = conversation.get(run, key);
      return found === undefined ? undefined : parse<Conversation>(found.conversation);
    },
  };
}

/** A row of `deliveryColumns`. */
interface DeliveryColumns {
  readonly id: string;
  readonly receivedAtMs: number;
  readonly event: string;
}

function toDelivery({ event, ...columns }: DeliveryColumns): StoredDelivery {
  return { ...columns, event: parse(event) };
}

/** A row of `posts`. */
interface PostColumns {
  readonly n: number;
  readonly key: string;
  readonly run: string | null;
  readonly target: string;
  readonly content: string;
  readonly revision: number;
  readonly shown: number;
  readonly failed: string | null;
}

function preparePosts(db: Database.Database): Pick<Reads, 'post' | 'pendingPosts'> {
  const columns = 'n, key, run, target, content, revision, shown, failed';
  const post = db.prepare<[string], PostColumns>(`select ${columns} from posts where key = ?`);
  const pending = db.prepare<[], PostColumns>(
    `select ${columns} from posts where shown < revision and failed is null order by n`,
  );
  const parts = db.prepare<[number], { index: number; part: string }>(
    'select position as "index", part from post_parts where post = ? order by position',
  );

  return {
    post(key) {
      const found = post.get(key);
      return found === undefined ? undefined : toPost(found);
    },
    pendingPosts: () => pending.all().map(toPost),
  };

  function toPost({ n, key, run, target, content, revision, shown, failed }: PostColumns): StoredPost {
    return {
      key,
      ...(run === null ? {} : { run }),
      target: parse(target),
      content: parse(content),
      revision,
      shown,
      ...(failed === null ? {} : { failed: parse<string>(failed) }),
      parts: parts.all(n).map(({ index, part }) => ({ index, ...parse<Omit<StoredPart, 'index'>>(part) })),
    };
  }
}
