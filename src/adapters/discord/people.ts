import { type Guild, Routes } from 'discord.js';
import { z } from 'zod';
import type { Standing } from '../../engine/people.ts';
import type { Clock } from '../../ports/clock.ts';
import { createCache } from '../chat/cache.ts';
import { snowflakePattern } from './addresses.ts';
import { type Calls, orAbsent } from './calls.ts';
import { serversOf, type Told } from './directory.ts';
import type { Member } from './incoming.ts';

/** Who people are and which roles they have: from what comes with what they do, else asked for. */
export interface People {
  /** Keeps what an event tells about who did it. */
  meet(member: Member, guild: string | undefined): void;
  knownName(user: string): string | undefined;
  /** The name, or the id when nobody can tell. */
  nameOf(user: string): Promise<string>;
  /** The id of the person with this user name in one of these servers. Rejects with `ChatUnavailable`. */
  called(name: string, servers: readonly Guild[]): Promise<string | undefined>;
  knownRole(role: string): string | undefined;
  /**
   * A role of a server by its name or id. Undefined = there is none, or several of the name. Never the role of everybody.
   * Rejects with `ChatUnavailable`.
   *
   * @param server undefined = of a direct conversation: whichever can be meant, if it is one
   */
  role(nameOrId: string, server: string | undefined): Promise<Role | undefined>;
  /**
   * Whether somebody has a role now, by its name or id; may be up to a minute old. A role that is not there is nobody's;
   * undefined = several can be meant. Rejects with `ChatUnavailable`.
   *
   * @param server as for `role`
   */
  hasRole(user: string, nameOrId: string, server: string | undefined): Promise<boolean | undefined>;
  /** Ids of the roles that somebody has in a server; undefined = they are not in it. Rejects with `ChatUnavailable`. */
  rolesOf(user: string, server: string): Promise<readonly string[] | undefined>;
  /** Whether somebody is in a server; may be up to a minute old. Rejects with `ChatUnavailable`. */
  isIn(user: string, server: string): Promise<boolean>;
  /**
   * What an account is at present; may be up to a minute old. Rejects with `ChatUnavailable`.
   *
   * @param server where it is to be a member; undefined = anywhere
   */
  standing(user: string, server: string | undefined): Promise<Standing>;
}

/** A role of a server. */
export interface Role {
  readonly id: string;
  readonly server: string;
}

/** What is known of an account. */
interface Account {
  readonly isBot: boolean;
}

/** An account in a server. */
interface Membership extends Account {
  readonly roles: readonly string[];
}

const memberShape = z.object({
  roles: z.array(z.string()),
  user: z.object({ bot: z.boolean().default(false) }),
});
const rolesShape = z.array(z.object({ id: z.string(), name: z.string() }));
const userShape = z.object({
  id: z.string(),
  username: z.string(),
  global_name: z.string().nullish(),
  bot: z.boolean().default(false),
});
const foundShape = z.array(z.object({ user: userShape }));

const rolesMs = 60_000;
/** Discord's words for somebody who is not in a server, or has no account. */
const [unknownMember, unknownUser] = [10007, 10013];
/** Most people whose names are remembered. */
const namesMax = 20_000;
/** @see https://support.discord.com/hc/en-us/articles/12620128861463 */
const userNamePattern = /^[a-z0-9._]{2,32}$/;

/** Makes it. */
export function createPeople(options: Told & { readonly calls: Calls; readonly clock: Clock }): People {
  const { calls, clock, client } = options;
  // What was known long ago must not let anybody do anything when Discord gives no answer.
  const members = createCache<Membership>(clock, rolesMs, rolesMs, false);
  const accounts = createCache<Account>(clock, rolesMs, rolesMs, false);
  const serverRoles = createCache<z.infer<typeof rolesShape>>(clock, rolesMs, rolesMs);
  const names = new Map<string, string>();

  function remember(user: string, name: string): void {
    names.delete(user);
    names.set(user, name);
    const [oldest] = names.keys();
    if (names.size > namesMax && oldest !== undefined) names.delete(oldest);
  }

  function serverFor(role: string, server: string | undefined): string | undefined {
    if (server !== undefined) return server;
    const all = serversOf(options, '');
    const owning = all.find(({ roles }) => roles.cache.has(role));
    return owning?.id ?? (all.length === 1 ? all[0]?.id : undefined);
  }

  async function rolesIn(server: string): Promise<z.infer<typeof rolesShape>> {
    const told = client().guilds.cache.get(server)?.roles.cache;
    if (told && told.size > 0) return [...told.values()].map(({ id, name }) => ({ id, name }));
    const asked = await serverRoles.get(server, async () =>
      orAbsent(await calls.read({ method: 'GET', route: Routes.guildRoles(server) }, rolesShape), [
        'nowhere',
        'outside',
        'no',
      ]),
    );
    return asked ?? [];
  }

  /** Somebody as a member of a server; undefined = they are not in it. */
  async function memberOf(user: string, server: string): Promise<Membership | undefined> {
    return members.get(`${server}:${user}`, async () => {
      const found = await there(Routes.guildMember(server, user), memberShape);
      return found && { roles: found.roles, isBot: found.user.bot };
    });
  }

  async function account(user: string): Promise<Account | undefined> {
    return accounts.get(user, async () => {
      const found = await there(Routes.user(user), userShape);
      return found && { isBot: found.bot };
    });
  }

  /** What is known of somebody; undefined = there is no such person. Throws `ChatUnavailable`. */
  async function there<T>(route: `/${string}`, shape: z.ZodType<T>): Promise<T | undefined> {
    const asked = await calls.read({ method: 'GET', route }, shape);
    const isAbsent = asked.kind === 'refused' && [unknownMember, unknownUser].includes(asked.code);
    return isAbsent ? undefined : orAbsent(asked, []);
  }

  /** Roles of a server that can be meant; undefined = nobody knows in which server. Never the role of everybody. */
  async function rolesCalled(
    nameOrId: string,
    server: string | undefined,
  ): Promise<readonly Role[] | undefined> {
    const owner = serverFor(nameOrId, server);
    if (owner === undefined) return undefined;
    const wanted = nameOrId.toLowerCase();
    // The role of everybody has the server's id.
    const roles = (await rolesIn(owner)).filter(({ id }) => id !== owner);
    const byId = roles.filter(({ id }) => id === nameOrId);
    const meant = byId.length > 0 ? byId : roles.filter(({ name }) => name.toLowerCase() === wanted);
    return meant.map(({ id }) => ({ id, server: owner }));
  }

  return {
    meet({ id, name, roles }, server) {
      remember(id, name);
      if (server === undefined || !roles) return;
      members.forget(`${server}:${id}`);
      // Bots do nothing that is told.
      void members.get(`${server}:${id}`, async () => ({ roles, isBot: false }));
    },
    knownName: (user) => names.get(user),
    async nameOf(user) {
      const known = names.get(user);
      if (known !== undefined || !snowflakePattern.test(user)) return known ?? user;
      const asked = await calls.call({ method: 'GET', route: Routes.user(user) }, userShape);
      if (asked.kind !== 'ok') return user;
      const name = asked.data.global_name ?? asked.data.username;
      remember(user, name);
      return name;
    },
    async called(name, servers) {
      const wanted = name.toLowerCase();
      if (!userNamePattern.test(wanted)) return undefined;
      for (const { id } of servers) {
        const asked = await calls.read(
          { method: 'GET', route: Routes.guildMembersSearch(id), query: { query: wanted, limit: '100' } },
          foundShape,
        );
        const found = orAbsent(asked, ['nowhere', 'outside', 'no'])?.find(
          ({ user }) => user.username === wanted,
        );
        if (found) return found.user.id;
      }
      return undefined;
    },
    knownRole(role) {
      const owning = client().guilds.cache.find(({ roles }) => roles.cache.has(role));
      return owning?.roles.cache.get(role)?.name;
    },
    async role(nameOrId, server) {
      const [only, ...others] = (await rolesCalled(nameOrId, server)) ?? [];
      return others.length === 0 ? only : undefined;
    },
    async hasRole(user, nameOrId, server) {
      const meant = await rolesCalled(nameOrId, server);
      if (meant === undefined || meant.length > 1) return undefined;
      const [role] = meant;
      return role !== undefined && (await memberOf(user, role.server))?.roles.includes(role.id) === true;
    },
    rolesOf: async (user, server) =>
      snowflakePattern.test(user) ? (await memberOf(user, server))?.roles : undefined,
    isIn: async (user, server) => (await memberOf(user, server)) !== undefined,
    async standing(user, server) {
      if (!snowflakePattern.test(user)) return 'gone';
      const found = await (server === undefined ? account(user) : memberOf(user, server));
      if (found === undefined) return 'gone';
      return found.isBot ? 'bot' : 'member';
    },
  };
}
