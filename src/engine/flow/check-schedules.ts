import { checkInput } from '../data/input.ts';
import type { Fault } from '../fault.ts';
import type { JsonObject } from '../json.ts';
import { stepTypes } from '../steps/registry.ts';
import type { FlowDefinition } from './definition.ts';

/** What keeps the runs of a flow's schedules from starting. @param input its schema; absent = it has none, or it is not known */
export function scheduleFaults(
  { triggers, steps, conversation }: Pick<FlowDefinition, 'triggers' | 'steps' | 'conversation'>,
  input: JsonObject | undefined,
): readonly Fault[] {
  const needing = [...steps.values()].filter(
    ({ body }) => body && stepTypes.get(body.type.type)?.needsHome?.(body.config) === true,
  );
  return triggers.flatMap((trigger, position): readonly Fault[] => {
    if (trigger.type !== 'schedule') return [];
    const [needs] = conversation === undefined ? needing : [];
    return [
      ...(needs ? [homeless(position, needs.id)] : []),
      ...(input ? inputFaults(trigger.input, input, position) : []),
    ];
  });
}

function homeless(position: number, step: string): Fault {
  return {
    severity: 'error',
    rule: 'conversation',
    path: ['triggers', position],
    message: `A run that a schedule starts has no conversation, and ${step} needs one.`,
    fix: 'Write conversation: at the top of the flow, such as slack:#releases.',
  };
}

function inputFaults(given: JsonObject, schema: JsonObject, position: number): readonly Fault[] {
  const checked = checkInput(schema, given);
  if (checked.ok) return [];
  return checked.problems.map(
    ({ message }): Fault => ({
      severity: 'error',
      rule: 'schedule-input',
      path: ['triggers', position],
      message: `The runs of this schedule can't start: ${message}.`,
      fix: 'Write it under input: of the schedule, or give it a default.',
    }),
  );
}
