import type { Place } from '../engine/people.ts';
import type { HomeItem, HomePage } from '../engine/post.ts';
import { beginningOf, literal, md, type Prose, time, value } from '../engine/prose.ts';
import { reveal } from '../engine/reveal.ts';
import { answerButton } from '../engine/run/question-card.ts';
import { questionPost } from '../engine/run/questions.ts';
import { OPEN_STATUSES, type Question } from '../engine/run/state.ts';
import { utcMinute } from '../engine/utc.ts';
import { ChatUnavailable } from '../ports/chat.ts';
import type { QuestionRow, RunRow } from '../ports/store.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import { writeActionId } from './action-ids.ts';
import type { Bot, Caller } from './bot.ts';
import { placeAmongLanes } from './lanes.ts';
import { flowsFor } from './may-start.ts';
import { visibleQuestions } from './open-questions.ts';
import { isWaitedFor } from './question-progress.ts';
import { isManual } from './run.ts';

/** Most items of a section: the chat commands show the rest. */
const ITEMS_MAX = 15;

/** What concerns a person: the questions that wait for them, their runs, and the flows they may start. */
export async function homePage(bot: Bot, caller: Caller): Promise<HomePage> {
  const questions = (await visibleQuestions(bot, caller)).filter(({ isTheirs }) => isTheirs);
  const runs = await bot.store.runs({ statuses: OPEN_STATUSES, startedBy: caller.person, limit: ITEMS_MAX });
  const flows = (await flowsFor(bot, caller)).filter(({ flow, why }) => isManual(flow) && why === undefined);
  const items = await Promise.all(questions.slice(0, ITEMS_MAX).map((one) => questionItem(bot, caller, one)));
  return {
    sections: [
      {
        title: 'Waiting for you',
        empty: 'Nothing waits for your answer.',
        items: withRest(items.flat(), questions.length, `${bot.settings.command} approvals`),
      },
      {
        title: 'Your runs',
        empty: 'None of your runs is under way.',
        items: await Promise.all(runs.map((one) => runItem(bot, one))),
      },
      {
        title: 'Flows',
        empty: 'There is no flow that you may start here.',
        items: withRest(
          flows.slice(0, ITEMS_MAX).map(({ flow }) => flowItem(flow)),
          flows.length,
          `${bot.settings.command} list`,
        ),
      },
    ],
  };
}

async function questionItem(bot: Bot, caller: Caller, row: QuestionRow): Promise<readonly HomeItem[]> {
  const run = await bot.store.run(row.run);
  const question = run?.state.questions[row.id];
  // Answered since it was listed, or by them while it waits for others.
  if (!run || !question || !isWaitedFor(bot, question, caller.person)) return [];
  const starter = run.row.startedBy;
  const lane = await placeAmongLanes(bot, run.state.start);
  return [
    {
      prose: [
        md('**'),
        literal(row.title),
        md('**\n'),
        literal(flowName(bot, row.flow)),
        ...(starter ? [md(', started by '), literal(starter.name)] : []),
        ...(await whereabouts(bot, row.home)),
        md(`, run \`${row.run}\``),
        ...(lane ? [literal(`, ${lane}`)] : []),
        ...(question.expiry ? [md(', open until '), time(question.expiry.atMs)] : []),
        ...(await linkToCard(bot, row.id)),
        ...shownBy(question),
      ],
      buttons: question.actions.map((action) => answerButton(question, action)),
    },
  ];
}

/** Where people find the card of a question, once it is posted where posts have addresses. */
async function linkToCard(bot: Bot, question: string): Promise<Prose> {
  const url = (await bot.store.post(questionPost(question)))?.parts[0]?.url;
  return url === undefined ? [] : [md('\n[Open]('), literal(url), md(')')];
}

/** Most UTF-16 units of what a question shows: enough to know what it is about. */
const SHOWN_MAX_CHARS = 300;

/** It comes last, because a cut may leave a code block open. Nothing hides in it: the buttons are here, too. */
function shownBy({ ask }: Question): Prose {
  const shown = ask?.show.find(({ text }) => text !== null && text.trim() !== '')?.text?.trim() ?? '';
  return shown === '' ? [] : [md('\n\n'), value(reveal(beginningOf(shown, SHOWN_MAX_CHARS)).text)];
}

/** The conversation of a run, as far as it is known now: a page does without. */
async function whereabouts(bot: Bot, home: Place | undefined): Promise<Prose> {
  const name = home && (await nameOf(bot, home));
  return name === undefined ? [] : [md(' in '), literal(name)];
}

async function nameOf(bot: Bot, { platform, conversation }: Place): Promise<string | undefined> {
  try {
    return (await bot.chats.get(platform)?.conversation(conversation))?.name;
  } catch (error) {
    if (error instanceof ChatUnavailable) return undefined;
    throw error;
  }
}

function flowName(bot: Bot, id: string): string {
  return bot.catalog.flow(id)?.plan.name ?? id;
}

async function runItem(bot: Bot, row: RunRow): Promise<HomeItem> {
  return {
    prose: [
      literal(flowName(bot, row.flow)),
      md(` is ${row.status}, started ${utcMinute(row.startedAtMs)}`),
      ...(await whereabouts(bot, row.home)),
      md(`, run \`${row.id}\``),
    ],
    buttons: [{ id: writeActionId({ kind: 'cancel', run: row.id }), label: 'Cancel', style: 'plain' }],
  };
}

function flowItem({ id, plan }: LoadedFlow): HomeItem {
  return {
    prose: [
      md('**'),
      literal(plan.name),
      md('**'),
      ...(plan.description === undefined ? [] : [md('\n'), literal(plan.description)]),
    ],
    buttons: [{ id: writeActionId({ kind: 'start', flow: id }), label: 'Run', style: 'plain' }],
  };
}

function withRest(items: readonly HomeItem[], all: number, command: string): readonly HomeItem[] {
  if (all <= ITEMS_MAX) return items;
  const prose = [md(`… and ${all - ITEMS_MAX} more: `), literal(command), md(' shows them.')];
  return [...items, { prose, buttons: [] }];
}
