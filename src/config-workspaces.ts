import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { Repository } from './adapters/workspaces/worktree.ts';
import { withFix } from './engine/data/issue.ts';
import type { Fault } from './engine/fault.ts';
import { readAt } from './engine/flow/issues.ts';

/** What is set about workspaces, and what is wrong. */
export interface ReadWorkspaces {
  /** Absent = there are none with git, or something is wrong. */
  readonly repository?: Repository;
  readonly faults: readonly Fault[];
}

/** Reads `workspaces` of the configuration file. @param cwd relative paths start here */
export function readWorkspaces(data: unknown, cwd: string): ReadWorkspaces {
  if (data === undefined) return { faults: [] };
  const read = readAt(schemaIn(cwd), data, ['workspaces']);
  if (!read.ok) return { faults: read.faults };
  const { repository, base } = read.value;
  return { repository: { path: repository, base }, faults: [] };
}

function schemaIn(cwd: string) {
  return z.strictObject({
    repository: z
      .string()
      .min(1)
      .transform((path) => resolve(cwd, path))
      .refine(isRepository, {
        error: withFix('this is no folder with a git repository.', 'Write the path of one, such as ../app.'),
      }),
    base: z
      .string()
      .max(250)
      .regex(
        /^(?!-)(?!.*\.\.)[\w./@+-]+$/,
        withFix('this is no name of a branch, tag or commit.', 'Write one, such as main.'),
      )
      .default('HEAD'),
  });
}

/** A folder with a work tree, or a bare repository. */
function isRepository(path: string): boolean {
  return (
    existsSync(join(path, '.git')) || (existsSync(join(path, 'HEAD')) && existsSync(join(path, 'objects')))
  );
}
