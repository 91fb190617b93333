import { z } from 'zod';
import { answerErrors, readFilledIn } from '../../commands/answer-form.ts';
import type { Answered } from '../../commands/answering.ts';
import { whatIsWrong } from '../../commands/conversation.ts';
import type { Question } from '../../engine/run/state.ts';
import type { RunRow } from '../../ports/store.ts';
import { seenQuestion, takeAnswer } from '../api/questions.ts';
import { PROBLEMS } from '../problem.ts';
import type { Values } from './fields.ts';
import { type Content, html } from './html.ts';
import { type AnyVisit, goTo, type Outcome, type Page, page, show, type Visit, wrong } from './page.ts';
import { alert, facts, moment, pathOf, section, to } from './parts.ts';
import { answerForms, type Returned, readAnswer } from './question-forms.ts';
import {
  answerTable,
  askedAbout,
  became,
  flowAndStep,
  questionBadge,
  runLink,
  sentenceOf,
  takes,
  whom,
} from './question-told.ts';

const params = z.object({ question: z.string() });

type OfQuestion = Visit<z.output<typeof params>, unknown, unknown>;

const questionPage = page({
  method: 'GET',
  path: '/questions/{question}',
  access: 'viewer',
  params,
  run: (visit) => showQuestion(visit),
});

const answerPage = page({
  method: 'POST',
  path: '/questions/{question}',
  access: 'approver',
  params,
  body: z.looseObject({
    action: z.string().max(100),
    covers: z.string().min(1).max(64),
    back: z.string().optional(),
  }),
  async run(visit) {
    const { body } = visit;
    const found = await seenQuestion(visit, visit.params.question);
    if (!found.ok) return wrong(found.problem);
    const { row, question } = found.value;
    const { action, covers } = body;
    const back = body.back === pathOf('runs', row.id) ? body.back : undefined;
    const values = readAnswer(visit, question, action, body);
    const given = { action, covers, ...readFilledIn(question, values) };
    const taken = await takeAnswer(visit, found.value, given);
    const sent = { action, values, ...(back !== undefined && { back }) };
    if (!taken.ok) {
      const { code, detail } = taken.problem;
      return showQuestion(visit, { ...sent, status: PROBLEMS[code][0], sentence: detail, errors: {} });
    }
    if (taken.value.kind === 'counts') return goTo(back ?? pathOf('questions', question.id));
    return showQuestion(visit, { ...sent, ...(await whyNot(visit, taken.value, values)) });
  },
});

/** An answer that does not count, and why. */
interface Failed extends Returned {
  /** As in HTTP. */
  readonly status: number;
  /** Absent: it is said at the fields. */
  readonly sentence?: string;
  readonly back?: string;
}

async function whyNot(
  { bot }: OfQuestion,
  answered: Exclude<Answered, { kind: 'counts' }>,
  values: Values,
): Promise<Pick<Failed, 'status' | 'sentence' | 'errors'>> {
  switch (answered.kind) {
    case 'refused':
      return { status: 409, sentence: await sentenceOf(bot, answered.why), errors: {} };
    case 'unfit': {
      const { problems } = answered;
      const said = answerErrors(problems, values);
      return said?.kind === 'errors'
        ? { status: 422, errors: said.errors }
        : { status: 422, sentence: whatIsWrong([], problems), errors: {} };
    }
  }
}

/** @param failed what somebody has just tried: the page stays as it is then, with what they typed */
async function showQuestion(visit: OfQuestion, failed?: Failed): Promise<Outcome> {
  const found = await seenQuestion(visit, visit.params.question);
  if (!found.ok) return wrong(found.problem);
  const { bot, sight } = visit;
  const { row, run, question } = found.value;
  const about = askedAbout(question);
  const forms = await answerForms(visit, found.value, {
    ...(failed && { returned: failed }),
    ...(failed?.back !== undefined && { back: failed.back }),
  });
  const live = (await sight.sees(row)) ? { run: row.id } : 'any';
  const isOpen = question.state.status === 'open';
  return show({
    title: question.title,
    ...(failed ? { status: failed.status } : { live }),
    main: html`<div class="title"><h1>${question.title}</h1>${questionBadge(question)}</div>
${alert(failed?.sentence)}
${became(question)}
${facts([
  ['Flow and step', await flowAndStep(bot, found.value)],
  ['Run', await runLink(sight, row)],
  ['Asks', await whom(bot, { run, question })],
  ['Takes', await takes(bot, question)],
  ['Asked', moment(question.openedAtMs)],
  ['Open until', isOpen && question.expiry && moment(question.expiry.atMs)],
])}
${about && section('What it is about', about)}
${isOpen ? section('Your answer', forms) : forms}
${section('Answers', answerTable(question))}`,
  });
}

/**
 * An open question as a part of the page of its run, with the forms to answer it: its heading is of the third level, and the
 * browser comes back to the run. Nothing when the visitor may not see it.
 */
export async function questionCard(
  visit: AnyVisit,
  of: { readonly row: Pick<RunRow, 'id'>; readonly question: Pick<Question, 'id'> },
): Promise<Content> {
  const found = await seenQuestion(visit, of.question.id);
  if (!found.ok) return undefined;
  const { run, question } = found.value;
  return html`<div class="card" id="question-${question.id}"><h3>${to(pathOf('questions', question.id), question.title)}</h3>
${askedAbout(question)}
${facts([
  ['Asks', await whom(visit.bot, { run, question })],
  ['Takes', await takes(visit.bot, question)],
  ['Asked', moment(question.openedAtMs)],
  ['Open until', question.expiry && moment(question.expiry.atMs)],
])}
${question.answers.length > 0 && answerTable(question)}
${await answerForms(visit, found.value, { back: pathOf('runs', of.row.id) })}</div>`;
}

export const singleQuestionPages: readonly Page[] = [questionPage, answerPage];
