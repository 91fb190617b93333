import { NO_USAGE } from '../agents/usage.ts';
import type { Plan } from '../flow/plan.ts';
import type { RunEvent } from '../run/event.ts';
import type { Happened } from '../run/happened.ts';
import { own } from '../run/record.ts';
import { usageOf } from '../run/spending.ts';
import { isFinal, type Question, type RunState } from '../run/state.ts';
import type { Transition } from '../run/transition.ts';
import type { FlowEvent } from './map.ts';

/**
 * What is told of a run's move.
 * @param before where it was; absent: the run is new @param cause what moved it
 */
export function eventsOf(
  plan: Plan,
  before: RunState | undefined,
  cause: RunEvent,
  { state: after, happened }: Pick<Transition, 'state' | 'happened'>,
): readonly FlowEvent[] {
  if (before === after) return [];
  const of: OfRun = { run: after.id, flow: plan.id, atMs: cause.atMs };
  return [
    ...begun(of, cause, after),
    ...called(of, plan, cause),
    ...answered(of, before, cause, after),
    ...happened.map((one) => stepEvent(of, plan, one)),
    ...questionEvents(of, before, after),
    ...moved(of, before, after),
  ];
}

interface OfRun {
  readonly run: string;
  readonly flow: string;
  readonly atMs: number;
}

function begun(of: OfRun, cause: RunEvent, { start, status }: RunState): readonly FlowEvent[] {
  if (cause.type !== 'run.started') return [];
  const { trigger, person, parent } = start;
  return [
    {
      name: 'run:started',
      ...of,
      trigger,
      status: cause.queued ? 'queued' : isFinal(status) ? 'running' : status,
      ...(person && { by: person }),
      ...(parent && { parent: parent.run }),
    },
  ];
}

const OUTCOMES = {
  'step.done': 'done',
  'step.failed': 'failed',
  'step.unknown': 'unknown',
  'step.parked': 'parked',
  'agent.turned': 'turned',
} as const;

/** A step that asks an agent has had a turn of it. */
function called(of: OfRun, plan: Plan, cause: RunEvent): readonly FlowEvent[] {
  if (!isTurn(cause)) return [];
  const step = plan.steps.get(cause.step);
  const agents = step?.stepType.agents?.(step.config).map(({ name }) => name) ?? [];
  if (!step || agents.length === 0) return [];
  const { round, attempt, usage } = cause;
  const node = { ...of, node: step.id, type: step.type, round, attempt };
  const calls = cause.type === 'agent.turned' ? cause.calls : [];
  return [
    {
      name: 'provider:call',
      ...node,
      agents,
      outcome: OUTCOMES[cause.type],
      cached: 'cached' in cause && cause.cached === true,
      ...(usage && { usage }),
    },
    ...calls.map((call): FlowEvent => ({ name: 'tool:call', ...node, ...call })),
  ];
}

function isTurn(cause: RunEvent): cause is Extract<RunEvent, { type: keyof typeof OUTCOMES }> {
  return Object.hasOwn(OUTCOMES, cause.type);
}

function stepEvent(of: OfRun, plan: Plan, one: Happened): FlowEvent {
  const node = { ...of, node: one.step, type: plan.steps.get(one.step)?.type ?? '', round: one.round };
  switch (one.kind) {
    case 'began':
      return { name: 'node:start', ...node, attempt: one.attempt };
    case 'done':
      return { name: 'node:done', ...node, exit: one.exit, output: one.output };
    case 'failed':
      return { name: 'node:error', ...node, attempt: one.attempt, failure: one.failure };
    case 'retries':
      return { name: 'node:retry', ...node, attempt: one.attempt, dueMs: one.dueMs };
    case 'skipped':
      return { name: 'node:skipped', ...node, tainted: one.tainted };
  }
}

function ofQuestion(of: OfRun, { id, kind, step, title }: Question) {
  return { ...of, question: id, kind, node: step, title };
}

function answered(
  of: OfRun,
  before: RunState | undefined,
  cause: RunEvent,
  after: RunState,
): readonly FlowEvent[] {
  if (cause.type !== 'question.answered') return [];
  const question = own(after.questions, cause.question);
  const known = own(before?.questions ?? {}, cause.question)?.answers ?? [];
  // It may have come too late to count.
  if (!question?.answers.some((answer) => !known.includes(answer))) return [];
  const { by, action, feedback } = cause;
  const decided = question.state.status === 'answered';
  return [{ name: 'approval:answered', ...ofQuestion(of, question), by, action, feedback, decided }];
}

function questionEvents(of: OfRun, before: RunState | undefined, after: RunState): readonly FlowEvent[] {
  const known = before?.questions ?? {};
  return Object.values(after.questions).flatMap((question): readonly FlowEvent[] => {
    const was = own(known, question.id);
    if (was === question) return [];
    const asked: readonly FlowEvent[] = was ? [] : [{ name: 'approval:asked', ...ofQuestion(of, question) }];
    const { status } = question.state;
    if (status === 'open' || status === 'answered' || (was && was.state.status !== 'open')) return asked;
    return [...asked, { name: 'approval:closed', ...ofQuestion(of, question), how: status }];
  });
}

function moved(of: OfRun, before: RunState | undefined, after: RunState): readonly FlowEvent[] {
  const { status, reason, output } = after;
  if (before?.status === status) return [];
  if (isFinal(status)) {
    return [
      {
        name: 'run:ended',
        ...of,
        status,
        ...(reason !== undefined && { reason }),
        ...(output !== undefined && { output }),
        usage: after.usage || after.usageBelow ? usageOf(after) : NO_USAGE,
      },
    ];
  }
  return before ? [{ name: 'run:moved', ...of, status }] : [];
}
