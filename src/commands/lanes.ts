import type { Json } from '../engine/json.ts';
import { literal, md, type ProsePiece } from '../engine/prose.ts';
import type { ParentRun, RunStart } from '../engine/run/event.ts';
import { laneRef } from '../engine/run/lane-runs.ts';
import { isFinal, OPEN_STATUSES, type Question } from '../engine/run/state.ts';
import type { QuestionRow, RunRow } from '../ports/store.ts';
import type { Bot } from './bot.ts';
import { openMax } from './open-questions.ts';

/** Most lanes of a run that are named; the data of the command line has all. */
const NAMED_MAX = 20;

/** How people tell the runs that steps have started from each other: by step, in a map with the position, `Deploy 3`. */
export async function laneName({ store, plans }: Bot, { run, call }: ParentRun): Promise<string> {
  const above = await store.run(run);
  const at = laneRef(call);
  if (!above || !at) return call;
  // The name is all that is lost where this program can't read the version any more.
  const step = (await plans.get(above.row.version).catch(() => undefined))?.steps.get(at.step);
  const name = step?.name ?? at.step;
  return step?.type === 'map' ? `${name} ${at.index + 1}` : name;
}

/** Which run of a lane it is, and of which run at the top: `Deploy 3 of run k3x9p2m4tz`; `''` of one at the top. */
export async function placeAmongLanes(bot: Bot, { parent }: RunStart): Promise<string> {
  return parent ? `${await laneName(bot, parent)} of run ${parent.root}` : '';
}

/** What is told of the runs below a run: those that are open or did not succeed, and all of them as data. */
export async function lanesTold(
  bot: Bot,
  row: RunRow,
): Promise<{ readonly prose: readonly ProsePiece[]; readonly data: Json }> {
  const lanes = await lanesOf(bot, row);
  const open = lanes.filter(({ status }) => !isFinal(status));
  const lost = lanes.filter(({ status }) => isFinal(status) && status !== 'succeeded');
  const telling = [...open, ...lost];
  const lines = await Promise.all(telling.slice(0, NAMED_MAX).map((lane) => line(bot, lane)));
  const left = telling.length - lines.length;
  return {
    prose: [
      ...(lines.length > 0 ? [md('\n\nRuns of its lanes that are open or did not succeed:\n\n')] : []),
      ...lines.flat(),
      ...(left > 0 ? [md(`- … and ${left} more\n`)] : []),
    ],
    data: lanes.map(({ id, flow, status, parent }) => ({ id, flow, status, parent: parent?.run ?? null })),
  };
}

async function line(bot: Bot, { id, status }: RunRow): Promise<readonly ProsePiece[]> {
  const lane = await bot.store.run(id);
  const { start, reason } = lane?.state ?? {};
  return [
    md(`- \`${id}\` `),
    literal(start?.parent ? await laneName(bot, start.parent) : id),
    md(`: ${status}`),
    ...(reason === undefined ? [] : [md(', '), literal(reason)]),
    md('\n'),
  ];
}

/** All runs below one at the top; of a run of a lane those that its own steps have started. The oldest come first. */
async function lanesOf({ store }: Bot, { id, parent }: RunRow): Promise<readonly RunRow[]> {
  const rows = await store.runs({ ...(parent ? { parent: id } : { root: id }) });
  return rows.toReversed();
}

/** What is asked in the runs below one at the top. */
export async function askedBelow(bot: Bot, { id }: RunRow): Promise<readonly QuestionRow[]> {
  const rows = await bot.store.runs({ root: id, statuses: OPEN_STATUSES });
  if (rows.length === 0) return [];
  const lanes = new Set(rows.map((row) => row.id));
  return (await bot.store.openQuestions(openMax)).filter(({ run }) => lanes.has(run));
}

/** What was asked in the newest runs below one, so that whoever comes too late hears who has answered. */
export async function wasAskedBelow({ store }: Bot, { id }: RunRow): Promise<readonly Question[]> {
  const rows = await store.runs({ root: id, limit: NAMED_MAX });
  const lanes = await Promise.all(rows.map((row) => store.run(row.id)));
  return lanes.flatMap((lane) => Object.values(lane?.state.questions ?? {}));
}
