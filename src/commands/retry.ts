import { mayControl } from './bot.ts';
import { type Command, refuse } from './command.ts';
import { offerAgain, retryRun } from './run-actions.ts';
import { completeRun } from './runs.ts';
import { words } from './typed.ts';

/** `/flow retry <run> [yes]`: shows what a retry would do; `yes` does it. */
export const retry: Command = {
  name: 'retry',
  usage: '<run> [yes]',
  summary: 'Shows what a retry of a run would do, and does it when you agree.',
  async run(bot, caller, typed) {
    const [id, agreed] = words(typed);
    if (id === undefined) return refuse('Say which run to retry.');
    return agreed === 'yes' ? retryRun(bot, caller, id) : offerAgain(bot, caller, id);
  },
  complete: (bot, caller) => completeRun(bot, caller, ['failed', 'rejected', 'cancelled'], mayControl),
};
