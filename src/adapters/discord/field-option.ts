import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandOptionChoice,
  type APIApplicationCommandStringOption,
  ApplicationCommandOptionType as OptionType,
} from 'discord.js';
import type { FormField } from '../../engine/post.ts';
import { expectation } from './expectation.ts';
import { commandLimits } from './form-limits.ts';
import type { Offered } from './offer.ts';
import { distinctOptions, isCarriedWhole } from './options.ts';
import { plainText, visible } from './plain-text.ts';

/** How the options of a select are offered: all at once, or as somebody types. */
export type Choosing = 'choices' | 'autocomplete';

/** The option of a flow's own command that takes a field's value. */
export function fieldOption(
  { name, what: field }: Offered<FormField>,
  choosing: Choosing,
): APIApplicationCommandBasicOption {
  const { required } = field;
  const frame = { name, description: description(field, name), required };
  switch (field.type) {
    case 'text':
    case 'multiline':
      return { ...frame, type: OptionType.String, ...lengths(field) };
    case 'multiselect':
    case 'date':
    case 'time':
    case 'datetime':
      return { ...frame, type: OptionType.String };
    case 'select':
      return { ...frame, type: OptionType.String, ...choicesOf(field, choosing) };
    case 'number':
      return { ...frame, type: OptionType.Number, ...range(field.min, field.max) };
    case 'integer':
      return { ...frame, type: OptionType.Integer, ...wholeRange(field) };
    case 'boolean':
      return { ...frame, type: OptionType.Boolean };
    case 'user':
      return { ...frame, type: OptionType.User };
    case 'channel':
      return { ...frame, type: OptionType.Channel };
    case 'role':
      return { ...frame, type: OptionType.Role };
    case 'files':
      return { ...frame, type: OptionType.Attachment };
  }
}

/** Room that the choices of a select take in a command, in characters; undefined when Discord takes them as no choices. */
export function choicesRoom(field: FormField): number | undefined {
  const options = distinctOptions(field);
  // Two choices of one name are refused; whether case tells them apart is not said.
  const names = new Set(options.map((option) => option.toLowerCase()));
  const isTaken =
    options.length <= commandLimits.choices && isCarriedWhole(field) && names.size === options.length;
  return isTaken ? options.reduce((sum, option) => sum + 2 * option.length, 0) : undefined;
}

function description(field: FormField, name: string): string {
  const label = visible(field.label);
  const named = label?.toLowerCase() === name && field.hint ? undefined : label;
  const said = [named, visible(field.hint)].filter((one) => one !== undefined).join(': ');
  const typed = isTyped(field) ? expectation(field) : undefined;
  const form = typed === undefined ? '' : ` (${typed})`;
  return `${plainText(said, commandLimits.description - form.length, name)}${form}`;
}

/** Whether a value must be typed in a form that Discord does not hold people to. */
function isTyped({ type }: FormField): boolean {
  return type === 'date' || type === 'time' || type === 'datetime' || type === 'multiselect';
}

function choicesOf(
  field: FormField,
  choosing: Choosing,
): Pick<APIApplicationCommandStringOption, 'choices'> | { autocomplete: true } {
  const options = distinctOptions(field);
  if (options.length === 0) return {};
  if (choosing === 'autocomplete') return { autocomplete: true };
  return {
    choices: options.map(
      (option): APIApplicationCommandOptionChoice<string> => ({ name: option, value: option }),
    ),
  };
}

function lengths({ minLength, maxLength }: FormField): { min_length?: number; max_length?: number } {
  const longest = Math.min(Math.max(maxLength ?? commandLimits.optionText, 1), commandLimits.optionText);
  return {
    ...(minLength !== undefined && minLength > 0 && { min_length: Math.min(minLength, longest) }),
    ...(maxLength !== undefined && { max_length: longest }),
  };
}

function wholeRange({ min, max }: FormField): ReturnType<typeof range> {
  return range(
    min === undefined ? undefined : Math.ceil(min),
    max === undefined ? undefined : Math.floor(max),
  );
}

/** Bounds that Discord takes; the others are seen to when the command is sent. */
function range(min: number | undefined, max: number | undefined): { min_value?: number; max_value?: number } {
  if (min !== undefined && max !== undefined && min > max) return {};
  return {
    ...(isExact(min) && { min_value: min }),
    ...(isExact(max) && { max_value: max }),
  };
}

function isExact(bound: number | undefined): bound is number {
  return bound !== undefined && Math.abs(bound) <= Number.MAX_SAFE_INTEGER;
}
