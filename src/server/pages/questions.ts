import { z } from 'zod';
import { isWaitedFor } from '../../commands/question-progress.ts';
import { beginningOf } from '../../engine/prose.ts';
import { isAtLeast } from '../access/door.ts';
import { type OpenQuestion, stillOpen } from '../api/questions.ts';
import { type Content, type Html, html } from './html.ts';
import { type AnyVisit, goTo, type Outcome, type Page, page, type Shown, show } from './page.ts';
import { alert, details, form, moment, pathOf, section, table, to } from './parts.ts';
import { prose } from './prose.ts';
import { singleQuestionPages } from './question.ts';
import { answerEach, type BulkAnswer, bulkBar, choice, toldOf } from './question-bulk.ts';
import { contentOf, flowAndStep, runLink, whom } from './question-told.ts';

/** Most UTF-16 units of what a question is about that the list shows: its own page has all. */
const SHOWN_MAX_CHARS = 2_000;
/** Questions on one page. */
const LISTED_MAX = 50;

/** How many questions come before those of a page. */
const afterSchema = z.coerce.number().int().min(0).default(0);

const listPage = page({
  method: 'GET',
  path: '/questions',
  access: 'viewer',
  query: z.object({ after: afterSchema }),
  run: (visit) => showQuestions(visit, visit.query.after),
});

const bulkPage = page({
  method: 'POST',
  path: '/questions',
  access: 'approver',
  body: z.looseObject({
    action: z.string().max(100).default(''),
    comment: z.string().max(20_000).default(''),
    question: z
      .union([z.string().transform((one) => [one]), z.array(z.string()).max(LISTED_MAX)])
      .default([]),
    after: afterSchema,
  }),
  async run(visit) {
    const { action, comment, question: chosen, after } = visit.body;
    const sent = { action, comment, chosen };
    if (action === '' || chosen.length === 0) {
      const what = chosen.length === 0 ? 'Choose at least one question.' : 'Choose an answer.';
      return showQuestions(visit, after, { sent, status: 422, told: alert(what) });
    }
    const results = await answerEach(visit, sent, visit.body);
    if (results.every(({ why }) => why === undefined)) return goTo('/questions');
    return showQuestions(visit, after, { sent, status: 409, told: toldOf(results) });
  },
});

/** An answer for several questions that does not count for each of them. */
interface Failed {
  readonly sent: BulkAnswer;
  /** As in HTTP. */
  readonly status: number;
  readonly told: Content;
}

/** @param failed what somebody has just tried: the page stays as it is then */
async function showQuestions(visit: AnyVisit, after: number, failed?: Failed): Promise<Outcome> {
  const { bot, sight, visitor } = visit;
  const rows = (await sight.questions()).toSorted(
    (one, other) => Number(other.isTheirs) - Number(one.isTheirs),
  );
  const open = await stillOpen(bot, rows.slice(after, after + LISTED_MAX));
  const waits = ({ question, isTheirs }: OpenQuestion) =>
    (isTheirs || question.approvers === undefined) && isWaitedFor(bot, question, visitor.person);
  const mayAnswer = isAtLeast(visitor, 'approver');
  const rowsOf = (some: readonly OpenQuestion[]) =>
    Promise.all(some.map((one) => line(visit, one, mayAnswer, failed?.sent.chosen ?? [])));
  const theirs = await rowsOf(open.filter(waits));
  const others = await rowsOf(open.filter((one) => !waits(one)));
  const lists = html`${section('Waiting for you', listed('Questions that wait for you', mayAnswer, theirs, 'Nothing waits for your answer.'))}
${section('Others', listed('Other open questions', mayAnswer, others, 'Nothing else is asked.'))}`;
  const shown: Shown = {
    title: 'Questions',
    ...(failed ? { status: failed.status } : { live: 'any' }),
    main: html`<h1>Questions</h1>
${failed?.told}
${mayAnswer && open.length > 0 ? bulkForm(visit, lists, open, after, failed?.sent) : lists}
${pager(rows.length, after)}`,
  };
  return show(shown);
}

function bulkForm(
  { nextKey }: AnyVisit,
  lists: Html,
  open: readonly OpenQuestion[],
  after: number,
  sent: BulkAnswer | undefined,
): Html {
  const questions = open.map(({ question }) => question);
  return form(
    '/questions',
    nextKey(),
    html`<input type="hidden" name="after" value="${after}">${lists}${bulkBar(questions, sent)}`,
  );
}

function listed(
  caption: string,
  mayAnswer: boolean,
  rows: readonly (readonly Content[])[],
  empty: string,
): Html {
  const heads = ['Question', 'Flow and step', 'Run', 'Asks', 'Since', 'Until'];
  return table(caption, mayAnswer ? ['Choose', ...heads] : heads, rows, empty);
}

async function line(
  { bot, sight }: AnyVisit,
  { stored: { row, state: run }, question }: OpenQuestion,
  mayAnswer: boolean,
  chosen: readonly string[],
): Promise<readonly Content[]> {
  const content = beginningOf(contentOf(question), SHOWN_MAX_CHARS);
  return [
    ...(mayAnswer ? [choice(question, chosen.includes(question.id))] : []),
    html`<div class="asked">${to(pathOf('questions', question.id), question.title)}${content !== '' && details('What it is about', prose(content))}</div>`,
    await flowAndStep(bot, { row, run, question }),
    await runLink(sight, row),
    await whom(bot, { run, question }),
    moment(question.openedAtMs),
    question.expiry && moment(question.expiry.atMs),
  ];
}

function pager(all: number, after: number): Content {
  const next = after + LISTED_MAX;
  if (after === 0 && next >= all) return undefined;
  return html`<p class="actions">${after > 0 && to(`/questions?after=${Math.max(0, after - LISTED_MAX)}`, 'Earlier')}
${next < all && to(`/questions?after=${next}`, 'More')}</p>`;
}

/** The pages about questions. */
export const questionPages: readonly Page[] = [listPage, bulkPage, ...singleQuestionPages];
