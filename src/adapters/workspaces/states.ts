import { lstat, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { WorkspaceChanges } from '../../ports/workspaces.ts';
import type { Git } from './git.ts';

const DIFF_MAX_CHARS = 200_000;

/** Where states are kept: no run is called so, and what works in a workspace has no settings of git there. */
const STATES = '.states';

/** Files as they are, byte by byte: no filter, no other end of line, no program that shows differences. */
const ATTRIBUTES = '* -text !eol !filter !ident !working-tree-encoding !diff !merge\n';
const CONFIG =
  '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tsymlinks = true\n\tfilemode = true\n\tautocrlf = false\n';

/** Where the states of the workspace at this path are. */
export function statesOf(path: string): string {
  return join(dirname(path), STATES, basename(path));
}

/** The state of the files of a worktree, as the id of a tree. */
export function snapshot(git: Git, path: string): Promise<string> {
  return withIndex(path, (env) => record(git, path, env));
}

/** What has changed between two of them. */
export async function changes(
  git: Git,
  path: string,
  before: string,
  after: string,
): Promise<WorkspaceChanges> {
  return withIndex(path, async (env) => {
    const diff = ['diff-tree', '-r', '--no-ext-diff', '--no-textconv', '--no-renames', '--no-color'];
    const states = [stateId(before), stateId(after), '--'];
    const counted = await said(git(path, [...diff, '--numstat', '-z', ...states], env));
    const written = await git(path, [...diff, '-p', ...states], env);
    const lines = counted.split('\0').filter((line) => line !== '');
    const sum = (column: number) =>
      lines.reduce((total, line) => total + (Number(line.split('\t')[column]) || 0), 0);
    const files = lines.length;
    const what = `${files} ${files === 1 ? 'file' : 'files'} changed`;
    return {
      files,
      summary: `${what}, ${sum(0)} ${sum(0) === 1 ? 'line' : 'lines'} added, ${sum(1)} removed.`,
      diff: written.ok ? short(written.stdout) : '(The differences are too long to be shown.)\n',
    };
  });
}

/** Makes the files what they were before; false = somebody has changed them since `after`. */
export function restore(git: Git, path: string, before: string, after: string): Promise<boolean> {
  return withIndex(path, async (env) => {
    if ((await record(git, path, env)) !== stateId(after)) return false;
    await said(git(path, ['read-tree', '-m', '-u', after, stateId(before)], env));
    return true;
  });
}

type Env = Readonly<Record<string, string>>;

/**
 * Git works with a folder of ours instead of the worktree's own: the settings, hooks and filters there can be
 * changed by what works in it.
 */
async function withIndex<T>(path: string, work: (env: Env) => Promise<T>): Promise<T> {
  const kept = statesOf(path);
  for (const folder of ['info', 'objects', 'refs'])
    await mkdir(join(kept, folder), { recursive: true, mode: 0o700 });
  await writeFile(join(kept, 'HEAD'), 'ref: refs/heads/none\n');
  await writeFile(join(kept, 'config'), CONFIG);
  await writeFile(join(kept, 'info', 'attributes'), ATTRIBUTES);
  const temporary = await mkdtemp(join(kept, 'index-'));
  try {
    return await work({
      GIT_DIR: kept,
      GIT_WORK_TREE: path,
      GIT_INDEX_FILE: join(temporary, 'index'),
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_LITERAL_PATHSPECS: '1',
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function record(git: Git, path: string, env: Env): Promise<string> {
  await said(git(path, ['add', '--all', '--', '.'], env));
  // Git knows them although its list says that it ignores them.
  const known = await said(git(path, ['ls-files', '-z', '--cached', '--ignored', '--exclude-standard']));
  const names: string[] = [];
  for (const name of known.split('\0')) if (name !== '' && (await isFileOf(path, name))) names.push(name);
  if (names.length > 0) {
    const add = ['add', '--force', '--pathspec-from-file=-', '--pathspec-file-nul'];
    await said(git(path, add, env, names.join('\0')));
  }
  return (await said(git(path, ['write-tree'], env))).trim();
}

/** Whether it is a file there, or a link, and no link leads to it. */
async function isFileOf(path: string, name: string): Promise<boolean> {
  const file = join(path, name);
  const found = await lstat(file).catch(() => undefined);
  if (!found || found.isDirectory()) return false;
  return (await realpath(dirname(file))) === dirname(file);
}

async function said(outcome: ReturnType<Git>): Promise<string> {
  const result = await outcome;
  if (result.ok) return result.stdout;
  throw new Error(result.message);
}

function stateId(text: string): string {
  if (/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text)) return text;
  throw new Error(`${JSON.stringify(text)} names no state of a workspace.`);
}

function short(diff: string): string {
  if (diff.length <= DIFF_MAX_CHARS) return diff;
  const note = '\n(Cut here: the differences are longer.)\n';
  return diff.slice(0, DIFF_MAX_CHARS - note.length) + note;
}
