import type { Plan } from '../flow/plan.ts';
import { NOTIFIED_MAX, SHOWN_MAX_CHARS } from '../limits.ts';
import { type Named, notifiedOn } from '../named.ts';
import type { Button, PostContent } from '../post.ts';
import { beginning, literal, md, type Prose, type ProsePiece, person, value } from '../prose.ts';
import {
  isFinal,
  type Question,
  type QuestionAction,
  type RunState,
  type RunStatus,
  type StepState,
} from './state.ts';

/** Most steps a run's card lists; beyond that it lists those that are not simply done or still to come. */
const LISTED_STEPS_MAX = 20;

type RunView = Pick<RunState, 'id' | 'status' | 'start' | 'steps' | 'questions' | 'sentBack' | 'reason'>;

/** The card of a question: what is asked and shown, who may answer, and in the end what was answered. */
export function questionCard(
  plan: Plan,
  run: Pick<RunState, 'id' | 'start'>,
  question: Question,
): PostContent {
  const prose: ProsePiece[] = [md('**'), literal(question.title), md('**')];
  if (question.ask) {
    if (question.ask.notes.length > 0) prose.push(md('\n\n'), ...question.ask.notes);
    let room = SHOWN_MAX_CHARS;
    for (const { name, text } of question.ask.show) {
      prose.push(md('\n\n**'), literal(name), md('**\n\n'), ...shownText(text, room));
      room -= Math.min(room, text?.length ?? 0);
    }
  }
  prose.push(md('\n\n'), ...questionFooter(question), md('\n\n'), ...runLine(plan, run));
  const open = question.state.status === 'open';
  return {
    prose,
    title: plan.name,
    buttons: open ? question.actions.map((action) => answerButton(question.id, action)) : [],
    notify: open ? notified(run, question.approvers) : [],
  };
}

function shownText(text: string | null, room: number): Prose {
  if (text === null) return [md('(This step did not run on this path, so it has no output.)')];
  if (text.trim() === '') return [md('(empty)')];
  if (text.length <= room) return [value(text)];
  return [value(beginning(text, room)), md('\n\n*(The rest is too long to be shown here.)*')];
}

function questionFooter(question: Question): Prose {
  const { state } = question;
  switch (state.status) {
    case 'open':
      return question.approvers
        ? [md('Waiting for '), ...people(question.approvers), md('.')]
        : [md('Waiting for somebody in this conversation.')];
    case 'answered': {
      const outcome = question.actions.find(({ id }) => id === state.action)?.outcome ?? state.action;
      const said: Prose = state.feedback === '' ? [md('.')] : [md(':\n\n> '), literal(state.feedback)];
      return [md('**'), literal(outcome), md('** by '), literal(state.by.name), ...said];
    }
    case 'superseded':
      return [md('⊘ Not needed any more: '), literal(state.why)];
  }
}

function people(named: Named): Prose {
  return named.flatMap((address, index) => (index === 0 ? [person(address)] : [md(', '), person(address)]));
}

/** The button of an action. Its id says whether the click opens a form first, so that no look-up is needed. */
export function answerButton(question: string, action: QuestionAction): Button {
  const verb = action.comment === 'none' ? 'answer' : action.comment === 'optional' ? 'comment' : 'explain';
  return { id: `${verb}:${question}:${action.id}`, label: action.label, style: action.style };
}

function notified(run: Pick<RunState, 'start'>, approvers: Named = []): readonly string[] {
  const platform = run.start.home?.platform;
  return platform === undefined ? [] : notifiedOn(platform, approvers).slice(0, NOTIFIED_MAX);
}

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

function runLine(plan: Plan, run: Pick<RunState, 'id' | 'start'>): Prose {
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
      return '▸';
    case 'asking':
    case 'sleeping':
    case 'retrying':
      return '⏸';
    default:
      return '·';
  }
}

function stepDetail(run: RunView, state: StepState): Prose {
  const round = state.round > 1 ? [md(` (round ${state.round})`)] : [];
  switch (state.status) {
    case 'asking': {
      const question = run.questions[state.question];
      const whom = question?.approvers ? people(question.approvers) : [md('somebody here')];
      return [...round, md(': waiting for '), ...whom];
    }
    case 'done':
      return state.exit === 'done' ? round : [...round, md(': '), literal(state.exit)];
    case 'failed':
      return [...round, md(': '), literal(state.failure.message)];
    case 'retrying':
      return [...round, md(`: trying again (attempt ${state.attempt + 1})`)];
    case 'sleeping':
      return [...round, md(`: until ${new Date(state.untilMs).toISOString()}`)];
    default:
      return round;
  }
}
