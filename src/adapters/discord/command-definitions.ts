import { createHash } from 'node:crypto';
import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandSubcommandOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
  type RESTPutAPIApplicationCommandsJSONBody,
} from 'discord.js';
import type { FormField } from '../../engine/post.ts';
import type { MenuOption } from '../../ports/chat.ts';
import { choicesRoom, fieldOption } from './field-option.ts';
import { commandLimits } from './form-limits.ts';
import { type Offer, type Offered, type OfferedFlow, type OfferedWord, requiredFirst } from './offer.ts';
import { plainText } from './plain-text.ts';

/** The entry in the menu of a message. */
const USE_MESSAGE = 'Use this message';

/** Where commands are made known: everywhere the bot is, its direct conversations too, or on one server at once. */
export type CommandScope = 'global' | 'guild';

/** All commands, each within Discord's limits: choices for which one has no room are offered as somebody types. */
export function commandDefinitions(offer: Offer, scope: CommandScope): RESTPutAPIApplicationCommandsJSONBody {
  const where = scope === 'guild' ? {} : everywhere;
  return [
    ...(offer.command === undefined ? [] : [{ ...chatCommand(offer.command, offer.words), ...where }]),
    ...offer.flows.map((flow) => ({ ...flowCommand(flow), ...where })),
    { type: ApplicationCommandType.Message, name: USE_MESSAGE, ...where },
  ];
}

/** Changes when the definitions do: commands are made known again only then. */
export function definitionDigest(body: RESTPutAPIApplicationCommandsJSONBody): string {
  return createHash('sha256').update(JSON.stringify(body, sortedKeys)).digest('hex');
}

/** Discord keeps both from commands of one server. */
const everywhere = {
  integration_types: [ApplicationIntegrationType.GuildInstall],
  contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
};

function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function chatCommand(
  name: string,
  words: readonly OfferedWord[],
): RESTPostAPIChatInputApplicationCommandsJSONBody {
  return {
    type: ApplicationCommandType.ChatInput,
    name,
    description: 'Flows: start them, see how they run, answer them.',
    options: words.map(subcommand),
  };
}

function subcommand({ word, options }: OfferedWord): APIApplicationCommandSubcommandOption {
  return {
    type: ApplicationCommandOptionType.Subcommand,
    name: word.name,
    description: plainText(word.summary, commandLimits.description, word.name),
    options: requiredFirst(options, ({ what }) => what.required).map(wordOption),
  };
}

function wordOption({ name, what }: Offered<MenuOption>): APIApplicationCommandBasicOption {
  return {
    type: ApplicationCommandOptionType.String,
    name,
    description: plainText(what.summary, commandLimits.description, name),
    required: what.required,
    ...(what.completes && { autocomplete: true }),
  };
}

/** Said of a flow with more fields than a command has options: its form has them all. */
const MORE = ' It takes more than fits here.';

function flowCommand({
  flow,
  options,
  isPartial,
}: OfferedFlow): RESTPostAPIChatInputApplicationCommandsJSONBody {
  const more = isPartial ? MORE : '';
  return {
    type: ApplicationCommandType.ChatInput,
    name: flow.command,
    description: `${plainText(flow.summary, commandLimits.description - more.length, flow.command)}${more}`,
    options: fieldOptions(options),
  };
}

/** Room for choices in a command, when all its names and descriptions are as long as they can be. */
const CHOICES_ROOM =
  commandLimits.characters - (commandLimits.options + 1) * (commandLimits.name + commandLimits.description);

/** Choices for which there is no room are offered as somebody types. */
function fieldOptions(options: readonly Offered<FormField>[]): APIApplicationCommandBasicOption[] {
  let room = CHOICES_ROOM;
  return options.map((option) => {
    const taken = choicesRoom(option.what) ?? Number.POSITIVE_INFINITY;
    if (taken > room) return fieldOption(option, 'autocomplete');
    room -= taken;
    return fieldOption(option, 'choices');
  });
}
