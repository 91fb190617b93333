import { existsSync } from 'node:fs';
import { lstat, readFile, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Git, GitOutcome } from './git.ts';

/** Where workspaces with a copy of a repository come from. */
export interface Repository {
  /** Absolute. */
  readonly path: string;
  /** The branch, tag or commit that runs begin with. */
  readonly base: string;
}

/** Longest file .git of a worktree: one line with a path. */
const GIT_FILE_MAX_BYTES = 10_000;

/** The commit a run began with. Such a name is of one worktree alone, and goes with it. */
export const START = 'refs/worktree/flowbot-start';

/**
 * A worktree of the repository with the branch of the run, at this path: made when it is not there, mended when the
 * last one who made it did not get to the end.
 */
export async function openWorktree(
  git: Git,
  { path: repository, base }: Repository,
  path: string,
  run: string,
): Promise<GitOutcome> {
  // Git has to hear of a folder that was moved here, and to mend one whose .git was removed by what works in it.
  if (existsSync(path)) {
    if (!(await hasOwnGit(git, repository, path)))
      await rm(join(path, '.git'), { recursive: true, force: true });
    await git(repository, ['worktree', 'repair', path]);
  }
  const there = await findWorktree(git, repository, path);
  if (!there.ok) return there;
  if (there.state === 'ready') return markStart(git, base, path);
  if (there.state === 'half') await clear(git, repository, path);
  const made = await add(git, { path: repository, base }, path, run);
  return made.ok ? markStart(git, base, path) : made;
}

/** Removes the worktree at this path, and the branch of the run unless it has commits that nothing else has. */
export async function removeWorktree(
  git: Git,
  repository: string,
  path: string,
  run: string,
): Promise<GitOutcome> {
  const there = await findWorktree(git, repository, path);
  if (!there.ok) return there;
  if (there.state !== 'absent') {
    const cleared = await clear(git, repository, path);
    if (!cleared.ok) return cleared;
  }
  const branch = branchOf(run);
  if (!(await exists(git, repository, branch))) return { ok: true, stdout: '' };
  const others = ['--not', 'HEAD', `--exclude=${branch}`, '--branches', '--remotes', '--tags'];
  const own = await git(repository, ['rev-list', '--max-count=1', `refs/heads/${branch}`, ...others]);
  return !own.ok || own.stdout !== '' ? own : git(repository, ['branch', '-D', branch]);
}

/** Makes the branch of one run that of another. Without it, there is nothing to do. */
export function renameBranch(git: Git, repository: string, from: string, to: string): Promise<GitOutcome> {
  return git(repository, ['branch', '-m', branchOf(from), branchOf(to)]);
}

/**
 * Whether the .git of a folder leads where git keeps what it knows of that folder. What works there can put another in its
 * place, whose settings would have git run anything, or that of another run.
 */
async function hasOwnGit(git: Git, repository: string, path: string): Promise<boolean> {
  const file = join(path, '.git');
  const found = await lstat(file).catch(() => undefined);
  const common = await git(repository, ['rev-parse', '--path-format=absolute', '--git-common-dir']);
  if (!found?.isFile() || found.size > GIT_FILE_MAX_BYTES || !common.ok) return false;
  const [, written = ''] = /^gitdir: (.+)$/m.exec(await readFile(file, 'utf8')) ?? [];
  const kept = resolve(path, written);
  if (dirname(kept) !== join(common.stdout.trim(), 'worktrees')) return false;
  const back = (await readFile(join(kept, 'gitdir'), 'utf8').catch(() => '')).trim();
  // A folder that was moved here is still known by its old place, where nothing is any more.
  return back !== '' && (resolve(kept, back) === file || !existsSync(resolve(kept, back)));
}

type Found =
  /** `half`: whoever made it did not get to the end, or its folder was lost. */
  { readonly ok: true; readonly state: 'absent' | 'half' | 'ready' } | Extract<GitOutcome, { ok: false }>;

/** Git itself keeps a lock on a worktree until it is whole. */
async function findWorktree(git: Git, repository: string, path: string): Promise<Found> {
  const listed = await git(repository, ['worktree', 'list', '--porcelain', '-z']);
  if (!listed.ok) return listed;
  const entries = listed.stdout.split('\0\0').map((entry) => entry.split('\0'));
  const [, ...notes] = entries.find(([first]) => first === `worktree ${path}`) ?? [];
  if (notes.length === 0) return { ok: true, state: 'absent' };
  const half = notes.includes('locked initializing') || !existsSync(path);
  return { ok: true, state: half ? 'half' : 'ready' };
}

async function clear(git: Git, repository: string, path: string): Promise<GitOutcome> {
  await rm(path, { recursive: true, force: true });
  return git(repository, ['worktree', 'remove', '--force', '--force', path]);
}

async function add(
  git: Git,
  { path: repository, base }: Repository,
  path: string,
  run: string,
): Promise<GitOutcome> {
  const branch = branchOf(run);
  const rest = (await exists(git, repository, branch))
    ? [path, branch]
    : ['--no-track', '-b', branch, path, base];
  return git(repository, ['worktree', 'add', '--quiet', ...rest]);
}

async function exists(git: Git, repository: string, branch: string): Promise<boolean> {
  return (await git(repository, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])).ok;
}

async function markStart(git: Git, base: string, path: string): Promise<GitOutcome> {
  const marked = await git(path, ['rev-parse', '--verify', '--quiet', START]);
  if (marked.ok) return marked;
  const shared = await git(path, ['merge-base', 'HEAD', base]);
  return git(path, ['update-ref', START, shared.ok ? shared.stdout.trim() : 'HEAD']);
}

function branchOf(run: string): string {
  return `flowbot/${run}`;
}

/** Names of the files that the branch of a run holds: asked of the repository, which the work in its worktree can't turn elsewhere. */
export async function trackedFiles(
  git: Git,
  repository: Repository | undefined,
  run: string,
): Promise<readonly string[]> {
  if (!repository) return [];
  const listed = await git(repository.path, [
    'ls-tree',
    '-r',
    '-z',
    '--name-only',
    `refs/heads/${branchOf(run)}`,
  ]);
  return listed.ok ? listed.stdout.split('\0').filter((name) => name !== '') : [];
}
