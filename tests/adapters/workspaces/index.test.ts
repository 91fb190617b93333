import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createWorkspaces } from '../../../src/adapters/workspaces/index.ts';
import type { Workspaces } from '../../../src/ports/workspaces.ts';
import { folder, machine, never } from '../programs/machine.ts';
import { branchesOf, git, makeRepository } from './repository.ts';

function stage(base = 'main') {
  const root = folder();
  const repository = makeRepository(folder());
  const workspaces = createWorkspaces({
    folder: join(root, 'workspaces'),
    repository: { path: repository, base },
    programs: machine().programs,
    scratchFolder: root,
  });
  return { root, repository, workspaces, pathOf: (run: string) => join(root, 'workspaces', run) };
}

async function open(
  workspaces: Workspaces,
  run: string,
  kind: 'folder' | 'git',
  from: readonly string[] = [],
): Promise<string> {
  const opened = await workspaces.open(run, kind, from, never);
  if (opened.kind === 'failed') throw new Error(opened.message);
  return opened.path;
}

async function refusal(workspaces: Workspaces, run: string, kind: 'folder' | 'git'): Promise<string> {
  const opened = await workspaces.open(run, kind, [], never);
  return opened.kind === 'failed' ? opened.message : 'It was opened.';
}

describe('a folder', () => {
  test('is one per run, and stays as it is left until it is removed', async () => {
    const { root, workspaces } = stage();
    expect(await workspaces.runs()).toEqual([]);
    expect(readdirSync(root)).toEqual([]);
    const path = await open(workspaces, 'r1', 'folder');
    writeFileSync(join(path, 'a.txt'), 'a');
    expect(await open(workspaces, 'r1', 'folder')).toBe(path);
    expect(readdirSync(path)).toEqual(['a.txt']);
    expect(readdirSync(await open(workspaces, 'r2', 'folder'))).toEqual([]);
    expect((await workspaces.runs()).toSorted()).toEqual(['r1', 'r2']);
    await workspaces.remove('r1');
    await workspaces.remove('r1');
    expect(await workspaces.runs()).toEqual(['r2']);
  });

  test.each(['', '.', '..', '../x', 'a/b', '.hidden', 'a..b', 'x.lock', '-x', 'a b', 'a\0'])(
    'is never named %j',
    async (run) => {
      const { workspaces } = stage();
      await expect(workspaces.open(run, 'folder', [], never)).rejects.toThrow('can have no workspace');
      await expect(workspaces.remove(run)).rejects.toThrow('can have no workspace');
    },
  );

  test.each(['folder', 'git'] as const)('of kind %s is not where a link in its place leads', async (kind) => {
    const { root, workspaces, pathOf } = stage();
    await open(workspaces, 'r1', kind);
    const outside = join(root, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'precious.txt'), '');
    rmSync(pathOf('r1'), { recursive: true });
    symlinkSync(outside, pathOf('r1'));
    expect(await refusal(workspaces, 'r1', kind)).toBe(
      'There is no workspace for run r1: something else has taken its place.',
    );
    await workspaces.remove('r1');
    expect(existsSync(pathOf('r1'))).toBe(false);
    expect(readdirSync(outside)).toEqual(['precious.txt']);
  });

  test('takes nothing with it that its links lead to', async () => {
    const { root, workspaces } = stage();
    const outside = join(root, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'precious.txt'), '');
    symlinkSync(outside, join(await open(workspaces, 'r1', 'folder'), 'link'));
    await workspaces.remove('r1');
    expect(readdirSync(outside)).toEqual(['precious.txt']);
  });
});

test('a folder for one call is empty and goes with it', async () => {
  const { workspaces } = stage();
  const [one, other] = await Promise.all([workspaces.scratch(), workspaces.scratch()]);
  expect(one.path).not.toBe(other.path);
  expect(readdirSync(one.path)).toEqual([]);
  writeFileSync(join(one.path, 'a.txt'), '');
  await one.remove();
  await one.remove();
  expect([existsSync(one.path), existsSync(other.path)]).toEqual([false, true]);
});

describe('a workspace with git', () => {
  test('is a worktree with a branch of its own, beside those of other runs', async () => {
    const { repository, workspaces } = stage();
    const [one, other] = await Promise.all(['r1', 'r2'].map((run) => open(workspaces, run, 'git')));
    expect(readFileSync(join(one ?? '', 'notes.md'), 'utf8')).toBe('one\n');
    expect(git(one ?? '', 'branch', '--show-current')).toBe('flowbot/r1');
    writeFileSync(join(one ?? '', 'notes.md'), 'two\n');
    expect(readFileSync(join(other ?? '', 'notes.md'), 'utf8')).toBe('one\n');
    expect(git(repository, 'status', '--porcelain')).toBe('');
    expect(await open(workspaces, 'r1', 'git')).toBe(one);
    expect(readFileSync(join(one ?? '', 'notes.md'), 'utf8')).toBe('two\n');
  });

  test('goes without a trace when nothing was committed', async () => {
    const { repository, workspaces } = stage();
    writeFileSync(join(await open(workspaces, 'r1', 'git'), 'new.txt'), '');
    await workspaces.remove('r1');
    await workspaces.remove('r1');
    expect(branchesOf(repository)).toEqual([]);
    expect(git(repository, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(await workspaces.runs()).toEqual([]);
  });

  test('leaves its branch when that has commits of its own', async () => {
    const { repository, workspaces } = stage();
    const path = await open(workspaces, 'r1', 'git');
    git(path, 'commit', '--quiet', '--allow-empty', '-m', 'Work');
    await workspaces.remove('r1');
    expect(branchesOf(repository)).toEqual(['flowbot/r1']);
    git(repository, 'merge', '--quiet', 'flowbot/r1');
    await workspaces.remove('r1');
    expect(branchesOf(repository)).toEqual([]);
  });

  test('goes on with its branch when its folder was lost', async () => {
    const { workspaces } = stage();
    const path = await open(workspaces, 'r1', 'git');
    git(path, 'commit', '--quiet', '--allow-empty', '-m', 'Work');
    rmSync(path, { recursive: true });
    expect(git(await open(workspaces, 'r1', 'git'), 'log', '--format=%s')).toBe('Work\nBegin');
  });

  test('is made anew when the last try did not get to the end', async () => {
    const { repository, workspaces, pathOf } = stage();
    const path = await open(workspaces, 'r1', 'git');
    const notes = git(path, 'rev-parse', '--absolute-git-dir');
    // As git leaves it when it is killed in the middle.
    writeFileSync(join(notes, 'locked'), 'initializing');
    writeFileSync(join(notes, 'index.lock'), '');
    rmSync(join(path, 'notes.md'));
    expect(await open(workspaces, 'r1', 'git')).toBe(path);
    expect(git(path, 'status', '--porcelain')).toBe('');
    expect(readdirSync(path)).toContain('notes.md');
    writeFileSync(join(git(path, 'rev-parse', '--absolute-git-dir'), 'locked'), 'initializing');
    rmSync(pathOf('r1'), { recursive: true });
    await open(workspaces, 'r1', 'git');
    await workspaces.remove('r1');
    expect(branchesOf(repository)).toEqual([]);
  });

  test.each<[string, (file: string, others: { readonly root: string; readonly other: string }) => void]>([
    ['nothing', () => {}],
    ['an empty folder', (file) => mkdirSync(file)],
    ['a text', (file) => writeFileSync(file, 'gitdir: ')],
    ['a link', (file, { other }) => symlinkSync(join(other, '.git'), file)],
    ['the repository itself', (file, { root }) => writeFileSync(file, `gitdir: ${root}/.git/worktrees/..\n`)],
    ['that of another run', (file, { other }) => writeFileSync(file, readFileSync(join(other, '.git')))],
  ])('is mended, with all that is in it, when its .git was replaced by %s', async (_, replace) => {
    const { workspaces, repository } = stage();
    const path = await open(workspaces, 'r1', 'git');
    const other = await open(workspaces, 'r2', 'git');
    writeFileSync(join(path, 'a.txt'), 'a');
    rmSync(join(path, '.git'));
    replace(join(path, '.git'), { root: repository, other });
    expect(await open(workspaces, 'r1', 'git')).toBe(path);
    expect(git(path, 'status', '--porcelain')).toBe('?? a.txt');
    expect(git(path, 'branch', '--show-current')).toBe('flowbot/r1');
    expect(await open(workspaces, 'r2', 'git')).toBe(other);
    expect(git(other, 'branch', '--show-current')).toBe('flowbot/r2');
    await workspaces.remove('r1');
    await workspaces.remove('r2');
    expect(await workspaces.runs()).toEqual([]);
    expect(branchesOf(repository)).toEqual([]);
  });

  test('runs nothing that what works in it has set up in a repository of its own', async () => {
    const { workspaces, root } = stage();
    const path = await open(workspaces, 'r1', 'git');
    rmSync(join(path, '.git'));
    git(path, 'init', '--quiet');
    git(path, 'config', 'filter.evil.clean', `touch ${join(root, 'ran')}; cat`);
    writeFileSync(join(path, '.gitattributes'), '* filter=evil\n');
    await open(workspaces, 'r1', 'git');
    git(path, 'add', '--all');
    expect(git(path, 'status', '--porcelain')).toBe('A  .gitattributes');
    expect(existsSync(join(root, 'ran'))).toBe(false);
  });

  test('runs no hooks of the repository', async () => {
    const { repository, workspaces, root } = stage();
    const hook = join(repository, '.git', 'hooks', 'post-checkout');
    mkdirSync(join(repository, '.git', 'hooks'), { recursive: true });
    writeFileSync(hook, `#!/bin/sh\ntouch ${join(root, 'hooked')}\n`, { mode: 0o755 });
    await open(workspaces, 'r1', 'git');
    expect(existsSync(join(root, 'hooked'))).toBe(false);
  });

  test('is refused, with what git says, where the base is not there', async () => {
    const { workspaces } = stage('mian');
    expect(await refusal(workspaces, 'r1', 'git')).toMatch(
      /^There is no workspace for run r1: git worktree failed: fatal: .*mian/,
    );
  });

  test('is refused where no repository is configured', async () => {
    const workspaces = createWorkspaces({ folder: folder(), programs: machine().programs });
    expect(await refusal(workspaces, 'r1', 'git')).toBe(
      'There is no workspace for run r1: flowbot.yaml names no repository under workspaces:.',
    );
  });

  test('is not made from what stands in its place', async () => {
    const { workspaces, pathOf } = stage();
    mkdirSync(pathOf('r1'), { recursive: true });
    writeFileSync(join(pathOf('r1'), 'a.txt'), 'a');
    expect(await refusal(workspaces, 'r1', 'git')).toContain('already exists');
    expect(readdirSync(pathOf('r1'))).toEqual(['a.txt']);
  });
});

describe.each(['folder', 'git'] as const)('a run that goes on with the work of others, in a %s', (kind) => {
  test('takes the newest of their folders over', async () => {
    const { repository, workspaces, pathOf } = stage();
    for (const run of ['r1', 'r2']) {
      writeFileSync(join(await open(workspaces, run, kind), 'a.txt'), run);
    }
    const path = await open(workspaces, 'r4', kind, ['r3', 'r2', 'r1']);
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('r2');
    expect(existsSync(pathOf('r2'))).toBe(false);
    if (kind === 'git') {
      expect(branchesOf(repository)).toEqual(['flowbot/r1', 'flowbot/r4']);
      expect(git(path, 'status', '--porcelain')).toBe('?? a.txt');
    }
    expect(await open(workspaces, 'r4', kind, ['r3', 'r2', 'r1'])).toBe(path);
    expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('r2');
    await workspaces.remove('r4');
    expect((await workspaces.runs()).toSorted()).toEqual(['r1']);
  });

  test('begins anew where there is none, or something else in its place', async () => {
    const { root, workspaces, pathOf } = stage();
    await open(workspaces, 'r2', kind);
    mkdirSync(join(root, 'outside'));
    symlinkSync(join(root, 'outside'), pathOf('r1'));
    const path = await open(workspaces, 'r3', kind, ['r1', 'r0']);
    expect(readdirSync(path).filter((name) => name !== '.git')).toEqual(kind === 'git' ? ['notes.md'] : []);
    await expect(workspaces.open('r4', kind, ['../r2'], never)).rejects.toThrow('can have no workspace');
  });
});

test('a worktree that was about to be taken over when Flowbot died is taken over the next time', async () => {
  const { repository, workspaces, pathOf } = stage();
  writeFileSync(join(await open(workspaces, 'r1', 'git'), 'a.txt'), 'r1');
  git(repository, 'branch', '-m', 'flowbot/r1', 'flowbot/r2');
  const path = await open(workspaces, 'r2', 'git', ['r1']);
  expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('r1');
  renameSync(path, pathOf('r3'));
  git(repository, 'branch', '-m', 'flowbot/r2', 'flowbot/r3');
  expect(git(await open(workspaces, 'r3', 'git', ['r2']), 'branch', '--show-current')).toBe('flowbot/r3');
  await workspaces.remove('r3');
  expect(git(repository, 'worktree', 'list').split('\n')).toHaveLength(1);
});
