import { OPEN_STATUSES } from '../engine/run/state.ts';
import { mayControl } from './bot.ts';
import { type Command, refuse } from './command.ts';
import { cancelRun } from './run-actions.ts';
import { completeRun } from './runs.ts';
import { words } from './typed.ts';

/** `/flow cancel <run>` */
export const cancel: Command = {
  name: 'cancel',
  options: [{ name: 'run', summary: 'The run to cancel.', required: true, completes: true }],
  summary: 'Cancels a run: yours, or any if you are an admin.',
  async run(bot, caller, typed) {
    const [id] = words(typed);
    return id === undefined ? refuse('Say which run to cancel.') : cancelRun(bot, caller, id);
  },
  complete: (bot, caller, typed) => completeRun(bot, caller, typed, OPEN_STATUSES, mayControl),
};
