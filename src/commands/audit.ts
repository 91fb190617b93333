import { auditLine } from '../engine/audit/words.ts';
import { literal, md, type ProsePiece } from '../engine/prose.ts';
import { isAdmin, say } from './bot.ts';
import { type Command, deny, refuse } from './command.ts';
import { completeRun, STATUSES } from './runs.ts';
import { shown, words } from './typed.ts';

/** Most entries that are shown, the newest. */
const SHOWN = 30;

/** `/flow audit <run>`: who asked, was asked, was refused and decided in a run. */
export const audit: Command = {
  name: 'audit',
  options: [{ name: 'run', summary: 'The run to look into.', required: true, completes: true }],
  summary: 'Shows who asked, was asked and decided in a run (admins).',
  async run(bot, caller, typed) {
    if (!isAdmin(bot, caller)) return deny('Only admins may read the audit.');
    const [run] = words(typed);
    if (run === undefined) return refuse('Say which run, for example: audit k3x9p2m4tz');
    const found = await bot.store.audit({ run, limit: SHOWN + 1, newest: true });
    if (found.length === 0) return refuse(`The audit has no run ${shown(run)}.`);
    const newest = found.slice(-SHOWN);
    const lines = newest.flatMap((link): ProsePiece[] => [md('- '), literal(auditLine(link)), md('\n')]);
    return {
      ok: true,
      content: say(
        ...(newest.length < found.length ? [md(`The newest ${SHOWN} entries:\n\n`)] : []),
        ...lines,
        md(`\nAll of it, also for programs, on the host: \`flowbot audit ${run} --json\``),
      ),
      data: newest.map(({ n, hash, text }) => ({ n, hash, text })),
    };
  },
  complete: (bot, caller, typed) => completeRun(bot, caller, typed, STATUSES, isAdmin),
};
