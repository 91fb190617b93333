import type { Plan } from '../flow/plan.ts';
import { people } from '../named.ts';
import type { PostContent } from '../post.ts';
import { literal, md, type Prose, type ProsePiece, time } from '../prose.ts';
import { isFinal, type RunState, type RunStatus, type StepState } from './state.ts';

/** Most steps a run's card lists; beyond that it lists those that are not simply done or still to come. */
const LISTED_STEPS_MAX = 20;

type RunView = Pick<RunState, 'id' | 'status' | 'start' | 'steps' | 'questions' | 'sentBack' | 'reason'>;

/** The card of a run: where it is, step by step, and what can be done with it. */
export function runCard(plan: Plan, run: RunView): PostContent {
  const prose: ProsePiece[] = [
    md(`${STATUS_MARKS[run.status]} **`),
    literal(plan.name),
    md('** '),
    md(statusText(run)),
  ];
  const lines = stepLines(plan, run);
  if (lines.length > 0) prose.push(md('\n\n'), ...lines);
  if (run.reason !== undefined) prose.push(md('\n\n'), literal(run.reason));
  prose.push(md('\n\n'), ...runLine(plan, run));
  return {
    prose,
    title: plan.name,
    buttons: [
      isFinal(run.status)
        ? { id: `again:${run.id}`, label: 'Run again', style: 'plain' }
        : { id: `cancel:${run.id}`, label: 'Cancel', style: 'plain' },
    ],
    notify: [],
    ...((run.status === 'queued' || run.status === 'running') && { progress: true }),
  };
}

/** What tells the person who started a run that it did not succeed. */
export function failureNotice(plan: Plan, run: RunView): PostContent {
  return {
    prose: [
      md('**'),
      literal(plan.name),
      md('** '),
      md(statusText(run)),
      md(': '),
      literal(run.reason ?? ''),
    ],
    buttons: [],
    notify:
      run.start.person && run.start.person.platform === run.start.home?.platform ? [run.start.person.id] : [],
  };
}

const STATUS_MARKS: Readonly<Record<RunStatus, string>> = {
  queued: '🕓',
  running: '▶️',
  waiting: '⏸️',
  attention: '⚠️',
  succeeded: '✅',
  failed: '❌',
  rejected: '🚫',
  cancelled: '⏹️',
};

function statusText(run: RunView): string {
  switch (run.status) {
    case 'queued':
      return 'is queued';
    case 'running':
      return 'is running';
    case 'waiting':
      return 'is waiting';
    case 'attention':
      return 'needs a decision';
    case 'succeeded':
      return 'has succeeded';
    case 'failed':
      return 'has failed';
    case 'rejected':
      return 'was rejected';
    case 'cancelled':
      return 'was cancelled';
  }
}

/** The line under a card that says whose it is. */
export function runLine(plan: Plan, run: Pick<RunState, 'id' | 'start'>): Prose {
  const starter = run.start.person;
  return [
    md('run '),
    md(`\`${run.id}\``),
    md(' of '),
    literal(plan.id),
    ...(starter ? [md(', started by '), literal(starter.name)] : []),
  ];
}

function stepLines(plan: Plan, run: RunView): Prose {
  const all = [...plan.steps.values()];
  const listed =
    all.length <= LISTED_STEPS_MAX
      ? all
      : all.filter((step) => {
          const status = run.steps[step.id]?.status ?? 'pending';
          return status !== 'pending' && status !== 'done' && status !== 'skipped';
        });
  const lines = listed.slice(0, LISTED_STEPS_MAX).flatMap((step): ProsePiece[] => {
    const state = run.steps[step.id];
    const detail = state ? stepDetail(run, state) : [];
    return [md(`- ${stepMark(state)} `), literal(step.name), ...detail, md('\n')];
  });
  const left = all.length - listed.slice(0, LISTED_STEPS_MAX).length;
  return left > 0 && all.length > LISTED_STEPS_MAX ? [...lines, md(`- … and ${left} more steps\n`)] : lines;
}

function stepMark(state: StepState | undefined): string {
  switch (state?.status) {
    case 'done':
      return '✓';
    case 'failed':
      return '✗';
    case 'skipped':
      return '–';
    case 'running':
    case 'nested':
      return '▸';
    case 'asking':
    case 'sleeping':
    case 'retrying':
      return '⏸';
    default:
      return '·';
  }
}

/** How far the runs of a lane are: `12 of 400, 2 failed`. */
function laneProgress({ begun, open, total, failed }: Extract<StepState, { status: 'nested' }>): string {
  const ended = begun - Object.keys(open).length;
  return `${ended} of ${total}${failed.length > 0 ? `, ${failed.length} failed` : ''}`;
}

function stepDetail(run: RunView, state: StepState): Prose {
  const round = state.round > 1 ? [md(` (round ${state.round})`)] : [];
  switch (state.status) {
    case 'asking': {
      const question = run.questions[state.question];
      const whom = question?.approvers ? people(question.approvers) : [md('somebody here')];
      return [...round, md(': waiting for '), ...whom];
    }
    case 'nested':
      return state.total === 1 ? round : [...round, md(`: ${laneProgress(state)}`)];
    case 'done':
      return state.exit === 'done' ? round : [...round, md(': '), literal(state.exit)];
    case 'failed':
      return [...round, md(': '), literal(state.failure.message)];
    case 'retrying':
      return [...round, md(`: trying again (attempt ${state.attempt + 1})`)];
    case 'sleeping':
      return [...round, md(': until '), time(state.untilMs)];
    default:
      return round;
  }
}
