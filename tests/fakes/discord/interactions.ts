import type { MessageRef, Person, Place } from '../../../src/engine/people.ts';
import { commandType, optionType } from './commands.ts';
import { allComponents } from './components.ts';
import type { Deed, Hands } from './hands.ts';
import { componentTypes, messageFlags } from './limits.ts';
import { messageWire, userOf } from './payloads.ts';
import type { Places } from './places.ts';
import { encodeTyped } from './typed.ts';
import { numberOf, textOf, textsOf, type Wire, wiresOf } from './wire.ts';
import type { Channel, Interaction, Message, World } from './world.ts';
import type { Typing } from './writing.ts';

/** A value offered while somebody types. */
export interface Choice {
  readonly name: string;
  readonly value: string;
}

/** The bot's answers to one deed. */
export interface Answers {
  /** Type of the first answer; undefined = none. */
  readonly type: number | undefined;
  readonly data: Wire;
}

/** A press of a button. */
export interface Press {
  readonly person: Person;
  readonly message: MessageRef;
  readonly button: string;
}

/** What people do beside writing messages. Each resolves when the bot has answered and is quiet. */
export interface Interactions {
  /** Types the bot's command; the words of `text` go to its sub-command and options in order. */
  command(person: Person, place: Place, text: string): Promise<void>;
  /** The same for many at once; resolves when the bot has heard them. */
  commandBurst(typed: readonly Typing[]): Promise<void>;
  /** Uses a command by its name, with values by option. */
  slash(
    person: Person,
    place: Place,
    command: string,
    values?: Readonly<Record<string, string | number | boolean>>,
  ): Promise<void>;
  /** Sends a command as a client does that does not know the newest ones. `data`: of the interaction. */
  sendCommand(person: Person, place: Place, data: Wire): Promise<void>;
  /** What is offered when this much is typed after the bot's command. */
  autocomplete(person: Person, place: Place, text: string): Promise<readonly Choice[]>;
  /** What is offered for an option of a command. */
  autocompleteOption(
    person: Person,
    place: Place,
    command: string,
    values: Readonly<Record<string, string>>,
    focused: string,
  ): Promise<readonly Choice[]>;
  /** Chooses a command from the menu of a message; default: `Use this message`. */
  useMessage(person: Person, message: MessageRef, command?: string): Promise<void>;
  click(person: Person, message: MessageRef, button: string): Promise<void>;
  /** The same for many at once; resolves when the bot has heard them. */
  clickBurst(presses: readonly Press[]): Promise<void>;
  /** Presses a button of the newest message that only this person sees and that has it. */
  clickPrivate(person: Person, button: string): Promise<void>;
  /** First answers to all that a person did, oldest first. */
  answersOf(person: Person): readonly Answers[];
}

type Values = Readonly<Record<string, string | number | boolean>>;

/** Makes it. @param options `command`: name of the bot's command */
export function createInteractions(options: {
  readonly world: World;
  readonly places: Places;
  readonly hands: Hands;
  readonly command: string;
}): Interactions {
  const { world, hands } = options;
  const { channelOf, messageOf } = options.places;

  /** A command that can be used in a channel. Throws when there is none. */
  function commandIn(channel: Channel, name: string, type: number): Wire {
    const found = commandsIn(world, channel).find((each) => each.name === name && each.type === type);
    if (found === undefined) throw new Error(`the bot has no command ${name} here`);
    return found;
  }

  /** What typed words become: the sub-command they name, and its options. */
  function typedOptions(
    channel: Channel,
    text: string,
  ): { readonly command: Wire; readonly options: readonly Wire[] } {
    const typed = encodeTyped(world, world.guilds.get(channel.guildId ?? ''), text);
    const [, word = '', rest = ''] = /^\s*(\S*)\s?(.*)$/s.exec(typed) ?? [];
    if (commandsIn(world, channel).length === 0) {
      return { command: madeUpCommand(options.command), options: [madeUpSubcommand(word, rest)] };
    }
    const command = commandIn(channel, options.command, commandType.slash);
    const inner = wiresOf(command.options);
    const isNested = inner.some(({ type }) => type === optionType.subcommand);
    if (!isNested) return { command, options: filled(inner, typed) };
    const subcommand = inner.find(({ name }) => name === word);
    if (subcommand === undefined)
      throw new Error(`/${options.command} has no ${word || 'call without a word'}`);
    const given = filled(wiresOf(subcommand.options), rest);
    return { command, options: [{ type: optionType.subcommand, name: word, options: given }] };
  }

  function use(
    person: Person,
    channel: Channel,
    command: Wire,
    given: readonly Wire[],
  ): Promise<Interaction> {
    return hands.interact({ person, channel, kind: 'command', data: commandData(command, given, channel) });
  }

  /** What somebody does who types the bot's command. */
  function typedDeed({ person, place, text }: Typing): Deed {
    const channel = channelOf(place);
    const { command, options: given } = typedOptions(channel, text);
    needRequired(command, given);
    return { person, channel, kind: 'command', data: commandData(command, given, channel) };
  }

  async function offered(
    person: Person,
    channel: Channel,
    command: Wire,
    given: readonly Wire[],
  ): Promise<readonly Choice[]> {
    const data = commandData(command, given, channel);
    const { answer } = await hands.interact({ person, channel, kind: 'autocomplete', data });
    return wiresOf(answer?.data.choices).map(({ name, value }) => ({
      name: textOf(name),
      value: String(value),
    }));
  }

  function pressDeed(
    person: Person,
    channel: Channel,
    message: Message | undefined,
    id: string,
    button: string,
  ): Deed {
    const isPrivate = message?.onlyFor !== undefined;
    const wire = message
      ? messageWire(world, message, { flags: message.flags | (isPrivate ? messageFlags.ephemeral : 0) })
      : {
          id,
          channel_id: channel.id,
          type: 0,
          content: '',
          author: userOf(world, world.botId),
          components: [],
        };
    const data = pressed(message?.components ?? [], button);
    return { person, channel, kind: 'component', data, source: message, message: wire };
  }

  function clickDeed({ person, message, button }: Press): Deed {
    const channel = channelOf(message);
    return pressDeed(person, channel, channel.messages.get(message.id), message.id, button);
  }

  return {
    async command(person, place, text) {
      await hands.interact(typedDeed({ person, place, text }));
    },

    async commandBurst(typed) {
      hands.begin(typed.map(typedDeed));
      await hands.settle();
    },

    async slash(person, place, name, values = {}) {
      const channel = channelOf(place);
      const command = commandIn(channel, name, commandType.slash);
      const given = valued(command, values);
      needRequired(command, given);
      await use(person, channel, command, given);
    },

    async sendCommand(person, place, data) {
      const channel = channelOf(place);
      await hands.interact({ person, channel, kind: 'command', data: { id: '700000000000000001', ...data } });
    },

    async autocomplete(person, place, text) {
      const channel = channelOf(place);
      const { command, options: given } = typedOptions(channel, text);
      return offered(person, channel, command, focusLast(command, given, /\s$/.test(text)));
    },

    async autocompleteOption(person, place, name, values, focused) {
      const channel = channelOf(place);
      const command = commandIn(channel, name, commandType.slash);
      const given = valued(command, { [focused]: '', ...values });
      return offered(
        person,
        channel,
        command,
        given.map((each) => (each.name === focused ? { ...each, focused: true } : each)),
      );
    },

    async useMessage(person, ref, name = 'Use this message') {
      const channel = channelOf(ref);
      const message = messageOf(ref);
      const command = commandIn(channel, name, commandType.message);
      const data = {
        ...commandData(command, [], channel),
        target_id: message.id,
        resolved: { messages: { [message.id]: messageWire(world, message) } },
      };
      await hands.interact({ person, channel, kind: 'command', data });
    },

    async click(person, ref, button) {
      await hands.interact(clickDeed({ person, message: ref, button }));
    },

    async clickBurst(presses) {
      hands.begin(presses.map(clickDeed));
      await hands.settle();
    },

    async clickPrivate(person, button) {
      const message = [...(world.privates.get(person.id)?.values() ?? [])].findLast(({ components }) =>
        isPressable(components, button),
      );
      const channel = message && world.channels.get(message.channelId);
      if (!message || !channel) throw new Error(`${person.name} sees no private message with ${button}`);
      await hands.interact(pressDeed(person, channel, message, message.id, button));
    },

    answersOf: (person) =>
      [...world.interactions.values()]
        .filter(({ personId }) => personId === person.id)
        .map(({ answer }) => ({ type: answer?.type, data: answer?.data ?? {} })),
  };
}

/** Commands that people can use in a channel: those of its server, and those for all. */
function commandsIn(world: World, { guildId }: Channel): readonly Wire[] {
  const everywhere = world.commands.get('') ?? [];
  const ofGuild = guildId === undefined ? [] : (world.commands.get(guildId) ?? []);
  const context = guildId === undefined ? 1 : 0;
  const isHere = ({ contexts }: Wire) => !Array.isArray(contexts) || contexts.includes(context);
  return [...ofGuild, ...everywhere.filter(isHere)];
}

function commandData(command: Wire, options: readonly Wire[], { guildId }: Channel): Wire {
  return {
    id: command.id,
    name: command.name,
    type: command.type,
    guild_id: command.guild_id === undefined ? undefined : guildId,
    options: options.length > 0 ? options : undefined,
  };
}

/** Values for options in order, a word each; the last one takes the rest. */
function filled(options: readonly Wire[], text: string): readonly Wire[] {
  let rest = text.trimStart();
  return options.flatMap((option, index) => {
    if (rest === '') return [];
    const isLast = index === options.length - 1;
    const [, word = '', after = ''] = isLast ? [rest, rest] : (/^(\S+)\s*(.*)$/s.exec(rest) ?? []);
    rest = after;
    return [{ type: option.type, name: option.name, value: sentValue(option, word) }];
  });
}

function valued(command: Wire, values: Values): readonly Wire[] {
  return Object.entries(values).map(([name, value]) => {
    const option = wiresOf(command.options).find((each) => each.name === name);
    if (option === undefined) throw new Error(`/${textOf(command.name)} has no option ${name}`);
    return { type: option.type, name, value: sentValue(option, value) };
  });
}

/** What a client sends for an option. Throws when it would not let it be sent. */
function sentValue(option: Wire, given: string | number | boolean): unknown {
  const choices = wiresOf(option.choices);
  if (choices.length > 0) {
    const chosen = choices.find(({ name, value }) => String(value) === String(given) || name === given);
    if (chosen === undefined) throw new Error(`${textOf(option.name)} has no choice ${given}`);
    return chosen.value;
  }
  switch (option.type) {
    case optionType.integer:
    case optionType.number: {
      const number = Number(given);
      const isWhole = option.type !== optionType.integer || Number.isInteger(number);
      const { min_value = number, max_value = number } = option;
      if (!isWhole || !(number >= numberOf(min_value)) || !(number <= numberOf(max_value))) {
        throw new Error(`${textOf(option.name)} can't be ${given}`);
      }
      return number;
    }
    case optionType.boolean:
      return given === true || given === 'true';
    default:
      return String(given);
  }
}

/** Marks the option that is being typed. */
function focusLast(command: Wire, given: readonly Wire[], isNext: boolean): readonly Wire[] {
  const [first] = given;
  if (first?.type === optionType.subcommand) {
    const subcommand = wiresOf(command.options).find(({ name }) => name === first.name) ?? {};
    return [{ ...first, options: focusLast(subcommand, wiresOf(first.options), isNext) }];
  }
  const next = wiresOf(command.options)[given.length];
  if (next && (isNext || given.length === 0))
    return [...given, { type: next.type, name: next.name, value: '', focused: true }];
  return given.map((each, index) => (index === given.length - 1 ? { ...each, focused: true } : each));
}

function needRequired(command: Wire, given: readonly Wire[]): void {
  const [first] = given;
  if (first?.type === optionType.subcommand) {
    const subcommand = wiresOf(command.options).find(({ name }) => name === first.name) ?? {};
    needRequired(subcommand, wiresOf(first.options));
    return;
  }
  const missing = wiresOf(command.options).find(
    ({ name, required }) => required === true && !given.some((each) => each.name === name),
  );
  if (missing) throw new Error(`/${textOf(command.name)} needs ${textOf(missing.name)}`);
}

function madeUpCommand(name: string): Wire {
  return { id: '700000000000000001', name, type: commandType.slash };
}

function madeUpSubcommand(name: string, text: string): Wire {
  const given = text === '' ? [] : [{ type: optionType.text, name: 'text', value: text }];
  return { type: optionType.subcommand, name, options: given };
}

function isPressable(components: readonly Wire[], button: string): boolean {
  return allComponents(components).some(
    ({ custom_id, options }) =>
      custom_id === button || wiresOf(options).some(({ value }) => value === button),
  );
}

/** What a press tells: of a button, or of a choice from a list. A button that is gone is told all the same. */
function pressed(components: readonly Wire[], button: string): Wire {
  const all = allComponents(components);
  const own = all.find(({ custom_id }) => custom_id === button);
  if (own)
    return {
      custom_id: button,
      component_type: own.type,
      id: own.id,
      ...(own.type !== componentTypes.button && { values: textsOf([]) }),
    };
  const list = all.find(({ options }) => wiresOf(options).some(({ value }) => value === button));
  if (list) return { custom_id: list.custom_id, component_type: list.type, id: list.id, values: [button] };
  return { custom_id: button, component_type: componentTypes.button, id: 1 };
}
