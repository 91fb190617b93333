import { titleOf } from '../data/input.ts';
import { isRole } from '../flow/address.ts';
import type { Plan } from '../flow/plan.ts';
import { NOTIFIED_MAX } from '../limits.ts';
import { type Named, notifiedOn, people } from '../named.ts';
import type { Button, PostContent } from '../post.ts';
import { asText, beginningOf, literal, md, type Prose, person, time } from '../prose.ts';
import { EXPIRED } from '../steps/approval-exits.ts';
import { runLine } from './cards.ts';
import { carriedFingerprint, shortFingerprint } from './fingerprint.ts';
import { shownContent } from './question-content.ts';
import { stillMissing } from './quorum.ts';
import { labelOf, type Question, type QuestionAction, type QuestionAnswer, type RunState } from './state.ts';

/** Most characters of what one person filled in, or said before it is decided, on the card. */
const VALUE_MAX_CHARS = 200;
/** Room for the comments of those who decided it; beyond that each is cut, but never below `VALUE_MAX_CHARS`. */
const COMMENTS_MAX_CHARS = 8_000;

type Run = Pick<RunState, 'id' | 'start'>;

/** The card of a question: what is asked and shown, who may answer, how far it is, and in the end what was decided. */
export function questionCard(plan: Plan, run: Run, question: Question): PostContent {
  const isOpen = question.state.status === 'open';
  return {
    prose: [
      md('**'),
      literal(question.title),
      md('**'),
      ...(question.ask ? shownContent(question.ask) : []),
      md('\n\n'),
      ...footer(question),
      md('\n\n'),
      ...runLine(plan, run),
      md(`, content \`${shortFingerprint(question.covers)}\``),
    ],
    title: plan.name,
    buttons: isOpen ? question.actions.map((action) => answerButton(question, action)) : [],
    notify: isOpen ? notified(run, question, question.approvers) : [],
    ...(isOpen && { lasting: true }),
  };
}

/** With what the id of an answer's button begins: a click opens no form first, offers one, or demands one. */
export const ANSWER_VERBS = { none: 'answer', optional: 'comment', required: 'explain' } as const;

/** The button of an action. Its id says what it covers, and whether the click opens a form first. */
export function answerButton({ id, covers, form, attach }: Question, action: QuestionAction): Button {
  const asks = !action.bare && (form !== undefined || attach !== undefined);
  return {
    id: `${ANSWER_VERBS[asks ? 'required' : action.comment]}:${id}:${action.id}:${carriedFingerprint(covers)}`,
    label: action.label,
    style: action.style,
  };
}

function footer(question: Question): Prose {
  if (question.state.status !== 'open') return [...outcome(question), ...filledIn(question)];
  return [
    ...waiting(question),
    ...answersSoFar(question),
    ...missingLines(question),
    ...(question.expiry ? [md('\n\nOpen until '), time(question.expiry.atMs), md('.')] : []),
    ...reminded(question),
  ];
}

function waiting(question: Question): Prose {
  const { approvers, escalation } = question;
  const others = escalation?.sinceMs === undefined ? [] : [md(', or '), ...people(escalation.to)];
  const whom = approvers ? people(approvers) : [md('somebody in this conversation')];
  return [md('Waiting for '), ...whom, ...others, md(`.${howMany(question)}`)];
}

function howMany(question: Question): string {
  const { quorum } = question;
  if (quorum === 'each') return ' It takes an answer of each of them.';
  return quorum > 1 ? ` It takes ${quorum} answers that agree${soFar(question)}.` : '';
}

/** How many answers the best supported action has. */
function soFar({ actions, answers, quorum }: Question): string {
  if (answers.length === 0) return '';
  const counts = actions.map(({ id }) => answers.filter(({ action }) => action === id).length);
  return `: ${Math.max(...counts)} of ${quorum} so far`;
}

function answersSoFar(question: Question): Prose {
  if (question.answers.length === 0) return [];
  const lines = question.answers.flatMap(
    (answer): Prose => [
      md('\n- '),
      literal(answer.by.name),
      md(': '),
      literal(labelOf(question, answer.action)),
      ...(answer.feedback === '' ? [] : [md(', “'), literal(brief(answer.feedback)), md('”')]),
    ],
  );
  const missing = question.quorum === 'each' ? stillMissing(question) : [];
  return [
    md('\n'),
    ...lines,
    ...(missing.length > 0 ? [md('\n\nStill missing: '), ...people(missing), md('.')] : []),
  ];
}

function missingLines({ look }: Question): Prose {
  if (!look) return [];
  const lines = look.missing.flatMap((address) => [
    md('\n\n⚠️ '),
    person(address),
    md(isRole(address) ? ': there is no such role.' : ' is not there and can’t answer.'),
  ]);
  return look.short ? [...lines, md('\n\n⚠️ Too few of those asked can answer to decide this.')] : lines;
}

function reminded({ remind }: Question): Prose {
  if (!remind || remind.lastMs === undefined) return [];
  return [
    md(`\n\nReminded ${remind.times === 1 ? 'once' : `${remind.times} times, last`} `),
    time(remind.lastMs),
    md('.'),
  ];
}

/** What became of a question; nothing while it is open. */
export function outcome(question: Question): Prose {
  const { state } = question;
  switch (state.status) {
    case 'open':
      return [];
    case 'answered': {
      const agreeing = agreeingOf(question);
      const names = agreeing.flatMap(
        (answer, index): Prose => [
          ...(index === 0 ? [] : [md(index === agreeing.length - 1 ? ' and ' : ', ')]),
          literal(answer.by.name),
        ],
      );
      return [
        md('**'),
        literal(question.actions.find(({ id }) => id === state.action)?.outcome ?? state.action),
        md('** by '),
        ...names,
        ...said(agreeing),
      ];
    }
    case 'expired':
      return [
        md('**⌛ Expired** '),
        time(state.atMs),
        md(': nobody had decided by then'),
        ...goesOnAs(question),
        md('.'),
      ];
    case 'void':
      return [md('⊘ What this asked about has changed, so answers to it do not count: it is asked anew.')];
    case 'superseded':
      return [md('⊘ Not needed any more: '), literal(state.why)];
  }
}

function goesOnAs({ expiry }: Question): Prose {
  if (!expiry || expiry.exit === EXPIRED) return [];
  return [md(', so it goes on as “'), literal(expiry.exit), md('”')];
}

function said(answers: readonly QuestionAnswer[]): Prose {
  const comments = answers.filter(({ feedback }) => feedback !== '');
  if (comments.length === 0) return [md('.')];
  const isOne = answers.length === 1;
  const room = Math.max(VALUE_MAX_CHARS, Math.floor(COMMENTS_MAX_CHARS / comments.length));
  return [
    md(':'),
    ...comments.flatMap(
      ({ by, feedback }): Prose => [
        md('\n\n> '),
        ...(isOne ? [] : [literal(by.name), md(': ')]),
        literal(beginningOf(feedback, room)),
      ],
    ),
  ];
}

/** What was filled in and brought along with the answers that decided it; of two values the later counts. */
function filledIn(question: Question): Prose {
  const agreeing = agreeingOf(question);
  const values = Object.entries(agreeing.at(-1)?.values ?? {}).flatMap(
    ([name, given]): Prose => [
      md('\n- '),
      literal(titleOf(question.form ?? {}, name)),
      md(': '),
      literal(brief(asText(given))),
    ],
  );
  const files = agreeing.flatMap(({ files = [] }) =>
    files.flatMap(({ name }): Prose => [md('\n- 📎 '), literal(name)]),
  );
  return values.length + files.length > 0 ? [md('\n'), ...values, ...files] : [];
}

/** In one line: what people wrote can't look like the next line of the card. */
function brief(text: string): string {
  return beginningOf(text.replace(/[\s\p{Cc}]+/gu, ' ').trim(), VALUE_MAX_CHARS);
}

function agreeingOf({ state, answers }: Question): readonly QuestionAnswer[] {
  return state.status === 'answered' ? answers.filter(({ action }) => action === state.action) : [];
}

/** Those of a list who are notified where a question is asked, as their platform knows them. */
export function notified(
  run: Pick<RunState, 'start'>,
  { place }: Question,
  named: Named = [],
): readonly string[] {
  const platform = (place ?? run.start.home)?.platform;
  return platform === undefined ? [] : notifiedOn(platform, named).slice(0, NOTIFIED_MAX);
}
