import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { ProgramCall } from '../../ports/programs.ts';

/** A program under way, with all that it starts and that stays in its process group. */
export interface Group {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the program itself has ended: with its exit code, or the name of the signal that ended it. */
  readonly ended: Promise<number | string>;
  /** Resolves when nobody holds what it prints to any more: neither the program nor what it left behind. */
  readonly closed: Promise<void>;
  /** Sends a signal to the whole group, if any of it is there. */
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
  /** Lets go of what it prints to, whoever holds the other end. */
  release(): void;
}

/** Starts a program as the leader of a group of its own. Rejects when it can't be started. */
export async function startGroup(call: ProgramCall, env: Readonly<Record<string, string>>): Promise<Group> {
  const [program, ...args] = call.argv;
  const child = spawn(program, args, { cwd: call.cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise<number | string>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'an unknown signal'));
  });
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  child.on('error', () => {}); // heard below; once more would end Flowbot
  await once(child, 'spawn');
  // A program need not read what it gets, and may close what it prints to.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => {});
  child.stdin.end(call.stdin);
  return {
    stdout: child.stdout,
    stderr: child.stderr,
    ended,
    closed,
    signal: (name) => signalGroup(child, name),
    release() {
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
    },
  };
}

/** Sends a signal to all that is left of the group that a program leads. */
export function signalGroup({ pid }: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // Nothing of it is left.
  }
}
