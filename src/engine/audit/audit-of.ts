import type { RunEvent } from '../run/event.ts';
import { own } from '../run/record.ts';
import { isFinal, type Question, type RunState } from '../run/state.ts';
import type { AuditEntry } from './entry.ts';

/**
 * What the audit remembers of a run's move from one state to the next: none when the event changed nothing.
 * @param before absent: the run is new @param of the flow and the hash of the definition that the run is pinned to
 */
export function auditOf(
  before: RunState | undefined,
  event: RunEvent,
  after: RunState,
  of: { readonly flow: string; readonly version: string },
): readonly AuditEntry[] {
  if (before === after) return [];
  const known = before?.questions ?? {};
  const changed = Object.values(after.questions).filter((question) => own(known, question.id) !== question);
  return [
    ...begun(event, after, of),
    ...decided(event, known, after),
    ...changed.flatMap((question) => changesOf(own(known, question.id), event, question, after.id)),
    ...ended(before, event, after),
  ];
}

function begun(
  event: RunEvent,
  { id, start }: RunState,
  of: { readonly flow: string; readonly version: string },
): readonly AuditEntry[] {
  if (event.type !== 'run.started') return [];
  const { trigger, person, requesters, home, schedule, retryOf } = start;
  return [
    {
      type: 'run.started',
      atMs: event.atMs,
      run: id,
      flow: of.flow,
      version: of.version,
      trigger,
      ...(person && { by: person }),
      ...(requesters && { requesters }),
      ...(home && { place: home }),
      ...(schedule && { schedule: schedule.id }),
      ...(retryOf && { retryOf: retryOf.run }),
    },
  ];
}

/** What a person has done: it comes before what follows from it. */
function decided(
  event: RunEvent,
  known: Readonly<Record<string, Question>>,
  { id, questions }: RunState,
): readonly AuditEntry[] {
  if (event.type === 'run.cancelled') {
    return [{ type: 'run.cancelled', atMs: event.atMs, run: id, by: event.by }];
  }
  if (event.type !== 'question.answered') return [];
  const question = own(questions, event.question);
  const before = own(known, event.question)?.answers ?? [];
  // It may have found that what it answers has changed: then it did not count.
  if (!question?.answers.some((answer) => !before.includes(answer))) return [];
  const { atMs, action, feedback, by, as, also, values, files } = event;
  return [
    {
      type: 'question.answered',
      atMs,
      run: id,
      question: question.id,
      by,
      action,
      feedback,
      decided: question.state.status === 'answered',
      ...(as && { as }),
      ...(also && { also }),
      ...(values && { values }),
      ...(files && { files }),
    },
  ];
}

/** What became of a question: it was asked, came to others, or was closed, or all of that at once. */
function changesOf(
  before: Question | undefined,
  { atMs }: RunEvent,
  question: Question,
  run: string,
): readonly AuditEntry[] {
  const { id, escalation, state } = question;
  const entries: AuditEntry[] = [];
  if (!before) entries.push(asked(atMs, run, question));
  if (escalation?.sinceMs !== undefined && before?.escalation?.sinceMs === undefined) {
    entries.push({ type: 'question.escalated', atMs, run, question: id, to: escalation.to });
  }
  if (before && before.state.status !== 'open') return entries;
  switch (state.status) {
    case 'open':
    // Its last answer says so.
    case 'answered':
      break;
    case 'expired':
    case 'void':
      entries.push({ type: 'question.closed', atMs, run, question: id, how: state.status });
      break;
    case 'superseded':
      entries.push({
        type: 'question.closed',
        atMs,
        run,
        question: id,
        how: state.status,
        why: state.why,
      });
  }
  return entries;
}

function asked(atMs: number, run: string, question: Question): AuditEntry {
  const { id, kind, step, round, title, covers, approvers, quorum, allowRequester, expiry } = question;
  return {
    type: 'question.asked',
    atMs,
    run,
    question: id,
    kind,
    step,
    round,
    title,
    covers,
    quorum,
    allowRequester,
    ...(approvers && { approvers }),
    ...(expiry && { deadlineMs: expiry.atMs }),
  };
}

function ended(before: RunState | undefined, { atMs }: RunEvent, after: RunState): readonly AuditEntry[] {
  const { id, status, reason } = after;
  if (!isFinal(status) || (before && isFinal(before.status))) return [];
  return [{ type: 'run.ended', atMs, run: id, status, ...(reason !== undefined && { reason }) }];
}
