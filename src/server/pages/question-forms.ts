import { answerForm, typedInto } from '../../commands/answer-form.ts';
import { answererOf } from '../../commands/answerer.ts';
import type { FormField } from '../../engine/post.ts';
import { mayNotAnswer } from '../../engine/run/answer.ts';
import { carriedFingerprint } from '../../engine/run/fingerprint.ts';
import type { Question, QuestionAction } from '../../engine/run/state.ts';
import { isAtLeast } from '../access/door.ts';
import { type Filled, fieldsOf, readFields, type Values } from './fields.ts';
import { type Content, type Html, html } from './html.ts';
import type { AnyVisit } from './page.ts';
import { code, details, form, pathOf } from './parts.ts';
import { type AskedQuestion, sentenceOf } from './question-told.ts';

/** An answer that comes back, because it does not count as it is. */
export interface Returned extends Filled {
  readonly action: string;
}

/** How the forms of a question stand on a page. */
interface Standing {
  /** The path of ours where the browser goes after an answer; absent = to the question. */
  readonly back?: string;
  readonly returned?: Returned;
}

/** The forms with which a visitor can answer an open question, or why they can't. */
export async function answerForms(
  visit: AnyVisit,
  asked: AskedQuestion,
  { back, returned }: Standing,
): Promise<Content> {
  const { question } = asked;
  if (question.state.status !== 'open') return returned && lost(returned);
  const whyNot = await whyNotAnswer(visit, asked);
  if (whyNot !== undefined) return html`<p class="soft">${whyNot}</p>${returned && lost(returned)}`;
  const forms = question.actions.map((action) => {
    const fields = fieldsOfAnswer(visit, question, action);
    const filled = returned?.action === action.id ? returned : undefined;
    const content = html`${hidden(question, action, back)}${fieldsOf(fields, `${question.id}-${action.id}`, filled)}
${question.attach !== undefined && !action.bare && html`<p class="hint">Files are attached in the chat: this page sends none.</p>`}
<div class="actions"><button class="${action.style}">${action.label}</button></div>`;
    const made = form(pathOf('questions', question.id), visit.nextKey(), content);
    return { action, made, isBare: fields.length === 0, isReturned: filled !== undefined };
  });
  const bare = forms.filter(({ isBare }) => isBare).map(({ made }) => made);
  const filled = forms
    .filter(({ isBare }) => !isBare)
    .map(({ action, made, isReturned }) =>
      details(html`${action.label} …`, made, isReturned || action.style === 'primary'),
    );
  return html`${bare.length > 0 && html`<div class="actions">${bare}</div>`}${filled}`;
}

function hidden(question: Question, action: QuestionAction, back: string | undefined): Html {
  return html`<input type="hidden" name="action" value="${action.id}"><input type="hidden" name="covers" value="${carriedFingerprint(question.covers)}">${back !== undefined && html`<input type="hidden" name="back" value="${back}">`}`;
}

/** Why a visitor can't answer a question, in a sentence for them; undefined = they can, as far as is known. */
async function whyNotAnswer(
  { bot, sight, visitor }: AnyVisit,
  { row, run, question }: AskedQuestion,
): Promise<string | undefined> {
  if (!isAtLeast(visitor, 'approver')) return 'You may see questions here, and not answer them.';
  const caller = await sight.callerAt(question.place ?? row.home);
  const why = mayNotAnswer(run, question, await answererOf(bot, caller, run, question));
  return why && sentenceOf(bot, why);
}

/** What somebody wrote who can't answer any more. */
function lost({ values }: Returned): Content {
  const typed = typedInto(values);
  return typed !== '' && html`<p>What you wrote:</p>${code(typed, 'What you wrote')}`;
}

/** The fields that go with an answer on a page: those of the form in a chat, without files. */
function fieldsOfAnswer(
  { visitor }: Pick<AnyVisit, 'visitor'>,
  question: Question,
  action: QuestionAction,
): readonly FormField[] {
  const asked = answerForm(question, action, visitor.person.platform);
  return (asked?.fields ?? []).filter(({ type }) => type !== 'files');
}

/** What a browser has sent with an answer, by `FormField.id`. */
export function readAnswer(
  visit: Pick<AnyVisit, 'visitor'>,
  question: Question,
  action: string,
  body: Readonly<Record<string, unknown>>,
): Values {
  const known = question.actions.find(({ id }) => id === action);
  return known ? readFields(fieldsOfAnswer(visit, question, known), body) : {};
}
