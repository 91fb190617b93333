import { mayControl } from './bot.ts';
import { type Command, refuse } from './command.ts';
import { cancelRun } from './run-actions.ts';
import { completeRun, OPEN } from './runs.ts';
import { words } from './typed.ts';

/** `/flow cancel <run>` */
export const cancel: Command = {
  name: 'cancel',
  usage: '<run>',
  summary: 'Cancels a run: yours, or any if you are an admin.',
  async run(bot, caller, typed) {
    const [id] = words(typed);
    return id === undefined ? refuse('Say which run to cancel.') : cancelRun(bot, caller, id);
  },
  complete: (bot, caller) => completeRun(bot, caller, OPEN, mayControl),
};
