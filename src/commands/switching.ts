import { literal, md } from '../engine/prose.ts';
import type { Completion } from '../ports/chat.ts';
import { type Bot, type Caller, isAdmin, say } from './bot.ts';
import { deny, type Reply, refuse } from './command.ts';
import { flowCompletion, matching } from './completing.ts';
import { rememberSwitch } from './remember.ts';
import { findFlow, unknownFlow } from './run.ts';
import { firstWord } from './typed.ts';

/** Switches a flow on or off for everybody; runs under way go on. */
export async function switchFlow(bot: Bot, caller: Caller, typed: string, on: boolean): Promise<Reply> {
  if (!isAdmin(bot, caller)) return deny('Only admins may switch flows on and off.');
  const { word } = firstWord(typed);
  if (word === '') return refuse(`Say which flow. ${bot.settings.command} list shows them.`);
  const flow = findFlow(bot, word);
  if (!flow) return unknownFlow(bot, word, true);
  await rememberSwitch(bot, caller, { kind: 'flow', flow: flow.id }, on);
  await bot.store.setSwitch(flow.id, on);
  bot.catalog.setSwitch(flow.id, on);
  return {
    ok: true,
    content: say(
      literal(flow.plan.name),
      md(on ? ' is switched on.' : ' is switched off. Runs under way go on.'),
    ),
    data: { flow: flow.id, enabled: on },
  };
}

/** Flows that can be switched that way. */
export async function completeFlow(bot: Bot, typed: string, on: boolean): Promise<readonly Completion[]> {
  const flows = bot.catalog.flows.filter((flow) => bot.catalog.isEnabled(flow) !== on);
  return matching(typed, flows.map(flowCompletion));
}
