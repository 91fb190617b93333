import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_USAGE } from '../../../src/engine/agents/usage.ts';
import { eventsOf } from '../../../src/engine/events/events-of.ts';
import type { FlowEvent } from '../../../src/engine/events/map.ts';
import type { Parked } from '../../../src/engine/run/parked.ts';
import { isFinal, type RunState } from '../../../src/engine/run/state.ts';
import { begin, transition } from '../../../src/engine/run/transition.ts';
import { agentLibrary, arbitraryFlow } from '../run/arbitrary-flow.ts';
import { broken, type Driven, drive, flaky } from '../run/drive.ts';

/** All that is told of a run, by the event of its journal from which it follows. */
function told({ plan, journal }: Driven): readonly (readonly FlowEvent[])[] {
  let state: RunState | undefined;
  return journal.map((cause) => {
    const before = state;
    const next =
      cause.type === 'run.started' ? begin(plan, 'r1', cause) : before && transition(plan, before, cause);
    state = next?.state;
    return next ? eventsOf(plan, before, cause, next) : [];
  });
}

const tool: Parked = { kind: 'tool', agent: 'helper', use: 'u1', server: 's', tool: 't', arguments: {} };

/** Lets one of the things happen that can. */
function move(run: Driven, luck: number): void {
  const open = Object.values(run.state.questions).filter(({ state }) => state.status === 'open');
  const moves = [
    ...[...run.calls.keys()].flatMap((step) => [
      () => run.done(step, 'a good one'),
      () => run.fail(step, flaky),
      () => run.fail(step, broken),
      () => run.calls.get(step)?.kind !== 'message' && run.lose(step),
      ...(run.calls.get(step)?.kind === 'agent'
        ? [
            () => run.turn(step, NO_USAGE),
            () => run.park(step, { kind: 'budget' }),
            () => run.park(step, tool),
          ]
        : []),
    ]),
    ...open.flatMap(({ id, actions }) =>
      actions.flatMap(({ id: action }) => {
        const verdict = run.judge(id, action, { feedback: 'Why not.', place: null });
        return verdict.kind === 'counts' ? [() => run.send(verdict.event)] : [];
      }),
    ),
    ...[...run.lanes.values()].flatMap(({ step, index }) => [
      () => run.laneEnds(step, index, 'ok'),
      () => run.laneEnds(step, index, { status: 'failed', reason: 'It did not work.' }),
      () => run.laneMoves(step, index, 'waiting'),
    ]),
    ...[...run.timers].map(([timer, dueMs]) => () => {
      run.atMs = Math.max(run.atMs, dueMs);
      run.fire(timer);
    }),
    ...(luck % 41 === 0 ? [() => run.cancel()] : []),
  ];
  moves[luck % Math.max(1, moves.length)]?.();
}

/** Where the telling of one step is: which attempt of which round was begun, and whether that has ended. */
interface Place {
  readonly round: number;
  readonly attempt: number;
  readonly isOpen: boolean;
  /** Another attempt was promised. */
  readonly goesOn: boolean;
}

function isLater(event: Pick<Place, 'round' | 'attempt'>, before: Place | undefined): boolean {
  if (!before || event.round > before.round) return true;
  return event.round === before.round && event.attempt > before.attempt;
}

/** Follows a step through what is told of it; a telling that makes no sense fails. */
function follow(before: Place | undefined, event: FlowEvent): Place | undefined {
  switch (event.name) {
    case 'node:start': {
      const { round, attempt } = event;
      // A new round, or a further attempt of the same one: after one that is gone on with, or whose end nobody knows.
      if (before?.round === round) {
        expect(attempt).toBeGreaterThan(before.attempt);
        expect(before.isOpen || before.goesOn).toBe(true);
      } else {
        expect(round).toBeGreaterThan(before?.round ?? 0);
      }
      return { round, attempt, isOpen: true, goesOn: false };
    }
    case 'node:done':
      expect(before).toMatchObject({ round: event.round, isOpen: true });
      return before && { ...before, isOpen: false };
    case 'node:error': {
      const { round, attempt } = event;
      // One that never began can fail, too: by an expression of its edge, or because the budget was refused.
      if (!before?.isOpen || before.round !== round) expect(isLater(event, before)).toBe(true);
      else expect(attempt).toBe(before.attempt);
      return { round, attempt, isOpen: false, goesOn: false };
    }
    case 'node:retry':
      expect(before).toMatchObject({ round: event.round, isOpen: false, goesOn: false });
      expect(event.attempt).toBe((before?.attempt ?? 0) + 1);
      return before && { ...before, goesOn: true };
    case 'provider:call':
      expect(before).toMatchObject({ round: event.round, attempt: event.attempt, isOpen: true });
      return before;
    case 'node:skipped':
      expect(before?.round ?? 0).toBeLessThan(event.round);
      return { round: event.round, attempt: 0, isOpen: false, goesOn: false };
    default:
      return before;
  }
}

test('whatever happens, each attempt begins once and ends at most once, and nothing is told twice or after the end', () => {
  const anyFlow = arbitraryFlow({ sendBacks: true, failures: true, agents: true });
  const choices = fc.array(fc.nat(1_000), { maxLength: 40 });
  fc.assert(
    fc.property(anyFlow, choices, (flow, picks) => {
      const run = drive(flow, {}, agentLibrary);
      for (const pick of picks) {
        if (isFinal(run.state.status)) break;
        run.atMs += 1_000;
        move(run, pick);
      }
      const events = told(run).flat();
      const names = events.map(({ name }) => name);
      expect(names[0]).toBe('run:started');
      expect(names.filter((name) => name === 'run:started')).toHaveLength(1);
      expect(names.indexOf('run:ended')).toBe(isFinal(run.state.status) ? names.length - 1 : -1);
      const places = new Map<string, Place>();
      const questions = new Map<string, 'open' | 'closed'>();
      let status: string | undefined;
      for (const event of events) {
        if (event.name.startsWith('node:') || event.name === 'provider:call') {
          const node = 'node' in event ? event.node : '';
          const place = follow(places.get(node), event);
          if (place) places.set(node, place);
        }
        if ('question' in event) {
          expect(questions.get(event.question)).toBe(event.name === 'approval:asked' ? undefined : 'open');
          const isClosed =
            event.name === 'approval:closed' || (event.name === 'approval:answered' && event.decided);
          questions.set(event.question, isClosed ? 'closed' : 'open');
        }
        if (event.name === 'run:moved') expect(event.status).not.toBe(status);
        if (event.name === 'run:started' || event.name === 'run:moved') status = event.status;
      }
      // What is told is where the run is.
      for (const [node, { status: is }] of Object.entries(run.state.steps)) {
        const place = places.get(node);
        if (is === 'running' || is === 'asking') expect(place?.isOpen).toBe(true);
        if (is === 'done' || is === 'failed' || is === 'retrying') expect(place?.isOpen).toBe(false);
      }
    }),
    { numRuns: 300 },
  );
});
