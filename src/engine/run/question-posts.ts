import { people } from '../named.ts';
import type { PostContent } from '../post.ts';
import { literal, md, time } from '../prose.ts';
import { askedOf } from './answer.ts';
import { notified, outcome } from './question-card.ts';
import type { Question, RunState } from './state.ts';

type Run = Pick<RunState, 'start'>;

/** What reminds people of an open question. */
export function reminder(run: Run, question: Question): PostContent {
  const { approvers, openedAtMs, expiry } = question;
  return {
    prose: [
      md('⏰ Still waiting for '),
      ...(approvers ? people(approvers) : [md('somebody here')]),
      md(': **'),
      literal(question.title),
      md('**, asked '),
      time(openedAtMs),
      ...(expiry ? [md(', open until '), time(expiry.atMs)] : []),
      md('. The buttons are on its card.'),
    ],
    buttons: [],
    notify: notified(run, question, askedOf(question)),
  };
}

/** What tells those about a question to whom it goes next. */
export function escalationPost(run: Run, question: Question): PostContent {
  const to = question.escalation?.to ?? [];
  return {
    prose: [
      md(question.look?.short ? '⏫ Too few of those asked can answer: **' : '⏫ Nobody has decided yet: **'),
      literal(question.title),
      md('**. Now '),
      ...people(to),
      md(' may answer, too. The buttons are on its card.'),
    ],
    buttons: [],
    notify: notified(run, question, to),
  };
}

/** What a reminder says once nobody has to be reminded any more. */
export function settledReminder(question: Question): PostContent {
  return {
    prose: [md('⏰ **'), literal(question.title), md('**: '), ...outcome(question)],
    buttons: [],
    notify: [],
  };
}
