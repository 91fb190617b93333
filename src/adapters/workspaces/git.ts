import { dirname } from 'node:path';
import type { Programs } from '../../ports/programs.ts';

/** What git printed, or a sentence for people. */
export type GitOutcome =
  | { readonly ok: true; readonly stdout: string }
  | { readonly ok: false; readonly message: string };

/** Runs git in a folder. @param env beside what every program gets. @param stdin what it reads: nothing */
export type Git = (
  cwd: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
  stdin?: string,
) => Promise<GitOutcome>;

/** A large repository takes its time on a slow disk. */
const timeoutMs = 10 * 60_000;
const outputMaxBytes = 10_000_000;

/** What others have set up in a repository to be run along the way is not: it would hold up or change what we do. */
const careful = [
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'advice.detachedHead=false',
];

/** Makes git, which asks nobody anything. */
export function createGit(programs: Programs, signal: AbortSignal): Git {
  return async (cwd, args, env = {}, stdin = '') => {
    const outcome = await programs.run(
      {
        argv: ['git', ...careful, ...args],
        cwd,
        // Where a folder is no repository, the one that it may lie in is not meant.
        env: { ...env, GIT_CEILING_DIRECTORIES: dirname(cwd), GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' },
        stdin,
        timeoutMs,
        maxBytes: outputMaxBytes,
      },
      signal,
    );
    if (outcome.kind === 'failed') return { ok: false, message: outcome.message };
    if (outcome.exitCode === 0) return { ok: true, stdout: outcome.stdout };
    const said = outcome.stderr.trim() === '' ? `exit code ${outcome.exitCode}` : outcome.stderr.trim();
    return { ok: false, message: `git ${args[0] ?? ''} failed: ${said.slice(-1_000)}` };
  };
}
