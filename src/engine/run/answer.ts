import { attachmentFaults } from '../attachments.ts';
import { checkInput, type InputProblem } from '../data/input.ts';
import type { JsonObject } from '../json.ts';
import { FEEDBACK_MAX_CHARS } from '../limits.ts';
import { keptOut, matches, type Named, type Roles } from '../named.ts';
import { isSameConversation, type Person, type Place, personAddress, type Standing } from '../people.ts';
import { literal, md, type Prose, time } from '../prose.ts';
import type { RunEvent, RunStart } from './event.ts';
import { isOf } from './fingerprint.ts';
import { addressesOf, isBySame, isStale } from './quorum.ts';
import { own } from './record.ts';
import {
  isFinal,
  type KeptFile,
  labelOf,
  type Question,
  type QuestionAction,
  type RunState,
} from './state.ts';

/** Somebody who answers, and where from. */
export interface Answerer {
  readonly by: Person;
  /** Further addresses of the same person, as the host has linked them. */
  readonly also: readonly string[];
  /** Those of `also` that have left, as found out just before: they are this person, but give no right any more. */
  readonly left?: readonly string[];
  /** What their account is, as found out just before. */
  readonly standing: Standing;
  /** Which of the roles that the question names they have, as found out just before. */
  readonly roles: Roles;
  /** Where they answer; absent = from outside chat (the command line of the host). */
  readonly place?: Place;
  /** When it was received. */
  readonly atMs: number;
}

/** What somebody wants to answer. */
export interface Attempted extends Answerer {
  readonly question: string;
  readonly action: string;
  readonly feedback: string;
  /** The content that they have seen, as `carriedFingerprint` makes it; absent = they named the question. */
  readonly covers?: string;
  /** What they filled in. */
  readonly values?: JsonObject;
  readonly files?: readonly KeptFile[];
}

/** Whether an answer counts. A refusal's words are for that person only. */
export type Verdict =
  | { readonly kind: 'counts'; readonly event: Extract<RunEvent, { type: 'question.answered' }> }
  | { readonly kind: 'refused'; readonly why: Prose }
  /** What was filled in does not fit the question's form. */
  | { readonly kind: 'unfit'; readonly problems: readonly InputProblem[] };

/**
 * The one rule about answers, for every way in: buttons, forms, `/flow`, command line. Nothing else may decide it.
 * People are told apart by platform and id, never by name; what can't be found out is refused.
 */
export function judgeAnswer(run: RunState, attempted: Attempted): Verdict {
  const question = own(run.questions, attempted.question);
  if (!question) return refused(md('There is no such question.'));
  const why = mayNotAnswer(run, question, attempted);
  if (why) return { kind: 'refused', why };
  if (attempted.covers !== undefined && !isOf(question.covers, attempted.covers)) {
    return refused(md('What you saw is not what this question asks about now: look at its card again.'));
  }
  const action = question.actions.find(({ id }) => id === attempted.action);
  if (!action) {
    const known = question.actions.map(({ id }) => id).join(', ');
    return refused(literal(`“${attempted.action.slice(0, 60)}” is not an answer here: ${known}.`));
  }
  return judgeContent(question, action, attempted);
}

/** What matters of a run for who may answer. */
type AskingRun = Pick<RunState, 'status' | 'start'>;

/** Why somebody can't answer a question, whatever they want to say; undefined when they can. */
export function mayNotAnswer(run: AskingRun, question: Question, who: Answerer): Prose | undefined {
  // Before anything is told about the question: outsiders learn only who may answer.
  const whyNoSay = hasNoSay(run, question, who);
  if (whyNoSay) return whyNoSay;
  switch (question.state.status) {
    case 'answered': {
      const { by, action, atMs } = question.state;
      return [
        literal(`${by.name} has already answered “${labelOf(question, action)}” at `),
        time(atMs),
        md('.'),
      ];
    }
    case 'expired':
      return [md('This question expired at '), time(question.state.atMs), md('.')];
    case 'void':
      return [md('What this question asked about has changed: answer at its new card.')];
    case 'superseded':
      return [literal(`This question is closed. ${question.state.why}`)];
    case 'open':
  }
  if (isFinal(run.status)) return [md('This run has ended.')];
  // One clock decides, whenever the timer comes to it.
  if (question.expiry && who.atMs >= question.expiry.atMs) {
    return [md('This question expired at '), time(question.expiry.atMs), md('.')];
  }
  return isRequester(run, who) && !question.allowRequester
    ? [md('You started this run, so somebody else has to answer.')]
    : undefined;
}

function judgeContent(question: Question, action: QuestionAction, attempted: Attempted): Verdict {
  const feedback = attempted.feedback.trim();
  if (feedback.length > FEEDBACK_MAX_CHARS) {
    return refused(md(`The comment has ${feedback.length} characters; ${FEEDBACK_MAX_CHARS} are allowed.`));
  }
  if (action.comment === 'required' && feedback === '') {
    return refused(literal(`“${action.label}” needs a comment.`));
  }
  const { by, also, files = [] } = attempted;
  const earlier = question.answers.find((answer) => isBySame(answer, { by, also }));
  if (earlier?.action === action.id && earlier.feedback === feedback && !question.form && !question.attach) {
    return refused(literal(`You have answered “${action.label}” already; others have to answer, too.`));
  }
  if (earlier && isStale([earlier], attempted)) {
    return refused(literal(`You have answered “${labelOf(question, earlier.action)}” since.`));
  }
  if (attempted.values && Object.keys(attempted.values).length > 0 && (!question.form || action.bare)) {
    return refused(literal(`Nothing is to be filled in with “${action.label}”.`));
  }
  const values =
    question.form && !action.bare ? checkInput(question.form, attempted.values ?? {}) : undefined;
  if (values && !values.ok) return { kind: 'unfit', problems: values.problems };
  const fault = filesFault(question, action, files);
  if (fault !== undefined) return refused(literal(fault));
  return {
    kind: 'counts',
    event: {
      type: 'question.answered',
      atMs: attempted.atMs,
      question: question.id,
      action: action.id,
      feedback,
      by,
      ...(question.approvers && { as: heldOf(question, attempted) }),
      ...(also.length > 0 && { also }),
      ...(values && { values: values.input }),
      ...(files.length > 0 && { files }),
    },
  };
}

function filesFault(
  question: Question,
  action: QuestionAction,
  files: readonly KeptFile[],
): string | undefined {
  if (files.length === 0) return undefined;
  if (!question.attach || action.bare) return 'No files can be attached to this answer.';
  const [fault] = attachmentFaults(
    files.map((file) => ({ ...file, url: null })),
    question.attach,
  );
  return fault;
}

function isRequester({ start }: AskingRun, who: Answerer): boolean {
  const asked = requestersOf(start);
  return addressesOf(who).some((address) => asked.includes(address));
}

/** Addresses of those who asked for what a run does. */
export function requestersOf({ person, requesters = [] }: RunStart): readonly string[] {
  return [...(person ? [person] : []), ...requesters].map(personAddress);
}

/** Who is asked now: the approvers, and those it was escalated to. */
export function askedOf({ approvers = [], escalation }: Question): Named {
  return [...approvers, ...(escalation?.sinceMs === undefined ? [] : escalation.to)];
}

function heldOf(question: Question, who: Answerer): Named {
  return askedOf(question).filter((entry) => matches(entry, addressesThere(who), who.roles));
}

function addressesThere(who: Answerer): readonly string[] {
  return addressesOf(who).filter((address) => !who.left?.includes(address));
}

/** Why this person has no say in the question at all. */
function hasNoSay(run: AskingRun, question: Question, who: Answerer): Prose | undefined {
  const { approvers, to } = question;
  const asked = to === undefined ? run.start.home : question.place;
  const held = heldOf(question, who);
  const named = held.some((entry) => addressesOf(who).includes(entry));
  switch (who.standing) {
    case 'bot':
      return [md('Only people may answer this.')];
    case 'gone':
      return [md('This account has left or was deactivated, so it may not answer this.')];
    case 'guest':
      // Whoever named them in person knew them.
      if (!named && !question.allowGuests) return [md('Guests may not answer this.')];
      break;
    case 'member':
  }
  if (held.length > 0) return undefined;
  if (approvers) return keptOut(askedOf(question), who.roles, 'answer this');
  const { place } = who;
  // A run without a conversation has no people either: only the host can answer.
  return !place || isSameConversation(place, asked)
    ? undefined
    : [md('Only people of the conversation where this is asked may answer it.')];
}

function refused(...why: Prose): Verdict {
  return { kind: 'refused', why };
}
