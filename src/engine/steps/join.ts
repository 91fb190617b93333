import { z } from 'zod';
import { OUTPUT_MAX_CHARS, roomFor, takeRoom } from '../data/room.ts';
import type { Branch, StepType } from './step-type.ts';

/** A join step as it is carried out. */
export interface JoinConfig {
  readonly onFailure: 'stop' | 'continue';
}

/**
 * Waits for every incoming branch. Its text is the text of each branch that completed, under a heading with the name
 * of the branch's last step. With `stop` any failed branch fails it; with `continue` it goes on while one branch is
 * left. More than `OUTPUT_MAX_CHARS` fails it with `output-too-large`.
 */
export const join: StepType<JoinConfig> = {
  type: 'join',
  schema: z.strictObject({
    onFailure: z
      .enum(['stop', 'continue'])
      .default('stop')
      .describe(
        'When a branch fails: `stop` fails the run, `continue` goes on with the branches that succeeded.',
      ),
  }),
  exits: () => ['done'],
  plainEdges: true,
  references: () => [],
  begin: ({ config, branches }) => {
    const completed = branches.filter((branch) => branch.fate === 'live');
    const failed = branches.filter((branch) => branch.fate === 'tainted');
    if (failed.length > 0 && (config.onFailure === 'stop' || completed.length === 0)) {
      return { kind: 'failed', failure: { code: 'branches-failed', message: blame(failed), retry: 'never' } };
    }
    const room = roomFor(OUTPUT_MAX_CHARS);
    const sections: string[] = [];
    for (const branch of completed) {
      const text = (sections.length === 0 ? '' : '\n\n') + section(branch);
      const failure = takeRoom(room, text.length);
      if (failure) return { kind: 'failed', failure };
      sections.push(text);
    }
    return { kind: 'done', exit: 'done', output: { text: sections.join(''), json: {} } };
  },
};

function section({ name, output }: Branch): string {
  return `## ${oneLine(name)}\n\n${output?.text ?? ''}`.trimEnd();
}

function blame(failed: readonly Branch[]): string {
  const names = [...new Set(failed.map((branch) => `"${oneLine(branch.name)}"`))];
  return names.length === 1
    ? `The branch ${names.join('')} did not complete.`
    : `None of the branches ${names.join(', ')} completed.`;
}

function oneLine(name: string): string {
  return name.replaceAll(/\s+/g, ' ').trim();
}
