import { z } from 'zod';
import type { FormField } from '../../engine/post.ts';
import type { Completion } from '../../ports/chat.ts';
import { resolvedAttachments } from './attachments.ts';
import { commandLimits } from './form-limits.ts';
import type { Offer } from './offer.ts';
import { carriedOptions, distinctOptions, optionOf, typedList } from './options.ts';
import { distinctLabels, plainText } from './plain-text.ts';

/** What somebody asked for by a command. */
export type CommandInput =
  /** What follows the chat command: `run release version=1.2`. */
  | { readonly kind: 'command'; readonly text: string }
  /** A flow's own command; `values` as `ChatSlash` has them, only what was given. */
  | {
      readonly kind: 'slash';
      readonly flow: string;
      readonly values: Readonly<Record<string, string>>;
    };

/**
 * Reads a command by what was offered; undefined = it is not offered (any more). Anything may be handed in, nothing
 * throws.
 * @param data `data` of the interaction
 */
export function readCommand(data: unknown, offer: Offer): CommandInput | undefined {
  const given = dataSchema.safeParse(data).data;
  if (given === undefined) return undefined;
  if (given.name === offer.command) {
    const { word, options } = wordOf(given, offer);
    return { kind: 'command', text: typedLine(word, options) };
  }
  const command = offer.flows.find(({ flow }) => flow.command === given.name);
  if (!command) return undefined;
  const values = given.options.flatMap(({ name, value }) => {
    const field = command.options.find((one) => one.name === name)?.what;
    return field === undefined ? [] : [[field.id, fieldText(field, value, given.resolved)] as const];
  });
  return { kind: 'slash', flow: command.flow.flow, values: Object.fromEntries(values) };
}

/** What somebody is typing into. */
export type Focus =
  /** All that is typed after the chat command; `before` is what stands before the option they are in. */
  | { readonly kind: 'word'; readonly typed: string; readonly before: string }
  /** A field that has options: those that fit what is typed. */
  | { readonly kind: 'choices'; readonly choices: readonly Choice[] };

/** A choice, as Discord shows it to somebody who types. */
export interface Choice {
  readonly name: string;
  readonly value: string;
}

/** Where somebody is while they type a command; undefined = nothing is to be offered there. Nothing throws. */
export function readFocus(data: unknown, offer: Offer): Focus | undefined {
  const given = dataSchema.safeParse(data).data;
  if (given === undefined) return undefined;
  if (given.name === offer.command) {
    const { word, options } = wordOf(given, offer);
    const at = options.findIndex(({ focused }) => focused);
    if (at < 0) return undefined;
    const before = typedLine(word, options.slice(0, at));
    return { kind: 'word', before, typed: `${before} ${oneLine(options[at]?.value)}` };
  }
  const command = offer.flows.find(({ flow }) => flow.command === given.name);
  const typed = given.options.find(({ focused }) => focused);
  const field = command?.options.find(({ name }) => name === typed?.name)?.what;
  return field && { kind: 'choices', choices: choicesFor(field, String(typed?.value ?? '')) };
}

/** Completions as choices for the option that somebody is in; those that Discord cannot carry are left out. */
export function choicesFrom(completions: readonly Completion[], before: string): readonly Choice[] {
  const start = `${before} `;
  const fitting = completions.flatMap(({ typed, shown }) => {
    const value = typed.startsWith(start) ? typed.slice(start.length).trim() : '';
    const isTaken = value !== '' && value.length <= commandLimits.choiceValue && value.isWellFormed();
    return isTaken ? [{ shown, value }] : [];
  });
  return choices(fitting);
}

const optionSchema = z.object({
  name: z.string(),
  // A subcommand has none. Told by an error it would cost as much as all else about a command.
  value: z.union([z.string(), z.number(), z.boolean()]).optional(),
  focused: z.boolean().default(false).catch(false),
});

type GivenOption = Required<z.infer<typeof optionSchema>>;

/** A subcommand is an option with options instead of a value. */
const subcommandSchema = z.object({ name: z.string(), options: z.array(z.unknown()).default([]).catch([]) });

const dataSchema = z
  .object({
    name: z.string(),
    options: z.array(z.unknown()).default([]).catch([]),
    resolved: z.unknown().optional(),
  })
  .transform(({ options, ...rest }) => ({
    ...rest,
    options: givenOptions(options),
    subcommand: options.map((option) => subcommandSchema.safeParse(option).data)[0],
  }));

type Given = z.infer<typeof dataSchema>;

function givenOptions(options: readonly unknown[]): readonly GivenOption[] {
  return options.flatMap((option) => {
    const given = optionSchema.safeParse(option).data;
    return given?.value === undefined ? [] : { ...given, value: given.value };
  });
}

/** Something that was given with a word. */
interface Following extends GivenOption {
  /** It may be of several words: nothing can follow it. */
  readonly isLast: boolean;
}

/** The word that was chosen, and what was given with it in the order in which it is typed. */
function wordOf(
  { subcommand }: Given,
  { words }: Offer,
): { readonly word: string; readonly options: readonly Following[] } {
  const given = givenOptions(subcommand?.options ?? []);
  const known = words.find(({ word }) => word.name === subcommand?.name)?.options ?? [];
  const places = new Map(known.map(({ name }, index) => [name, index]));
  const place = ({ name }: GivenOption): number => places.get(name) ?? known.length;
  return {
    word: subcommand?.name ?? '',
    options: given
      .toSorted((one, other) => place(one) - place(other))
      .map((option) => ({ ...option, isLast: place(option) >= known.length - 1 })),
  };
}

function typedLine(word: string, options: readonly Following[]): string {
  return [word, ...options.map(typedText)].filter((one) => one !== '').join(' ');
}

function typedText({ value, isLast }: Following): string {
  const text = oneLine(value).trim();
  // The second of two words would be taken for what follows.
  return isLast ? text : text.replace(/\s+/g, '-');
}

/** What follows a command is one line. */
function oneLine(value: GivenOption['value'] | undefined): string {
  return String(value ?? '').replace(/\s*[\r\n\u2028\u2029]\s*/g, ' ');
}

function fieldText(field: FormField, value: GivenOption['value'], resolved: unknown): string {
  switch (field.type) {
    case 'select':
      return optionOf(String(value), field);
    case 'multiselect':
      return distinctOptions(field).includes(String(value))
        ? JSON.stringify([value])
        : typedList(String(value));
    case 'files': {
      const files = resolvedAttachments([String(value)], resolved);
      return files.length === 0 ? '' : JSON.stringify(files);
    }
    case 'number':
    case 'integer':
      return typeof value === 'number' ? decimal(value) : String(value);
    case 'text':
    case 'multiline':
    case 'boolean':
    case 'date':
    case 'time':
    case 'datetime':
    case 'user':
    case 'channel':
    case 'role':
      return String(value);
  }
}

/** A number without an exponent, which people do not write. */
function decimal(number: number): string {
  const text = String(number);
  return text.includes('e')
    ? number.toLocaleString('en', { useGrouping: false, maximumFractionDigits: 20 })
    : text;
}

/** Those that begin with what is typed, then those that hold it. */
function choicesFor(field: FormField, typed: string): readonly Choice[] {
  const wanted = typed.trim().toLowerCase();
  const places = carriedOptions(field).map(({ option, value }) => ({
    shown: option,
    value,
    at: option.toLowerCase().indexOf(wanted),
  }));
  return choices([...places.filter(({ at }) => at === 0), ...places.filter(({ at }) => at > 0)]);
}

function choices(all: readonly { readonly shown: string; readonly value: string }[]): readonly Choice[] {
  const some = all.slice(0, commandLimits.choices);
  const names = distinctLabels(
    some.map(({ shown }) => shown),
    commandLimits.choiceText,
  );
  return some.map(({ value }, index) => ({
    name: names[index] ?? plainText(value, commandLimits.choiceText, '…'),
    value,
  }));
}
