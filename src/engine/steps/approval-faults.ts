import { type CheckedInput, checkInput, compileInput } from '../data/input.ts';
import type { Fault } from '../fault.ts';
import { isRole } from '../flow/address.ts';
import { suggest } from '../flow/nearest.ts';
import type { JsonObject } from '../json.ts';
import { exitOfAction, exitsOf } from './approval-exits.ts';
import { formFaults, formOf } from './approval-form.ts';
import { type ApprovalConfig, namedIn } from './approval-schema.ts';

/** What the schema of an approval can't see; paths are from the top of the step. @param schemas by name */
export function approvalFaults(
  config: ApprovalConfig,
  schemas: ReadonlyMap<string, JsonObject>,
): readonly Fault[] {
  const writes = schemas.get(config.writes ?? '');
  return [
    ...labelFaults(config),
    ...formFaults(config, writes),
    ...quorumFaults(config),
    ...escalationFaults(config),
    ...expiryFaults(config, formOf(config, writes)),
  ];
}

/** People know answers by what their buttons say, in small or capital letters. */
function labelFaults({ actions }: ApprovalConfig): readonly Fault[] {
  const labels = new Set(actions.map(({ label }) => label.toLowerCase()));
  if (labels.size === actions.length) return [];
  return [fault(['actions'], 'Two answers have the same label.', 'Say on each button what it stands for.')];
}

function quorumFaults({ quorum, approvers }: ApprovalConfig): readonly Fault[] {
  const at = ['quorum'];
  const named = approvers && namedIn(approvers);
  if (typeof quorum === 'number') {
    const isShort = named && !named.some(isRole) && named.length < quorum;
    if (!isShort) return [];
    const message = `${quorum} answers are needed, and ${named.length} may answer.`;
    return [fault(at, message, 'Name more people, or ask for fewer answers.')];
  }
  if (!named) {
    const message = `“${quorum}” needs people to count.`;
    return [fault(at, message, 'Name them under approvers:, or write a number.')];
  }
  if (quorum === 'each' || !named.some(isRole)) return [];
  const message = 'Nobody can say who all the people of a role are.';
  return [fault(at, message, 'Write each: every person named, and somebody of every role.')];
}

function escalationFaults(config: ApprovalConfig): readonly Fault[] {
  const { approvers, escalateTo, escalateAfter, expiresAfter } = config;
  if (escalateAfter === undefined) {
    if (!escalateTo || approvers) return [];
    const message = 'It never comes to that: everybody in the conversation is asked.';
    return [fault(['escalateTo'], message, 'Write escalateAfter: as well, or name approvers:.')];
  }
  const at = ['escalateAfter'];
  if (!escalateTo) {
    return [fault(at, 'It does not say who may answer then.', 'Name them under escalateTo:.')];
  }
  if (expiresAfter === undefined || escalateAfter < expiresAfter) return [];
  return [fault(at, 'The question has expired by then.', 'Write less than expiresAfter:.')];
}

function expiryFaults(config: ApprovalConfig, form: JsonObject | undefined): readonly Fault[] {
  const { expiresAfter, onExpire } = config;
  if (!onExpire) return [];
  const at = ['onExpire'];
  if (expiresAfter === undefined) {
    return [fault(at, 'The question never expires.', 'Write expiresAfter: as well, or remove it.')];
  }
  const exits = exitsOf({ ...config, onExpire: undefined });
  if (!exits.includes(onExpire.exit)) {
    const message = `This approval has no exit ${JSON.stringify(onExpire.exit)}.`;
    return [fault(at, message, suggest(onExpire.exit, exits))];
  }
  const filled = filledInAtExpiry(config, form);
  if (!filled || filled.ok) return [];
  const what = filled.problems.map(({ message }) => message).join('; ');
  const message = `What counts as filled in does not fit the form: ${what}.`;
  return [fault([...at, 'values'], message, 'Give every value that the form needs.')];
}

/**
 * What counts as filled in when nobody has decided in time, as the form wants it; undefined = nothing does.
 * @param form as `formOf` makes it
 */
export function filledInAtExpiry(
  { actions, onExpire }: ApprovalConfig,
  form: JsonObject | undefined,
): CheckedInput | undefined {
  const action = actions.find(({ id }) => exitOfAction(id) === onExpire?.exit);
  if (!form || !onExpire || !action || action.bare || !compileInput(form).ok) return undefined;
  return checkInput(form, onExpire.values);
}

function fault(path: readonly (string | number)[], message: string, fix: string): Fault {
  return { severity: 'error', rule: 'approval', path, message, fix };
}
