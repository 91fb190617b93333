import { md } from '../engine/prose.ts';
import { writePause } from '../runner/pause.ts';
import { isAdmin, say } from './bot.ts';
import { type Command, deny, refuse } from './command.ts';
import { rememberSwitch } from './remember.ts';

/** `/flow resume`: runs start again. */
export const resume: Command = {
  name: 'resume',
  options: [],
  summary: 'Ends a pause of everything (admins).',
  async run(bot, caller) {
    if (!isAdmin(bot, caller)) return deny('Only admins may resume everything.');
    if (!bot.catalog.paused) return refuse('Flowbot is not paused.');
    await rememberSwitch(bot, caller, { kind: 'everything' }, true);
    await writePause(bot.store, undefined);
    bot.catalog.setPaused(undefined);
    return {
      ok: true,
      content: say(md('Runs start again. Times of schedules that passed meanwhile stay skipped.')),
      data: { paused: false },
    };
  },
};
