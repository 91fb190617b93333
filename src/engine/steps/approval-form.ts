import { compileInput } from '../data/input.ts';
import { propertiesOf, requiredOf } from '../data/input-fields.ts';
import type { Fault } from '../fault.ts';
import type { JsonObject } from '../json.ts';
import type { ApprovalConfig } from './approval-schema.ts';

/**
 * JSON Schema of what people fill in with an answer: the form, or else what its values must match; with both they must match
 * both.
 */
export function formOf(
  { form }: Pick<ApprovalConfig, 'form'>,
  writes: JsonObject | undefined,
): JsonObject | undefined {
  if (!form || !writes) return form ?? writes;
  return { ...form, allOf: [...(Array.isArray(form.allOf) ? form.allOf : []), writes] };
}

/** What is wrong with the form of an approval; paths are from the top of the step. @param named the schema under `writes` */
export function formFaults(config: ApprovalConfig, named: JsonObject | undefined): readonly Fault[] {
  const { form, writes, actions } = config;
  const compiled = form ? compileInput(form) : undefined;
  if (compiled?.ok === false) {
    return compiled.faults.map((fault) => ({ ...fault, path: ['form', ...fault.path] }));
  }
  const problem = named && (form ? problemBeside(form, named) : problemAsForm(named));
  if (problem !== undefined) {
    const fix = `${form ? 'Change the form' : 'Write form: with fields'}, or name another schema.`;
    return [fault('writes', `The schema ${writes} ${problem}`, fix)];
  }
  if ((!form && writes === undefined) || actions.some(({ bare }) => !bare)) return [];
  const [key, what] = form ? ['form', 'the form'] : ['writes', 'writes:'];
  return [fault(key, 'No action takes the form.', `Write form: true at an action, or remove ${what}.`)];
}

/** Why a schema can't be a form, as the end of a sentence; undefined = it can. */
function problemAsForm(named: JsonObject): string | undefined {
  if (named.type !== 'object') return "can't be a form: it has no object on top.";
  const fields = Object.keys(propertiesOf(named));
  if (fields.length === 0) return "can't be a form: it has no fields.";
  const unseen = requiredOf(named).filter((name) => !fields.includes(name));
  if (unseen.length > 0) return `can't be a form: nobody could fill in ${unseen.join(', ')}.`;
  const compiled = compileInput(named);
  return compiled.ok ? undefined : `can't be a form: ${compiled.faults[0]?.message}`;
}

/** Why no values of a form could ever match a schema, likewise. */
function problemBeside(form: JsonObject, named: JsonObject): string | undefined {
  if (named.type !== undefined && named.type !== 'object') return 'is not about an object, as a form is.';
  const asked = Object.keys(propertiesOf(form));
  const unasked = requiredOf(named).filter((name) => !asked.includes(name));
  if (unasked.length > 0) return `needs ${unasked.join(', ')}, which the form does not ask for.`;
  const known = Object.keys(propertiesOf(named));
  const unknown = named.additionalProperties === false ? asked.filter((name) => !known.includes(name)) : [];
  return unknown.length > 0 ? `has no ${unknown.join(', ')}, which the form asks for.` : undefined;
}

function fault(key: string, message: string, fix: string): Fault {
  return { severity: 'error', rule: 'approval', path: [key], message, fix };
}
