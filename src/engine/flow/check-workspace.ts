import type { Fault } from '../fault.ts';
import type { Plan } from './plan.ts';

/** Faults of a flow whose runs work in a repository, where there is none. */
export function workspaceFaults(
  { workspace }: Pick<Plan, 'workspace'>,
  hasRepository: boolean,
): readonly Fault[] {
  if (workspace !== 'git' || hasRepository) return [];
  return [
    {
      severity: 'error',
      rule: 'workspace',
      path: ['workspace'],
      message: 'The runs of this flow work in a git repository, and none is configured.',
      fix: 'Write workspaces: { repository: path } in flowbot.yaml, or workspace: folder here.',
    },
  ];
}
