import { personAddress } from '../../src/engine/people.ts';
import type { RunEvent } from '../../src/engine/run/event.ts';
import type { Cast, Circumstances, Player } from './cast.ts';
import {
  type Asked,
  answered,
  deadlineOf,
  isShort,
  judge,
  reminderDueMs,
  saidWith,
  standsFor,
  type Try,
  type Verdict,
} from './rules.ts';
import { roundsMax, type Settings } from './settings.ts';

/** Something that somebody did about a question. */
export interface Attempt extends Try {
  readonly question: string;
  /** It opens a form if they may answer. */
  readonly opensForm: boolean;
  readonly isCommand: boolean;
  /** What could become of it, from when it was done until it was. */
  readonly possible: Set<Verdict>;
  readonly circumstances: Set<Circumstances>;
  /** A process has died since. */
  sawDeath: boolean;
  /** `unfit`: they were asked to fill it in otherwise; `form`: a form was opened; `lost`: nobody took it. */
  outcome: 'pending' | 'counted' | 'refused' | 'unfit' | 'form' | 'lost';
}

/** A run as the model has it. */
export interface ModelRun {
  readonly id: string;
  readonly starter: Player;
  readonly conversation: string;
  readonly startedAtMs: number;
  readonly asked: Asked[];
  status: 'open' | 'succeeded' | 'rejected' | 'failed';
  sentBack: number;
  /** What was said with the last answer to `other`. */
  said: string;
}

/** What the model knows; told of everything that a journal says, it objects to what must not be. */
export interface ModelRecord {
  readonly runs: Map<string, ModelRun>;
  readonly attempts: Attempt[];
  find(question: string): Asked | undefined;
  /** Somebody tries to answer. */
  attempt(given: Omit<Attempt, 'possible' | 'circumstances' | 'sawDeath' | 'outcome'>): Attempt;
  /** Something about people has changed. */
  change(now: Circumstances): void;
  /** A platform could not be asked: who has a role, or what an account is, was not known. */
  doubt(): void;
  /** The next event of a run's journal. Throws when it must not be there. */
  follow(run: string, event: RunEvent): void;
}

/** So long after its time a question expires. */
const GRACE_MS = 1_000;

/** Makes a model that knows nothing yet. */
export function createRecord(
  cast: Cast,
  settings: Settings,
  first: Circumstances,
  nowMs: () => number,
): ModelRecord {
  const runs = new Map<string, ModelRun>();
  const attempts: Attempt[] = [];
  let now = first;
  /** Everybody who was ever away, as a list names them. */
  const away = new Set<string>();
  noteAway();

  function noteAway(): void {
    for (const [address, standing] of Object.entries(now.standings)) {
      if (standing === 'gone') away.add(address);
    }
  }

  function find(question: string): Asked | undefined {
    return runOf(question)?.asked.find(({ id }) => id === question);
  }

  function runOf(question: string): ModelRun | undefined {
    return runs.get(question.slice(0, question.lastIndexOf('.')));
  }

  function look(attempt: Attempt): void {
    const asked = find(attempt.question);
    if (!asked || attempt.outcome !== 'pending') return;
    attempt.circumstances.add(now);
    for (const one of attempt.circumstances) {
      // It may have been received only after the process came back.
      for (const atMs of [attempt.atMs, nowMs()]) {
        attempt.possible.add(judge(cast, settings, one, asked, { ...attempt, atMs }));
      }
    }
  }

  function open(run: ModelRun, step: string, round: number, openedAtMs: number): void {
    const id = `${run.id}.${run.asked.length + 1}`;
    run.asked.push({
      id,
      step,
      round,
      openedAtMs,
      starter: run.starter,
      conversation: settings.to?.address ?? run.conversation,
      placedAtMs: settings.to === undefined ? openedAtMs : undefined,
      isEscalated: false,
      reminders: 0,
      votes: [],
      state: 'open',
      shows: settings.shape === 'talk' && step === 'ask' ? run.said : '',
    });
  }

  function put(run: ModelRun, asked: Asked): void {
    run.asked[run.asked.findIndex(({ id }) => id === asked.id)] = asked;
  }

  /** What follows when a question is not open any more. */
  function leave(run: ModelRun, asked: Asked, isGood: boolean, atMs: number): void {
    put(run, asked);
    if (asked.step === 'other') run.said = saidWith(asked);
    if (isGood) {
      goOn(run, asked, atMs);
      return;
    }
    const sendsBack = settings.shape === 'rounds' || (settings.shape === 'talk' && asked.step === 'other');
    if (sendsBack && asked.action === 'reject' && run.sentBack < roundsMax) {
      run.sentBack += 1;
      close(run, 'superseded');
      openAll(run, asked.round + 1, atMs);
      return;
    }
    run.status = sendsBack && asked.action === 'reject' ? 'failed' : 'rejected';
    close(run, 'superseded');
  }

  function goOn(run: ModelRun, { step }: Asked, atMs: number): void {
    for (const { round, state, shows } of [...run.asked]) {
      if (settings.shape !== 'talk' || step !== 'other' || state !== 'open' || shows === run.said) continue;
      close(run, 'void');
      open(run, 'ask', round, atMs);
    }
    if (run.asked.every(({ state }) => state !== 'open')) run.status = 'succeeded';
  }

  /** Ends what is open in another way than by an answer. */
  function close(run: ModelRun, state: 'void' | 'superseded'): void {
    for (const asked of [...run.asked]) if (asked.state === 'open') put(run, { ...asked, state });
  }

  function openAll(run: ModelRun, round: number, atMs: number): void {
    open(run, 'ask', round, atMs);
    if (settings.shape === 'twin' || settings.shape === 'talk') open(run, 'other', round, atMs);
  }

  function begin(id: string, event: Extract<RunEvent, { type: 'run.started' }>): void {
    const { person, home } = event.start;
    const starter = cast.players.find((player) => person && isOf(player, personAddress(person)));
    if (!starter || !home || runs.has(id)) throw new Error(`Nobody started run ${id}.`);
    const run: ModelRun = {
      id,
      starter,
      conversation: `${home.platform}:${home.conversation}`,
      startedAtMs: event.atMs,
      asked: [],
      status: 'open',
      sentBack: 0,
      said: '',
    };
    runs.set(id, run);
    openAll(run, 1, event.atMs);
  }

  function takeAnswer(run: ModelRun, event: Extract<RunEvent, { type: 'question.answered' }>): void {
    const asked = find(event.question);
    const said = `${event.by.name} “${event.action}” to ${event.question}`;
    const attempt = attempts.find(
      (one) =>
        one.outcome === 'pending' &&
        one.question === event.question &&
        one.action === event.action &&
        one.feedback === event.feedback &&
        isOf(one.player, personAddress(event.by)),
    );
    if (!asked || !attempt) throw new Error(`The journal has an answer that nobody gave, or twice: ${said}.`);
    if (asked.state !== 'open') throw new Error(`A question that is ${asked.state} was answered: ${said}.`);
    look(attempt);
    const views = [...attempt.circumstances];
    const received: Try = { ...attempt, atMs: event.atMs };
    if (event.atMs < attempt.atMs) throw new Error(`It counted before it was done: ${said}.`);
    const view = views.find((one) => judge(cast, settings, one, asked, received) === 'counts');
    const held = view && standsFor(cast, settings, view, asked, received);
    if (!view || !held) {
      const verdicts = views.map((one) => judge(cast, settings, one, asked, received));
      throw new Error(`It counted although it is “${verdicts}”: ${said}.`);
    }
    attempt.outcome = 'counted';
    const next = answered(cast, settings, asked, received, held);
    if (next.state === 'answered') leave(run, next, next.action !== 'reject', event.atMs);
    else put(run, next);
  }

  function ring(run: ModelRun, timer: string, atMs: number): void {
    const [, id = '', what] = /^question\/([^/]+)\/(remind|escalate|expire)(?:\/\d+)?$/.exec(timer) ?? [];
    const asked = find(id);
    if (asked?.state !== 'open') throw new Error(`${timer} rang although it is ${asked?.state}.`);
    const passedMs = atMs - asked.openedAtMs;
    // Nobody is reminded of what is over.
    const isOver = atMs >= deadlineOf(settings, asked) + GRACE_MS;
    switch (isOver ? 'expire' : what) {
      case 'remind': {
        const reminders = asked.reminders + 1;
        if (atMs < reminderDueMs(settings, asked)) {
          throw new Error(`${timer} rang too early, or too often.`);
        }
        put(run, { ...asked, reminders });
        return;
      }
      case 'escalate':
        if (passedMs < (settings.escalateAfterMs ?? Number.POSITIVE_INFINITY)) {
          throw new Error(`${timer} rang too early.`);
        }
        put(run, { ...asked, isEscalated: true });
        return;
      default:
        if (!isOver) throw new Error(`${timer} rang too early.`);
        leave(run, { ...asked, state: 'expired' }, settings.isApprovedThen, atMs);
    }
  }

  function takeCheck(run: ModelRun, event: Extract<RunEvent, { type: 'question.checked' }>): void {
    const { question, missing, atMs } = event;
    const asked = find(question);
    if (asked?.state !== 'open') throw new Error(`${question} is looked at although it is ${asked?.state}.`);
    const wrong = missing.filter((address) => !away.has(address));
    if (wrong.length > 0) throw new Error(`${wrong} is taken for missing.`);
    const escalates = settings.escalateTo !== undefined && isShort(settings, asked, missing);
    put(run, { ...asked, placedAtMs: asked.placedAtMs ?? atMs, isEscalated: asked.isEscalated || escalates });
  }

  return {
    runs,
    attempts,
    find,
    attempt(given) {
      const attempt: Attempt = {
        ...given,
        possible: new Set(),
        circumstances: new Set(),
        sawDeath: false,
        outcome: 'pending',
      };
      attempts.push(attempt);
      look(attempt);
      return attempt;
    },
    change(next) {
      now = next;
      noteAway();
      for (const attempt of attempts) look(attempt);
    },
    doubt() {
      for (const attempt of attempts) {
        if (attempt.outcome !== 'pending') continue;
        attempt.circumstances.add({ ...now, roles: {} });
        look(attempt);
      }
    },
    follow(id, event) {
      if (event.type === 'run.started') {
        begin(id, event);
        return;
      }
      const run = runs.get(id);
      if (!run) throw new Error(`There is no run ${id}.`);
      switch (event.type) {
        case 'question.answered':
          takeAnswer(run, event);
          break;
        case 'timer.fired':
          ring(run, event.timer, event.atMs);
          break;
        case 'question.checked':
          takeCheck(run, event);
          break;
        default:
          throw new Error(`Nobody can have caused ${event.type}.`);
      }
      for (const attempt of attempts) if (runOf(attempt.question) === run) look(attempt);
    },
  };
}

function isOf({ person }: Player, address: string): boolean {
  return personAddress(person) === address;
}
