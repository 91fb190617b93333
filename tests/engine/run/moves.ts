import { expect } from 'vitest';
import type { Choice } from '../../../src/engine/agents/call.ts';
import { NO_USAGE, type Usage } from '../../../src/engine/agents/usage.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import type { Place } from '../../../src/engine/people.ts';
import type { RunEvent } from '../../../src/engine/run/event.ts';
import type { Parked } from '../../../src/engine/run/parked.ts';
import { isFinal, type Question } from '../../../src/engine/run/state.ts';
import { ana, bo, broken, cy, type Driven, eve, flaky, type How } from './drive.ts';
import { keepsItsPromises } from './promises.ts';

// What can happen to a run, in whatever order.

/** Where questions with a conversation of their own are asked. */
const approvals: Place = { platform: 'slack', conversation: 'C0APPROVALS' };

/** What a run of a lane, or one attempt of an agent, uses up. */
const spent = { ...NO_USAGE, tokens: 10, costUsd: 0.5, turns: 1 };

const DAY_MS = 86_400_000;

/** Texts that rules and expressions on edges tell apart. */
export const outputs = ['a good one', 'no', '', 'aeiou'];

/** One thing that can happen to the run now. */
export type Move = () => void;

/** What people are asked now. */
export function openQuestions(run: Driven): readonly Question[] {
  return Object.values(run.state.questions).filter(({ state }) => state.status === 'open');
}

function callMoves(run: Driven, step: string, luck: number): readonly Move[] {
  const usage = usageOf(run, step, luck);
  const done = () => void run.done(step, replyOf(run, step, luck), usage);
  return [
    done,
    done,
    () => void run.fail(step, flaky, usage),
    () => void run.fail(step, broken, usage),
    ...(run.calls.get(step)?.kind === 'message' ? [] : [() => void run.lose(step)]),
    ...(run.calls.get(step)?.kind === 'agent' ? agentMoves(run, step, usage) : []),
  ];
}

/** What can become of an agent's work before it has ended. */
function agentMoves(run: Driven, step: string, usage: Usage = NO_USAGE): readonly Move[] {
  const day = `flow/f/${Math.floor(run.atMs / DAY_MS)}`;
  const untilMs = (Math.floor(run.atMs / DAY_MS) + 1) * DAY_MS;
  const whys: readonly Parked[] = [
    { kind: 'tool', agent: 'helper', use: 'u1', server: 's', tool: 't', arguments: {} },
    { kind: 'changes', agent: 'helper', summary: '1 file changed.', diff: '+a' },
    { kind: 'budget' },
    { kind: 'day', budget: day, why: 'It is used up.', untilMs },
  ];
  return [
    () => void run.turn(step, { ...spent, ...usage }),
    ...whys.map((why) => () => void run.park(step, why, usage)),
  ];
}

/** What comes of a call: agents pick what they may pick, and do not always write what they must. */
export function replyOf(run: Driven, step: string, luck: number): string | JsonObject {
  const { choose, stepType, config } = run.plan.steps.get(step) ?? {};
  const mustWrite = stepType?.writes?.(config) !== undefined;
  if (!choose && !mustWrite) return outputs[luck % outputs.length] ?? '';
  return {
    ...(choose && { choice: picked(choose, luck) }),
    ...(mustWrite && luck % 3 > 0 && { score: luck }),
  };
}

function picked({ among, min, max }: Choice, luck: number): readonly string[] {
  const first = luck % among.length;
  return [...among.slice(first), ...among.slice(0, first)].slice(0, min + (luck % (max - min + 1)));
}

/** What a call of an agent has used up; nobody knows the price of some. */
function usageOf(run: Driven, step: string, luck: number): Usage | undefined {
  if (run.calls.get(step)?.kind !== 'agent') return undefined;
  return { ...spent, ...(luck % 8 === 0 && { costUsd: 0, unpriced: 1 }) };
}

/** Everything that can become of the runs of lanes. */
function laneMoves(run: Driven, luck: number): readonly Move[] {
  const output = outputs[luck % outputs.length] ?? '';
  return [...run.lanes.values()].flatMap(({ step, index }): readonly Move[] => {
    const done = () => expect(run.laneEnds(step, index, output, spent)).toBe(true);
    const ends = (['failed', 'rejected', 'cancelled'] as const).map(
      (status) => () =>
        expect(run.laneEnds(step, index, { status, reason: 'It did not work.' }, spent)).toBe(true),
    );
    const ways = (['queued', 'running', 'waiting', 'attention'] as const).map(
      (status) => () => void run.laneMoves(step, index, status, spent),
    );
    return [done, done, done, ...ends, ...ways];
  });
}

/** Those who may answer something, and how: everybody in the conversation, or only those named. */
const answerers: readonly How[] = [
  { by: bo },
  { by: cy },
  { by: ana },
  { by: eve, roles: { held: ['@leads'], unsure: [] } },
].map((how) => ({ ...how, place: null }));

/** Every answer of these people that counts now. */
export function answers(
  run: Driven,
  { id }: Question,
  actions: readonly string[],
  feedback = '',
): readonly Move[] {
  return answerers.flatMap((how) =>
    actions.flatMap((action): readonly Move[] => {
      const verdict = run.judge(id, action, { ...how, feedback });
      return verdict.kind === 'counts' ? [() => expect(run.send(verdict.event)).toBe(true)] : [];
    }),
  );
}

/** The first that can agree does. */
export function agree(run: Driven, question: Question): readonly Move[] {
  return answers(run, question, [
    { approval: 'approve', unknown: 'fail', budget: 'more', day: 'more', tool: 'allow', changes: 'keep' }[
      question.kind
    ],
  ]).slice(0, 1);
}

/** What somebody can find who looks at those asked. */
function checkMoves(run: Driven, luck: number): readonly Move[] {
  return openQuestions(run).flatMap(({ id, step }): readonly Move[] => {
    const check = run.checks.get(id);
    if (!check) return [];
    const missing = check.named.filter((_, index) => (luck + index) % 3 === 0);
    const place =
      check.to === undefined ? undefined : luck % 9 === 0 ? 'There is no such channel.' : approvals;
    return [() => expect(run.checked(step, missing, place)).toBe(true)];
  });
}

/** When it fires again, the budget is looked at once more. */
function isTimeMark(event: RunEvent): boolean {
  return event.type === 'timer.fired' && event.timer.startsWith('run/budget/');
}

function moves(run: Driven, luck: number): readonly Move[] {
  return [
    ...[...run.calls.keys()].flatMap((step) => callMoves(run, step, luck)),
    ...openQuestions(run).flatMap((question) =>
      answers(
        run,
        question,
        question.actions.map(({ id }) => id),
        luck % 2 === 0 ? '' : 'Why not.',
      ),
    ),
    ...laneMoves(run, luck),
    ...checkMoves(run, luck),
    ...[...run.timers].map(([timer, dueMs]) => () => {
      run.atMs = Math.max(run.atMs, dueMs);
      run.fire(timer);
    }),
    // What has happened once never happens again.
    ...run.journal
      .filter(
        (event) =>
          !['run.cancelled', 'lane.moved', 'agent.turned'].includes(event.type) && !isTimeMark(event),
      )
      .slice(luck % run.journal.length, (luck % run.journal.length) + 1)
      .map((event) => () => expect(run.send(event)).toBe(false)),
    ...(luck === 7 ? [() => void run.cancel()] : []),
  ];
}

/** Goes on with a run in the most ordinary way until it ends. */
export function finish(run: Driven): void {
  for (let count = 0; !isFinal(run.state.status); count += 1) {
    expect(count).toBeLessThan(1000);
    run.atMs += 1000;
    const [step] = run.calls.keys();
    const [lane] = run.lanes.values();
    const [answer] = openQuestions(run).flatMap((question) => agree(run, question));
    const [timer] = run.timers.keys();
    if (step !== undefined) run.done(step, replyOf(run, step, 4), usageOf(run, step, 1));
    else if (lane) run.laneEnds(lane.step, lane.index, 'a good one');
    else if (answer) answer();
    else if (timer !== undefined) run.fire(timer);
    else throw new Error(`The run waits for nothing: ${JSON.stringify(run.steps)}`);
    keepsItsPromises(run);
  }
}

/** Lets anything happen to a run for a while, then ends it. */
export function play(run: Driven, choices: readonly number[]): void {
  keepsItsPromises(run);
  for (const choice of choices) {
    if (isFinal(run.state.status)) return;
    run.atMs += 1000;
    const possible = moves(run, choice);
    possible[choice % possible.length]?.();
    keepsItsPromises(run);
  }
  finish(run);
}
