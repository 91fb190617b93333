import type { HomeItem, HomePage } from '../engine/post.ts';
import { literal, md } from '../engine/prose.ts';
import { answerButton } from '../engine/run/cards.ts';
import type { QuestionRow, RunRow } from '../ports/store.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import { writeActionId } from './action-ids.ts';
import { visibleQuestions } from './answering.ts';
import type { Bot, Caller } from './bot.ts';
import { flowsFor } from './may-start.ts';
import { isManual } from './run.ts';
import { OPEN } from './runs.ts';

/** Most items of a section: the chat commands show the rest. */
const ITEMS_MAX = 15;

/** What concerns a person: the questions that wait for them, their runs, and the flows they may start. */
export async function homePage(bot: Bot, caller: Caller): Promise<HomePage> {
  const questions = (await visibleQuestions(bot, caller)).filter(({ isTheirs }) => isTheirs);
  const runs = await bot.store.runs({ statuses: OPEN, startedBy: caller.person, limit: ITEMS_MAX });
  const flows = (await flowsFor(bot, caller)).filter(({ flow, why }) => isManual(flow) && why === undefined);
  const items = await Promise.all(questions.slice(0, ITEMS_MAX).map((one) => questionItem(bot, one)));
  return {
    sections: [
      {
        title: 'Waiting for you',
        empty: 'Nothing waits for your answer.',
        items: withRest(items.flat(), questions.length, `${bot.settings.command} approvals`),
      },
      { title: 'Your runs', empty: 'None of your runs is under way.', items: runs.map(runItem) },
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

async function questionItem(bot: Bot, row: QuestionRow): Promise<readonly HomeItem[]> {
  const question = (await bot.store.run(row.run))?.state.questions[row.id];
  // Answered since it was listed.
  if (question?.state.status !== 'open') return [];
  return [
    {
      prose: [md('**'), literal(row.title), md('**\n'), literal(row.flow), md(`, run \`${row.run}\``)],
      buttons: question.actions.map((action) => answerButton(row.id, action)),
    },
  ];
}

function runItem(row: RunRow): HomeItem {
  return {
    prose: [literal(row.flow), md(` is ${row.status}, run \`${row.id}\``)],
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
