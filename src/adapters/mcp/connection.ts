import type { Clock } from '../../ports/clock.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { type Revealed, reveal } from '../secret-texts.ts';
import { waitUntil } from '../system/wait.ts';
import { wayToAddress } from './address.ts';
import { type Failed, failed, whyNotStarted } from './failure.ts';
import { wayToProgram } from './program.ts';
import type { McpServer } from './server.ts';
import { openSession, type Session } from './session.ts';
import type { Way } from './transport.ts';

/** Longest time a server may take to start, in milliseconds. */
const START_MAX_MS = 60_000;
const firstWaitMs = 1_000;
const lastWaitMs = 60_000;
/** Most characters of what a server said before it ended that are shown. */
const SAID_MAX_CHARS = 1_000;

/** A server that is there. */
export interface Opened {
  readonly kind: 'opened';
  readonly session: Session;
  readonly way: Way;
}

/** Keeps one server: started at first use, and again after it has died. */
export interface Connection {
  /** The server, started when it is not there. After a failed start, the next one waits 1 s, then 2 s, up to a minute. */
  open(): Promise<Opened | Failed>;
  /** A call came through: the server is well. */
  well(): void;
  /** Ends it and starts it no more. */
  close(): Promise<void>;
}

/** What connections are made of. */
export interface ConnectionDeps {
  readonly secrets: Secrets;
  readonly clock: Clock;
  /** What every program gets of the environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** Programs are started here. */
  readonly cwd: string;
}

/** Makes one; nothing is started yet. */
export function createConnection(name: string, server: McpServer, deps: ConnectionDeps): Connection {
  const { secrets, clock } = deps;
  const closing = new AbortController();
  let current: Promise<Opened | Failed> | undefined;
  let way: Way | undefined;
  let losses = 0;
  let notBeforeMs = 0;

  function lost(): void {
    notBeforeMs = clock.now() + Math.min(lastWaitMs, firstWaitMs * 2 ** losses);
    losses += 1;
  }

  async function start(): Promise<Opened | Failed> {
    const revealed = reveal(server.kind === 'program' ? server.env : server.headers, secrets);
    if (!revealed.ok) return secretFailure(name, revealed);
    await waitUntil(clock, notBeforeMs, closing.signal);
    if (closing.signal.aborted) return failed('start', `The server ${name} is not started: Flowbot stops.`);
    const made = wayTo(server, revealed.values, deps);
    way = made;
    const late = new AbortController();
    const cancel = clock.alarm(clock.now() + START_MAX_MS, () => late.abort());
    let isOpen = false;
    try {
      const signal = AbortSignal.any([late.signal, closing.signal]);
      const session = await Promise.race([openSession(made, gone, signal), aborted(signal)]);
      isOpen = true;
      return { kind: 'opened', session, way: made };
    } catch (error) {
      lost();
      await made.close();
      const why = late.signal.aborted
        ? `it did not answer within ${START_MAX_MS / 1000} s`
        : whyNotStarted(error);
      const said = secrets.redact(made.said()).trim().slice(-SAID_MAX_CHARS).toWellFormed();
      const message = `The server ${name} can't be started: ${why}. Mend it under mcpServers in flowbot.yaml.`;
      return failed('start', said === '' ? message : `${message} It said:\n${said}`);
    } finally {
      cancel();
    }

    function gone(): void {
      if (!isOpen) return;
      current = undefined;
      lost();
    }
  }

  return {
    async open() {
      if (!current) {
        const starting = start();
        current = starting;
        const opened = await starting;
        if (opened.kind === 'failed' && current === starting) current = undefined;
        return opened;
      }
      return current;
    },
    well() {
      losses = 0;
      notBeforeMs = 0;
    },
    async close() {
      closing.abort();
      await current;
      await way?.close();
    },
  };
}

function wayTo(server: McpServer, values: Readonly<Record<string, string>>, deps: ConnectionDeps): Way {
  if (server.kind === 'address') return wayToAddress(server.url, values);
  const { command, args } = server;
  const { environment, cwd, clock } = deps;
  return wayToProgram({ command, args, env: { ...environment, ...values }, cwd }, clock);
}

function secretFailure(name: string, { missing }: Extract<Revealed, { ok: false }>): Failed {
  const list = missing.join(', ');
  return failed(
    'secret',
    `The server ${name} needs the secret ${list}, which is not set: set FLOWBOT_SECRET_${missing[0] ?? ''}.`,
  );
}

/** Rejects when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const fail = (): void => reject(new Error('It was called off.'));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });
}
