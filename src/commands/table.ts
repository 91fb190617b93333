import { nearest } from '../engine/flow/nearest.ts';
import { reservedWords } from '../engine/flow/triggers.ts';
import type { Completion } from '../ports/chat.ts';
import { answer } from './answer.ts';
import { approvals } from './approvals.ts';
import { approve } from './approve.ts';
import { audit } from './audit.ts';
import type { Bot, Caller } from './bot.ts';
import { cancel } from './cancel.ts';
import { type Command, type Reply, refuse } from './command.ts';
import { after, wholeWord } from './completing.ts';
import { disable } from './disable.ts';
import { enable } from './enable.ts';
import { createHelp } from './help.ts';
import { list } from './list.ts';
import { pause } from './pause.ts';
import { reject } from './reject.ts';
import { reload } from './reload.ts';
import { resume } from './resume.ts';
import { retry } from './retry.ts';
import { run } from './run.ts';
import { runs } from './runs.ts';
import { schedule } from './schedule.ts';
import { show } from './show.ts';
import { status } from './status.ts';
import { firstWord, shown } from './typed.ts';
import { usage } from './usage.ts';
import { whoami } from './whoami.ts';

const ALL_BUT_HELP: readonly Command[] = [
  list,
  show,
  run,
  status,
  runs,
  approvals,
  approve,
  reject,
  answer,
  cancel,
  retry,
  schedule,
  enable,
  disable,
  pause,
  resume,
  reload,
  audit,
  usage,
  whoami,
];

/** Every chat command, in the order help shows them. The same on all platforms and on the command line. */
export const COMMANDS: readonly Command[] = [createHelp(ALL_BUT_HELP), ...ALL_BUT_HELP];

/** Does what was typed after the chat command. Nothing typed = help. */
export async function runChatCommand(bot: Bot, caller: Caller, text: string): Promise<Reply> {
  const { word, rest } = firstWord(text);
  const name = word === '' ? 'help' : word;
  const command = COMMANDS.find((one) => one.name === name);
  return command ? command.run(bot, caller, rest) : unknown(bot, name);
}

/** The command that a word said to the bot in a conversation is; undefined when it does more than show something. */
export function lookingCommand(word: string): Command | undefined {
  return COMMANDS.find(({ name, looksOnly }) => name === word && looksOnly);
}

function unknown(bot: Bot, name: string): Reply {
  const { command } = bot.settings;
  if (reservedWords.has(name)) return refuse(`${command} ${name} is not available yet in this version.`);
  const near = nearest(name, [
    ...COMMANDS.map((one) => one.name),
    ...bot.catalog.flows.map((flow) => flow.id),
  ]);
  const isFlow = near !== undefined && bot.catalog.flow(near) !== undefined;
  const hint =
    near === undefined
      ? `${command} help shows what there is.`
      : `Did you mean ${command} ${isFlow ? `run ${near}` : near}?`;
  return refuse(`There is no command ${command} ${shown(name)}. ${hint}`);
}

/** Most completions that every platform shows. */
const completionsMax = 25;

/** Completions for what was typed after the chat command: whole replacements, best first, at most 25. */
export async function completeCommand(
  bot: Bot,
  caller: Caller,
  typed: string,
): Promise<readonly Completion[]> {
  const whole = wholeWord(typed);
  if (!whole) {
    const { word } = firstWord(typed);
    const found = COMMANDS.filter(({ name }) => name.startsWith(word));
    return found.map(({ name, summary }) => ({ typed: name, shown: `${name}: ${summary}` }));
  }
  const command = COMMANDS.find(({ name }) => name === whole.word);
  const found = (await command?.complete?.(bot, caller, whole.rest)) ?? [];
  return after(whole.before, found.slice(0, completionsMax));
}
