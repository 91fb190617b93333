import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { builtIns, withBuiltIns } from '../../../src/adapters/programs/built-in/index.ts';
import { createWorkspaces } from '../../../src/adapters/workspaces/index.ts';
import type { ProgramCall } from '../../../src/ports/programs.ts';
import { git, makeRepository } from '../workspaces/repository.ts';
import { call, folder, machine, never } from './machine.ts';

function run(argv: ProgramCall['argv'], more: Partial<ProgramCall> = {}) {
  return withBuiltIns(machine().programs).run(call(argv, more), never);
}

const printed = (stdout: string) => ({ kind: 'ended', exitCode: 0, stdout, stderr: '' });
const complained = (stderr: string) => ({ kind: 'ended', exitCode: 1, stdout: '', stderr });

test('other names are programs', async () => {
  expect([...builtIns.keys()]).toEqual(['echo', 'fail', 'files', 'changes']);
  expect(await run(['printf', '%s', 'a'])).toEqual(printed('a'));
  expect(await run(['toString'])).toMatchObject({ reason: 'missing' });
});

test('echo prints its arguments, or else what it reads', async () => {
  expect(await run(['echo', 'a  b', '-n'])).toEqual(printed('a  b -n'));
  expect(await run(['echo'], { stdin: '{"input":{}}' })).toEqual(printed('{"input":{}}'));
});

test('fail fails, and says why', async () => {
  expect(await run(['fail', 'No', 'luck.'])).toEqual(complained('No luck.'));
});

test('none prints more than is allowed', async () => {
  expect(await run(['echo', 'äöü'], { maxBytes: 5 })).toMatchObject({ reason: 'too-large' });
  expect(await run(['echo', 'äöü'], { maxBytes: 6 })).toMatchObject({ stdout: 'äöü' });
});

describe('files', () => {
  test('lists what is there, and nothing that links lead to', async () => {
    const cwd = folder();
    mkdirSync(join(cwd, 'src', 'deep'), { recursive: true });
    mkdirSync(join(cwd, '.git'));
    writeFileSync(join(cwd, '.git', 'config'), '');
    writeFileSync(join(cwd, 'src', 'deep', 'b.txt'), 'ä');
    writeFileSync(join(cwd, 'src', 'a b.txt'), '');
    writeFileSync(join(cwd, 'z.txt'), 'zz');
    symlinkSync('/', join(cwd, 'all'));
    symlinkSync('/etc/passwd', join(cwd, 'src', 'people'));
    symlinkSync('..', join(cwd, 'src', 'up'));
    const outcome = await run(['files'], { cwd });
    if (outcome.kind !== 'ended') throw new Error(outcome.message);
    expect(JSON.parse(outcome.stdout)).toEqual({
      files: [
        { path: 'src/a b.txt', sizeBytes: 0 },
        { path: 'src/deep/b.txt', sizeBytes: 2 },
        { path: 'z.txt', sizeBytes: 2 },
      ],
    });
  });

  test('looks at 10,000 files and folders at most', async () => {
    const cwd = folder();
    for (let index = 0; index < 10_000; index += 1) mkdirSync(join(cwd, `${index}`));
    expect(await run(['files'], { cwd })).toEqual(printed('{"files":[]}'));
    writeFileSync(join(cwd, 'one.txt'), '');
    expect(await run(['files'], { cwd })).toEqual(complained('There are more than 10000 files and folders.'));
  });

  test('takes no arguments, and needs a folder', async () => {
    expect(await run(['files', '/etc'])).toEqual(complained('files takes no arguments.'));
    expect(await run(['files'], { cwd: join(folder(), 'gone') })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('no such file or directory'),
    });
  });
});

describe('changes', () => {
  test('shows all that the run has changed: commits, edits and new files', async () => {
    const repository = makeRepository(folder());
    const workspaces = createWorkspaces({
      folder: folder(),
      repository: { path: repository, base: 'main' },
      programs: machine().programs,
    });
    const opened = await workspaces.open('r1', 'git', [], never);
    if (opened.kind === 'failed') throw new Error(opened.message);
    const cwd = opened.path;
    expect(await run(['changes'], { cwd })).toEqual(printed(''));
    writeFileSync(join(cwd, 'notes.md'), 'one\ntwo\n');
    git(cwd, 'commit', '--quiet', '--all', '-m', 'Work');
    writeFileSync(join(cwd, 'new.txt'), 'new\n');
    const before = git(cwd, 'status', '--porcelain');
    const outcome = await run(['changes'], { cwd });
    if (outcome.kind !== 'ended') throw new Error(outcome.message);
    expect(outcome.stdout.split('\n').filter((line) => /^[+-]/.test(line))).toEqual([
      '--- /dev/null',
      '+++ b/new.txt',
      '+new',
      '--- a/notes.md',
      '+++ b/notes.md',
      '+two',
    ]);
    expect(git(cwd, 'status', '--porcelain')).toBe(before);
  });

  test('needs a workspace with git, not just a folder that lies in a repository', async () => {
    const repository = makeRepository(folder());
    const cwd = join(repository, 'data');
    mkdirSync(cwd);
    expect(await run(['changes'], { cwd })).toEqual(complained('changes needs a flow with workspace: git.'));
    expect(await run(['changes', '--stat'], { cwd })).toEqual(complained('changes takes no arguments.'));
  });
});
