import { randomBytes } from 'node:crypto';
import { setTimeout as after } from 'node:timers/promises';
import type { Person } from '../../../src/engine/people.ts';
import type { Activity } from '../activity.ts';
import { isThinking } from './answers.ts';
import type { Gateway } from './gateway.ts';
import { interactionChannel, interactionPerson, userOf } from './payloads.ts';
import { permissionsIn } from './permissions.ts';
import type { Wire } from './wire.ts';
import type { Channel, Interaction, Message, World } from './world.ts';

/** Something that a person does and that the bot answers. */
export interface Deed {
  readonly person: Person;
  readonly channel: Channel;
  readonly kind: Interaction['kind'];
  readonly data: Wire;
  /** The message of the component. */
  readonly source?: Message | undefined;
  /** That message, as it is told. */
  readonly message?: Wire | undefined;
}

/** What all that people do has in common. */
export interface Hands {
  /** Resolves when the bot has read all it was told, and is quiet. */
  settle(): Promise<void>;
  /** Tells the bot, in one moment. */
  begin(deeds: readonly Deed[]): readonly Interaction[];
  /** Tells the bot, and waits until it has answered and is quiet. */
  interact(deed: Deed): Promise<Interaction>;
  /** What Discord told this person because the bot did not answer, or because they can't do it. */
  troubles(person: Person): readonly string[];
  /** Discord tells a person that something is wrong. */
  trouble(person: Person, what: string): void;
}

/** Types of interactions. */
const interactionType = { command: 2, component: 3, autocomplete: 4, modal: 5 } as const;

/** Makes them. @param options `answerMs`: how long the bot's answer is waited for, in real milliseconds */
export function createHands(options: {
  readonly world: World;
  readonly gateway: Gateway;
  readonly activity: Activity;
  readonly answerMs: number;
}): Hands {
  const { world, gateway, activity, answerMs } = options;
  const troubles = new Map<string, string[]>();
  const trouble = (person: Person, what: string) =>
    void troubles.set(person.id, [...(troubles.get(person.id) ?? []), what]);

  async function settle(): Promise<void> {
    await gateway.heard();
    await activity.quiet();
  }

  /** Waits for the bot, but not for ever. */
  async function inTime(check: () => boolean): Promise<void> {
    const over = new AbortController();
    const limit = after(answerMs, undefined, { signal: over.signal }).catch(() => {});
    await Promise.race([activity.until(() => check() || over.signal.aborted), limit]);
    over.abort();
    activity.changed();
  }

  function begin(deeds: readonly Deed[]): readonly Interaction[] {
    const begun = deeds.map((deed) => ({ deed, interaction: newInteraction(world, deed) }));
    const happenings = begun.map(({ deed, interaction }) => ({
      t: 'INTERACTION_CREATE',
      d: interactionWire(world, interaction, deed),
      intents: 0,
      guildId: deed.channel.guildId,
    }));
    for (const { interaction } of begun) world.interactions.set(interaction.id, interaction);
    for (const happening of happenings) world.happen(happening);
    return begun.map(({ interaction }) => interaction);
  }

  return {
    settle,
    trouble,
    troubles: (person) => troubles.get(person.id) ?? [],
    begin,
    async interact(deed) {
      const { person } = deed;
      const [interaction] = begin([deed]);
      if (interaction === undefined) throw new Error('nothing was begun');
      if (gateway.connections() > 0) {
        await gateway.heard();
        await inTime(() => interaction.answer !== undefined);
        await inTime(() => interaction.original === undefined || !isThinking(interaction.original));
        await activity.quiet();
      }
      if (interaction.answer === undefined) trouble(person, 'The application did not respond');
      return interaction;
    },
  };
}

function newInteraction(world: World, { person, channel, kind, source }: Deed): Interaction {
  const id = world.nextId();
  return {
    id,
    token: `aW50ZXJhY3Rpb246${randomBytes(60).toString('base64url')}`,
    kind,
    personId: person.id,
    channelId: channel.id,
    atMs: world.nowMs(),
    metadata: {
      id,
      type: interactionType[kind],
      user: userOf(world, person.id),
      authorizing_integration_owners: ownersOf(channel),
      ...(source && kind === 'component' && { interacted_message_id: source.id }),
    },
    source,
    answer: undefined,
    original: undefined,
  };
}

function interactionWire(world: World, { id, token, kind }: Interaction, deed: Deed): Wire {
  const { person, channel, data, message } = deed;
  const { guildId } = channel;
  return {
    id,
    application_id: world.appId,
    type: interactionType[kind],
    token,
    version: 1,
    data,
    guild_id: guildId,
    guild: guildId === undefined ? undefined : { id: guildId, locale: 'en-US', features: [] },
    guild_locale: guildId === undefined ? undefined : 'en-US',
    channel_id: channel.id,
    channel: interactionChannel(world, channel, person.id),
    ...interactionPerson(world, channel, person.id),
    message,
    locale: 'en-US',
    app_permissions: String(permissionsIn(world, channel, world.botId)),
    entitlements: [],
    entitlement_sku_ids: [],
    authorizing_integration_owners: ownersOf(channel),
    context: guildId === undefined ? 1 : 0,
    attachment_size_limit: 10_485_760,
  };
}

/** Whose installation of the bot it is: the server's, or nobody's in direct messages. */
function ownersOf({ guildId }: Channel): Wire {
  return { 0: guildId ?? '0' };
}
