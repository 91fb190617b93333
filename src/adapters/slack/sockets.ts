import { type App, type Receiver, SocketModeReceiver, webApi } from '@slack/bolt';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { silentLogger } from './logger.ts';
import { refusalOf } from './refusals.ts';

/** Connections of Socket Mode, kept up for ever. */
export interface Sockets extends Receiver {
  /** Resolves when the first connection is open. Rejects with a sentence when Slack does not accept the token. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Why there is none, if there is none. */
  readonly down: string | undefined;
}

/** Slack closes connections now and then, so two of them overlap. It allows ten. */
const connections = 2;
/** Longest wait until a new connection says hello, in milliseconds. */
const helloMs = 15_000;
/**
 * A connection is replaced by us, the new one first, before Slack does it after some hours: then nothing is sent into
 * the gap. The connections are replaced at different times.
 */
const lifeMs = 40 * 60_000;
const firstWaitMs = 1_000;
const lastWaitMs = 60_000;
/** How long a connection that was replaced may finish what it began, in milliseconds. */
const graceMs = 5_000;

interface Link {
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
  close(): void;
}

/** Makes the receiver for Socket Mode. @param apiUrl base address of the Web API; default Slack's own. */
export function createSockets(options: {
  readonly appToken: string;
  readonly apiUrl: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** There is a connection again after there was none since then. */
  readonly onGap: (sinceMs: number) => void;
}): Sockets {
  const { clock, log } = options;
  const open = new Set<Link>();
  const stopped = Promise.withResolvers<void>();
  const first = Promise.withResolvers<void>();
  // It may fail before anybody waits for it.
  first.promise.catch(() => {});
  let isStopped = false;
  /** Since when there is no connection; absent while there is one, and before the first. */
  let downSinceMs: number | undefined;
  let stopping: Promise<void> | undefined;
  let why = 'Not connected to Slack yet.';
  let app: App | undefined;

  /** Keeps one connection up. */
  async function keep(index: number): Promise<void> {
    let current: Link | undefined;
    // Staggered: the first life of each is shorter than that of the next one.
    let renewMs = (lifeMs * (index + 1)) / connections;
    while (!isStopped) {
      const next = await openForEver();
      if (!next) break;
      retire(current);
      current = next;
      first.resolve();
      const renewal = alarm(renewMs);
      renewMs = lifeMs;
      await Promise.race([next.ended, renewal.due, stopped.promise]);
      renewal.cancel();
    }
    current?.close();
  }

  /** Closes a connection that has been replaced, once it can have acknowledged what came over it. */
  function retire(link: Link | undefined): void {
    if (!link) return;
    const grace = alarm(graceMs);
    void Promise.race([grace.due, link.ended, stopped.promise]).then(() => {
      grace.cancel();
      link.close();
    });
  }

  /** Undefined: stopped meanwhile. */
  async function openForEver(): Promise<Link | undefined> {
    for (let waitMs = firstWaitMs; !isStopped; waitMs = Math.min(lastWaitMs, waitMs * 2)) {
      try {
        return await connect();
      } catch (error) {
        why = whyNot(error);
        // At the start somebody sits there who can mend it; later the connection may heal.
        if (isRefused(error)) first.reject(new Error(why));
        log.warn('A connection to Slack could not be opened; trying again.', { why, afterMs: waitMs });
        const pause = alarm(waitMs);
        await Promise.race([pause.due, stopped.promise]);
        pause.cancel();
      }
    }
    return undefined;
  }

  async function connect(): Promise<Link> {
    const receiver = new SocketModeReceiver({
      appToken: options.appToken,
      // Bolt's own way waits for five seconds with the connection closed, and gives up after some failures.
      autoReconnectEnabled: false,
      logger: silentLogger,
      installerOptions: {
        clientOptions: {
          ...(options.apiUrl !== undefined && { slackApiUrl: options.apiUrl }),
          retryConfig: { retries: 0 },
          rejectRateLimitedCalls: true,
          timeout: helloMs,
        },
      },
      // What was not acknowledged is sent again.
      processEventErrorHandler: async ({ error }) => {
        log.error('Something that Slack sent could not be taken; Slack sends it again.', error);
        return false;
      },
    });
    if (app) receiver.init(app);
    const { client } = receiver;
    watchReading(client);
    let isClosed = false;
    // Closed while its address was asked for: the client opens it all the same.
    client.on('connecting', () => {
      if (isClosed) queueMicrotask(() => void client.disconnect());
    });
    const ended = new Promise<void>((resolve) => client.once('disconnected', () => resolve()));
    const link: Link = {
      ended: ended.then(() => lose(link)),
      close() {
        isClosed = true;
        lose(link);
        void client.disconnect();
      },
    };
    const late = alarm(helloMs);
    const hello = await Promise.race([
      receiver.start().then(() => true),
      late.due.then(() => false),
      stopped.promise.then(() => false),
    ]).finally(late.cancel);
    if (!hello) {
      link.close();
      throw new Error('it does not say hello');
    }
    open.add(link);
    if (downSinceMs !== undefined) options.onGap(downSinceMs);
    downSinceMs = undefined;
    return link;
  }

  /** The SDK reads what comes in promises that nobody watches: what it stumbles over would end the process. */
  function watchReading(client: SocketModeReceiver['client']): void {
    for (const read of client.listeners('ws_message')) {
      client.off('ws_message', read);
      client.on('ws_message', async (...frame) => {
        try {
          await read(...frame);
        } catch (error) {
          log.error('Something that Slack sent could not be read.', error);
        }
      });
    }
  }

  async function closeAll(): Promise<void> {
    isStopped = true;
    stopped.resolve();
    const closing = [...open];
    for (const link of closing) link.close();
    const late = alarm(2_000);
    await Promise.race([Promise.all(closing.map(({ ended }) => ended)), late.due]);
    late.cancel();
  }

  function lose(link: Link): void {
    if (open.delete(link) && open.size === 0) downSinceMs = clock.now();
  }

  function alarm(forMs: number): { readonly due: Promise<void>; cancel(): void } {
    const { promise: due, resolve } = Promise.withResolvers<void>();
    return { due, cancel: clock.alarm(clock.now() + forMs, resolve) };
  }

  return {
    init(bolt) {
      app = bolt;
    },
    async start() {
      const kept = Array.from({ length: connections }, (_, index) => keep(index));
      await Promise.race([first.promise, Promise.all(kept)]);
    },
    stop() {
      stopping ??= closeAll();
      return stopping;
    },
    get down() {
      return open.size > 0 ? undefined : why;
    },
  };
}

/** Why no connection could be opened, as a sentence. */
function whyNot(error: unknown): string {
  return isRefused(error)
    ? `Slack does not accept SLACK_APP_TOKEN (${error.data.error}). It is on the app’s page Basic Information.`
    : 'Slack can’t be connected to at the moment.';
}

function isRefused(error: unknown): error is webApi.WebAPIPlatformError {
  if (!(error instanceof webApi.WebAPIPlatformError) || !/^[a-z_]{1,80}$/.test(error.data.error))
    return false;
  const refusal = refusalOf(error.data.error);
  return refusal !== 'wait' && refusal !== 'unknown';
}
