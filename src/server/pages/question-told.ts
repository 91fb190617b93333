import type { Bot } from '../../commands/bot.ts';
import { placeAmongLanes } from '../../commands/lanes.ts';
import type { Sight } from '../../commands/visitor.ts';
import { titleOf } from '../../engine/data/input.ts';
import { platformOf, withoutPlatform } from '../../engine/flow/address.ts';
import type { Named } from '../../engine/named.ts';
import { asText, literal, type Prose, type ProsePiece } from '../../engine/prose.ts';
import { askedOf } from '../../engine/run/answer.ts';
import { outcome } from '../../engine/run/question-card.ts';
import { shownContent, wholeCard } from '../../engine/run/question-content.ts';
import { stillMissing } from '../../engine/run/quorum.ts';
import { labelOf, type Question, type QuestionAnswer, type RunState } from '../../engine/run/state.ts';
import type { RunRow } from '../../ports/store.ts';
import { compose, proseText } from '../../render/markdown/index.ts';
import { type Content, type Html, html } from './html.ts';
import { code, details, moment, pathOf, personName, table, to } from './parts.ts';
import { prose } from './prose.ts';

/** A question with its run. */
export interface AskedQuestion {
  readonly row: RunRow;
  readonly run: RunState;
  readonly question: Question;
}

/** A sentence for people, with the people in it as their platforms know them. */
export async function sentenceOf(bot: Bot, said: Prose): Promise<string> {
  const named = said.map(async (piece): Promise<ProsePiece> => {
    return piece.kind === 'person' ? literal(await nameOf(bot, piece.text)) : piece;
  });
  return proseText(await Promise.all(named));
}

/** Whom a question asks, those to whom it was escalated included. */
export async function whom(bot: Bot, { run, question }: Omit<AskedQuestion, 'row'>): Promise<Content> {
  if (question.approvers) return namesOf(bot, askedOf(question));
  const where = question.to ?? run.start.homeName;
  if (where !== undefined) return `everybody in ${where}`;
  return run.start.home ? 'everybody in its conversation' : 'nobody in person';
}

async function namesOf(bot: Bot, named: Named): Promise<Content> {
  const names = await Promise.all(named.map((address) => nameOf(bot, address)));
  return names.map(
    (name, index) => html`${index > 0 && ', '}<span title="${named[index] ?? ''}">${name}</span>`,
  );
}

/** A person or role, as their platform knows them; those of no platform that is connected by their address. */
async function nameOf({ chats }: Bot, address: string): Promise<string> {
  const platform = platformOf(address);
  const chat = platform === undefined ? undefined : chats.get(platform);
  return chat ? chat.nameOf(withoutPlatform(address)) : address;
}

/** The flow that asks, and its step by name. */
export async function flowAndStep(bot: Bot, { row, run, question }: AskedQuestion): Promise<Html> {
  const plan = bot.catalog.flow(row.flow)?.plan;
  const lane = await placeAmongLanes(bot, run.start);
  const step = plan?.steps.get(question.step)?.name ?? question.step;
  return html`${to(pathOf('flows', row.flow), plan?.name ?? row.flow)}, ${step}${lane !== '' && html` <span class="soft">(${lane})</span>`}`;
}

/** The run that asks: a link for those who may see it. */
export async function runLink(sight: Sight, row: RunRow): Promise<Html> {
  const id = html`<code>${row.id}</code>`;
  return (await sight.sees(row)) ? to(pathOf('runs', row.id), id) : id;
}

/** How many answers a question takes, and while it is open how far that is; nothing when any one answer decides it. */
export async function takes(bot: Bot, question: Question): Promise<Content> {
  const { quorum, actions, answers } = question;
  const isOpen = question.state.status === 'open';
  if (quorum === 'each') {
    const missing = isOpen ? stillMissing(question) : [];
    return html`an answer of each of them${missing.length > 0 && html`; still missing: ${await namesOf(bot, missing)}`}`;
  }
  if (quorum === 1) return undefined;
  const most = Math.max(...actions.map(({ id }) => answers.filter(({ action }) => action === id).length));
  return html`${quorum} answers that agree${isOpen && html`; ${most} so far`}`;
}

/** What is asked about, in the end all of it; nothing once it is closed, because it is not kept. */
export function askedAbout(question: Question): Content {
  const { ask, step } = question;
  const text = contentOf(question);
  if (!ask || text === '') return undefined;
  const [file] = wholeCard(step, ask)?.files ?? [];
  const whole = file && Buffer.from(file.data, 'base64').toString('utf8');
  return html`${prose(text)}${whole !== undefined && details(`All of it: the file ${file?.name}`, code(whole, 'All that is asked about'))}`;
}

/** The same, as far as the card in the chat has it, in Markdown; `''` = nothing. */
export function contentOf({ ask }: Pick<Question, 'ask'>): string {
  return ask ? compose(shownContent(ask)).trim() : '';
}

/** Words for where a question is. */
const STATES: Readonly<Record<Question['state']['status'], string>> = {
  open: 'open',
  answered: 'answered',
  expired: 'expired',
  void: 'asked anew',
  superseded: 'not needed any more',
};

/** Where a question is. */
export function questionBadge({ state }: Question): Html {
  const style = state.status === 'open' ? 'waiting' : state.status === 'answered' ? 'done' : '';
  return html`<span class="badge ${style}">${STATES[state.status]}</span>`;
}

/** What became of a question, and by whom; nothing while it is open. */
export function became(question: Question): Content {
  const said = outcome(question);
  return said.length > 0 && prose(compose(said));
}

/** The answers of a question so far. */
export function answerTable(question: Question): Html {
  const { answers } = question;
  const isFilled = answers.some((answer) => filledIn(question, answer).length > 0);
  return table(
    'Answers',
    ['Who', 'Answer', 'When', 'Comment', ...(isFilled ? ['Filled in'] : [])],
    answers.map((answer) => [
      personName(answer.by),
      labelOf(question, answer.action),
      moment(answer.atMs),
      answer.feedback !== '' && html`<span class="lines">${answer.feedback}</span>`,
      ...(isFilled ? [html`<ul class="bare">${filledIn(question, answer)}</ul>`] : []),
    ]),
    'Nobody has answered yet.',
  );
}

function filledIn({ form = {} }: Question, { values = {}, files = [] }: QuestionAnswer): readonly Html[] {
  return [
    ...Object.entries(values).map(
      ([name, given]) => html`<li>${titleOf(form, name)}: <span class="lines">${asText(given)}</span></li>`,
    ),
    ...files.map(({ name }) => html`<li>📎 ${name}</li>`),
  ];
}
