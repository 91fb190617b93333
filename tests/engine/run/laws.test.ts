import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compile } from '../../../src/engine/flow/compile.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import type { Place } from '../../../src/engine/people.ts';
import { planRetry } from '../../../src/engine/run/retry.ts';
import { isFinal, type Question } from '../../../src/engine/run/state.ts';
import { arbitraryFlow, arbitraryReviews } from './arbitrary-flow.ts';
import { ana, bo, broken, cy, Driven, drive, eve, flaky, type How, started } from './drive.ts';
import { keepsItsPromises } from './promises.ts';

/** Where questions with a conversation of their own are asked. */
const approvals: Place = { platform: 'slack', conversation: 'C0APPROVALS' };

const outputs = ['a good one', 'no', '', 'aeiou'];

/** One thing that can happen to the run now. */
type Move = () => void;

function openQuestions(run: Driven): readonly Question[] {
  return Object.values(run.state.questions).filter(({ state }) => state.status === 'open');
}

function callMoves(run: Driven, step: string, luck: number): readonly Move[] {
  const output = outputs[luck % outputs.length] ?? '';
  const done = () => void run.done(step, output);
  return [
    done,
    done,
    () => void run.fail(step, flaky),
    () => void run.fail(step, broken),
    ...(run.calls.get(step)?.kind === 'message' ? [] : [() => void run.lose(step)]),
  ];
}

/** Those who may answer something, and how: everybody in the conversation, or only those named. */
const answerers: readonly How[] = [
  { by: bo },
  { by: cy },
  { by: ana },
  { by: eve, roles: { held: ['@leads'], unsure: [] } },
].map((how) => ({ ...how, place: null }));

/** Every answer of these people that counts now. */
function answers(run: Driven, { id }: Question, actions: readonly string[], feedback = ''): readonly Move[] {
  return answerers.flatMap((how) =>
    actions.flatMap((action): readonly Move[] => {
      const verdict = run.judge(id, action, { ...how, feedback });
      return verdict.kind === 'counts' ? [() => expect(run.send(verdict.event)).toBe(true)] : [];
    }),
  );
}

/** The first that can agree does. */
function agree(run: Driven, question: Question): readonly Move[] {
  return answers(run, question, [question.kind === 'unknown' ? 'fail' : 'approve']).slice(0, 1);
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
    ...checkMoves(run, luck),
    ...[...run.timers].map(([timer, dueMs]) => () => {
      run.atMs = Math.max(run.atMs, dueMs);
      run.fire(timer);
    }),
    // What has happened once never happens again.
    ...run.journal
      .filter(({ type }) => type !== 'run.cancelled')
      .slice(luck % run.journal.length, (luck % run.journal.length) + 1)
      .map((event) => () => expect(run.send(event)).toBe(false)),
    ...(luck === 7 ? [() => void run.cancel()] : []),
  ];
}

/** Goes on with a run in the most ordinary way until it ends. */
function finish(run: Driven): void {
  for (let count = 0; !isFinal(run.state.status); count += 1) {
    expect(count).toBeLessThan(1000);
    run.atMs += 1000;
    const [step] = run.calls.keys();
    const [answer] = openQuestions(run).flatMap((question) => agree(run, question));
    const [timer] = run.timers.keys();
    if (step !== undefined) run.done(step, 'a good one');
    else if (answer) answer();
    else if (timer !== undefined) run.fire(timer);
    else throw new Error(`The run waits for nothing: ${JSON.stringify(run.steps)}`);
    keepsItsPromises(run);
  }
}

/** Lets anything happen to a run for a while, then ends it. */
function play(run: Driven, choices: readonly number[]): void {
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

const luck = fc.array(fc.nat(60), { maxLength: 60 });

describe('whatever happens in whatever order', () => {
  test('a run keeps its promises, and ends', () => {
    fc.assert(
      fc.property(arbitraryFlow(), luck, (flow, choices) => {
        const run = drive(flow);
        play(run, choices);
        expect(run.cancel()).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  test('a retry keeps them too, and what it says it keeps does not run again unless it is sent back', () => {
    fc.assert(
      fc.property(arbitraryFlow(), luck, luck, (flow, choices, more) => {
        const run = drive(flow);
        play(run, choices);
        const retry = planRetry(run.plan, run.state);
        if ('refused' in retry) return;
        const again = new Driven(run.plan, { ...started, trigger: 'retry', retryOf: retry.inherits });
        play(again, more);
        for (const id of Object.keys(retry.inherits.done)) {
          expect(again.callKeys.filter((key) => key.startsWith(`${id}/1/`))).toEqual([]);
        }
        expect(retry.kept.length).toBe(Object.keys(retry.inherits.done).length);
      }),
      { numRuns: 150 },
    );
  });
});

describe('work that is sent back from several places at once', () => {
  test('comes back to all of them, each call once in each round', () => {
    fc.assert(
      fc.property(arbitraryReviews, fc.array(fc.nat(60), { maxLength: 60 }), (flow, choices) => {
        const run = drive(flow);
        for (const choice of choices) {
          if (isFinal(run.state.status)) break;
          const asking = openQuestions(run);
          const possible: readonly Move[] = [
            ...[...run.calls.keys()].map((step) => () => void run.done(step, 'a good one')),
            ...asking.map(
              ({ step }) =>
                () =>
                  run.answer(step, 'reject', 'Why not.'),
            ),
            ...asking.slice(0, 1).map(
              ({ step }) =>
                () =>
                  run.answer(step, 'approve'),
            ),
          ];
          possible[choice % possible.length]?.();
          keepsItsPromises(run);
        }
        finish(run);
        expect(['succeeded', 'failed']).toContain(run.state.status);
        if (run.state.status === 'failed') expect(run.state.reason).toContain('which is its limit.');
      }),
      { numRuns: 60 },
    );
  });
});

describe('without failures and work sent back', () => {
  /** Ends a run in some order; what each call gives and what people answer depends on the step alone. */
  function outcome(flow: JsonObject, order: readonly number[]) {
    const run = drive(flow);
    for (let turn = 0; !isFinal(run.state.status); turn += 1) {
      const possible: readonly Move[] = [
        ...[...run.calls.keys()].map((step) => () => void run.done(step, `made by ${step}`)),
        ...openQuestions(run).flatMap((question) => agree(run, question)),
        ...[...run.timers.keys()]
          .filter((key) => key.endsWith('/wake'))
          .map((key) => () => void run.fire(key)),
      ];
      possible[(order[turn % order.length] ?? 0) % possible.length]?.();
    }
    const { status, reason, output, outputs: made } = run.state;
    return { status, reason, output, made, steps: run.state.steps };
  }

  test('it does not matter in which order results arrive', () => {
    const order = fc.array(fc.nat(20), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(arbitraryFlow({ sendBacks: false, failures: false }), order, order, (flow, one, other) => {
        expect(outcome(flow, one)).toEqual(outcome(flow, other));
      }),
    );
  });
});

describe('a value that no warning speaks of', () => {
  test('is there whenever all calls go well', () => {
    fc.assert(
      fc.property(arbitraryFlow(), luck, (flow, choices) => {
        const warned = new Set(compile(flow, 'flow').faults.map(({ path }) => path.slice(0, 2).join('.')));
        const run = drive(flow);
        for (let turn = 0; !isFinal(run.state.status); turn += 1) {
          const choice = choices[turn % choices.length] ?? 0;
          run.atMs += 1000;
          const possible: readonly Move[] = [
            ...[...run.calls.keys()].map(
              (step) => () => void run.done(step, outputs[choice % outputs.length]),
            ),
            ...openQuestions(run).flatMap((question) =>
              // People who disagree for ever never come to an end.
              turn > 100
                ? agree(run, question)
                : answers(
                    run,
                    question,
                    question.actions.map(({ id }) => id),
                  ),
            ),
            ...[...run.timers.keys()]
              .filter((key) => turn > 200 || key.endsWith('/wake'))
              .map((key) => () => void run.fire(key)),
          ];
          expect(turn).toBeLessThan(1_000);
          possible[choice % possible.length]?.();
          const missing = Object.entries(run.state.steps).filter(
            ([, step]) => step.status === 'failed' && step.failure.code === 'missing-value',
          );
          for (const [step] of missing) expect(warned).toContain(`steps.${step}`);
          if (missing.length > 0) return;
        }
        if (run.state.reason?.startsWith("The flow's output")) expect(warned).toContain('output');
      }),
      { numRuns: 300 },
    );
  });
});
