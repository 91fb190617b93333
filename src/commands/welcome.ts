import { literal, md, type ProsePiece } from '../engine/prose.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import { type Bot, type Caller, deliveryOf, say } from './bot.ts';
import { wordsFor } from './conversation.ts';
import { flowsFor } from './may-start.ts';

/** Most flows that the greeting names. */
const LISTED_MAX = 10;

/** Says hello where the bot was let in, once, with what whoever let it in can start there. */
export async function welcome(bot: Bot, caller: Caller): Promise<void> {
  const { place } = caller;
  if (!place) return;
  const lines: ProsePiece[][] = [];
  for (const { flow, why } of await flowsFor(bot, caller)) {
    const [word] = why === undefined ? await wordsFor(bot, flow, place) : [];
    if (word !== undefined) lines.push(line(bot, word, flow));
  }
  const key = `welcome/${deliveryOf(caller)}`;
  await bot.store.commit({ posts: [{ key, target: place, content: say(...greeting(bot, lines)) }] });
  bot.outbox.wake(key);
}

function greeting(bot: Bot, lines: readonly ProsePiece[][]): readonly ProsePiece[] {
  const help = literal(`${bot.settings.command} help`);
  if (lines.length === 0) return [md('Hello! I run flows. Type '), help, md(' to see what I can do.')];
  const left = lines.length - LISTED_MAX;
  return [
    md('Hello! I run flows. You can start these here:\n\n'),
    ...lines.slice(0, LISTED_MAX).flat(),
    ...(left > 0 ? [md(`- … and ${left} more\n`)] : []),
    md('\nType '),
    help,
    md(' for the rest.'),
  ];
}

function line(bot: Bot, word: string, { plan }: LoadedFlow): ProsePiece[] {
  const about = [plan.name, plan.description].filter((part) => part !== undefined).join('. ');
  return [md('- '), literal(`${bot.settings.prefix}${word}`), md(': '), literal(about), md('\n')];
}
