/**
 * What Discord takes of forms and commands, in characters where it measures text: UTF-16 units are never fewer.
 * @see https://docs.discord.com/developers/components/reference
 * @see https://docs.discord.com/developers/interactions/application-commands
 */
export const formLimits = {
  title: 45,
  /** Fields of one modal; a longer form is several, one after another. */
  fields: 5,
  label: 45,
  description: 100,
  placeholder: 100,
  inputText: 4_000,
  options: 25,
  optionText: 100,
  optionValue: 100,
  /** Files of one field. */
  files: 10,
} as const;

/** What Discord takes of commands. */
export const commandLimits = {
  /** Chat commands of an app. */
  commands: 100,
  /** Subcommands of a command, or options of one. */
  options: 25,
  choices: 25,
  name: 32,
  description: 100,
  choiceText: 100,
  choiceValue: 100,
  /** Text that an option takes. */
  optionText: 6_000,
  /** All names, descriptions and values of one command together. */
  characters: 8_000,
} as const;
