import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compile } from '../../../src/engine/flow/compile.ts';
import { isJsonObject, type JsonObject } from '../../../src/engine/json.ts';
import { stepHistory } from '../../../src/engine/run/history.ts';
import { movedAlong } from '../../../src/engine/run/moved-along.ts';
import { planRetry } from '../../../src/engine/run/retry.ts';
import { isFinal } from '../../../src/engine/run/state.ts';
import { agentLibrary, arbitraryFlow, arbitraryReviews } from './arbitrary-flow.ts';
import { arbitraryPicks } from './arbitrary-picks.ts';
import { Driven, drive, started } from './drive.ts';
import { agree, answers, finish, type Move, openQuestions, outputs, play, replyOf } from './moves.ts';
import { keepsItsPromises } from './promises.ts';

/** Flows with everything in them. */
const anyFlow = arbitraryFlow({ sendBacks: true, failures: true, agents: true });

const driven = (flow: JsonObject): Driven => drive(flow, {}, agentLibrary);

const luck = fc.array(fc.nat(60), { maxLength: 60 });

describe('whatever happens in whatever order', () => {
  test('a run keeps its promises, and ends', () => {
    fc.assert(
      fc.property(anyFlow, luck, (flow, choices) => {
        const run = driven(flow);
        play(run, choices);
        expect(run.cancel()).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  test('a retry keeps them too, and what it says it keeps does not run again unless it is sent back', () => {
    fc.assert(
      fc.property(anyFlow, luck, luck, (flow, choices, more) => {
        const run = driven(flow);
        play(run, choices);
        const retry = planRetry(run.plan, run.state);
        if ('refused' in retry) return;
        const again = new Driven(run.plan, {
          ...started,
          trigger: 'retry',
          retryOf: { ...retry.inherits, posts: {} },
        });
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

describe('what is told of steps afterwards', () => {
  test('ends as the run has it, and something or why nothing moved along each edge', () => {
    fc.assert(
      fc.property(anyFlow, luck, (flow, choices) => {
        const run = driven(flow);
        play(run, choices);
        for (const [id, step] of Object.entries(run.state.steps)) {
          const { attempts, skipped } = stepHistory(run.plan, 'r1', run.journal, id);
          const output = run.state.outputs[id];
          if (step.status === 'done') {
            const { round, exit } = step;
            expect(attempts.at(-1)).toMatchObject({ round, end: { kind: 'done', exit, output } });
          }
          if (step.status === 'skipped')
            expect(skipped.at(-1)).toMatchObject({ round: step.round, tainted: step.tainted });
        }
        for (const at of run.plan.edges.keys()) {
          const moved = movedAlong(run.plan, run.state, at);
          if (moved?.kind === 'nothing') expect(moved.why).toMatch(/\.$|: /);
          expect(moved?.kind === 'moved').toBe(
            run.state.fates[at] === 'live' || run.state.sentBack[at] !== undefined,
          );
        }
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

describe('what agents pick', () => {
  test('runs and nothing else does, in each round, and the run keeps its promises', () => {
    fc.assert(
      fc.property(arbitraryPicks, luck, (flow, choices) => {
        const run = driven(flow);
        play(run, choices);
      }),
      { numRuns: 150 },
    );
  });
});

describe('without failures and work sent back', () => {
  /** Ends a run in some order; what each call gives and what people answer depends on the step alone. */
  function outcome(flow: JsonObject, order: readonly number[]) {
    const run = driven(flow);
    for (let turn = 0; !isFinal(run.state.status); turn += 1) {
      const possible: readonly Move[] = [
        ...[...run.calls.keys()].map(
          (step) => () =>
            void run.done(
              step,
              run.plan.steps.get(step)?.choose ? replyOf(run, step, step.length) : `made by ${step}`,
            ),
        ),
        ...[...run.lanes.values()].map(
          ({ step, index }) =>
            () =>
              void run.laneEnds(step, index, `made by ${step} ${index}`),
        ),
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
    const calm = arbitraryFlow({ sendBacks: false, failures: false, agents: true });
    fc.assert(
      fc.property(calm, order, order, (flow, one, other) => {
        expect(outcome(flow, one)).toEqual(outcome(flow, other));
      }),
    );
  });
});

describe('a flow that somebody has edited', () => {
  const edits = fc.array(fc.tuple(fc.nat(99), fc.nat(99)), { minLength: 1, maxLength: 4 });

  test('is refused with reasons, or compiles and runs as it should', () => {
    fc.assert(
      fc.property(anyFlow, edits, luck, (flow, changes, choices) => {
        const changed = changes.reduce(edited, flow);
        const { plan, faults } = compile(changed, 'flow', agentLibrary);
        const errors = faults.filter(({ severity }) => severity === 'error');
        expect(errors.length === 0).toBe(plan !== undefined);
        for (const { message } of errors) expect(message).toMatch(/\S/);
        if (plan) play(driven(changed), choices);
      }),
      { numRuns: 200 },
    );
  });
});

/** Leaves an edge or a step out, turns an edge around, has it twice, or lets branches meet at a step. */
function edited(flow: JsonObject, [what, which]: readonly [number, number]): JsonObject {
  const edges = Array.isArray(flow.edges) ? flow.edges : [];
  const steps = isJsonObject(flow.steps) ? flow.steps : {};
  const at = which % Math.max(1, edges.length);
  const edge = edges[at];
  const id = Object.keys(steps)[which % Math.max(1, Object.keys(steps).length)] ?? '';
  switch (what % 5) {
    case 0:
      return { ...flow, edges: edges.toSpliced(at, 1) };
    case 1:
      if (!isJsonObject(edge)) return flow;
      return {
        ...flow,
        edges: edges.with(at, { ...edge, from: edge.to ?? '', to: String(edge.from).replace(/\..*$/, '') }),
      };
    case 2:
      return { ...flow, edges: edge === undefined ? edges : [...edges, edge] };
    case 3:
      return { ...flow, steps: Object.fromEntries(Object.entries(steps).filter(([other]) => other !== id)) };
    default:
      return { ...flow, steps: { ...steps, [id]: { type: 'join' } } };
  }
}

describe('a value that no warning speaks of', () => {
  test('is there whenever all calls go well', () => {
    fc.assert(
      fc.property(anyFlow, luck, (flow, choices) => {
        const { faults } = compile(flow, 'flow', agentLibrary);
        const warned = new Set(faults.map(({ path }) => path.slice(0, 2).join('.')));
        const run = driven(flow);
        for (let turn = 0; !isFinal(run.state.status); turn += 1) {
          const choice = choices[turn % choices.length] ?? 0;
          run.atMs += 1000;
          const possible: readonly Move[] = [
            ...[...run.calls.keys()].map((step) => () => void run.done(step, replyOf(run, step, choice))),
            ...[...run.lanes.values()].map(
              ({ step, index }) =>
                () =>
                  void run.laneEnds(step, index, outputs[choice % outputs.length]),
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
              .filter((key) => key.endsWith('/wake') || (turn > 200 && !key.endsWith('/timeout')))
              .map((key) => () => void run.fire(key)),
          ];
          expect(turn).toBeLessThan(1_000);
          possible[choice % possible.length]?.();
          const failed = Object.entries(run.state.steps).flatMap(([id, step]) =>
            step.status === 'failed' ? [[id, step.failure.code] as const] : [],
          );
          const missing = failed.filter(([, code]) => code === 'missing-value');
          if (failed.length > missing.length) return;
          // Of what fails because another step has, nobody warns.
          if (missing.length > 0) {
            expect(missing.filter(([step]) => warned.has(`steps.${step}`))).not.toEqual([]);
            return;
          }
        }
        if (run.state.reason?.startsWith("The flow's output")) expect(warned).toContain('output');
      }),
      { numRuns: 300 },
    );
  });
});
