import { nearest } from '../engine/flow/nearest.ts';
import type { Form } from '../engine/post.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import { fillIn, writeActionId } from './action-ids.ts';
import { type Bot, type Caller, deliveryOf, isAdmin } from './bot.ts';
import { type Command, type Reply, refuse } from './command.ts';
import { after, flowCompletion, matching, wholeWord } from './completing.ts';
import { whatIsWrong } from './conversation.ts';
import { completeInput } from './flow-input.ts';
import { flowsFor, mayCertainlyNotStart } from './may-start.ts';
import { startedReply } from './run-actions.ts';
import { inputForm, type StartResult, startFlow, type Wish } from './start-flow.ts';
import { firstWord, shown } from './typed.ts';

/** `/flow run [flow] [input]`: starts a flow here; without its input, or without a flow, it opens a form. */
export const run: Command = {
  name: 'run',
  options: [
    {
      name: 'flow',
      summary: 'The flow to start; left out, you choose one.',
      required: false,
      completes: true,
    },
    { name: 'input', summary: 'Its input; left out, a form asks for it.', required: false, completes: true },
  ],
  summary: 'Starts a flow here. Without its input it opens a form.',
  async run(bot, caller, typed) {
    const { word, rest } = firstWord(typed);
    if (word === '') return offerFlows(bot, caller);
    const flow = findFlow(bot, word);
    if (!flow) return unknownFlow(bot, word, isAdmin(bot, caller));
    if (!isManual(flow)) {
      return refuse(
        `${flow.plan.name} is not started by this command. ${otherWays(bot, flow, caller.person.platform)}`,
      );
    }
    const result = await startFlow(bot, { flow, caller, ...wishOfCommand(caller, rest, flow) });
    return startReply(flow, caller, result);
  },
  async complete(bot, caller, typed) {
    const flows = await flowsFor(bot, caller);
    const mine = flows.flatMap(({ flow, why }) => (isManual(flow) && why === undefined ? [flow] : []));
    const named = wholeWord(typed);
    const flow = mine.find(({ id }) => id.toLowerCase() === named?.word);
    const input = named && flow ? completeInput(flow, named.rest, caller.person.platform) : [];
    return named && input.length > 0 ? after(named.before, input) : matching(typed, mine.map(flowCompletion));
  },
};

/** What somebody who typed a command gets to see of the start. */
export function startReply(flow: LoadedFlow, caller: Caller, result: StartResult): Reply {
  switch (result.kind) {
    case 'started':
      return startedReply(result);
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
}

/** The form to choose a flow, where there are forms. */
function offerFlows(bot: Bot, caller: Caller): Reply {
  const why = refuse(`Say which flow. ${bot.settings.command} list shows them.`);
  const form = caller.place && pickForm(bot, caller, { event: caller.event, title: 'Run a flow' });
  return form ? { ...why, form } : why;
}

/** Most flows to choose from that every platform shows. */
const PICKED_MAX = 100;

/**
 * The form to choose a flow: undefined when there is none that this person may start.
 * @param about `event`: what it is asked for by, as the platform or `eventKey` has it
 */
export function pickForm(
  bot: Bot,
  caller: Caller,
  about: { readonly event: string; readonly title: string },
): Form | undefined {
  const flows = bot.catalog.flows.filter(
    (flow) => isManual(flow) && mayCertainlyNotStart(bot, flow, caller) === undefined,
  );
  if (flows.length === 0) return undefined;
  const options = flows.slice(0, PICKED_MAX).map((flow) => flow.id);
  const left = flows.length - options.length;
  const hint = `… and ${left} more: type ${bot.settings.command} run <flow>.`;
  return {
    id: writeActionId({ kind: 'pick', event: about.event }),
    title: about.title,
    submitLabel: 'Next',
    fields: [
      { id: 'flow', label: 'Flow', type: 'select', required: true, options, ...(left > 0 && { hint }) },
    ],
  };
}

/** What a chat command asks a flow to do. One command starts one run at most, typed whole or filled in by a form. */
export function wishOfCommand(caller: Caller, prompt: string, flow: LoadedFlow): Wish {
  return {
    trigger: 'manual',
    text: prompt,
    prompt,
    startKey: `command:${deliveryOf(caller)}:${flow.id}`,
    // What visitors start lives in the flow's own conversation.
    ...(caller.place && caller.access === undefined && { home: caller.place }),
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

/** What people can type to start a flow on a platform, in any conversation where it works. */
export function waysToStart({ settings, chats }: Bot, flow: LoadedFlow, platform: string): readonly string[] {
  const hasOwn = chats.get(platform)?.hasOwnCommands === true;
  const typed = flow.plan.triggers.flatMap((trigger) => {
    if (trigger.type !== 'command') return [];
    const said = `${settings.prefix}${trigger.command}`;
    return hasOwn && trigger.slash ? [said, `/${trigger.command}`] : [said];
  });
  return isManual(flow) ? [...typed, `${settings.command} run ${flow.id}`] : typed;
}

/** How to start a flow that was not started. */
export function otherWays(bot: Bot, flow: LoadedFlow, platform: string): string {
  const ways = waysToStart(bot, flow, platform);
  return ways.length === 0 ? 'Its file has no trigger for people.' : `Type ${ways.join(' or ')}.`;
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
