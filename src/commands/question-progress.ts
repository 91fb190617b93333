import { isRole } from '../engine/flow/address.ts';
import { type Named, people } from '../engine/named.ts';
import type { Person } from '../engine/people.ts';
import { literal, md, type Prose, time } from '../engine/prose.ts';
import { askedOf } from '../engine/run/answer.ts';
import { isBySame, stillMissing } from '../engine/run/quorum.ts';
import { labelOf, type Question } from '../engine/run/state.ts';
import type { Bot } from './bot.ts';
import { addressesOf } from './roles.ts';

/** Whether a question still waits for somebody whom it names: they have not answered yet. */
export function isWaitedFor(bot: Bot, { state, answers }: Question, by: Person): boolean {
  const [, ...also] = addressesOf(bot, by);
  return state.status === 'open' && !answers.some((answer) => isBySame(answer, { by, also }));
}

/**
 * How far an open question is, to go on a line about it: whom it waits for, until when, and who has answered what.
 * @param isSaid the line says already that it waits for its reader
 */
export function howFar(question: Question, isSaid: boolean): Prose {
  const { expiry, answers, quorum } = question;
  const waited = isSaid && quorum !== 'each' ? [] : stillAsked(question);
  return [
    ...(waited.length > 0 ? [md(isSaid ? ', still missing: ' : ', waits for '), ...people(waited)] : []),
    ...(typeof quorum === 'number' && quorum > 1 ? [md(`, takes ${quorum} answers that agree`)] : []),
    ...(expiry ? [md(', until '), time(expiry.atMs)] : []),
    ...answers.flatMap(
      ({ by, action }, index): Prose => [
        md(index === 0 ? '; answered: ' : ', '),
        literal(`${by.name} (${labelOf(question, action)})`),
      ],
    ),
  ];
}

/** Whoever has a role may not be the only one. */
function stillAsked(question: Question): Named {
  if (question.quorum === 'each') return stillMissing(question);
  const hasAnswered = (entry: string) => question.answers.some(({ as }) => as.includes(entry));
  return askedOf(question).filter((entry) => isRole(entry) || !hasAnswered(entry));
}
