import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** A script of `children/` in a process of its own, which ends with the test at the latest. */
export interface Child {
  readonly pid: number;
  /** The next line it prints; undefined when it ended. */
  line(): Promise<string | undefined>;
  /** All lines it still prints. */
  rest(): Promise<readonly string[]>;
  /** Asks it to end, by closing its input; resolves when it has. */
  end(): Promise<void>;
  /** `kill -9`; resolves when it is gone. */
  kill(): Promise<void>;
}

export function startChild(script: string, file: string): Child {
  const path = fileURLToPath(new URL(`./children/${script}`, import.meta.url));
  const child = spawn(process.execPath, [path, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  onTestFinished(() => stop(child));
  if (child.pid === undefined) throw new Error(`${path} could not be started.`);
  return {
    pid: child.pid,
    async line() {
      const next = await lines.next();
      return next.done ? undefined : next.value;
    },
    async rest() {
      const all: string[] = [];
      for (let next = await lines.next(); !next.done; next = await lines.next()) all.push(next.value);
      return all;
    },
    async end() {
      child.stdin.end();
      await gone;
    },
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}

function stop(child: ChildProcess): void {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
}
