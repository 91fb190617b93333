import type { Json } from '../engine/json.ts';
import { literal, md, type ProsePiece } from '../engine/prose.ts';
import { runCard } from '../engine/run/cards.ts';
import { isFinal, OPEN_STATUSES } from '../engine/run/state.ts';
import type { StoredRun } from '../ports/store.ts';
import { mayControl, mayLook } from './bot.ts';
import type { Command } from './command.ts';
import { awaitedNames, drawn } from './drawn.ts';
import { lanesTold, placeAmongLanes } from './lanes.ts';
import { findFlow } from './run.ts';
import { findRun } from './run-actions.ts';
import { completeRun, runs } from './runs.ts';
import { words } from './typed.ts';
import { flowUsage } from './usage.ts';
import { usageOfRun } from './usage-told.ts';

/** `/flow status [run or flow]`: where a run is, with a picture, or what a flow uses up; without one, what is under way here. */
export const status: Command = {
  name: 'status',
  options: [{ name: 'run', summary: 'The run or flow to show.', required: false, completes: true }],
  summary: 'Shows where a run is, with a picture, what a flow uses up, or what is under way here.',
  looksOnly: true,
  async run(bot, caller, typed) {
    const [id] = words(typed);
    if (id === undefined) return runs.run(bot, caller, 'open');
    const found = await findRun(bot, caller, id);
    const flow = 'refused' in found ? findFlow(bot, id) : undefined;
    if (flow) return flowUsage(bot, caller, flow);
    if ('refused' in found) return found.refused;
    const { row, state } = found.stored;
    const card = runCard(found.plan, state);
    const about = { flow: row.flow, run: row.id };
    const open = Object.values(state.questions).filter((one) => one.state.status === 'open');
    const questions = open.flatMap((question): ProsePiece[] => [
      md('\n\nOpen: '),
      literal(question.title),
      md(` (\`${question.id}\`)`),
    ]);
    const paragraphs = [await placeAmongLanes(bot, state.start), bot.runs.whyQueued(id) ?? ''];
    const lanes = await lanesTold(bot, row);
    const used = usageOfRun(found.plan, state, bot.clock.now());
    // A run of a lane can be cancelled, but not run again by itself.
    const mayPress = mayControl(bot, caller, row) && !(row.parent && isFinal(row.status));
    return {
      ok: true,
      content: {
        prose: [
          ...card.prose,
          md(`\n\nVersion \`${row.version.slice(0, 16)}\``),
          ...paragraphs.filter((text) => text !== '').flatMap((text) => [md('\n\n'), literal(text)]),
          ...questions,
          ...used.prose,
          ...lanes.prose,
        ],
        buttons: mayPress ? card.buttons : [],
        notify: [],
        files: await drawn(bot, caller, about, async (drawings) =>
          drawings.run(found.plan, state, await awaitedNames(bot, state)),
        ),
      },
      data: {
        ...runData(found.stored),
        usage: used.data,
        lanes: lanes.data,
        journal: journalData(await bot.store.journal(id)),
      },
    };
  },
  complete: (bot, caller, typed) => completeRun(bot, caller, typed, OPEN_STATUSES, mayLook),
};

function runData({ row, state }: StoredRun): { readonly [key: string]: Json } {
  return {
    id: row.id,
    flow: row.flow,
    version: row.version,
    status: row.status,
    partOf: row.parent?.root ?? null,
    startedAt: new Date(row.startedAtMs).toISOString(),
    startedBy: row.startedBy?.name ?? null,
    input: state.start.input,
    steps: Object.fromEntries(
      Object.entries(state.steps).map(([id, step]) => [id, { status: step.status, round: step.round }]),
    ),
    outputs: Object.fromEntries(
      Object.entries(state.outputs).map(([id, output]) => [id, { text: output.text, json: output.json }]),
    ),
    reason: state.reason ?? null,
    output: state.output ?? null,
  };
}

/** The journal as plain JSON. */
function journalData(events: readonly object[]): Json {
  const plain: Json = JSON.parse(JSON.stringify(events));
  return plain;
}
