import type { ScriptReport } from '../engine/steps/script.ts';

/** One program to be run. */
export interface ProgramCall {
  /** The program and its arguments, one each: no shell reads them. A program without a `/` is looked for in PATH. */
  readonly argv: readonly [program: string, ...args: string[]];
  /** The folder it works in. */
  readonly cwd: string;
  /** What its environment holds beside the little that every program gets. */
  readonly env: Readonly<Record<string, string>>;
  /** What it reads from its standard input, as UTF-8. */
  readonly stdin: string;
  /** Its longest time, in milliseconds. Then it is asked to end, and made to 5 s later. */
  readonly timeoutMs: number;
  /** Most bytes that it may print. */
  readonly maxBytes: number;
}

/** What became of a program. `stderr` is the end of what it wrote there, up to 64 KB. */
export type ProgramOutcome = ScriptReport;

/** Runs programs of this machine. */
export interface Programs {
  /**
   * Runs the program once; never throws, never repeats. Resolves when neither it nor a child of its process group is
   * there any more: what it leaves behind is ended with it.
   */
  run(call: ProgramCall, signal: AbortSignal): Promise<ProgramOutcome>;
}
