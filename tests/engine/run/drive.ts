import { expect } from 'vitest';
import type { ToolUsed } from '../../../src/engine/agents/conversation.ts';
import type { Usage } from '../../../src/engine/agents/usage.ts';
import { compile } from '../../../src/engine/flow/compile.ts';
import type { Plan } from '../../../src/engine/flow/plan.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { bareLibrary, type Library } from '../../../src/engine/library.ts';
import { type Named, noRoles, type Roles } from '../../../src/engine/named.ts';
import type { Person, Place, Standing } from '../../../src/engine/people.ts';
import type { PostContent } from '../../../src/engine/post.ts';
import { textOf } from '../../../src/engine/prose.ts';
import { type Attempted, judgeAnswer, type Verdict } from '../../../src/engine/run/answer.ts';
import type { CallEffect, Effect } from '../../../src/engine/run/effect.ts';
import type { AttemptRef, LaneResult, RunEvent, RunStart } from '../../../src/engine/run/event.ts';
import { laneKey } from '../../../src/engine/run/lane-runs.ts';
import type { Parked } from '../../../src/engine/run/parked.ts';
import { isFinal, type Question, type RunState, type RunStatus } from '../../../src/engine/run/state.ts';
import { begin, fold, type Transition, transition } from '../../../src/engine/run/transition.ts';
import type { Failure, Output } from '../../../src/engine/steps/step-type.ts';

export const ana: Person = { platform: 'slack', id: 'U0ANA', name: 'Ana' };
export const bo: Person = { platform: 'slack', id: 'U0BO', name: 'Bo' };
export const cy: Person = { platform: 'slack', id: 'U0CY', name: 'Cy' };
/** Bo’s name, but somebody else. */
export const eve: Person = { platform: 'slack', id: 'U0EVE', name: 'Bo' };
/** Where runs of these tests live. */
export const home: Place = { platform: 'slack', conversation: 'C0HOME' };

/** Steps as a flow file has them, for flows that only need something to be there. */
export const post: JsonObject = { type: 'message', to: 'slack:#news', text: 'Hello' };
export const get: JsonObject = { type: 'http', url: 'https://api.example.com/' };
export const pay: JsonObject = { ...get, method: 'POST' };
export const ask: JsonObject = { type: 'approval' };
export const join: JsonObject = { type: 'join' };
export const text = (of: string): JsonObject => ({ type: 'template', text: of });
/** A condition that says yes when the run was started with the prompt `yes`. */
export const asked: JsonObject = {
  type: 'condition',
  all: [{ step: 'start', path: 'json.prompt', is: 'yes' }],
};

/** A failure that may be tried again. */
export const flaky: Failure = {
  code: 'http-status',
  message: 'it answered with status 503.',
  retry: 'allowed',
};
/** A failure that must not. */
export const broken: Failure = {
  code: 'http-status',
  message: 'it answered with status 400.',
  retry: 'never',
};

/** How a run is started unless a test says otherwise: by Ana, in the home conversation. */
export const started: RunStart = {
  trigger: 'command',
  text: '!go',
  prompt: '',
  input: {},
  person: ana,
  home,
  homeName: '#home',
  files: [],
};

const { home: _home, homeName: _homeName, ...outside } = started;
/** The same outside chat: the run has no conversation. */
export const startedOutside: RunStart = outside;

/** The plan of a flow that must be sound. */
export function planOf(flow: JsonObject, library: Library = bareLibrary): Plan {
  const { plan, faults } = compile(flow, 'flow', library);
  if (!plan) throw new Error(faults.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
  return plan;
}

/** Begins a run of a flow, to be turned by hand. */
export function drive(flow: JsonObject, start: Partial<RunStart> = {}, library?: Library): Driven {
  return new Driven(planOf(flow, library), { ...started, ...start });
}

/** How somebody answers; a place that is null = the command line of the host. */
export interface How {
  readonly feedback?: string;
  readonly by?: Person;
  readonly place?: Place | null;
  readonly roles?: Roles;
  readonly standing?: Standing;
  readonly also?: readonly string[];
  readonly more?: Pick<Attempted, 'covers' | 'values' | 'files'>;
  /** Received so long before now; 0. */
  readonly agoMs?: number;
}

type Check = Extract<CallEffect, { kind: 'check' }>;
type Lane = Extract<CallEffect, { kind: 'lane' }>;

/**
 * A run turned by hand. Time passes only by `wait`. After every event it holds the engine to its promises: states
 * are plain data, never edited, and equal to what their journal folds to.
 */
export class Driven {
  readonly plan: Plan;
  readonly journal: RunEvent[] = [];
  /** Effects of the last transition. */
  effects: readonly Effect[] = [];
  /** Calls under way, by step. */
  readonly calls = new Map<string, CallEffect>();
  /** Runs of lanes that have not ended, by the key of their call. */
  readonly lanes = new Map<string, Lane>();
  /** Looks at those asked that are under way, by question. */
  readonly checks = new Map<string, Check>();
  /** What admins were told, in order. */
  readonly alerts: PostContent[] = [];
  /** Timers that are set, by key. */
  readonly timers = new Map<string, number>();
  /** What each card says now, by the key of its post. */
  readonly cards = new Map<string, PostContent>();
  /** Keys of all calls so far. */
  readonly callKeys: string[] = [];
  atMs = Date.UTC(2027, 0, 31, 9, 0);
  state: RunState;

  constructor(plan: Plan, start: RunStart) {
    this.plan = plan;
    const event: RunEvent = { type: 'run.started', atMs: this.atMs, start };
    this.state = this.take(event, begin(plan, 'r1', event));
  }

  /** Feeds an event; false = it changed nothing. */
  send(event: RunEvent): boolean {
    const before = this.state;
    const next = transition(this.plan, before, event);
    if (next.state === before) {
      expect(next.effects).toEqual([]);
      return false;
    }
    // As after a restart: from what was stored.
    expect(transition(this.plan, JSON.parse(JSON.stringify(before)), event)).toEqual(next);
    this.state = this.take(event, next, Object.values(before.questions));
    return true;
  }

  /** A call of a step ends well. */
  done(step: string, output: string | JsonObject = 'ok', usage?: Usage): boolean {
    return this.send({
      type: 'step.done',
      atMs: this.atMs,
      ...this.attempt(step),
      output: outputOf(output),
      ...(usage && { usage }),
    });
  }

  fail(step: string, failure: Failure = broken, usage?: Usage): boolean {
    const at = this.attempt(step);
    return this.send({ type: 'step.failed', atMs: this.atMs, ...at, failure, ...(usage && { usage }) });
  }

  /** Nobody knows what became of a call of a step. */
  lose(step: string): boolean {
    return this.send({
      type: 'step.unknown',
      atMs: this.atMs,
      ...this.attempt(step),
      message: 'The connection was lost.',
    });
  }

  /** The agent of a step has taken a turn, and goes on. */
  turn(step: string, usage: Usage, calls: readonly ToolUsed[] = []): boolean {
    return this.send({ type: 'agent.turned', atMs: this.atMs, ...this.attempt(step), usage, calls });
  }

  /** A step's attempt stops in the middle. */
  park(step: string, why: Parked, usage?: Usage): boolean {
    const at = this.attempt(step);
    const call = this.calls.get(step)?.key ?? '';
    return this.send({ type: 'step.parked', atMs: this.atMs, ...at, call, why, ...(usage && { usage }) });
  }

  /** A run of a step's lane ends: well, with this output, or otherwise. */
  laneEnds(
    step: string,
    index: number,
    result: string | JsonObject | Exclude<LaneResult, { status: 'succeeded' }> = 'ok',
    usage?: Usage,
  ): boolean {
    return this.send({
      type: 'lane.ended',
      atMs: this.atMs,
      ...this.lane(step, index),
      run: `run-${step}-${index}`,
      result: isEnd(result) ? result : { status: 'succeeded', output: outputOf(result) },
      ...(usage && { usage }),
    });
  }

  /** A run of a step's lane is somewhere else, or has used up more. */
  laneMoves(step: string, index: number, status: RunStatus, usage?: Usage): boolean {
    const at = this.lane(step, index);
    return this.send({ type: 'lane.moved', atMs: this.atMs, ...at, status, ...(usage && { usage }) });
  }

  /** Positions of the runs of a step's lane that have not ended. */
  lanesOf(step: string): readonly number[] {
    return [...this.lanes.values()].flatMap((lane) => (lane.step === step ? [lane.index] : []));
  }

  /** Somebody answers the open question of a step; throws when they may not. */
  answer(step: string, action: string, feedback = '', by: Person = bo, how: How = {}): void {
    const verdict = this.judge(this.question(step), action, { ...how, feedback, by });
    if (verdict.kind === 'refused') throw new Error(textOf(verdict.why));
    if (verdict.kind === 'unfit') throw new Error(JSON.stringify(verdict.problems));
    expect(this.send(verdict.event)).toBe(true);
  }

  judge(
    question: string,
    action: string,
    {
      feedback = '',
      by = bo,
      place = home,
      roles = noRoles,
      standing = 'member',
      also = [],
      ...how
    }: How = {},
  ): Verdict {
    const where = place ? { place } : {};
    const who = { by, also, standing, roles, atMs: this.atMs - (how.agoMs ?? 0), ...where };
    return judgeAnswer(this.state, { question, action, feedback, ...who, ...how.more });
  }

  /** Why an answer is refused, in words for whoever gave it; undefined = it is not. */
  refusal(question: string, action: string, how: How = {}): string | undefined {
    const verdict = this.judge(question, action, how);
    return verdict.kind === 'refused' ? textOf(verdict.why) : undefined;
  }

  /** Somebody has looked at those asked by the open question of a step. */
  checked(step: string, missing: Named = [], place?: Place | string): boolean {
    const question = this.question(step);
    const check = this.checks.get(question);
    if (!check) throw new Error(`Nobody looks at those asked by ${step}.`);
    return this.send({
      type: 'question.checked',
      atMs: this.atMs,
      question,
      check: check.key,
      missing,
      ...(place && { place }),
    });
  }

  /** Id of the question that a step waits for. */
  question(step: string): string {
    const state = this.state.steps[step];
    if (state?.status !== 'asking') throw new Error(`${step} asks nothing: it is ${state?.status}.`);
    return state.question;
  }

  /** A question that there is. */
  questionOf(id: string): Question {
    const question = this.state.questions[id];
    if (!question) throw new Error(`There is no question ${id}.`);
    return question;
  }

  fire(timer: string): boolean {
    this.timers.delete(timer);
    return this.send({ type: 'timer.fired', atMs: this.atMs, timer });
  }

  cancel(by: Person = ana): boolean {
    return this.send({ type: 'run.cancelled', atMs: this.atMs, by });
  }

  /** Lets time pass; timers that come due meanwhile fire in order. */
  wait(ms: number): void {
    const untilMs = this.atMs + ms;
    for (;;) {
      const [due] = [...this.timers].sort(([, one], [, other]) => one - other);
      if (!due || due[1] > untilMs) break;
      this.atMs = Math.max(this.atMs, due[1]);
      this.fire(due[0]);
    }
    this.atMs = untilMs;
  }

  /** Where every step is: `{ draft: 'done', review: 'asking' }`. */
  get steps(): Readonly<Record<string, string>> {
    return Object.fromEntries(Object.entries(this.state.steps).map(([id, { status }]) => [id, status]));
  }

  /** The text of a card as people read it, formatting left out. */
  card(key: string): string {
    return textOf(this.cards.get(key)?.prose ?? []);
  }

  private lane(step: string, index: number): AttemptRef & { readonly index: number } {
    const lane = [...this.lanes.values()].find((one) => one.step === step && one.index === index);
    if (!lane) throw new Error(`Run ${index} of the lane of ${step} is not under way.`);
    return { step, round: lane.round, attempt: lane.attempt, index };
  }

  private attempt(step: string): AttemptRef {
    const call = this.calls.get(step);
    if (!call) throw new Error(`${step} has no call under way: it is ${this.state.steps[step]?.status}.`);
    return { step, round: call.round, attempt: call.attempt };
  }

  private take(event: RunEvent, { state, effects }: Transition, before: readonly Question[] = []): RunState {
    this.journal.push(deepFreeze(event));
    this.effects = effects;
    if ('step' in event && event.type !== 'agent.turned') this.calls.delete(event.step);
    if (event.type === 'lane.ended') this.lanes.delete(laneKey(event, event.index));
    if (event.type === 'question.checked') this.checks.delete(event.question);
    for (const effect of effects) {
      switch (effect.kind) {
        case 'http':
        case 'history':
        case 'agent':
        case 'script':
        case 'tool':
        case 'plugin':
        case 'message':
          this.calls.set(effect.step, effect);
          this.callKeys.push(effect.key);
          break;
        case 'lane':
          this.lanes.set(effect.key, effect);
          this.callKeys.push(effect.key);
          break;
        case 'check':
          this.checks.set(effect.question, effect);
          this.callKeys.push(effect.key);
          break;
        case 'alert':
          this.alerts.push(effect.content);
          break;
        case 'timer':
          this.timers.set(effect.key, effect.dueMs);
          break;
        case 'card':
          this.cards.set(effect.post, effect.content);
          break;
        case 'abandon':
          this.timers.delete(effect.key);
          this.lanes.delete(effect.key);
          for (const under of [this.calls, this.checks]) {
            for (const [of, call] of under) if (call.key === effect.key) under.delete(of);
          }
          break;
      }
    }
    // Exactly one outcome: what has become of a question never changes (C19).
    const closed = before.filter((one) => one.state.status !== 'open');
    for (const question of closed) expect(state.questions[question.id]).toBe(question);
    // Folding takes time, and every transition from a stored state was compared already.
    if (isFinal(state.status)) expect(fold(this.plan, state.id, this.journal)).toEqual(state);
    return deepFreeze(state);
  }
}

function isEnd(
  result: string | JsonObject | LaneResult,
): result is Exclude<LaneResult, { status: 'succeeded' }> {
  return typeof result === 'object' && 'reason' in result && 'status' in result;
}

function outputOf(output: string | JsonObject): Output {
  return typeof output === 'string' ? { text: output, json: {} } : { text: '', json: output };
}

/** Makes every attempt to edit a value an error. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) deepFreeze(inner);
  return value;
}
