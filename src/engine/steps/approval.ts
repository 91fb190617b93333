import { z } from 'zod';
import { withFix } from '../data/issue.ts';
import { resolveProse } from '../data/resolve.ts';
import { type Template, templateReferences, templateSchema } from '../data/template.ts';
import { personSchema, roleSchema } from '../flow/address.ts';
import { stepIdSchema } from '../flow/ids.ts';
import { cutProse } from '../prose.ts';
import type { StepType } from './step-type.ts';

/** Most characters (UTF-16 units) of the notes as people see them; longer ones are cut with a note. */
const notesMaxChars = 8_000;

/** An approval step as it is carried out. */
export interface ApprovalConfig {
  readonly title: string;
  readonly notes?: Template | undefined;
  readonly show: readonly string[];
  readonly approvers?: { readonly users: readonly string[]; readonly roles: readonly string[] } | undefined;
  readonly allowRequester?: boolean | undefined;
}

const titleSchema = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((title) => !title.includes('{{'), {
    error: withFix(
      'Placeholders are not read in a title.',
      'Write the text itself; notes: can hold placeholders.',
    ),
  });

/**
 * Asks people, and goes on by the exit they choose: `approved` or `rejected`. Waits as long as it takes. Who may
 * answer: the people and roles named under `approvers`, else everybody in the conversation.
 */
export const approval: StepType<ApprovalConfig> = {
  type: 'approval',
  schema: z.strictObject({
    title: titleSchema.default('Review before continuing').describe('What people are asked to approve.'),
    notes: templateSchema(4_000)
      .optional()
      .describe('Notes for those who decide, in Markdown, with placeholders.'),
    show: z
      .array(stepIdSchema)
      .max(16)
      .refine((ids) => new Set(ids).size === ids.length, {
        error: withFix('A step is listed twice.', 'List each step once.'),
      })
      .default([])
      .describe('Earlier steps whose output is shown with the question.'),
    approvers: z
      .strictObject({
        users: z
          .array(personSchema)
          .max(50)
          .default([])
          .describe('People who may answer, such as `slack:U0ANA` or `discord:400000000000000002`.'),
        roles: z
          .array(roleSchema)
          .max(20)
          .default([])
          .describe('User groups or server roles whose people may answer, such as `maintainers`.'),
      })
      .refine(({ users, roles }) => users.length + roles.length > 0, {
        error: withFix(
          'Nobody is named, so nobody could ever answer.',
          'Name a person or a role, or remove approvers:.',
        ),
      })
      .optional()
      .describe('Who may answer. Left out: everybody in the conversation.'),
    allowRequester: z
      .boolean()
      .optional()
      .describe(
        'Whether the one who started the run may answer. Left out: only when no approvers are named.',
      ),
  }),
  exits: () => ['approved', 'rejected'],
  plainEdges: false,
  needsHome: () => true,
  later: [
    'actions',
    'form',
    'attachFiles',
    'quorum',
    'remindAfter',
    'escalateTo',
    'escalateAfter',
    'expiresAfter',
    'onExpire',
    'to',
  ],
  references: ({ notes, show }) => [
    ...(notes ? templateReferences(notes, ['notes']) : []),
    ...show.map((id, index) => ({ lookup: [id], at: ['show', index], source: id, optional: true })),
  ],
  begin: ({ config, scope, stepOutput }) => {
    const { title, approvers } = config;
    const notes = config.notes ? resolveProse(config.notes, scope) : ({ ok: true, value: [] } as const);
    if (!notes.ok) return { kind: 'failed', failure: notes.failure };
    const show = config.show.map((id) => {
      const { name, output } = stepOutput(id);
      return { name, text: output?.text ?? null };
    });
    return {
      kind: 'ask',
      ask: {
        title,
        notes: cutProse(notes.value, notesMaxChars),
        show,
        allowRequester: config.allowRequester ?? approvers === undefined,
        ...(approvers && { approvers: [...approvers.users, ...approvers.roles] }),
      },
    };
  },
};
