import { userInfo } from 'node:os';

/** The account of this machine that the process runs as. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user may have a number only.
    return String(process.getuid?.() ?? 'unknown');
  }
}
