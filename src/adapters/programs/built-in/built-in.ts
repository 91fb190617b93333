import type { ProgramCall, ProgramOutcome, Programs } from '../../../ports/programs.ts';

/**
 * A script that comes with Flowbot: it is called as a program is, and what it comes to reads the same. What it throws
 * counts as exit code 1.
 */
export type BuiltIn = (call: ProgramCall, programs: Programs, signal: AbortSignal) => Promise<ProgramOutcome>;

/** It went well, and printed this. */
export function printed(stdout: string): ProgramOutcome {
  return { kind: 'ended', exitCode: 0, stdout, stderr: '' };
}

/** It went wrong, and says so. */
export function complained(stderr: string): ProgramOutcome {
  return { kind: 'ended', exitCode: 1, stdout: '', stderr };
}
