import type { InputProblem } from '../engine/data/input.ts';
import { own } from '../engine/run/record.ts';
import type { Answer, ChatSubmit } from '../ports/chat.ts';

/**
 * What is wrong, said at the fields of the form, which stays open; undefined when a sentence belongs to no field that was
 * shown.
 * @param prefix what stands before the names of the fields in the form
 */
export function fieldErrors(
  problems: readonly InputProblem[],
  values: ChatSubmit['values'],
  prefix = '',
): Answer | undefined {
  const errors: Record<string, string> = {};
  for (const problem of problems) {
    const field = `${prefix}${problem.field.split('.')[0] ?? ''}`;
    if (!Object.hasOwn(values, field)) return undefined;
    const said = own(errors, field);
    errors[field] = said === undefined ? problem.message : `${said}; ${problem.message}`;
  }
  return { kind: 'errors', errors };
}
