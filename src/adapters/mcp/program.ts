import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Clock } from '../../ports/clock.ts';
import { signalGroup } from '../programs/group.ts';
import { endOfOutput, quiet } from '../programs/output.ts';
import { REPLY_MAX_BYTES, type Way } from './transport.ts';

/** How long a server has to end after it was asked to, in milliseconds. */
const GRACE_MS = 2_000;
/** How much is kept of what it says beside its answers, in bytes. */
const STDERR_MAX_BYTES = 16_000;

/** A program to be started, complete. */
export interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/**
 * The way to a server that is a program of this machine. It leads a process group of its own, which is ended with it.
 * Not the transport of the SDK: that hands on more of the environment, and leaves the children of a server behind.
 */
export function wayToProgram(program: ServerProgram, clock: Clock): Way {
  const buffer = new ReadBuffer({ maxBufferSize: REPLY_MAX_BYTES });
  const stderr = endOfOutput(STDERR_MAX_BYTES);
  let child: ChildProcess | undefined;
  let closed: Promise<void> = Promise.resolve();
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let chunks = 0;
  let isTooLarge = false;

  function read(chunk: Buffer): void {
    chunks += 1;
    // In one piece once a line is whole: the buffer copies and searches all that it holds each time.
    waiting.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes <= REPLY_MAX_BYTES && !chunk.includes('\n')) return;
    try {
      buffer.append(Buffer.concat(waiting.splice(0)));
      waitingBytes = 0;
    } catch {
      isTooLarge = true;
      void close();
      return;
    }
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        transport.onmessage?.(message);
      } catch (error) {
        // A line that is no message: servers print all kinds of things.
        transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }

  async function start(): Promise<void> {
    const { command, args, env, cwd } = program;
    const stdio = ['pipe', 'pipe', 'pipe'] as const;
    const started = spawn(command, [...args], { cwd, env: { ...env }, detached: true, stdio: [...stdio] });
    started.on('error', () => {}); // heard below; once more would end Flowbot
    await once(started, 'spawn');
    child = started;
    closed = once(started, 'close').then(() => {
      buffer.clear();
      transport.onclose?.();
    });
    const streams = [started.stdin, started.stdout, started.stderr];
    started.once('exit', async () => {
      // What it started would go on without it. What has left its group would hold its output open for ever.
      signalGroup(started, 'SIGKILL');
      await quiet(() => chunks);
      for (const stream of streams) stream?.destroy();
    });
    for (const stream of streams) stream?.on('error', () => {});
    started.stdout?.on('data', read);
    started.stderr?.on('data', (chunk: Buffer) => stderr.add(chunk));
  }

  async function close(): Promise<void> {
    const ending = child;
    if (ending && ending.exitCode === null && ending.signalCode === null) {
      ending.stdin?.end();
      signalGroup(ending, 'SIGTERM');
      const cancel = clock.alarm(clock.now() + GRACE_MS, () => signalGroup(ending, 'SIGKILL'));
      await closed;
      cancel();
    }
    await closed;
  }

  async function send(message: Parameters<Transport['send']>[0]): Promise<void> {
    const stdin = child?.stdin;
    if (!stdin?.writable) throw new Error('The server has ended.');
    if (!stdin.write(serializeMessage(message))) {
      await Promise.race([once(stdin, 'drain'), closed]);
    }
  }

  const transport: Transport = { start, send, close };
  return { transport, tooLarge: () => isTooLarge, said: () => stderr.bytes().toString(), close };
}
