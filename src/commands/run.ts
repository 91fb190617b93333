import { nearest } from '../engine/flow/nearest.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import { fillIn, writeActionId } from './action-ids.ts';
import { type Bot, type Caller, deliveryOf, isAdmin } from './bot.ts';
import { type Command, type Reply, refuse } from './command.ts';
import { whatIsWrong } from './conversation.ts';
import { flowsFor } from './may-start.ts';
import { startedReply } from './run-actions.ts';
import { inputForm, startFlow, type Wish } from './start-flow.ts';
import { firstWord, shown } from './typed.ts';

/** `/flow run <flow> [input]`: starts a flow here; without its input it opens a form. */
export const run: Command = {
  name: 'run',
  usage: '<flow> [input]',
  summary: 'Starts a flow here. Without its input it opens a form.',
  async run(bot, caller, typed) {
    const { word, rest } = firstWord(typed);
    if (word === '') return refuse(`Say which flow. ${bot.settings.command} list shows them.`);
    const flow = findFlow(bot, word);
    if (!flow) return unknownFlow(bot, word, isAdmin(bot, caller));
    if (!isManual(flow))
      return refuse(`${flow.plan.name} is not started by this command. ${otherWays(bot, flow)}`);
    const result = await startFlow(bot, { flow, caller, ...wishOfCommand(caller, rest, flow) });
    switch (result.kind) {
      case 'started':
        return startedReply(result.run);
      case 'refused':
        return refuse(result.why);
      case 'incomplete': {
        const { name } = flow.plan;
        const why = refuse(`${name} needs more to start: ${whatIsWrong(result.missing, result.problems)}`);
        if (!caller.place) return why;
        const id = writeActionId({ kind: 'fill', flow: flow.id, event: caller.event });
        const form = inputForm(flow, id, result.fields);
        if (result.problems.length === 0) return { ...why, form };
        // A form could not say what is wrong with what was typed, so it opens only after that was read.
        return { ...why, content: { ...why.content, buttons: [fillIn(id)] }, draft: form };
      }
    }
  },
  async complete(bot, caller) {
    const flows = await flowsFor(bot, caller);
    return flows.filter(({ flow, why }) => isManual(flow) && why === undefined).map(({ flow }) => flow.id);
  },
};

/** What a chat command asks a flow to do. One command starts one run at most, typed whole or filled in by a form. */
export function wishOfCommand(caller: Caller, prompt: string, flow: LoadedFlow): Wish {
  return {
    trigger: 'manual',
    text: prompt,
    prompt,
    startKey: `command:${deliveryOf(caller)}:${flow.id}`,
    ...(caller.place && { home: caller.place }),
    ...(caller.mentions && { mentions: caller.mentions }),
  };
}

/** Whether a flow can be started by `/flow run`. */
export function isManual(flow: LoadedFlow): boolean {
  return flow.plan.triggers.some((trigger) => trigger.type === 'manual');
}

/** A flow by its id, in whatever case it was typed. */
export function findFlow(bot: Bot, word: string): LoadedFlow | undefined {
  return bot.catalog.flows.find((flow) => flow.id.toLowerCase() === word);
}

function otherWays(bot: Bot, flow: LoadedFlow): string {
  const typed = flow.plan.triggers.flatMap((trigger) =>
    trigger.type === 'command' ? [`${bot.settings.prefix}${trigger.command}`] : [],
  );
  return typed.length === 0 ? 'Its file has no trigger for people.' : `Type ${typed.join(' or ')}.`;
}

/** The sentence about a flow that does not exist. */
export function unknownFlow(bot: Bot, word: string, admin: boolean): Reply {
  const broken = bot.catalog.broken.find(({ file }) => fileName(file) === word.toLowerCase());
  if (broken) {
    const details = admin
      ? broken.faults.slice(0, 3).join(' ')
      : `An admin can see why with ${bot.settings.command} list.`;
    return refuse(`The flow ${shown(word)} could not be loaded. ${details}`);
  }
  const ids = bot.catalog.flows.map((flow) => flow.id);
  const near = nearest(word, ids);
  const hint =
    near === undefined ? `There are: ${ids.slice(0, 20).join(', ') || 'none'}.` : `Did you mean ${near}?`;
  return refuse(`There is no flow ${shown(word)}. ${hint}`);
}

/** `release` of `flows/release.flow.yaml`. */
function fileName(file: string): string | undefined {
  return file.split(/[/\\]/).at(-1)?.split('.')[0]?.toLowerCase();
}
