import { createHash } from 'node:crypto';
import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Longest path of a Unix domain socket that every system takes, in bytes. */
const PATH_MAX_BYTES = 100;

/**
 * Where the process that has a database listens for the command line: beside the database, under its name, because
 * several databases may share a folder. Too long a path is replaced by one in the folder for temporary files.
 */
export function socketPath(dbFile: string): string {
  // Two names of one file must meet at one socket.
  const file = existsSync(dbFile) ? realpathSync(dbFile) : dbFile;
  const beside = `${file}.sock`;
  if (Buffer.byteLength(beside) <= PATH_MAX_BYTES) return beside;
  const hash = createHash('sha256').update(file).digest('hex').slice(0, 16);
  return join(tmpdir(), `flowbot-${hash}.sock`);
}

/**
 * Whether a socket is there and was made by us or by the owner of the database: in a folder that everybody may
 * write to, it could be anybody's.
 */
export function isTrustedSocket(path: string, dbFile: string): boolean {
  const [maker, owner] = [ownerOf(path), ownerOf(dbFile)];
  return maker !== undefined && (maker === process.getuid?.() || maker === owner);
}

function ownerOf(path: string): number | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.uid;
}
