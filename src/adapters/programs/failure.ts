import { existsSync } from 'node:fs';
import type { ProgramCall, ProgramOutcome } from '../../ports/programs.ts';

/** An outcome without a result that could be used. */
export type Failed = Extract<ProgramOutcome, { kind: 'failed' }>;

/** Such an outcome. `message` goes on after the name of the program. */
export function failed(call: ProgramCall, reason: Failed['reason'], message: string, stderr = ''): Failed {
  return {
    kind: 'failed',
    reason,
    message: `The program ${JSON.stringify(call.argv[0])} ${message}`,
    stderr,
  };
}

/** Why a program could not be started. */
export function notStarted(call: ProgramCall, error: unknown): Failed {
  const code = codeOf(error);
  if (!existsSync(call.cwd)) return failed(call, 'start', `can't be started: its folder is gone.`);
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return failed(
        call,
        'missing',
        'was not found: install it on the machine of Flowbot, or write the path of a file of the workspace, such as ./build.sh.',
      );
    case 'EACCES':
    case 'EPERM':
      return failed(call, 'start', 'may not be run: make its file executable.');
    case 'E2BIG':
      return failed(
        call,
        'start',
        'gets more in its arguments than this machine takes: give it under inputs instead.',
      );
    case 'EAGAIN':
    case 'ENOMEM':
    case 'EMFILE':
    case 'ENFILE':
      return failed(call, 'busy', `can't be started now: this machine is at its limit (${code}).`);
    default:
      return failed(call, 'start', `can't be started (${code}).`);
  }
}

/** It printed more than is kept. */
export function tooLarge(call: ProgramCall): Failed {
  const size = call.maxBytes.toLocaleString('en-US');
  const message = `printed more than ${size} bytes and was ended: print less, or write to a file of the workspace.`;
  return failed(call, 'too-large', message);
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
