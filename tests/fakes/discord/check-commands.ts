import { type BodyFault, faultUnless, inside, repeats } from './check-faults.ts';
import { limits } from './limits.ts';
import { type Loose, list, loose } from './tree.ts';

/** What Discord has against the commands of a scope besides their shape. */
export function checkCommands(body: unknown, scope: 'everywhere' | 'one guild'): readonly BodyFault[] {
  const commands = list(body).map(loose);
  const typed = (type: number) => commands.filter((command) => typeOf(command) === type);
  return [
    ...Object.entries(limits.commandsMax).flatMap(([type, max]) =>
      faultUnless(
        typed(Number(type)).length <= max,
        '',
        `There are more than ${max} commands of type ${type}.`,
      ),
    ),
    ...repeats(
      commands,
      (command) => `${typeOf(command)} ${command.name}`,
      (_, index) => `${index}.name`,
      () => 'Another command has this name too.',
    ),
    ...commands.flatMap((command, index) => checkCommand(command, String(index), scope)),
  ];
}

const slash = 1;
const typeOf = ({ type }: Loose) => type ?? slash;

function checkCommand(command: Loose, path: string, scope: 'everywhere' | 'one guild'): readonly BodyFault[] {
  const total = charsOf(command);
  return [
    ...faultUnless(
      total <= limits.commandMaxChars,
      path,
      `Names, descriptions and values have ${total} characters, more than ${limits.commandMaxChars}.`,
    ),
    ...(scope === 'one guild'
      ? ['contexts', 'integration_types'].flatMap((key) =>
          faultUnless(
            command[key] === undefined,
            inside(path, key),
            'Only commands for everywhere have this.',
          ),
        )
      : []),
    ...(typeOf(command) === slash ? checkSlash(command, path) : checkMenuEntry(command, path)),
  ];
}

/** A command in the menu of a person or message. */
function checkMenuEntry({ description, options }: Loose, path: string): readonly BodyFault[] {
  return [
    ...faultUnless(!description, inside(path, 'description'), 'Only slash commands have a description.'),
    ...faultUnless(list(options).length === 0, inside(path, 'options'), 'Only slash commands have options.'),
  ];
}

/** A slash command, or an option of one. */
function checkSlash(entry: Loose, path: string): readonly BodyFault[] {
  const { name, description } = entry;
  return [
    ...faultUnless(isName(name), inside(path, 'name'), `${JSON.stringify(name)} can't be a name.`),
    ...faultUnless(
      typeof description === 'string' && description.trim() !== '',
      inside(path, 'description'),
      'This must be said.',
    ),
    ...checkOptions(list(entry.options).map(loose), inside(path, 'options')),
    ...checkValues(entry, path),
  ];
}

const names = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
const isName = (name: unknown) => typeof name === 'string' && names.test(name) && name === name.toLowerCase();

const subcommand = 1;
const group = 2;

function checkOptions(options: readonly Loose[], path: string): readonly BodyFault[] {
  const nested = options.filter(({ type }) => type === subcommand || type === group);
  const firstOptional = options.findIndex(({ required }) => required !== true);
  return [
    ...faultUnless(
      nested.length === 0 || nested.length === options.length,
      path,
      'Subcommands and other options exclude each other.',
    ),
    ...options.flatMap(({ required }, index) =>
      faultUnless(
        required !== true || firstOptional === -1 || index < firstOptional,
        `${path}.${index}.required`,
        'Required options come first.',
      ),
    ),
    ...repeats(
      options,
      ({ name }) => name,
      (_, index) => `${path}.${index}.name`,
      () => 'Another option has this name too.',
    ),
    ...options.flatMap((option, index) => checkSlash(option, `${path}.${index}`)),
  ];
}

function checkValues(option: Loose, path: string): readonly BodyFault[] {
  const isMore = (min: unknown, max: unknown) =>
    typeof min === 'number' && typeof max === 'number' && min > max;
  return [
    ...faultUnless(
      list(option.choices).length === 0 || option.autocomplete !== true,
      inside(path, 'autocomplete'),
      'Choices and autocomplete exclude each other.',
    ),
    ...checkChoices(option.choices, inside(path, 'choices')),
    ...['value', 'length'].flatMap((what) =>
      faultUnless(
        !isMore(option[`min_${what}`], option[`max_${what}`]),
        inside(path, `min_${what}`),
        `This is more than max_${what}.`,
      ),
    ),
  ];
}

/** What Discord has against the choices of an option, or for what was typed so far. */
export function checkChoices(value: unknown, path: string): readonly BodyFault[] {
  const choices = list(value).map(loose);
  return [
    ...choices.flatMap((choice, index) =>
      faultUnless(
        typeof choice.value !== 'string' || choice.value.length <= limits.choiceMaxChars,
        `${path}.${index}.value`,
        `This is longer than ${limits.choiceMaxChars}.`,
      ),
    ),
    ...repeats(
      choices,
      ({ name }) => name,
      (_, index) => `${path}.${index}.name`,
      () => 'Another choice has this name too.',
    ),
  ];
}

/** Names, descriptions and values together, of each the longest translation. */
function charsOf(entry: Loose): number {
  const longest = (key: string) =>
    Math.max(
      0,
      ...[entry[key], ...Object.values(loose(entry[`${key}_localizations`]))].map((text) =>
        typeof text === 'string' ? text.length : 0,
      ),
    );
  const own = longest('name') + longest('description') + longest('value');
  return [...list(entry.options), ...list(entry.choices)].reduce<number>(
    (sum, inner) => sum + charsOf(loose(inner)),
    own,
  );
}
