import type { ProgramCall, ProgramOutcome, Programs } from '../../src/ports/programs.ts';

/** All programs of a machine, in memory. */
export interface FakePrograms extends Programs {
  /** Calls that were begun, in order. */
  readonly begun: readonly ProgramCall[];
}

/** What a program comes to. */
export type Running = (call: ProgramCall, signal: AbortSignal) => ProgramOutcome | Promise<ProgramOutcome>;

/** Makes the machine. @param running default: every program ends well and prints what it reads */
export function createFakePrograms(running: Running = ({ stdin }) => ended(stdin)): FakePrograms {
  const begun: ProgramCall[] = [];
  return {
    begun,
    async run(call, signal) {
      if (signal.aborted)
        return { kind: 'failed', reason: 'aborted', message: 'It was called off.', stderr: '' };
      begun.push(call);
      return running(call, signal);
    },
  };
}

/** It printed this, and ended. */
export function ended(stdout: string, exitCode = 0, stderr = ''): ProgramOutcome {
  return { kind: 'ended', exitCode, stdout, stderr };
}
