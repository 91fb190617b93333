import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createWorkspaces } from '../../../src/adapters/workspaces/index.ts';
import { folder, machine, never } from '../programs/machine.ts';
import { git, makeRepository } from './repository.ts';

async function stage() {
  const root = folder();
  const repository = makeRepository(folder());
  writeFileSync(join(repository, '.gitignore'), 'ignored\n');
  writeFileSync(join(repository, 'gone.txt'), 'a\r\nb\r\n');
  symlinkSync('notes.md', join(repository, 'link'));
  git(repository, 'add', '.');
  git(repository, 'commit', '--quiet', '-m', 'More');
  const workspaces = createWorkspaces({
    folder: join(root, 'workspaces'),
    repository: { path: repository, base: 'main' },
    programs: machine().programs,
  });
  const opened = await workspaces.open('r1', 'git', [], never);
  if (opened.kind === 'failed') throw new Error(opened.message);
  return { root, repository, workspaces, path: opened.path };
}

test('edits, additions, removals, modes and links are counted, shown and taken back', async () => {
  const { workspaces, path } = await stage();
  const before = await workspaces.snapshot(path, undefined, never);
  writeFileSync(join(path, 'notes.md'), 'two\nthree\n');
  chmodSync(join(path, 'notes.md'), 0o755);
  writeFileSync(join(path, '-new "x"\n.txt'), 'new\n');
  writeFileSync(join(path, 'ignored'), 'mine\n');
  writeFileSync(join(path, 'picture'), Buffer.from([0, 1, 2]));
  rmSync(join(path, 'gone.txt'));
  rmSync(join(path, 'link'));
  symlinkSync('/etc', join(path, 'link'));
  const after = await workspaces.snapshot(path, before, never);
  const changed = await workspaces.changes(path, before, after, never);
  expect(changed.files).toBe(5);
  expect(changed.summary).toBe('5 files changed, 4 lines added, 4 removed.');
  expect(changed.diff).toContain('+three');
  expect(changed.diff).toContain('picture differ');
  expect(await workspaces.restore(path, before, after, never)).toBe(true);
  expect(readFileSync(join(path, 'notes.md'), 'utf8')).toBe('one\n');
  expect(lstatSync(join(path, 'notes.md')).mode & 0o111).toBe(0);
  expect(readFileSync(join(path, 'gone.txt'), 'utf8')).toBe('a\r\nb\r\n');
  expect(readlinkSync(join(path, 'link'))).toBe('notes.md');
  expect(existsSync(join(path, 'picture'))).toBe(false);
  expect(existsSync(join(path, 'ignored'))).toBe(true);
  expect(await workspaces.snapshot(path, before, never)).toBe(before);
});

test('nothing is taken back once somebody else has changed something', async () => {
  const { workspaces, path } = await stage();
  const before = await workspaces.snapshot(path, undefined, never);
  writeFileSync(join(path, 'notes.md'), 'two\n');
  const after = await workspaces.snapshot(path, before, never);
  writeFileSync(join(path, 'notes.md'), 'three\n');
  expect(await workspaces.restore(path, before, after, never)).toBe(false);
  expect(readFileSync(join(path, 'notes.md'), 'utf8')).toBe('three\n');
});

test('what a repository has set up to be run is not run', async () => {
  const { root, repository, workspaces, path } = await stage();
  const trace = join(root, 'trace');
  const run = `sh -c 'echo ran >> ${trace}; cat'`;
  for (const key of [
    'filter.x.clean',
    'filter.x.smudge',
    'diff.x.textconv',
    'diff.x.command',
    'core.fsmonitor',
  ])
    git(repository, 'config', key, run);
  for (const hook of ['post-index-change', 'post-checkout']) {
    const file = join(repository, '.git', 'hooks', hook);
    writeFileSync(file, `#!/bin/sh\necho ran >> ${trace}\n`);
    chmodSync(file, 0o755);
  }
  const before = await workspaces.snapshot(path, undefined, never);
  writeFileSync(join(path, '.gitattributes'), '* filter=x diff=x\n');
  writeFileSync(join(path, 'notes.md'), 'two\n');
  const after = await workspaces.snapshot(path, before, never);
  await workspaces.changes(path, before, after, never);
  expect(await workspaces.restore(path, before, after, never)).toBe(true);
  expect(existsSync(trace)).toBe(false);
});

test('a link in place of a folder leads nowhere, and a repository inside is not run', async () => {
  const { root, workspaces, path } = await stage();
  const trace = join(root, 'trace');
  const outside = folder();
  writeFileSync(join(outside, 'a.txt'), 'theirs\n');
  mkdirSync(join(path, 'sub'));
  writeFileSync(join(path, 'sub', 'a.txt'), 'ours\n');
  const before = await workspaces.snapshot(path, undefined, never);
  rmSync(join(path, 'sub'), { recursive: true });
  symlinkSync(outside, join(path, 'sub'));
  mkdirSync(join(path, 'inner'));
  makeRepository(join(path, 'inner'));
  git(join(path, 'inner'), 'config', 'core.fsmonitor', `echo ran >> ${trace}; false`);
  const after = await workspaces.snapshot(path, before, never);
  expect((await workspaces.changes(path, before, after, never)).files).toBe(3);
  expect(await workspaces.restore(path, before, after, never)).toBe(true);
  expect(readFileSync(join(outside, 'a.txt'), 'utf8')).toBe('theirs\n');
  expect(readFileSync(join(path, 'sub', 'a.txt'), 'utf8')).toBe('ours\n');
  expect(existsSync(trace)).toBe(false);
});

test.each([
  ['a rule that hides everything', '.gitignore', '*\n'],
  ['a rule of an inner folder', 'docs/.gitignore', '*\n!.gitignore\n'],
])('%s hides nothing that was not ignored before', async (_, file, rules) => {
  const { workspaces, path } = await stage();
  const before = await workspaces.snapshot(path, undefined, never);
  mkdirSync(join(path, 'docs'));
  writeFileSync(join(path, file), rules);
  writeFileSync(join(path, 'docs/evil.sh'), 'rm -rf /\n');
  writeFileSync(join(path, 'ignored'), 'mine\n');
  const after = await workspaces.snapshot(path, before, never);
  const { diff, files } = await workspaces.changes(path, before, after, never);
  expect(diff).toContain('docs/evil.sh');
  expect(files).toBe(2);
  expect(await workspaces.restore(path, before, after, never)).toBe(true);
  expect(existsSync(join(path, 'docs/evil.sh'))).toBe(false);
  expect(existsSync(join(path, 'ignored'))).toBe(true);
});

test('files in a repository that was made meanwhile are files like the others', async () => {
  const { workspaces, path } = await stage();
  const before = await workspaces.snapshot(path, undefined, never);
  mkdirSync(join(path, 'a/b'), { recursive: true });
  for (const inner of ['a', 'a/b']) {
    git(join(path, inner), 'init', '--quiet');
    writeFileSync(join(path, inner, 'evil.sh'), 'rm -rf /\n');
  }
  const after = await workspaces.snapshot(path, before, never);
  const { diff } = await workspaces.changes(path, before, after, never);
  expect(diff).toContain('a/evil.sh');
  expect(diff).toContain('a/b/evil.sh');
  expect(await workspaces.restore(path, before, after, never)).toBe(true);
  expect(existsSync(join(path, 'a'))).toBe(false);
});

test('a repository that was there before can not be looked into', async () => {
  const { workspaces, path } = await stage();
  mkdirSync(join(path, 'inner'));
  git(join(path, 'inner'), 'init', '--quiet');
  await expect(workspaces.snapshot(path, undefined, never)).rejects.toThrow(
    '"inner/" has a repository of its own, so that changes in it can\'t be looked at.',
  );
});

test('what ignores itself stays out of it, and stays as it is', async () => {
  const { workspaces, path } = await stage();
  mkdirSync(join(path, '.venv'));
  writeFileSync(join(path, '.venv/.gitignore'), '*\n');
  writeFileSync(join(path, '.venv/lib.py'), 'x\n');
  symlinkSync('/dev/null', join(path, '.venv/link'));
  const before = await workspaces.snapshot(path, undefined, never);
  rmSync(join(path, '.venv/.gitignore'));
  writeFileSync(join(path, 'new.txt'), 'new\n');
  const after = await workspaces.snapshot(path, before, never);
  expect((await workspaces.changes(path, before, after, never)).files).toBe(1);
  expect(await workspaces.restore(path, before, after, never)).toBe(true);
  expect(readFileSync(join(path, '.venv/lib.py'), 'utf8')).toBe('x\n');
});

test('what the work has put in the way of a file gives way', async () => {
  const { workspaces, path } = await stage();
  const before = await workspaces.snapshot(path, undefined, never);
  rmSync(join(path, 'gone.txt'));
  const after = await workspaces.snapshot(path, before, never);
  mkdirSync(join(path, 'gone.txt'));
  writeFileSync(join(path, 'gone.txt/ignored'), 'mine\n');
  expect(await workspaces.restore(path, before, after, never)).toBe(true);
  expect(readFileSync(join(path, 'gone.txt'), 'utf8')).toBe('a\r\nb\r\n');
});
