import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../bin/flowbot.js', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));

/** A folder in which somebody uses Flowbot, with the sample flows in it. */
export interface Home {
  /** Runs `flowbot start` and waits until it is ready. Rejects with what it says when it ends instead. */
  start(): Promise<Running>;
  /** Runs another command and gives what it prints. Rejects when the command fails. */
  run(...words: readonly string[]): Promise<string>;
  /** Kills what still runs and removes the folder; may be called twice. */
  close(): Promise<void>;
}

/** A `flowbot start` that is ready. */
export interface Running {
  readonly pid: number;
  readonly url: string;
  /** What it said when it was ready. */
  readonly greeting: string;
  /** Sends a signal and tells how the process ended: its exit code, or the name of the signal. */
  end(signal: NodeJS.Signals): Promise<string>;
  /** Rejects when the process ends without having been told to. */
  readonly failure: Promise<never>;
}

/** Makes the folder, among the system's temporary files. */
export function createHome(): Home {
  const folder = mkdtempSync(join(tmpdir(), 'flowbot-demo-'));
  for (const part of ['flows', 'agents', 'schemas']) {
    cpSync(join(root, part), join(folder, part), { recursive: true });
  }
  const children = new Set<ChildProcess>();
  let closed = false;

  function launch(words: readonly string[]) {
    // Whoever was interrupted may still be about to start something.
    if (closed) throw new Error('The folder of this Flowbot is closed.');
    const child = spawn(process.execPath, [program, ...words], {
      cwd: folder,
      env: { PATH: process.env.PATH, FLOWBOT_PORT: '0', FLOWBOT_LOG: 'error' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.add(child);
    const said = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said.out += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said.err += text;
    });
    const ended = once(child, 'close').then(() => {
      children.delete(child);
      return String(child.signalCode ?? child.exitCode);
    });
    return { child, said, ended };
  }

  return {
    async start() {
      const { child, said, ended } = launch(['start']);
      let told = false;
      const failure = ended.then((how) => {
        if (told) return new Promise<never>(() => {});
        throw new Error(`Flowbot ended (${how}) without being told to. ${said.err || said.out}`.trim());
      });
      // It is of interest only to whoever waits for something just then.
      failure.catch(() => {});
      const ready = new Promise<string>((resolve) => {
        child.stdout.on('data', () => {
          const url = /Flowbot is ready: (http:\/\/[^/\s]+)/.exec(said.out)?.[1];
          if (url !== undefined) resolve(url);
        });
      });
      const url = await Promise.race([ready, failure]);
      return {
        pid: child.pid ?? 0,
        url,
        greeting: said.out.trim(),
        failure,
        end(signal) {
          told = true;
          child.kill(signal);
          return ended;
        },
      };
    },
    async run(...words) {
      const { said, ended } = launch(words);
      const how = await ended;
      if (how !== '0')
        throw new Error(`flowbot ${words.join(' ')} ended with ${how}: ${said.err || said.out}`);
      return said.out;
    },
    async close() {
      closed = true;
      const running = [...children];
      for (const child of running) child.kill('SIGKILL');
      await Promise.all(running.map((child) => once(child, 'close')));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
