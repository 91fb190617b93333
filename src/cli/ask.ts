import { userInfo } from 'node:os';
import { randomIds } from '../adapters/system/ids.ts';
import type { Config } from '../config.ts';
import type { CliAnswer, CliCommand, CliRequest } from './protocol.ts';
import { askSocket } from './socket-client.ts';
import { isTrustedSocket, socketPath } from './socket-path.ts';

/** An answer, and whether a running Flowbot gave it. */
export interface Asked extends CliAnswer {
  /** False = it was recorded in the database, and goes on when Flowbot is started. */
  readonly running: boolean;
}

/**
 * Has a command carried out: by the running process, or on the database itself when there is none.
 * Throws a sentence when neither can be reached.
 */
export async function ask(config: Config, command: CliCommand): Promise<Asked> {
  const name = userName();
  const request: CliRequest = {
    event: randomIds.next(),
    person: { platform: 'cli', id: name, name },
    command,
  };
  const path = socketPath(config.dbFile);
  const answer = isTrustedSocket(path, config.dbFile) ? await askSocket(path, request) : undefined;
  if (answer) return { ...answer, running: true };
  // Most of Flowbot is needed only here.
  const { askDatabase } = await import('./stopped.ts');
  return { ...(await askDatabase(config, request, path)), running: false };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user may have a number only.
    return String(process.getuid?.() ?? 'unknown');
  }
}
