import { beginning, md } from '../engine/prose.ts';
import { writePause } from '../runner/pause.ts';
import { isAdmin, say } from './bot.ts';
import { type Command, deny, refuse } from './command.ts';
import { pausedInWords } from './may-start.ts';
import { rememberSwitch } from './remember.ts';

/** Longest reason, in UTF-16 units: everybody who tries to start something reads it. */
export const REASON_MAX_CHARS = 300;

/** `/flow pause [reason]`: nothing starts any more. */
export const pause: Command = {
  name: 'pause',
  options: [{ name: 'reason', summary: 'Why, for those who try.', required: false, completes: false }],
  summary: 'Pauses everything: no run starts until it is resumed (admins).',
  async run(bot, caller, typed) {
    if (!isAdmin(bot, caller)) return deny('Only admins may pause everything.');
    if (bot.catalog.paused) return refuse(pausedInWords(bot.catalog.paused));
    const paused = { atMs: bot.clock.now(), why: beginning(typed, REASON_MAX_CHARS), by: caller.person };
    await rememberSwitch(bot, caller, { kind: 'everything' }, false, paused.why);
    await writePause(bot.store, paused);
    bot.catalog.setPaused(paused);
    return {
      ok: true,
      content: say(md('Everything is paused: no run starts until it is resumed. Runs under way go on.')),
      data: { paused: true },
    };
  },
};
