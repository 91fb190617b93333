import { LockHeldError } from '../adapters/sqlite/index.ts';
import type { Config } from '../config.ts';
import { createFlowbot, type Flowbot } from '../main.ts';
import { answerRequest } from './answer.ts';
import type { CliAnswer, CliRequest } from './protocol.ts';

/** The database of a Flowbot that is not running. */
export interface StoppedFlowbot {
  /** Carries out a request: what it changes goes on at the next start. */
  answer(request: CliRequest): Promise<CliAnswer>;
  /** Lets go of the database. */
  close(): Promise<void>;
}

/**
 * Opens the database while Flowbot is not running. Throws a sentence when a process has it after all.
 * @param path the socket at which that process should have answered
 */
export async function openStopped(config: Config, path: string): Promise<StoppedFlowbot> {
  const flowbot = await open(config, path);
  try {
    await flowbot.prepare();
  } catch (error) {
    await flowbot.stop();
    throw error;
  }
  return { answer: (request) => answerRequest(flowbot.bot, request), close: () => flowbot.stop() };
}

async function open(config: Config, path: string): Promise<Flowbot> {
  try {
    // What the command has to say is its answer: the log is for what goes wrong.
    return await createFlowbot({ ...config, logLevel: config.logLevel === 'silent' ? 'silent' : 'error' });
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
    const { holder } = error;
    const who = holder ? `Flowbot (pid ${holder.pid} on host ${holder.host})` : 'Another Flowbot';
    const what = `${who} has ${config.dbFile} open but does not answer at ${path}.`;
    throw new Error(`${what} It may be starting or stopping: try again in a moment.`, { cause: error });
  }
}
