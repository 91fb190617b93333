import type { GivenAnswer } from '../../commands/answering.ts';
import { whatIsWrong } from '../../commands/conversation.ts';
import { carriedFingerprint } from '../../engine/run/fingerprint.ts';
import { own } from '../../engine/run/record.ts';
import type { Question } from '../../engine/run/state.ts';
import { seenQuestion, takeAnswer } from '../api/questions.ts';
import { type Content, type Html, html } from './html.ts';
import type { AnyVisit } from './page.ts';
import { alert, pathOf, to } from './parts.ts';
import { sentenceOf } from './question-told.ts';

/** An answer for several questions at once, as it was sent. */
export interface BulkAnswer {
  readonly action: string;
  readonly comment: string;
  /** Ids of the questions that were chosen. */
  readonly chosen: readonly string[];
}

/** What became of it for one question. */
export interface BulkResult {
  readonly question: string;
  readonly title: string;
  /** Absent: it counted. */
  readonly why?: string;
}

/** The box that chooses a question, with the fingerprint of what is shown of it. */
export function choice({ id, title, covers }: Question, isChosen: boolean): Html {
  return html`<input type="checkbox" name="question" value="${id}" aria-label="Choose “${title}”"${isChosen && html` checked`}><input type="hidden" name="${coversField(id)}" value="${carriedFingerprint(covers)}">`;
}

/** What stands under the questions to answer those that are chosen: only answers that need nothing else. */
export function bulkBar(questions: readonly Question[], sent: BulkAnswer | undefined): Html {
  const offered = [...Map.groupBy(questions.flatMap(simpleActions), ({ id }) => id)];
  if (offered.length === 0) {
    return html`<p class="soft">Each of these questions has something to fill in: open it to answer.</p>`;
  }
  const options = offered.map(([id, actions]) => {
    const names = [...new Set(actions.map(({ label }) => label))].join(' / ');
    return html`<option value="${id}"${id === sent?.action && html` selected`}>${names} (${actions.length})</option>`;
  });
  return html`<div class="bulk">
<label class="plain" for="all"><input type="checkbox" id="all" data-all> All</label>
<div><label for="action">Answer with</label><select id="action" name="action" required><option value="">—</option>${options}</select></div>
<div><label for="comment">Comment <span class="soft">(optional)</span></label><input type="text" id="comment" name="comment" value="${sent?.comment}"></div>
<button class="primary">Answer those chosen</button>
</div>`;
}

/** Answers that need neither a form nor a comment. */
function simpleActions({ actions, form }: Question): Question['actions'] {
  return actions.filter(({ bare, comment }) => (form === undefined || bare) && comment !== 'required');
}

/**
 * Gives the answer to each question that was chosen, one after the other, by the rule that decides every answer; only to what was
 * shown of it.
 */
export async function answerEach(
  visit: AnyVisit,
  { action, comment, chosen }: BulkAnswer,
  body: Readonly<Record<string, unknown>>,
): Promise<readonly BulkResult[]> {
  const results: BulkResult[] = [];
  for (const question of new Set(chosen)) {
    const covers = own(body, coversField(question));
    const given = { action, feedback: comment, covers: typeof covers === 'string' ? covers : '' };
    results.push(await answerOne(visit, question, given));
  }
  return results;
}

async function answerOne(
  visit: AnyVisit,
  id: string,
  given: Omit<GivenAnswer, 'question'>,
): Promise<BulkResult> {
  const found = await seenQuestion(visit, id);
  if (!found.ok) return { question: id, title: id, why: found.problem.detail };
  const result = { question: id, title: found.value.question.title };
  const taken = await takeAnswer(visit, found.value, given);
  if (!taken.ok) return { ...result, why: taken.problem.detail };
  switch (taken.value.kind) {
    case 'counts':
      return result;
    case 'refused':
      return { ...result, why: await sentenceOf(visit.bot, taken.value.why) };
    case 'unfit':
      return { ...result, why: `Something has to be filled in: ${whatIsWrong([], taken.value.problems)}` };
  }
}

/** What became of each question, when not every answer counted. */
export function toldOf(results: readonly BulkResult[]): Content {
  const failed = results.filter(({ why }) => why !== undefined).length;
  const lines = results.map(
    ({ question, title, why }) =>
      html`<li>${to(pathOf('questions', question), title)}: ${why ?? 'counted.'}</li>`,
  );
  return html`${alert(`${failed} of ${results.length} ${results.length === 1 ? 'answer does' : 'answers do'} not count.`)}<ul>${lines}</ul>`;
}

/** The name of the field that carries the fingerprint of what was shown of a question. */
function coversField(question: string): string {
  return `covers-${question}`;
}
