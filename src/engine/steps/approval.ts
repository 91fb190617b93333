import { resolveProse } from '../data/resolve.ts';
import { templateReferences } from '../data/template.ts';
import type { JsonObject } from '../json.ts';
import { EXPIRED, exitsOf, needsEdge } from './approval-exits.ts';
import { approvalFaults, filledInAtExpiry } from './approval-faults.ts';
import { formOf } from './approval-form.ts';
import { type ApprovalConfig, approvalSchema, namedIn } from './approval-schema.ts';
import type { Ask, StepType } from './step-type.ts';

/**
 * Asks people, and goes on by the exit they choose: `approved`, `rejected`, or that of an action of its own; by `expired`,
 * or another, when nobody has decided in time. Who may answer: the people and roles named under `approvers`, else
 * everybody in the conversation.
 */
export const approval: StepType<ApprovalConfig> = {
  type: 'approval',
  schema: approvalSchema,
  exits: exitsOf,
  // Everybody knows what it means that something was approved, rejected or not decided.
  wired: (config) => exitsOf(config).filter((exit) => exit !== 'approved' && !needsEdge(exit)),
  plainEdges: false,
  destinations: ({ to }) => (to === undefined ? [] : [{ address: to, at: ['to'] }]),
  needsHome: ({ to }) => to === undefined,
  schemaKeys: ['form'],
  writes: (config) => config.writes,
  check: ({ config, schemas }) => approvalFaults(config, schemas),
  references: ({ notes, show }) => [
    ...(notes ? templateReferences(notes, ['notes']) : []),
    ...show.map((id, index) => ({ lookup: [id], at: ['show', index], source: id, optional: true })),
  ],
  begin: ({ config, scope, writes, stepOutput }) => {
    const { title, actions, approvers, escalateTo, attachFiles, to } = config;
    const form = formOf(config, writes);
    const expiry = expiryOf(config, form);
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
        notes: notes.value,
        show,
        actions,
        allowRequester: config.allowRequester ?? approvers === undefined,
        ...(config.allowGuests && { allowGuests: true }),
        quorum: config.quorum === 'all' ? 'each' : config.quorum,
        ...(approvers && { approvers: namedIn(approvers) }),
        ...(form && { form }),
        ...(attachFiles && { attach: attachFiles }),
        ...(config.remindAfter !== undefined && { remindAfterMs: config.remindAfter }),
        ...(escalateTo && {
          escalation: {
            to: namedIn(escalateTo),
            ...(config.escalateAfter !== undefined && { afterMs: config.escalateAfter }),
          },
        }),
        ...(expiry && { expiry }),
        ...(to !== undefined && { to }),
      },
    };
  },
};

function expiryOf(config: ApprovalConfig, form: JsonObject | undefined): Ask['expiry'] {
  const { expiresAfter, onExpire = { exit: EXPIRED, values: {} } } = config;
  if (expiresAfter === undefined) return undefined;
  const filled = filledInAtExpiry(config, form);
  return { afterMs: expiresAfter, exit: onExpire.exit, values: filled?.ok ? filled.input : onExpire.values };
}
