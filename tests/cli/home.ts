import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { CliAnswer, CliCommand } from '../../src/cli/protocol.ts';
import { askSocket } from '../../src/cli/socket-client.ts';
import { socketPath } from '../../src/cli/socket-path.ts';

const program = fileURLToPath(new URL('../../bin/flowbot.js', import.meta.url));

/** Asks the running Flowbot as the command line does, over its socket, without the cost of a process. */
export async function askRunning(home: Home, command: CliCommand, event = 'cli-test'): Promise<CliAnswer> {
  const person = { platform: 'cli', id: 'test', name: 'Test' } as const;
  const answer = await askSocket(socketPath(home.db), { event, person, command });
  if (!answer) throw new Error('Nobody answers at the socket.');
  return answer;
}

/** What a process has said in the end. */
interface Ended {
  /** Exit code; null when a signal ended it. */
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** `flowbot start`, ready. */
export interface Running {
  readonly pid: number;
  /** What it has printed so far. */
  readonly out: string;
  signal(name: NodeJS.Signals): void;
  ended(): Promise<Ended>;
}

/** A folder in which somebody uses Flowbot, with `flows/` in it and the database at `db`. */
export interface Home {
  readonly folder: string;
  readonly db: string;
  /** Writes a flow file. */
  flow(name: string, text: string): void;
  /** Types a command and waits for its end. */
  type(...words: readonly string[]): Promise<Ended>;
  /** Starts Flowbot and waits until it is ready. */
  start(env?: Readonly<Record<string, string>>): Promise<Running>;
  /** Starts Flowbot and waits until it answers the command line. */
  begin(env?: Readonly<Record<string, string>>): Promise<Running>;
  /** Ends what still runs and removes the folder. */
  close(): Promise<void>;
}

export function createHome(env: Readonly<Record<string, string>> = {}): Home {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'flowbot-cli-')));
  mkdirSync(join(folder, 'flows'));
  const children = new Set<ChildProcess>();

  function launch(words: readonly string[], more: Readonly<Record<string, string>> = {}) {
    const child = spawn(process.execPath, [program, ...words], {
      cwd: folder,
      env: { PATH: process.env.PATH, FLOWBOT_PORT: '0', FLOWBOT_LOG: 'error', ...env, ...more },
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
    const ended = once(child, 'close').then((): Ended => {
      children.delete(child);
      return { code: child.exitCode, ...said };
    });
    return { child, said, ended };
  }

  const db = join(folder, 'data', 'flowbot.db');

  function running({ child, said, ended }: ReturnType<typeof launch>): Running {
    return {
      pid: child.pid ?? 0,
      get out() {
        return said.out;
      },
      signal: (name) => void child.kill(name),
      ended: () => ended,
    };
  }

  return {
    folder,
    db,
    flow: (name, text) => writeFileSync(join(folder, 'flows', name), text),
    type: (...words) => launch(words).ended,
    async start(more) {
      const launched = launch(['start'], more);
      const { child, said, ended } = launched;
      const ready = new Promise<void>((resolve) => {
        child.stdout.on('data', () => {
          if (said.out.includes('Flowbot is ready')) resolve();
        });
      });
      await Promise.race([ready, ended]);
      expect(said, 'Flowbot did not become ready').toMatchObject({
        out: expect.stringContaining('is ready'),
      });
      return running(launched);
    },
    async begin(more) {
      const launched = launch(['start'], more);
      await expect.poll(() => existsSync(socketPath(db)), { timeout: 15_000 }).toBe(true);
      return running(launched);
    },
    async close() {
      const running = [...children];
      for (const child of running) child.kill('SIGKILL');
      await Promise.all(running.map((child) => once(child, 'close')));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Asks before it posts. */
export const askingFlow = `
conversation: "#general"
triggers: [{ type: manual }]
input:
  type: object
  properties: { version: { type: string } }
  required: [version]
steps:
  draft: { type: template, text: "Release {{input.version}}" }
  review: { type: approval, title: "Publish this?", show: [draft] }
  publish: { type: message, to: "#general", text: "{{draft.text}}" }
`;

/** Posts at once. */
export const postingFlow = `
triggers: [{ type: manual }]
steps:
  hello: { type: message, to: "#general", text: "Hello from {{start.json.user}}: {{start.json.prompt}}" }
`;

/** Has two faults. */
export const brokenFlow = `
steps:
  draft: { type: templat, text: "x" }
  post: { type: message, to: "#general", text: "Hello", colour: red }
`;
