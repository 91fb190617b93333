import { literal, md } from '../engine/prose.ts';
import { type Bot, type Caller, deliveryOf, say } from './bot.ts';
import { runChatCommand } from './table.ts';

/** Says hello where the bot was let in, once, with what it can do there. */
export async function welcome(bot: Bot, caller: Caller): Promise<void> {
  const { place } = caller;
  if (!place) return;
  const help = await runChatCommand(bot, caller, 'help');
  const hello = say(
    md('Hello! I run flows. Type '),
    literal(bot.settings.command),
    md(' to begin.\n\n'),
    ...help.content.prose,
  );
  const key = `welcome/${deliveryOf(caller)}`;
  await bot.store.commit({ posts: [{ key, target: place, content: hello }] });
  bot.outbox.wake(key);
}
