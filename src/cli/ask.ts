import { randomIds } from '../adapters/system/ids.ts';
import { userName } from '../adapters/system/user-name.ts';
import type { Config } from '../config.ts';
import { COMMAND_LINE } from '../engine/people.ts';
import type { CliAnswer, CliCommand } from './protocol.ts';
import { askSocket } from './socket-client.ts';
import { isTrustedSocket, socketPath } from './socket-path.ts';
import type { StoppedFlowbot } from './stopped.ts';

/** An answer, and whether a running Flowbot gave it. */
export interface Asked extends CliAnswer {
  /** False = it was recorded in the database, and goes on when Flowbot is started. */
  readonly running: boolean;
}

/**
 * Has a command carried out: by the running process, or on the database itself when there is none.
 * Throws a sentence when neither can be reached.
 */
export type Ask = (command: CliCommand) => Promise<Asked>;

/** Lets `work` ask, and lets go of the database afterwards if it was opened. */
export async function asking<T>(config: Config, work: (ask: Ask) => Promise<T>): Promise<T> {
  const name = userName();
  const person = { platform: COMMAND_LINE, id: name, name } as const;
  const path = socketPath(config.dbFile);
  let stopped: StoppedFlowbot | undefined;

  async function ask(command: CliCommand): Promise<Asked> {
    const request = { event: randomIds.next(), person, command };
    const canAnswer = !stopped && isTrustedSocket(path, config.dbFile);
    const answer = canAnswer ? await askSocket(path, request) : undefined;
    if (answer) return { ...answer, running: true };
    // Most of Flowbot is needed only here.
    const { openStopped } = await import('./stopped.ts');
    stopped ??= await openStopped(config, path);
    return { ...(await stopped.answer(request)), running: false };
  }

  try {
    return await work(ask);
  } finally {
    await stopped?.close();
  }
}
