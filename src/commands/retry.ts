import { mayControl } from './bot.ts';
import { type Command, refuse } from './command.ts';
import { after, matching, wholeWord, wordCompletion } from './completing.ts';
import { offerAgain, retryRun } from './run-actions.ts';
import { completeRun } from './runs.ts';
import { words } from './typed.ts';

/** `/flow retry <run> [yes | current]`: shows what a retry would do; `yes` does it, `current` on the flow as it is now. */
export const retry: Command = {
  name: 'retry',
  options: [
    { name: 'run', summary: 'The run to retry.', required: true, completes: true },
    {
      name: 'yes',
      summary: 'Write yes to do it at once, or current to do it with the flow as it is now.',
      required: false,
      completes: true,
    },
  ],
  summary: 'Shows what a retry of a run would do, and does it when you agree.',
  async run(bot, caller, typed) {
    const [id, agreed] = words(typed);
    if (id === undefined) return refuse('Say which run to retry.');
    if (agreed === 'yes') return retryRun(bot, caller, id, 'same');
    return agreed === 'current' ? retryRun(bot, caller, id, 'current') : offerAgain(bot, caller, id);
  },
  async complete(bot, caller, typed) {
    const runs = await completeRun(bot, caller, typed, ['failed', 'rejected', 'cancelled'], mayControl);
    const named = wholeWord(typed);
    // Several words may also be those of a flow's name.
    return named && runs.length === 0
      ? after(named.before, matching(named.rest, ['yes', 'current'].map(wordCompletion)))
      : runs;
  },
};
