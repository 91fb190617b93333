import type { ProgramCall, ProgramOutcome, Programs } from '../../../ports/programs.ts';
import { tooLarge } from '../failure.ts';
import { type BuiltIn, complained } from './built-in.ts';
import { changes } from './changes.ts';
import { echo } from './echo.ts';
import { fail } from './fail.ts';
import { files } from './files.ts';

/** The scripts that come with Flowbot, by name. One file each in this folder. */
export const builtIns: ReadonlyMap<string, BuiltIn> = new Map([
  ['echo', echo],
  ['fail', fail],
  ['files', files],
  ['changes', changes],
]);

/** Programs, and the scripts that come with Flowbot: these come first. For steps of flows only. */
export function withBuiltIns(programs: Programs): Programs {
  return {
    async run(call, signal) {
      const builtIn = builtIns.get(call.argv[0]);
      if (!builtIn) return programs.run(call, signal);
      try {
        return within(call, await builtIn(call, programs, signal));
      } catch (error) {
        return complained(error instanceof Error ? error.message : String(error));
      }
    },
  };
}

function within(call: ProgramCall, outcome: ProgramOutcome): ProgramOutcome {
  if (outcome.kind === 'failed' || Buffer.byteLength(outcome.stdout) <= call.maxBytes) return outcome;
  return tooLarge(call);
}
