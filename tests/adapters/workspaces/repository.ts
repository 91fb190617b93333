import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Runs git and gives what it prints; for tests that look from outside. */
export function git(cwd: string, ...args: readonly string[]): string {
  const who = ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.com', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...who, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

/** Makes a repository with a branch `main` and a file in it. */
export function makeRepository(path: string): string {
  git(path, 'init', '--quiet', '--initial-branch', 'main');
  writeFileSync(join(path, 'notes.md'), 'one\n');
  git(path, 'add', '.');
  git(path, 'commit', '--quiet', '-m', 'Begin');
  return path;
}

/** The branches of runs. */
export function branchesOf(repository: string): readonly string[] {
  return git(repository, 'branch', '--list', 'flowbot/*', '--format', '%(refname:short)')
    .split('\n')
    .filter(Boolean);
}
