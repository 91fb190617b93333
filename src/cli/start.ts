import type { Config } from '../config.ts';
import { createFlowbot, type Flowbot } from '../main.ts';
import type { Log } from '../ports/log.ts';
import type { BrokenFile } from '../runner/catalog.ts';
import { print, shownPath } from './output.ts';
import { socketPath } from './socket-path.ts';
import { type LocalSocket, openSocket } from './socket-server.ts';

/** Exit code of a process that was told twice to stop. */
const STOPPED_AT_ONCE = 130;

/**
 * Runs Flowbot until it is told to stop (SIGINT, SIGTERM); a second signal ends the process at once. Throws a
 * sentence when it can't start; then everything is released.
 */
export async function start(config: Config, cwd: string): Promise<void> {
  const stopAsked = untilSignal();
  const flowbot = await createFlowbot(config);
  const { catalog, log } = flowbot.bot;
  endOnCrash(log);
  let isEnding = false;
  let socket: Promise<LocalSocket | undefined> | undefined;
  const listen = async (): Promise<void> => {
    if (isEnding) return;
    socket = openSocket(flowbot.bot, socketPath(config.dbFile)).catch((error: unknown) => {
      // Some file systems have no sockets: chats work all the same.
      log.warn("The command line can't reach this process.", {
        error: String(error),
      });
      return undefined;
    });
    await socket;
  };
  try {
    // Chats may keep a start waiting for hours, but nobody who wants it to end.
    const ended = Promise.race([flowbot.dead, stopAsked]);
    const isReady = await Promise.race([flowbot.start(listen).then(() => true), ended.then(() => false)]);
    if (isReady) {
      print([readyLine(flowbot), ...catalog.broken.map((file) => brokenLine(file, cwd))].join('\n'));
    }
    const why = await ended;
    if (why !== undefined) throw new Error(why);
  } finally {
    isEnding = true;
    await (await socket)?.close();
    await flowbot.stop();
  }
}

function readyLine({ url, bot }: Flowbot): string {
  const ids = bot.catalog.flows.map((flow) => flow.id);
  const flows = ids.length === 0 ? 'no flows yet' : `flows: ${ids.join(', ')}`;
  const where = bot.chats.has('playground') ? `${url}/playground/` : [...bot.chats.keys()].join(', ');
  return `Flowbot is ready: ${where} (${flows})`;
}

/** What is wrong with a file first, with the file as it is seen from `cwd`. */
function brokenLine({ file, faults }: BrokenFile, cwd: string): string {
  const [first = file, ...more] = faults;
  const line = first.startsWith(file) ? shownPath(file, cwd) + first.slice(file.length) : first;
  const others = more.length === 0 ? '' : ` (and ${more.length} more: see flowbot validate)`;
  return `Not loaded: ${line}${others}`;
}

/** Resolves at the first signal to stop; the second ends the process. */
function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const onSignal = (): void => {
      if (asked) process.exit(STOPPED_AT_ONCE);
      asked = true;
      resolve();
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
}

/** After a fault nobody expected, what is in memory can't be trusted; what is stored can. */
function endOnCrash(log: Log): void {
  // Rejections that nobody handles arrive here too.
  process.on('uncaughtException', (error) => {
    log.error('Flowbot failed and ends. The next start goes on with all runs.', error);
    process.exit(1);
  });
}
