import { isRole } from '../flow/address.ts';
import { type Named, people } from '../named.ts';
import { literal, md, type Prose, person } from '../prose.ts';
import { askedOf, requestersOf } from './answer.ts';
import { abandon, type Draft, planStep } from './draft.ts';
import type { RunStart } from './event.ts';
import type { Look, Question } from './state.ts';

/** Has somebody look whether those asked are there, and where to ask, when there is anything to find out. */
export function lookAtApprovers(draft: Draft, question: Question, attempt: number): Question {
  const { id, step, round, to, place, look } = question;
  const named = askedOf(question);
  if (named.length === 0 && (to === undefined || place)) return question;
  if (look?.key !== undefined) abandon(draft, look.key);
  const { times, missing, short }: Look = look ?? { times: 0, missing: [], short: false };
  const key = `question/${id}/check/${times}`;
  draft.effects.push({
    kind: 'check',
    key,
    question: id,
    named,
    ...(to !== undefined && { to }),
    step,
    round,
    attempt,
  });
  return { ...question, look: { times: times + 1, key, missing, short } };
}

/** Lets go of the look that is under way. */
export function stopLooking(draft: Draft, question: Question): Question {
  const { look } = question;
  if (look?.key === undefined) return question;
  abandon(draft, look.key);
  const { times, missing, short } = look;
  return { ...question, look: { times, missing, short } };
}

/** Whether too few of the approvers can answer to decide a question: some are missing, or must not because they asked for it. */
export function isShort(start: RunStart, question: Question, missing: Named): boolean {
  const { approvers, quorum, allowRequester } = question;
  if (!approvers) return false;
  const barred = allowRequester ? missing : [...missing, ...requestersOf(start)];
  const left = approvers.filter((address) => !barred.includes(address));
  if (quorum === 'each') return left.length < approvers.length;
  // How many people have a role is not known: one that is there may be enough.
  return !left.some(isRole) && left.length < quorum;
}

/** Tells admins that people can't answer. A question that nobody can decide waits for them. */
export function alertAdmins(draft: Draft, question: Question, check: string): void {
  const { look, title, escalation } = question;
  const missing = look?.missing ?? [];
  const prose: Prose = [
    md(`Run \`${draft.state.id}\` of `),
    literal(draft.plan.name),
    md(' asks “'),
    literal(title),
    md(`” (step ${planStep(draft.plan, question.step).id}).`),
    ...(missing.length > 0 ? [md(' These can’t answer: '), ...listed(missing), md('.')] : []),
    ...(look?.short ? [md(' Too few of its approvers can answer to decide it'), ...goesTo(escalation)] : []),
  ];
  draft.effects.push({ kind: 'alert', post: `alert/${check}`, content: { prose, buttons: [], notify: [] } });
}

function goesTo(escalation: Question['escalation']): Prose {
  return escalation
    ? [md(', so it goes to '), ...people(escalation.to), md('.')]
    : [md('. Cancel the run, and mend the flow before it is started again.')];
}

function listed(missing: Named): Prose {
  return missing.flatMap((address, index) => [
    ...(index === 0 ? [] : [md(', ')]),
    person(address),
    md(isRole(address) ? ' (there is no such role)' : ' (is not there)'),
  ]);
}
