import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Chat, ChatHealth } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { createHeartbeat } from '../chat/heartbeat.ts';
import { platform } from './addresses.ts';
import { createCalls } from './calls.ts';
import { createDelivery, type Delivery } from './delivery.ts';
import { createDirectory } from './directory.ts';
import { createExchanges } from './exchange.ts';
import { createFormPages } from './form-pages.ts';
import { createGateway } from './gateway.ts';
import { type Identity, identify } from './identity.ts';
import { createPeople } from './people.ts';
import { createPosts } from './posts.ts';
import { createRecovery } from './recovery.ts';
import { createRegistration } from './registration.ts';
import { renderParts } from './render.ts';
import { createWording } from './wording.ts';

export { platform } from './addresses.ts';

/** How Discord is reached. */
export interface DiscordSettings {
  readonly token: string;
  /** The only server that is served; absent = all that the bot is in. */
  readonly guildId?: string;
  /** Base address of the API, without its version; default Discord's own. */
  readonly apiUrl?: string;
  /** The chat command, with its slash. */
  readonly command: string;
}

/** Direct conversations that are looked through for what was missed, at most. */
const directsMax = 200;
const directsNote = 'directs';
/** Wait before a message that could not be stored is looked for, in milliseconds. */
const againMs = 5_000;

/**
 * Makes the adapter for Discord. Nothing is connected before `start`.
 * @param onDead Discord does not take the bot any more: only a person can mend it
 */
export function createDiscord(
  { token, guildId, apiUrl, command }: DiscordSettings,
  {
    clock,
    log,
    onDead,
  }: { readonly clock: Clock; readonly log: Log; readonly onDead: (why: string) => void },
): Chat {
  let identity: Identity | undefined;
  let asked: Promise<Identity> | undefined;
  let delivery: Delivery | undefined;
  let directs: readonly string[] = [];
  const end = (why: string): void => {
    log.error('Discord does not take the bot any more.', new Error(why));
    onDead(why);
  };
  const calls = createCalls({ token, apiUrl, clock, log, onDead: end });
  /** Who the bot is, asked once: posts may go out before events come in. */
  const whoAmI = (): Promise<Identity> => {
    asked ??= identify(calls, log);
    return asked;
  };
  const user = async (): Promise<string> => (await whoAmI()).user;
  const gateway = createGateway({
    token,
    apiUrl,
    clock,
    log,
    readsMessages: () => identity?.readsMessages === true,
    take: (packet) => delivery?.take(packet),
    onGap: (sinceMs) => missed(sinceMs),
    onDead: end,
  });
  const told = {
    client: () => gateway.client,
    isConnected: () => gateway.client.isReady(),
    guildId,
  };
  const people = createPeople({ ...told, calls, clock });
  const directory = createDirectory({ ...told, calls, clock, log, people });
  const posts = createPosts({ calls, directory, people, clock, log, user });
  const registration = createRegistration({
    calls,
    application: async () => (await whoAmI()).application,
    server: guildId,
    command,
    log,
  });
  const recovery = createRecovery({
    ...told,
    calls,
    clock,
    log,
    directs: () => directs,
    take: async (message) => delivery?.takeMessage(message),
  });
  const heartbeat = createHeartbeat({
    platform,
    clock,
    log,
    isHearing: () => health().kind === 'up',
    missedSinceMs: () => recovery.openSinceMs,
  });

  function missed(sinceMs: number): void {
    recovery.missed(sinceMs);
    void recovery.look();
  }

  function health(): ChatHealth {
    const why = calls.down ?? gateway.down;
    return why === undefined ? { kind: 'up' } : { kind: 'down', why };
  }

  return {
    platform,
    hasOwnCommands: true,
    health,
    async start(inbound) {
      identity = await whoAmI();
      if (!identity.readsMessages) log.warn(cannotRead);
      directs = z
        .array(z.string())
        .catch([])
        .parse(await inbound.note(platform, directsNote));
      const exchange = createExchanges({ calls, application: identity.application, log });
      const { user: me } = identity;
      delivery = createDelivery({
        inbound,
        idsIn: (server) => {
          const own = gateway.client.guilds.cache.get(server ?? '')?.roles.botRoleFor(me);
          return own ? [me, own.id] : [me];
        },
        server: guildId,
        wording: createWording(directory, people),
        people,
        calls,
        exchange,
        pages: createFormPages({ makeKey: () => randomBytes(12).toString('base64url') }),
        offer: () => registration.offer,
        onMissed(atMs) {
          recovery.missed(atMs);
          void recovery.look(againMs);
        },
        onDirect(channel) {
          if (directs.includes(channel)) return;
          directs = [...directs, channel].slice(-directsMax);
          inbound
            .keepNote(platform, directsNote, [...directs])
            .catch((error: unknown) => log.error('A direct conversation could not be noted.', error));
        },
        clock,
        log,
      });
      registration.start(inbound);
      const heardMs = await heartbeat.start(inbound);
      await gateway.start();
      // In the background: there may be many conversations.
      if (heardMs !== undefined) missed(heardMs);
    },
    async stop() {
      recovery.stop();
      calls.close();
      await heartbeat.stop();
      await delivery?.stop();
      await registration.stop();
      await gateway.stop();
    },
    conversation: (address) => directory.conversation(address),
    nameOf: async (id) =>
      id.startsWith('@') ? `@${people.knownRole(id.slice(1)) ?? id.slice(1)}` : people.nameOf(id),
    async hasRole(person, role, place) {
      try {
        const server = (await directory.channel(place.conversation))?.guild;
        const found = await people.role(role, server);
        return found && (await people.hasRole(person.id, found));
      } catch {
        return undefined;
      }
    },
    render: renderParts,
    post: (place, part, key) => posts.post(place, part, key),
    edit: (message, part) => posts.edit(message, part),
    find: (place, key, sinceMs) => posts.find(place, key, sinceMs),
  };
}

const cannotRead =
  'The Message Content Intent is off, so commands after a sign (!release) are not seen: switch it on in the Developer Portal (Bot), or mention the bot.';
