import { accountOf } from '../engine/people.ts';
import { askedOf } from '../engine/run/answer.ts';
import { attemptKey } from '../engine/run/begin.ts';
import { type Effect, isCall } from '../engine/run/effect.ts';
import type { RunEvent, RunStart } from '../engine/run/event.ts';
import { laneKey } from '../engine/run/lane-runs.ts';
import { runPost } from '../engine/run/settle.ts';
import type { Question, RunState } from '../engine/run/state.ts';
import type { Transition } from '../engine/run/transition.ts';
import type { Output } from '../engine/steps/step-type.ts';
import type { Commit, PostTarget, QuestionRow, RunRow } from '../ports/store.ts';

/** What a transition changes of a run, as the store wants it. */
export function changeOf(
  before: { readonly revision: number; readonly state: RunState } | undefined,
  row: RunRow,
  next: Transition,
): Omit<NonNullable<Commit['run']>, 'events' | 'ended'> {
  const { outputs, ...state } = next.state;
  return {
    row,
    expectedRevision: before?.revision ?? 0,
    state,
    outputs: changedOutputs(before?.state.outputs ?? {}, outputs),
    calls: next.effects.filter(isCall),
    timers: next.effects.flatMap((effect) =>
      effect.kind === 'timer' ? [{ key: effect.key, dueMs: effect.dueMs }] : [],
    ),
    questions: changedQuestions(row, before?.state.questions ?? {}, next.state.questions),
  };
}

function changedOutputs(
  before: Readonly<Record<string, Output>>,
  after: Readonly<Record<string, Output>>,
): readonly (readonly [string, Output | null])[] {
  const changed = Object.entries(after).filter(([step, output]) => before[step] !== output);
  const gone = Object.keys(before).filter((step) => !Object.hasOwn(after, step));
  return [...changed, ...gone.map((step) => [step, null] as const)];
}

function changedQuestions(
  row: RunRow,
  before: Readonly<Record<string, Question>>,
  after: Readonly<Record<string, Question>>,
): { readonly open: readonly QuestionRow[]; readonly closed: readonly string[] } {
  const changed = Object.values(after).filter((question) => before[question.id] !== question);
  return {
    open: changed
      .filter((question) => question.state.status === 'open')
      .map((question) => ({
        id: question.id,
        run: row.id,
        flow: row.flow,
        title: question.title,
        openedAtMs: question.openedAtMs,
        ...(question.approvers && { approvers: askedOf(question) }),
        ...whereAsked(row, question),
        ...(question.expiry && { expiresAtMs: question.expiry.atMs }),
      })),
    closed: changed.filter((question) => question.state.status !== 'open').map((question) => question.id),
  };
}

/** One with a conversation of its own is asked nowhere until that is found. */
function whereAsked(row: RunRow, { to, place }: Question): Pick<QuestionRow, 'home'> {
  const home = to === undefined ? row.home : place;
  return home ? { home } : {};
}

/** Calls and timers that this event, or what followed from it, has ended. @param before where the run was */
export function endedBy(
  event: RunEvent,
  effects: readonly Effect[],
  { steps }: Pick<RunState, 'steps'>,
): readonly string[] {
  const abandoned = effects.flatMap((effect) => (effect.kind === 'abandon' ? [effect.key] : []));
  switch (event.type) {
    case 'step.done':
    case 'step.failed':
    case 'step.unknown': {
      const step = steps[event.step];
      const isUnderWay =
        step?.status === 'running' && step.round === event.round && step.attempt === event.attempt;
      return [isUnderWay ? step.call : attemptKey(event), ...abandoned];
    }
    case 'step.parked':
      return [event.call, ...abandoned];
    case 'timer.fired':
      return [event.timer, ...abandoned];
    case 'question.checked':
      return [event.check, ...abandoned];
    case 'lane.ended':
      return [laneKey(event, event.index), ...abandoned];
    default:
      return abandoned;
  }
}

/**
 * Cards live in the run's home: its own card first, everything else after it in the same thread. Questions can have a place of
 * their own. Alerts go to each admin in person.
 */
export function postsOf(
  row: RunRow,
  { parent }: Pick<RunStart, 'parent'>,
  effects: readonly Effect[],
  admins: readonly string[],
): NonNullable<Commit['posts']> {
  const { home, id } = row;
  const card = runPost(parent?.root ?? id);
  return effects.flatMap((effect) => {
    switch (effect.kind) {
      case 'card': {
        const under = home && effect.post !== card ? { ...home, under: card } : home;
        const target = effect.place ?? under;
        return target ? [{ key: effect.post, run: id, target, content: effect.content }] : [];
      }
      case 'alert':
        return admins.map((admin) => ({
          key: `${effect.post}/${admin}`,
          run: id,
          target: personTarget(admin),
          content: effect.content,
        }));
      default:
        return [];
    }
  });
}

/** The direct conversation with somebody, by their address. */
export function personTarget(address: string): PostTarget {
  const { platform, id } = accountOf(address);
  return { platform, conversation: id, isNamed: true };
}
