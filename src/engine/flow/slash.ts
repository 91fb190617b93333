import { propertiesOf } from '../data/input-fields.ts';
import type { Fault } from '../fault.ts';
import type { JsonObject } from '../json.ts';
import type { TriggerDefinition } from './triggers.ts';

/** What platforms take as a command, in lower case. */
const commandPattern = /^[\p{L}\p{N}_-]+$/u;
/** Longest command, and longest name of an option. */
const NAME_MAX_CHARS = 32;
/** Most options of a command. */
const OPTIONS_MAX = 25;

/** What is wrong or doubtful about the slash command of a flow. @param input its schema, object on top; absent = none */
export function slashFaults(
  triggers: readonly TriggerDefinition[],
  input: JsonObject | undefined,
): readonly Fault[] {
  const offered = triggers.flatMap((trigger, position) =>
    trigger.type === 'command' && trigger.slash ? [{ command: trigger.command, position }] : [],
  );
  const [first, ...more] = offered;
  if (!first) return [];
  return [
    ...offered.flatMap(nameFaults),
    ...more.map(
      ({ command, position }): Fault => ({
        severity: 'error',
        rule: 'slash-command',
        path: ['triggers', position, 'slash'],
        message: `/${command} is a second slash command beside /${first.command}: a flow has one at most.`,
        fix: 'Leave out slash: here. One trigger may name several conversations under in:.',
      }),
    ),
    ...(input ? optionFaults(first.command, input) : []),
  ];
}

function nameFaults({ command, position }: { command: string; position: number }): readonly Fault[] {
  if (command.length <= NAME_MAX_CHARS && commandPattern.test(command)) return [];
  return [
    {
      severity: 'error',
      rule: 'slash-command',
      path: ['triggers', position, 'command'],
      message: `${JSON.stringify(command)} can't be a slash command.`,
      fix: `Use at most ${NAME_MAX_CHARS} letters, digits, "-" and "_", or leave out slash:.`,
    },
  ];
}

/** Fields that can't be given with the command, but only in the form that opens for what is missing. */
function optionFaults(command: string, input: JsonObject): readonly Fault[] {
  const names = Object.keys(propertiesOf(input));
  const plain = names.map((name) => name.toLowerCase());
  const asked = 'It can only be given in the form, which opens where something required is missing.';
  const odd = names
    .filter((name, at) => name.length > NAME_MAX_CHARS || plain.indexOf(name.toLowerCase()) < at)
    .map(
      (name): Fault => ({
        severity: 'warning',
        rule: 'slash-option',
        path: ['input', 'properties', name],
        message: `${JSON.stringify(name.slice(0, 80))} can't be an option of /${command}. ${asked}`,
        fix: `Use at most ${NAME_MAX_CHARS} characters, and names that differ in more than their case.`,
      }),
    );
  if (names.length <= OPTIONS_MAX) return odd;
  const many: Fault = {
    severity: 'warning',
    rule: 'slash-option',
    path: ['input', 'properties'],
    message: `/${command} has room for ${OPTIONS_MAX} options, and the input has ${names.length} fields. The last ones can only be given in the form, which opens where something required is missing.`,
    fix: 'Write the fields first that people give most often.',
  };
  return [...odd, many];
}
