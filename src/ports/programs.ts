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
export type ProgramOutcome =
  | {
      readonly kind: 'ended';
      readonly exitCode: number;
      /** All that it printed. */
      readonly stdout: string;
      readonly stderr: string;
    }
  | {
      readonly kind: 'failed';
      readonly reason: ProgramFailureReason;
      /** A sentence for people that quotes nothing of what the program wrote. */
      readonly message: string;
      readonly stderr: string;
    };

/** Why there is no result that could be used. */
export type ProgramFailureReason =
  | 'missing' // there is no such program
  | 'start' // it can't be started
  | 'busy' // it can't be started now: the machine is at its limit
  | 'timeout'
  | 'too-large' // it printed too much
  | 'encoding' // what it printed is no text
  | 'killed' // a signal ended it, and not one of ours
  | 'aborted';

/** Runs programs of this machine. */
export interface Programs {
  /**
   * Runs the program once; never throws, never repeats. Resolves when neither it nor a child of its process group is
   * there any more: what it leaves behind is ended with it.
   */
  run(call: ProgramCall, signal: AbortSignal): Promise<ProgramOutcome>;
}
