import { z } from 'zod';
import { type AttachmentLimits, defaultAttachmentLimits } from '../attachments.ts';
import { durationSchema } from '../data/duration.ts';
import { withFix } from '../data/issue.ts';
import { type Template, templateSchema } from '../data/template.ts';
import { addressSchema, personSchema, roleSchema } from '../flow/address.ts';
import { stepIdSchema } from '../flow/ids.ts';
import type { JsonObject } from '../json.ts';
import type { Named } from '../named.ts';
import type { QuestionAction } from '../run/state.ts';
import { writesSchema } from './shared-keys.ts';

/** Most answers a question can offer. */
const actionsMax = 10;
/** Most bytes of an attached file that a flow may allow. */
const attachmentMaxBytes = 25 * 1024 * 1024;

/** People and roles as a flow lists them. */
type PeopleConfig = { readonly users: readonly string[]; readonly roles: readonly string[] };

/** An approval step as it is carried out. */
export interface ApprovalConfig {
  readonly title: string;
  readonly notes?: Template | undefined;
  readonly show: readonly string[];
  readonly actions: readonly QuestionAction[];
  readonly form?: JsonObject | undefined;
  readonly writes?: string | undefined;
  readonly attachFiles: false | AttachmentLimits;
  readonly approvers?: PeopleConfig | undefined;
  readonly quorum: number | 'all' | 'each';
  readonly allowRequester?: boolean | undefined;
  readonly allowGuests: boolean;
  readonly remindAfter?: number | null | undefined;
  readonly escalateTo?: PeopleConfig | undefined;
  readonly escalateAfter?: number | undefined;
  readonly expiresAfter?: number | undefined;
  readonly onExpire?: { readonly exit: string; readonly values: JsonObject } | undefined;
  readonly to?: string | undefined;
}

/** Words that people see: a card with a blank button would be refused by its platform. */
function wordsSchema(maxChars: number) {
  return z
    .string()
    .trim()
    .max(maxChars)
    .refine((words) => !/^[\s\p{Cf}]*$/u.test(words), {
      error: withFix('Nobody can see these characters.', 'Write words that people can read.'),
    });
}

const titleSchema = wordsSchema(200).refine((title) => !title.includes('{{'), {
  error: withFix(
    'Placeholders are not read in a title.',
    'Write the text itself; notes: can hold placeholders.',
  ),
});

function peopleSchema(nobody: string) {
  return z
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
    .refine(({ users, roles }) => users.length + roles.length > 0, { error: nobody });
}

/** What people read where a flow says nothing else, for the two answers that every approval knows. */
const knownActions: Readonly<Record<string, Omit<QuestionAction, 'id'>>> = {
  approve: { label: 'Approve', outcome: '✅ Approved', style: 'primary', comment: 'none' },
  reject: { label: 'Reject', outcome: '❌ Rejected', style: 'danger', comment: 'optional', bare: true },
};

const actionSchema = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z][A-Za-z0-9_]{0,29}$/, {
        error: withFix(
          'This can’t be the id of an action.',
          'Begin with a small letter, then letters, digits and _, at most 30.',
        ),
      })
      .refine((id) => !['failed', 'expired', 'approved', 'rejected', 'done'].includes(id), {
        error: withFix('This is the name of an exit.', 'Write approve, reject, or a word of your own.'),
      })
      .describe(
        'What it is called; `approve` leaves by `approved`, `reject` by `rejected`, any other by its id.',
      ),
    label: wordsSchema(75).optional().describe('What the button says.'),
    style: z.enum(['primary', 'danger', 'plain']).optional().describe('How the button looks.'),
    comment: z
      .enum(['none', 'optional', 'required'])
      .optional()
      .describe('Whether the answer carries a comment.'),
    form: z
      .boolean()
      .optional()
      .describe('Whether the form and the files go with this answer. Left out: with all but reject.'),
  })
  .transform(({ id, label, style, comment, form }): QuestionAction => {
    const known = Object.hasOwn(knownActions, id) ? knownActions[id] : undefined;
    const name = label ?? known?.label ?? id.charAt(0).toUpperCase() + id.slice(1);
    return {
      id,
      label: name,
      outcome: known && label === undefined ? known.outcome : `${id === 'reject' ? '❌' : '✅'} ${name}`,
      style: style ?? known?.style ?? 'plain',
      comment: comment ?? known?.comment ?? 'none',
      ...(!(form ?? known?.bare !== true) && { bare: true }),
    };
  });

const attachSchema = z
  .union([
    z.boolean(),
    z.strictObject({
      maxFiles: z.int().min(1).max(10).default(defaultAttachmentLimits.maxFiles).describe('Most files.'),
      maxBytes: z
        .int()
        .min(1)
        .max(attachmentMaxBytes)
        .default(defaultAttachmentLimits.maxBytes)
        .describe('Most bytes of each file.'),
      types: z
        .array(
          z
            .string()
            .regex(
              /^(?:\.[\w.-]{1,20}|[a-z]+\/(?:\*|[\w.+-]{1,80}))$/,
              'write for example image/*, application/pdf or .csv',
            ),
        )
        .max(20)
        .default([])
        .describe('Media types or endings, such as `image/*` or `.csv`; none = any file.'),
    }),
  ])
  .default(false)
  .transform((written) => (written === true ? { ...defaultAttachmentLimits } : written))
  .describe('Whether files can be attached to an answer: true, or their limits.');

const onExpireSchema = z
  .union([
    z.string().transform((exit) => ({ exit, values: {} })),
    z.strictObject({
      exit: z.string().describe('The exit to leave by.'),
      values: z.record(z.string(), z.json()).default({}).describe('What counts as filled in then.'),
    }),
  ])
  .describe('By which exit it leaves when nobody has decided in time; left out: `expired`.');

/** The keys of an approval step. */
export const approvalSchema: z.ZodType<ApprovalConfig> = z.strictObject({
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
  actions: z
    .array(actionSchema)
    .min(1)
    .max(actionsMax)
    .refine((actions) => new Set(actions.map(({ id }) => id.toLowerCase())).size === actions.length, {
      error: withFix(
        'An action is listed twice; small and capital letters are the same in commands.',
        'List each action once.',
      ),
    })
    .refine((actions) => actions.length === 0 || actions.some(({ id }) => id !== 'reject'), {
      error: withFix('Nobody could agree to anything.', 'Add an action that is not reject.'),
    })
    .default(() => ['approve', 'reject'].map((id) => actionSchema.parse({ id })))
    .describe('The answers people can give, in the order of their buttons. Left out: approve and reject.'),
  form: z
    .record(z.string(), z.json())
    .optional()
    .describe(
      'JSON Schema of what people fill in with an answer, an object on top. `$ref` can name one in `schemas/`.',
    ),
  writes: writesSchema.describe(
    'The schema that what people fill in must match. Without `form` it is the form.',
  ),
  attachFiles: attachSchema,
  approvers: peopleSchema(
    withFix(
      'Nobody is named, so nobody could ever answer.',
      'Name a person or a role, or remove approvers:.',
    ),
  )
    .optional()
    .describe('Who may answer. Left out: everybody in the conversation.'),
  quorum: z
    .union([z.int().min(1).max(50), z.enum(['all', 'each'])])
    .default(1)
    .describe(
      'How many people have to answer alike: a number, `all` of those named, or `each`: every person named and somebody of every role. One rejection is enough to reject.',
    ),
  allowRequester: z
    .boolean()
    .optional()
    .describe('Whether the one who started the run may answer. Left out: only when no approvers are named.'),
  allowGuests: z
    .boolean()
    .default(false)
    .describe('Whether guests and people of other organisations may answer whom nobody named in person.'),
  remindAfter: durationSchema
    .nullable()
    .optional()
    .describe('How long until people are reminded, and again, five times at most: 12h; null = never.'),
  escalateTo: peopleSchema(
    withFix(
      'Nobody is named, so there is nobody to go to.',
      'Name a person or a role, or remove escalateTo:.',
    ),
  )
    .optional()
    .describe('Who may answer, too, after escalateAfter, or once too few of the approvers are left.'),
  escalateAfter: durationSchema.optional().describe('How long until it goes to those under escalateTo.'),
  expiresAfter: durationSchema.optional().describe('How long people have to decide.'),
  onExpire: onExpireSchema.optional(),
  to: addressSchema
    .optional()
    .describe('The conversation it is asked in, such as `slack:#approvals`. Left out: where the run lives.'),
});

/** People and roles as one list, each once. */
export function namedIn({ users, roles }: PeopleConfig): Named {
  return [...new Set([...users, ...roles])];
}
