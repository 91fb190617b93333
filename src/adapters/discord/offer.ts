import type { FormField } from '../../engine/post.ts';
import { beginning } from '../../engine/prose.ts';
import type { Menu, MenuFlow, MenuOption, MenuWord } from '../../ports/chat.ts';
import { commandLimits } from './form-limits.ts';

/** What a menu becomes as Discord's commands: names that Discord takes, and what they stand for. */
export interface Offer {
  /** The chat command, without a slash; undefined when Discord takes no command of that name. */
  readonly command?: string;
  readonly words: readonly OfferedWord[];
  readonly flows: readonly OfferedFlow[];
  /** Sentences about what Discord could not be given. */
  readonly faults: readonly string[];
}

/** A word after the chat command: a subcommand. */
export interface OfferedWord {
  readonly word: MenuWord;
  /** In the order in which they are typed. */
  readonly options: readonly Offered<MenuOption>[];
}

/** A flow's own command. */
export interface OfferedFlow {
  readonly flow: MenuFlow;
  /** Required ones first. */
  readonly options: readonly Offered<FormField>[];
  /** There are more fields than a command has options. */
  readonly isPartial: boolean;
}

/** Something that is given with a command, under the name that it has there. */
export interface Offered<What> {
  readonly name: string;
  readonly what: What;
}

/** Makes it; the same menu gives the same names. @param command the chat command with its slash: `/flow` */
export function offerOf(menu: Menu, command: string): Offer {
  const name = command.replace(/^\//, '');
  const words = wordsWithin(menu.words);
  const taken = new Set([name]);
  const flows: MenuFlow[] = [];
  const faults: string[] = [];
  if (!isName(name)) faults.push(`Discord takes no command called ${command}. ${namesAllowed}`);
  for (const { name: word } of menu.words.filter((word) => !words.includes(word))) {
    faults.push(`Discord has no room for ${command} ${word}, or takes no such name. ${namesAllowed}`);
  }
  for (const flow of menu.flows) {
    const fault = flowFault(flow, taken);
    if (fault === undefined) {
      taken.add(flow.command);
      flows.push(flow);
    } else faults.push(`The flow ${flow.flow} has no command of its own on Discord: ${fault}`);
  }
  return {
    ...(isName(name) && { command: name }),
    words: words.map(offeredWord),
    flows: flows.map(offeredFlow),
    faults,
  };
}

/** As many as a command has room for. */
function wordsWithin(all: readonly MenuWord[]): readonly MenuWord[] {
  const words: MenuWord[] = [];
  // The command itself has a name and a description too.
  let room = commandLimits.characters - commandLimits.name - commandLimits.description;
  for (const word of all) {
    const isFree = isName(word.name) && words.every(({ name }) => name !== word.name);
    const taken = [word, ...word.options].reduce((sum, one) => sum + roomFor(one), 0);
    if (!isFree || taken > room || words.length === commandLimits.options) continue;
    words.push(word);
    room -= taken;
  }
  return words;
}

/** Most that a name and what is said about it can take. */
function roomFor({ summary }: Pick<MenuWord, 'summary'>): number {
  return (
    commandLimits.name + Math.max(commandLimits.name, Math.min(summary.length, commandLimits.description))
  );
}

const namesAllowed = `A name there has 1 to ${commandLimits.name} lower-case letters, digits, "-" and "_".`;

function flowFault({ command }: MenuFlow, taken: ReadonlySet<string>): string | undefined {
  if (!isName(command)) return `it takes none called "${command}". ${namesAllowed} Choose another command.`;
  if (taken.has(command)) return `there is a command ${command} already. Choose another command.`;
  if (taken.size < commandLimits.commands) return undefined;
  return `it takes no more than ${commandLimits.commands} commands. Take one from another flow.`;
}

function offeredWord(word: MenuWord): OfferedWord {
  return { word, options: named(word.options.slice(0, commandLimits.options), ({ name }) => name) };
}

function offeredFlow(flow: MenuFlow): OfferedFlow {
  const isPartial = flow.fields.length > commandLimits.options;
  const fields = requiredFirst(flow.fields, (field) => field.required).slice(0, commandLimits.options);
  return { flow, options: named(fields, ({ id }) => id), isPartial };
}

/** In Discord's order: what must be given comes before what may be left out. */
export function requiredFirst<What>(
  all: readonly What[],
  isRequired: (one: What) => boolean,
): readonly What[] {
  return [...all.filter(isRequired), ...all.filter((one) => !isRequired(one))];
}

/** Each with a name that Discord takes and no other has. */
function named<What>(all: readonly What[], wordOf: (one: What) => string): readonly Offered<What>[] {
  const taken = new Set<string>();
  return all.map((what) => {
    const name = freeName(optionName(wordOf(what)), taken);
    taken.add(name);
    return { name, what };
  });
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number += 1) {
    const other = `${beginning(name, commandLimits.name - 3)}-${number}`;
    if (!taken.has(other)) return other;
  }
}

/** The nearest name that Discord takes: lower case, with a dash for what no name may hold. */
function optionName(word: string): string {
  const name = beginning(
    word
      .normalize('NFC')
      .toLowerCase()
      .replace(/[^-_'\p{L}\p{N}]/gu, '-'),
    commandLimits.name,
  );
  return isName(name) ? name : 'value';
}

function isName(text: string): boolean {
  return /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u.test(text) && text === text.toLowerCase();
}
