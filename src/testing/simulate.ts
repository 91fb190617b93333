import type { Plan } from '../engine/flow/plan.ts';
import { textOf } from '../engine/prose.ts';
import { judgeAnswer, type Verdict } from '../engine/run/answer.ts';
import type { RunStart } from '../engine/run/event.ts';
import { own } from '../engine/run/record.ts';
import type { Question, RunState } from '../engine/run/state.ts';
import type { Output } from '../engine/steps/step-type.ts';
import { createAgenda } from './agenda.ts';
import { createFakedCalls, type Post } from './calls.ts';
import type { Lanes } from './fits.ts';
import { answererOf, personOf } from './people.ts';
import { nameInAllItems, type SimulatedRun } from './simulated-run.ts';
import type { Act, Fake } from './test-file.ts';
import { createTree } from './tree.ts';

/** A flow with everything that comes from outside. */
export interface Scenario {
  readonly plan: Plan;
  /** The flows that steps can run. */
  readonly lanes: Lanes;
  readonly start: RunStart;
  /** When it starts, epoch ms. */
  readonly atMs: number;
  /** By step; of other flows as `deploy/build`. */
  readonly fakes: Readonly<Record<string, Fake | readonly Fake[]>>;
  readonly acts: readonly Act[];
}

/** What came of it. */
export interface Simulated {
  /** Where the run is in the end. */
  readonly state: RunState;
  /** Steps in the order in which they ended, each as often as it ran. */
  readonly path: readonly string[];
  /** Steps whose turn never came. */
  readonly skipped: readonly string[];
  /** Steps about which people were asked, in order. */
  readonly asked: readonly string[];
  readonly posts: readonly Post[];
  /** What a step has left last, by its name; undefined = nothing. */
  readonly outputOf: (name: string) => Output | undefined;
  /** What could not go as the test wants it, in sentences. */
  readonly problems: readonly string[];
}

/** Most events of a case: a flow that takes more is stopped. */
const EVENTS_MAX = 100_000;

/**
 * Runs a flow with the engine itself, and nothing else that is real. Time stands still but where a step waits, is tried
 * again, or has a fake that takes its time; what people have time for ends only when a test lets time pass.
 */
export function simulate({ plan, lanes, start, atMs, fakes, acts }: Scenario): Simulated {
  const agenda = createAgenda(atMs);
  const calls = createFakedCalls(fakes);
  const tree = createTree({ agenda, calls, lanes });
  const problems: string[] = [];
  const isTooLong = () => tree.events >= EVENTS_MAX;

  function play(isEnough: () => boolean = () => false): void {
    while (!isEnough() && !isTooLong() && agenda.step());
  }

  function playUntil(untilMs: number): void {
    while (!isTooLong() && agenda.stepUntil(untilMs));
    agenda.passTo(untilMs);
  }

  function act(one: Act): void {
    if (one.pass !== undefined) playUntil(agenda.nowMs + one.pass);
    else if (one.cancel) cancel(one);
    else answer(one, one.answer ?? '');
  }

  function cancel({ by }: Act): void {
    // What takes no time has happened before anybody can cancel.
    playUntil(agenda.nowMs);
    const [root] = tree.runs;
    if (root) tree.apply(root, { type: 'run.cancelled', atMs: agenda.nowMs, by: personOf(by) });
  }

  function answer(one: Act, action: string): void {
    play(() => findOpen(tree.runs, one.step) !== undefined);
    playUntil(agenda.nowMs);
    const open = findOpen(tree.runs, one.step);
    // Whoever comes too late is refused, too.
    const found = open ?? (one.refused === undefined ? undefined : findLast(tree.runs, one.step));
    if (!found) {
      problems.push(notAsked(tree.runs, one.step, action));
      return;
    }
    const { run, question, name } = found;
    const who = answererOf(one, question, run.state.start.home, agenda.nowMs);
    const { comment: feedback, values } = one;
    const given = { ...who, question: question.id, action, feedback, ...(values && { values }) };
    const verdict = judgeAnswer(run.state, given);
    const problem = surprise(one, `${one.by} answers “${action}” to ${name}`, verdict);
    if (problem !== undefined) problems.push(problem);
    if (verdict.kind === 'counts') tree.apply(run, verdict.event);
  }

  tree.start(plan, start);
  for (const one of acts) act(one);
  play();
  if (isTooLong()) problems.push(`The run did not come to an end in ${EVENTS_MAX} events.`);
  const [root] = tree.runs;
  if (!root) throw new Error('A simulation has no run.');
  return {
    state: root.state,
    path: tree.path,
    skipped: tree.runs.flatMap(skippedOf),
    asked: tree.asked,
    posts: calls.posts(),
    outputOf: (name) => outputOf(tree.runs, name),
    problems: [...calls.problems, ...tree.problems, ...problems],
  };
}

/** What is other than the test expects of an answer; undefined = nothing. */
function surprise({ refused }: Act, what: string, verdict: Verdict): string | undefined {
  const why = whyRefused(verdict);
  if (why === undefined) {
    return refused === undefined
      ? undefined
      : `${what}, and that counts: the test expects that it is refused.`;
  }
  if (refused === undefined) return `${what}, and that is refused: ${why}`;
  if (refused === true || why.includes(refused)) return undefined;
  return `${what}, and that is refused for another reason than “${refused}”: ${why}`;
}

function whyRefused(verdict: Verdict): string | undefined {
  switch (verdict.kind) {
    case 'counts':
      return undefined;
    case 'refused':
      return textOf(verdict.why);
    case 'unfit':
      return `${verdict.problems.map(({ message }) => message).join('; ')}.`;
  }
}

interface Asked {
  readonly run: SimulatedRun;
  readonly question: Question;
  readonly name: string;
}

function questionsOf(runs: readonly SimulatedRun[]): readonly Asked[] {
  return runs.flatMap((run) =>
    Object.values(run.state.questions).map((question) => ({
      run,
      question,
      name: run.prefix + question.step,
    })),
  );
}

function isOpen({ question }: Asked): boolean {
  return question.state.status === 'open';
}

function isOfStep({ name }: Asked, step: string | undefined): boolean {
  return step === undefined || name === step || nameInAllItems(name) === step;
}

/** The open question of a step; without one the first there is. */
function findOpen(runs: readonly SimulatedRun[], step: string | undefined): Asked | undefined {
  return questionsOf(runs).find((one) => isOpen(one) && isOfStep(one, step));
}

/** The last question of a step, whatever has become of it. */
function findLast(runs: readonly SimulatedRun[], step: string | undefined): Asked | undefined {
  return questionsOf(runs).findLast((one) => isOfStep(one, step));
}

function notAsked(runs: readonly SimulatedRun[], step: string | undefined, action: string): string {
  const open = questionsOf(runs).filter(isOpen);
  if (open.length === 0) return `Nothing is asked when “${action}” is to be answered.`;
  const names = open.map(({ name }) => name).join(', ');
  return `${step} is not asked when “${action}” is to be answered; what is asked then: ${names}.`;
}

function skippedOf({ plan, prefix, state }: SimulatedRun): readonly string[] {
  return [...plan.steps.keys()]
    .filter((id) => state.steps[id]?.status === 'skipped')
    .map((id) => prefix + id);
}

function outputOf(runs: readonly SimulatedRun[], name: string): Output | undefined {
  const cut = name.lastIndexOf('/') + 1;
  const run = runs.findLast(({ prefix }) => prefix === name.slice(0, cut));
  return run && own(run.state.outputs, name.slice(cut));
}
