import { lstat, mkdir, mkdtemp, readdir, realpath, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Programs } from '../../ports/programs.ts';
import type { OpenedWorkspace, Workspaces } from '../../ports/workspaces.ts';
import { createGit, type Git } from './git.ts';
import { changes, restore, snapshot, statesOf } from './states.ts';
import { openWorktree, type Repository, removeWorktree, renameBranch, trackedFiles } from './worktree.ts';

/** What is needed of outside. */
export interface WorkspaceOptions {
  /** The folder that holds them, absolute; made when it is needed. */
  readonly folder: string;
  /** Absent = there are no workspaces with git. */
  readonly repository?: Repository;
  /** Runs git. */
  readonly programs: Programs;
  /** Where folders for single calls are made; default: where the system has temporary files. */
  readonly scratchFolder?: string;
}

/** Creates the workspaces of this machine. */
export function createWorkspaces(options: WorkspaceOptions): Workspaces {
  const { repository, programs, scratchFolder = tmpdir() } = options;
  let last: Promise<unknown> = Promise.resolve();

  /** Git is told one thing at a time: two that change its list of worktrees would stand in each other's way. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  }

  async function openGit(
    run: string,
    path: string,
    from: readonly string[],
    git: Git,
  ): Promise<OpenedWorkspace> {
    if (!repository) return failed(run, 'flowbot.yaml names no repository under workspaces:');
    await takeOver(path, from, (other) => renameBranch(git, repository.path, other, run));
    const opened = await openWorktree(git, repository, path, run);
    return opened.ok ? ours(run, path) : failed(run, opened.message);
  }

  async function openFolder(run: string, path: string, from: readonly string[]): Promise<OpenedWorkspace> {
    await takeOver(path, from, async () => {});
    await mkdir(path, { recursive: true, mode: 0o700 });
    return ours(run, path);
  }

  return {
    async open(run, kind, from, signal) {
      const path = await pathOf(options.folder, run);
      // A link in its place would lead git out, so it is looked at before anything is done there.
      const there = await ours(run, path);
      if (there.kind === 'failed' && (await isThere(path))) return there;
      const git = createGit(programs, signal);
      return kind === 'git' ? inTurn(() => openGit(run, path, from, git)) : openFolder(run, path, from);
    },
    async snapshot(path, like, signal) {
      const git = createGit(programs, signal);
      return inTurn(async () =>
        snapshot(git, path, like, await trackedFiles(git, repository, basename(path))),
      );
    },
    async changes(path, before, after, signal) {
      return changes(createGit(programs, signal), path, before, after);
    },
    async restore(path, before, after, signal) {
      return inTurn(() => restore(createGit(programs, signal), path, before, after));
    },
    async scratch() {
      const path = await mkdtemp(join(scratchFolder, 'flowbot-'));
      return { path, remove: () => rm(path, { recursive: true, force: true }) };
    },
    async remove(run) {
      const path = await pathOf(options.folder, run);
      if (repository) {
        const git = createGit(programs, new AbortController().signal);
        const removed = await inTurn(() => removeWorktree(git, repository.path, path, run));
        if (!removed.ok) throw new Error(removed.message);
      }
      await rm(path, { recursive: true, force: true });
      await rm(statesOf(path), { recursive: true, force: true });
    },
    async runs() {
      if (!(await isThere(options.folder))) return [];
      const names = await readdir(options.folder);
      return names.filter((name) => namePattern.test(name));
    },
  };
}

/** The folder as git names it: without links on the way to it. */
async function root(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return realpath(folder);
}

/** A name that leads nowhere else, as a file and as a branch. */
const namePattern = /^[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*$/;

async function pathOf(folder: string, run: string): Promise<string> {
  if (namePattern.test(run)) return join(await root(folder), run);
  throw new Error(`A run named ${JSON.stringify(run)} can have no workspace.`);
}

/** Makes the folder of an earlier run the one at this path. @param prepare done before, and once more after a crash */
async function takeOver(
  path: string,
  from: readonly string[],
  prepare: (run: string) => Promise<unknown>,
): Promise<void> {
  if (await isThere(path)) return;
  for (const run of from) {
    const other = await pathOf(dirname(path), run);
    if ((await ours(run, other)).kind === 'failed') continue;
    await prepare(run);
    if (await isThere(statesOf(other))) await rename(statesOf(other), statesOf(path));
    return rename(other, path);
  }
}

/** What works in a workspace can put a link in its place, or anything else. */
async function ours(run: string, path: string): Promise<OpenedWorkspace> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() ? { kind: 'open', path } : failed(run, 'something else has taken its place');
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

function failed(run: string, why: string): OpenedWorkspace {
  return { kind: 'failed', message: `There is no workspace for run ${run}: ${why.replace(/\.$/, '')}.` };
}
