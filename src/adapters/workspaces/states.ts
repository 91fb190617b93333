import { lstat, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import type { WorkspaceChanges } from '../../ports/workspaces.ts';
import type { Git } from './git.ts';
import { type IgnoreFile, rulesOf } from './ignore-rules.ts';

const DIFF_MAX_CHARS = 200_000;
/** Larger files of rules are none. */
const RULES_MAX_BYTES = 1_000_000;
/** Most repositories in each other that are opened up. */
const NESTED_MAX = 20;

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

/**
 * The state of the files of a worktree, as the id of a tree.
 * @param like the state before, whose rules say which files are ignored; undefined = those of the files as they are
 * @param known names of files that count although they may be ignored
 */
export function snapshot(
  git: Git,
  path: string,
  like: string | undefined,
  known: readonly string[],
): Promise<string> {
  return withIndex(path, async (env) => {
    if (like !== undefined) return record(git, path, env, like);
    const rules = rulesOf(await ignoreFilesOf(git, path, env));
    await writeFile(join(env.GIT_DIR, 'info', 'exclude'), rules);
    const state = await recordBy(git, path, env, 'info/exclude', known);
    await writeFile(rulesFile(env, state), rules);
    return state;
  });
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

/** Makes the files what they were before; false = somebody has changed them since `after`, or something is in the way. */
export function restore(git: Git, path: string, before: string, after: string): Promise<boolean> {
  return withIndex(path, async (env) => {
    if ((await record(git, path, env, before)) !== stateId(after)) return false;
    // Git refuses as a whole what it could not do, as where something ignored stands in the way.
    return (await git(path, ['read-tree', '-m', '-u', after, stateId(before)], env)).ok;
  });
}

interface Env extends Readonly<Record<string, string>> {
  /** The folder of our own. */
  readonly GIT_DIR: string;
}

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

/** The state by the rules of an earlier one, whatever has become of them since. */
async function record(git: Git, path: string, env: Env, like: string): Promise<string> {
  const rules = relative(env.GIT_DIR, rulesFile(env, stateId(like)));
  await openUp(git, path, env, rules);
  return recordBy(git, path, env, rules, await filesOf(git, path, env, like));
}

/** @param rules file with them, in our folder @param known counts although it may be ignored */
async function recordBy(
  git: Git,
  path: string,
  env: Env,
  rules: string,
  known: readonly string[],
): Promise<string> {
  const names = await namesIn(git, path, env, rules);
  const repositories = names.filter((name) => name.endsWith('/'));
  if (repositories.length > 0) {
    throw new Error(
      `${listed(repositories)} has a repository of its own, so that changes in it can't be looked at.`,
    );
  }
  const all = new Set(names);
  for (const name of known) if (await isFileOf(path, name)) all.add(name);
  const list = [...all].map((name) => `${name}\0`).join('');
  await said(git(path, ['update-index', '--add', '-z', '--stdin'], env, list));
  return (await said(git(path, ['write-tree'], env))).trim();
}

/** Where the rules are kept by which a state was made. */
function rulesFile(env: Env, state: string): string {
  return join(env.GIT_DIR, `rules-${state}`);
}

/** Files that the rules do not ignore; folders with a repository of their own end in `/`. */
async function namesIn(git: Git, path: string, env: Env, rules: string): Promise<readonly string[]> {
  const exclude = `--exclude-from=${join(env.GIT_DIR, rules)}`;
  return named(await said(git(path, ['ls-files', '-z', '--others', exclude], env)));
}

/** What works in a workspace could hide its files in a repository of its own: then they are plain files again. */
async function openUp(git: Git, path: string, env: Env, rules: string): Promise<void> {
  for (let depth = 0; depth < NESTED_MAX; depth += 1) {
    const nested = (await namesIn(git, path, env, rules)).filter((name) => name.endsWith('/'));
    if (nested.length === 0) return;
    for (const name of nested) {
      const folder = join(path, name);
      if ((await realpath(folder)) === folder.replace(/\/$/, '')) {
        await rm(join(folder, '.git'), { recursive: true, force: true });
      }
    }
  }
}

async function filesOf(git: Git, path: string, env: Env, state: string): Promise<readonly string[]> {
  return named(await said(git(path, ['ls-tree', '-r', '-z', '--name-only', stateId(state)], env)));
}

/** All of them that are there, also those that ignore themselves. Git follows no links to them, either. */
async function ignoreFilesOf(git: Git, path: string, env: Env): Promise<readonly IgnoreFile[]> {
  const globs = { ...env, GIT_LITERAL_PATHSPECS: '0' };
  const list = ['ls-files', '-z', '--others', '--', ':(glob)**/.gitignore'];
  const files: IgnoreFile[] = [];
  for (const name of named(await said(git(path, list, globs)))) {
    const found = await lstat(join(path, name));
    if (!found.isFile() || found.size > RULES_MAX_BYTES || !(await isFileOf(path, name))) continue;
    const folder = dirname(name) === '.' ? '' : dirname(name);
    files.push({ folder, text: await readFile(join(path, name), 'utf8') });
  }
  return files;
}

function named(list: string): readonly string[] {
  return list.split('\0').filter((name) => name !== '');
}

function listed(names: readonly string[]): string {
  return names
    .slice(0, 3)
    .map((name) => JSON.stringify(name))
    .join(', ');
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
