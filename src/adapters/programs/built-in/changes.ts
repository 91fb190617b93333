import { createGit } from '../../workspaces/git.ts';
import { START } from '../../workspaces/worktree.ts';
import { type BuiltIn, complained, printed } from './built-in.ts';

/**
 * Prints what the run has changed in its workspace since it began, commits and new files included, as a patch. Git's
 * own index stays as it is.
 */
export const changes: BuiltIn = async ({ argv: [, ...args], cwd, env }, programs, signal) => {
  if (args.length > 0) return complained('changes takes no arguments.');
  const git = createGit(programs, signal);
  const begun = await git(cwd, ['rev-parse', '--verify', '--quiet', START], env);
  if (!begun.ok) return complained('changes needs a flow with workspace: git.');
  const index = await git(cwd, ['rev-parse', '--path-format=absolute', '--git-path', 'flowbot-index'], env);
  if (!index.ok) return complained(index.message);
  const apart = { ...env, GIT_INDEX_FILE: index.stdout.trim() };
  for (const step of [
    ['read-tree', START],
    ['add', '--all'],
  ]) {
    const done = await git(cwd, step, apart);
    if (!done.ok) return complained(done.message);
  }
  const patch = await git(
    cwd,
    ['diff', '--cached', '--no-color', '--no-ext-diff', '--no-textconv', START],
    apart,
  );
  return patch.ok ? printed(patch.stdout) : complained(patch.message);
};
