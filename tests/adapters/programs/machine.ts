import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { programEnvironment } from '../../../src/adapters/programs/environment.ts';
import { createPrograms } from '../../../src/adapters/programs/index.ts';
import type { ProgramCall, Programs } from '../../../src/ports/programs.ts';
import { createHandClock, type HandClock } from '../../fakes/clock.ts';

/** Whoever waits for a program has not given up. */
export const never = new AbortController().signal;

/** A folder that goes with the test. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'flowbot-programs-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Real programs under a clock that stands still; what is left of them goes with the test. */
export function machine(): {
  readonly programs: Programs & { close(): Promise<void> };
  readonly clock: HandClock;
} {
  const clock = createHandClock();
  const programs = createPrograms({ clock, environment: programEnvironment(process.env) });
  onTestFinished(async () => {
    const closed = programs.close();
    clock.pass(60_000);
    await closed;
  });
  return { programs, clock };
}

/** A call of a program. */
export function call(argv: ProgramCall['argv'], more: Partial<ProgramCall> = {}): ProgramCall {
  return { argv, cwd: tmpdir(), env: {}, stdin: '', timeoutMs: 60_000, maxBytes: 1_000_000, ...more };
}

/** A call of a program written here, in JavaScript. */
export function js(source: string, ...args: readonly string[]): ProgramCall['argv'] {
  return [process.execPath, '-e', source, ...args];
}

/** A program that has called in. */
export interface Caller {
  readonly pid: number;
  /** Resolves when it says this word. */
  says(word: string): Promise<void>;
  /** Resolves when it is not there any more. */
  readonly gone: Promise<void>;
}

/** Where programs call in, and hang up by ending: how a test knows without waiting for a while. */
export async function switchboard(): Promise<{ readonly path: string; caller(): Promise<Caller> }> {
  const path = join(folder(), 'line');
  const waiting: ((caller: Caller) => void)[] = [];
  const server = createServer((socket) => {
    const words: string[] = [];
    const heard = new EventEmitter();
    const gone = once(socket, 'close').then(() => undefined);
    socket.on('error', () => {});
    createInterface(socket).on('line', (line) => {
      if (words.push(line) === 1) waiting.shift()?.({ pid: Number(line), says, gone });
      heard.emit(line);
    });
    async function says(word: string): Promise<void> {
      if (!words.includes(word)) await once(heard, word);
    }
  });
  server.listen(path);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return {
    path,
    caller: () => new Promise((resolve) => waiting.push(resolve)),
  };
}

/** JavaScript that calls in at the path in its first argument and stays. @param before it calls in @param after that */
export function callingIn({ before = '', after = '' } = {}): string {
  const call = `line.write(process.pid + '\\n')`;
  return `const line = require('node:net').connect(process.argv[1], () => { ${before}; ${call}; ${after} });`;
}
