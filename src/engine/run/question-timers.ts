import type { Ask } from '../steps/step-type.ts';
import { abandon, type Draft, setTimer, showAbout } from './draft.ts';
import { escalationPost, reminder, settledReminder } from './question-posts.ts';
import type { Question } from './state.ts';

/** How long people are left alone where nobody has said otherwise: 12 hours, in milliseconds. */
export const REMIND_AFTER_MS = 43_200_000;
/** Most reminders of one question. */
const REMINDERS_MAX = 5;
/**
 * So much after its time a question expires, in milliseconds: what people did in the last moment has been received by
 * then. An answer after the time itself is refused all the same.
 */
const EXPIRY_GRACE_MS = 1_000;

const PURPOSES = ['remind', 'escalate', 'expire'] as const;
type Purpose = (typeof PURPOSES)[number];

interface QuestionTimer {
  readonly key: string;
  readonly what: Purpose;
}

/** The timers that an open question waits for. A key never comes again, so that one that fires twice counts once. */
export function timersOf(question: Question): readonly QuestionTimer[] {
  const { id, remind, escalation, expiry } = question;
  const isReminding = remind !== undefined && remind.times < REMINDERS_MAX && isAsked(question);
  const isEscalating = escalation?.atMs !== undefined && escalation.sinceMs === undefined;
  return [
    ...(isReminding ? [{ key: remindTimer(id, remind.times), what: 'remind' } as const] : []),
    ...(isEscalating ? [{ key: timerKey(id, 'escalate'), what: 'escalate' } as const] : []),
    ...(expiry ? [{ key: timerKey(id, 'expire'), what: 'expire' } as const] : []),
  ];
}

/** What a timer of a question is for, also one that it does not wait for any more; undefined = the timer is none of its. */
export function timerOf(question: string, key: string): Purpose | undefined {
  return PURPOSES.find((what) => key.split('/').slice(0, 3).join('/') === timerKey(question, what));
}

/** Whether the time of a question is over: nothing is left to remind of then. */
export function isOverdue({ expiry }: Question, atMs: number): boolean {
  return expiry !== undefined && atMs >= expiry.atMs + EXPIRY_GRACE_MS;
}

/** When a new question reminds, goes to others and expires; sets its timers. */
export function timing(
  draft: Draft,
  id: string,
  { remindAfterMs, escalation, expiry, to }: Ask,
): Pick<Question, 'remind' | 'escalation' | 'expiry'> {
  const { atMs } = draft;
  const everyMs = [remindAfterMs, draft.plan.humanReminderMs, draft.state.start.remindAfterMs].find(
    (ms) => ms !== undefined,
  );
  const remind = everyMs === null ? undefined : { everyMs: everyMs ?? REMIND_AFTER_MS, times: 0 };
  if (remind && to === undefined) setTimer(draft, remindTimer(id, 0), atMs + remind.everyMs);
  const escalateAtMs = escalation?.afterMs === undefined ? undefined : atMs + escalation.afterMs;
  if (escalateAtMs !== undefined) setTimer(draft, timerKey(id, 'escalate'), escalateAtMs);
  if (expiry) setTimer(draft, timerKey(id, 'expire'), atMs + expiry.afterMs + EXPIRY_GRACE_MS);
  return {
    ...(remind && { remind }),
    ...(escalation && {
      escalation: { to: escalation.to, ...(escalateAtMs !== undefined && { atMs: escalateAtMs }) },
    }),
    ...(expiry && { expiry: { atMs: atMs + expiry.afterMs, exit: expiry.exit, values: expiry.values } }),
  };
}

/** Begins to remind of a question whose place has been found. */
export function beginReminding(draft: Draft, { id, remind }: Question): void {
  if (remind) setTimer(draft, remindTimer(id, remind.times), draft.atMs + remind.everyMs);
}

/** Nobody can be reminded of what is not asked anywhere yet. */
function isAsked({ to, place }: Question): boolean {
  return to === undefined || place !== undefined;
}

/** Reminds people of an open question: once after a time in which nothing ran, however often it should have been. */
export function remindOf(draft: Draft, question: Question): Question {
  const { remind } = question;
  if (!remind) return question;
  const times = remind.times + 1;
  const reminded = { ...question, remind: { ...remind, times, lastMs: draft.atMs } };
  if (times < REMINDERS_MAX) {
    setTimer(draft, remindTimer(question.id, times), draft.atMs + remind.everyMs);
  }
  showAbout(draft, question, reminderPost(question.id, times), reminder(draft.state, reminded));
  return reminded;
}

/** Lets the people answer, too, to whom a question goes when those asked do not. */
export function escalate(draft: Draft, question: Question): Question {
  const { escalation } = question;
  if (!escalation || escalation.sinceMs !== undefined) return question;
  if (escalation.atMs !== undefined) abandon(draft, timerKey(question.id, 'escalate'));
  const escalated = { ...question, escalation: { ...escalation, sinceMs: draft.atMs } };
  showEscalation(draft, escalated);
  return escalated;
}

/** Tells those to whom an escalated question has come; nothing of one that is not, or is asked nowhere yet. */
export function showEscalation(draft: Draft, question: Question): void {
  if (question.escalation?.sinceMs === undefined) return;
  showAbout(draft, question, escalationKey(question.id), escalationPost(draft.state, question));
}

/** Makes what people were sent about a question say what became of it. */
export function settleReminders(draft: Draft, question: Question): void {
  const { id, remind, escalation } = question;
  const said = settledReminder(question);
  for (let nth = 1; nth <= (remind?.times ?? 0); nth += 1) {
    showAbout(draft, question, reminderPost(id, nth), said);
  }
  if (escalation?.sinceMs !== undefined) showAbout(draft, question, escalationKey(id), said);
}

function escalationKey(question: string): string {
  return `question/${question}/escalation`;
}

function reminderPost(question: string, nth: number): string {
  return `question/${question}/reminder/${nth}`;
}

function timerKey(question: string, what: Purpose): string {
  return `question/${question}/${what}`;
}

function remindTimer(question: string, times: number): string {
  return `${timerKey(question, 'remind')}/${times}`;
}
