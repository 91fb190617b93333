import type { MessageRef, Person, Place } from '../../../src/engine/people.ts';
import { intent } from './gateway.ts';
import type { Hands } from './hands.ts';
import { addMessage, tellChannel } from './messages.ts';
import { guildCreate, memberWire, roleWire, userOf } from './payloads.ts';
import { may, type PermissionName, permission } from './permissions.ts';
import type { Places } from './places.ts';
import { addThread, openThread } from './threads.ts';
import {
  addChannel,
  addGuild,
  type Channel,
  channelType,
  fixedIds,
  openDirect,
  type World,
} from './world.ts';

/** What people do to servers, channels, threads and roles. Each resolves when the bot has heard it and is quiet. */
export interface Housekeeping {
  /** Another server with a channel `general` and everybody on it; gives that channel. */
  createGuild(name: string, options?: { readonly id?: string }): Promise<Place>;
  /** The bot is put off the server of a place. */
  removeBot(place: Place): Promise<void>;
  createChannel(channel: {
    readonly name: string;
    readonly type?: 'text' | 'announcement' | 'voice' | 'stage' | 'category';
    /** Of which server; default: the first. */
    readonly guildId?: string;
    /** What the bot lacks there. */
    readonly deny?: readonly PermissionName[];
  }): Promise<Place>;
  /** A forum. `tags`: names, a `!` before those for moderators; `requiresTag`: a post must have one. */
  createForum(forum: {
    readonly name: string;
    readonly tags?: readonly string[];
    readonly requiresTag?: boolean;
  }): Promise<Place>;
  /** Somebody posts in a forum; gives the place of the post. */
  forumPost(person: Person, forum: Place, name: string, text: string): Promise<Place>;
  /** Opens the thread of a message. */
  openThread(person: Person, message: MessageRef, name: string): Promise<Place>;
  /** Opens a thread that is not from a message. */
  openBareThread(person: Person, channel: Place, name: string): Promise<Place>;
  /** Opens a thread that only those see who are added to it; the bot is, unless `without` it. */
  openPrivateThread(
    person: Person,
    channel: Place,
    name: string,
    options?: { readonly without?: 'bot' },
  ): Promise<Place>;
  /** The bot is put out of a private thread; Discord does not tell it. */
  removeFromThread(place: Place): void;
  /** The threads of a channel or forum, oldest first, with the names of their tags. */
  threadsOf(
    place: Place,
  ): readonly { readonly place: Place; readonly name: string; readonly tags: readonly string[] }[];
  archiveThread(place: Place): Promise<void>;
  lockThread(place: Place): Promise<void>;
  /** Deletes a thread or channel. */
  deleteChannel(place: Place): Promise<void>;
  renameChannel(place: Place, name: string): Promise<void>;
  /** Takes a permission from the bot in a channel. */
  deny(place: Place, ...names: readonly PermissionName[]): Promise<void>;
  /** Nobody but the bot and the owner sees a channel any more. */
  hideFromEverybody(place: Place): Promise<void>;
  /** Gives it back. */
  allow(place: Place, ...names: readonly PermissionName[]): Promise<void>;
  /** Takes a permission from a person in a channel. */
  denyPerson(person: Person, place: Place, ...names: readonly PermissionName[]): Promise<void>;
  /** A new role; gives its id. */
  createRole(
    name: string,
    options?: { readonly isMentionable?: boolean; readonly permissions?: readonly PermissionName[] },
  ): Promise<string>;
  /** What everybody, or the bot's own role, may do on the first server where no channel says otherwise. */
  permit(role: 'everybody' | 'bot', names: readonly PermissionName[]): Promise<void>;
  renameRole(id: string, name: string): Promise<void>;
  deleteRole(id: string): Promise<void>;
  giveRole(person: Person, id: string): Promise<void>;
  takeRole(person: Person, id: string): Promise<void>;
  setNick(person: Person, nick: string | undefined): Promise<void>;
  /** So many more people on the first server. */
  addPeople(count: number): readonly Person[];
  /** The person leaves the first server. */
  leave(person: Person): Promise<void>;
  /** The person takes no direct messages from the bot any more. */
  refuseDms(person: Person): void;
  /** The direct messages of a person and the bot. */
  directPlace(person: Person): Place;
}

/** Makes it. */
export function createHousekeeping(options: {
  readonly world: World;
  readonly places: Places;
  readonly hands: Hands;
}): Housekeeping {
  const { world, hands } = options;
  const { channelOf, placeOf } = options.places;
  const firstGuild = () => {
    const guild = world.guilds.get(fixedIds.guild);
    if (guild === undefined) throw new Error('there is no server');
    return guild;
  };

  async function added(channel: Channel): Promise<Place> {
    tellChannel(world, 'CHANNEL_CREATE', channel);
    await hands.settle();
    return placeOf(channel);
  }

  function threadState(place: Place) {
    const { thread } = channelOf(place);
    if (thread === undefined) throw new Error('this is no thread');
    return thread;
  }

  async function overwrite(id: string, place: Place, change: (before: bigint) => bigint): Promise<void> {
    const channel = channelOf(place);
    const target = channel.thread ? channelOf({ ...place, thread: channel.parentId ?? '' }) : channel;
    const wasSeen = may(world, target, world.botId, 'VIEW_CHANNEL');
    const type = firstGuild().roles.has(id) ? 'role' : 'member';
    const before = target.overwrites.get(id) ?? { id, type, allow: 0n, deny: 0n };
    target.overwrites.set(id, { ...before, deny: change(before.deny) });
    // A channel that is hidden is not told about any more, not even that.
    tellChannel(world, wasSeen ? 'CHANNEL_UPDATE' : 'CHANNEL_CREATE', target);
    await hands.settle();
  }

  async function tellMember(userId: string): Promise<void> {
    const guild = firstGuild();
    const member = guild.members.get(userId);
    if (member === undefined) throw new Error(`${userId} is not on the server`);
    world.happen({
      t: 'GUILD_MEMBER_UPDATE',
      d: { ...memberWire(member), user: userOf(world, userId), guild_id: guild.id },
      intents: intent.guildMembers,
      guildId: guild.id,
    });
    await hands.settle();
  }

  async function tellRole(
    t: 'GUILD_ROLE_CREATE' | 'GUILD_ROLE_UPDATE' | 'GUILD_ROLE_DELETE',
    id: string,
  ): Promise<void> {
    const guild = firstGuild();
    const role = guild.roles.get(id);
    const told = role ? { role: roleWire(role, guild.roles.size - 1) } : { role_id: id };
    world.happen({ t, d: { guild_id: guild.id, ...told }, intents: intent.guilds, guildId: guild.id });
    await hands.settle();
  }

  function memberOf(person: Person) {
    const member = firstGuild().members.get(person.id);
    if (member === undefined) throw new Error(`${person.name} is not on the server`);
    return member;
  }

  function roleOf(id: string) {
    const role = firstGuild().roles.get(id);
    if (role === undefined) throw new Error(`there is no role ${id}`);
    return role;
  }

  return {
    async createGuild(name, { id = world.nextId() } = {}) {
      const guild = addGuild(world, { id, name });
      const channel = addChannel(world, {
        id: world.nextId(),
        name: 'general',
        type: channelType.text,
        guildId: id,
      });
      world.happen({ t: 'GUILD_CREATE', d: guildCreate(world, guild), intents: intent.guilds, guildId: id });
      await hands.settle();
      return placeOf(channel);
    },
    async removeBot(place) {
      const guildId = channelOf(place).guildId ?? '';
      world.guilds.get(guildId)?.members.delete(world.botId);
      world.happen({ t: 'GUILD_DELETE', d: { id: guildId }, intents: intent.guilds, guildId });
      await hands.settle();
    },
    createChannel({ name, type = 'text', guildId = fixedIds.guild, deny = [] }) {
      const made = addChannel(world, { id: world.nextId(), name, type: channelType[type], guildId });
      if (deny.length > 0) {
        made.overwrites.set(world.botId, { id: world.botId, type: 'member', allow: 0n, deny: bitsOf(deny) });
      }
      return added(made);
    },
    createForum({ name, tags = [], requiresTag = false }) {
      const made = tags.map((tag) => ({
        id: world.nextId(),
        name: tag.replace(/^!/, ''),
        moderated: tag.startsWith('!'),
      }));
      const type = channelType.forum;
      return added(
        addChannel(world, {
          id: world.nextId(),
          name,
          type,
          guildId: fixedIds.guild,
          tags: made,
          requiresTag,
        }),
      );
    },
    async forumPost(person, forum, name, text) {
      const id = world.nextId();
      const thread = addThread(world, channelOf(forum), { id, name, ownerId: person.id });
      tellChannel(world, 'THREAD_CREATE', thread, { newly_created: true });
      addMessage(world, thread, { content: text }, [], { id, authorId: person.id });
      await hands.settle();
      return placeOf(thread);
    },
    async openThread(person, { id, ...place }, name) {
      const channel = channelOf(place);
      const message = channel.messages.get(id);
      if (message === undefined) throw new Error(`there is no message ${id}`);
      const thread = openThread(world, channel, message, { name, ownerId: person.id });
      await hands.settle();
      return placeOf(thread);
    },
    async openBareThread(person, place, name) {
      const channel = channelOf(place);
      const thread = addThread(world, channel, { id: world.nextId(), name, ownerId: person.id });
      tellChannel(world, 'THREAD_CREATE', thread, { newly_created: true });
      // Discord says so in the channel.
      const reference = { type: 0, channel_id: thread.id, guild_id: channel.guildId };
      addMessage(world, channel, { content: name }, [], { authorId: person.id, type: 18, reference });
      await hands.settle();
      return placeOf(thread);
    },
    async openPrivateThread(person, place, name, { without } = {}) {
      const thread = addThread(world, channelOf(place), {
        id: world.nextId(),
        name,
        ownerId: person.id,
        onlyFor: without === 'bot' ? [person.id] : [person.id, world.botId],
      });
      tellChannel(world, 'THREAD_CREATE', thread, { newly_created: true });
      await hands.settle();
      return placeOf(thread);
    },
    removeFromThread: (place) => void threadState(place).onlyFor?.delete(world.botId),
    threadsOf(place) {
      const { id, tags } = channelOf(place);
      return [...world.channels.values()]
        .filter(({ parentId, thread }) => thread && parentId === id)
        .map((each) => ({
          place: placeOf(each),
          name: each.name,
          tags: tags.filter((tag) => each.thread?.appliedTags.includes(tag.id)).map(({ name }) => name),
        }));
    },
    async archiveThread(place) {
      const thread = threadState(place);
      thread.archived = true;
      thread.archiveChangedAtMs = world.nowMs();
      tellChannel(world, 'THREAD_UPDATE', channelOf(place));
      await hands.settle();
    },
    async lockThread(place) {
      threadState(place).locked = true;
      tellChannel(world, 'THREAD_UPDATE', channelOf(place));
      await hands.settle();
    },
    async deleteChannel(place) {
      const channel = channelOf(place);
      const threads = [...world.channels.values()].filter(
        ({ parentId, thread }) => thread && parentId === channel.id,
      );
      for (const thread of threads) world.channels.delete(thread.id);
      tellChannel(world, channel.thread ? 'THREAD_DELETE' : 'CHANNEL_DELETE', channel);
      world.channels.delete(channel.id);
      await hands.settle();
    },
    async renameChannel(place, name) {
      const channel = channelOf(place);
      channel.name = name;
      tellChannel(world, channel.thread ? 'THREAD_UPDATE' : 'CHANNEL_UPDATE', channel);
      await hands.settle();
    },
    deny: (place, ...names) => overwrite(world.botId, place, (before) => before | bitsOf(names)),
    async hideFromEverybody(place) {
      const { overwrites } = channelOf(place);
      const allow = permission.VIEW_CHANNEL;
      overwrites.set(world.botId, { id: world.botId, type: 'member', allow, deny: 0n });
      await overwrite(firstGuild().id, place, (before) => before | allow);
    },
    allow: (place, ...names) => overwrite(world.botId, place, (before) => before & ~bitsOf(names)),
    denyPerson: ({ id }, place, ...names) => overwrite(id, place, (before) => before | bitsOf(names)),
    async createRole(name, { isMentionable = false, permissions = [] } = {}) {
      const id = world.nextId();
      firstGuild().roles.set(id, {
        id,
        name,
        permissions: bitsOf(permissions),
        isMentionable,
        ofBot: undefined,
      });
      await tellRole('GUILD_ROLE_CREATE', id);
      return id;
    },
    async permit(role, names) {
      const { id: everybody, roles } = firstGuild();
      const own = [...roles.values()].find(({ ofBot }) => ofBot === world.botId);
      const permitted = roleOf(role === 'bot' ? (own?.id ?? '') : everybody);
      permitted.permissions = bitsOf(names);
      await tellRole('GUILD_ROLE_UPDATE', permitted.id);
    },
    async renameRole(id, name) {
      roleOf(id).name = name;
      await tellRole('GUILD_ROLE_UPDATE', id);
    },
    async deleteRole(id) {
      firstGuild().roles.delete(id);
      for (const { roles } of firstGuild().members.values()) roles.delete(id);
      await tellRole('GUILD_ROLE_DELETE', id);
    },
    async giveRole(person, id) {
      memberOf(person).roles.add(roleOf(id).id);
      await tellMember(person.id);
    },
    async takeRole(person, id) {
      memberOf(person).roles.delete(id);
      await tellMember(person.id);
    },
    async setNick(person, nick) {
      memberOf(person).nick = nick;
      await tellMember(person.id);
    },
    addPeople: (count) =>
      Array.from({ length: count }, (_, index) => {
        const id = world.nextId();
        const name = `Member ${index + 1}`;
        world.users.set(id, { id, name, username: `member${id}`, isBot: false, refusesDms: false });
        firstGuild().members.set(id, { userId: id, nick: undefined, roles: new Set() });
        return { platform: 'discord', id, name };
      }),
    async leave(person) {
      const guild = firstGuild();
      guild.members.delete(person.id);
      const d = { guild_id: guild.id, user: userOf(world, person.id) };
      world.happen({ t: 'GUILD_MEMBER_REMOVE', d, intents: intent.guildMembers, guildId: guild.id });
      await hands.settle();
    },
    refuseDms({ id }) {
      const user = world.users.get(id);
      if (user) user.refusesDms = true;
    },
    directPlace: ({ id }) => placeOf(openDirect(world, id)),
  };
}

function bitsOf(names: readonly PermissionName[]): bigint {
  return names.reduce((bits, name) => bits | permission[name], 0n);
}
