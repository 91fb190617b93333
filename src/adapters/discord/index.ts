import { randomBytes } from 'node:crypto';
import type { Place } from '../../engine/people.ts';
import { type Chat, type ChatHealth, ChatUnavailable } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { createHeartbeat } from '../chat/heartbeat.ts';
import { platform } from './addresses.ts';
import { createCalls } from './calls.ts';
import { createDelivery, type Delivery } from './delivery.ts';
import { createDirectory } from './directory.ts';
import { createDirects } from './directs.ts';
import { createDiscordDownloads } from './download.ts';
import { createExchanges } from './exchange.ts';
import { createFormPages } from './form-pages.ts';
import { createGateway } from './gateway.ts';
import { type Identity, identify, readsMessages } from './identity.ts';
import { createPast } from './past.ts';
import { createPeople } from './people.ts';
import { createPosts } from './posts.ts';
import { createReaders } from './readers.ts';
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
  let asked: Promise<Identity> | undefined;
  let delivery: Delivery | undefined;
  let isDead = false;
  /** Told by whatever part notices it first. */
  const end = (why: string): void => {
    if (isDead) return;
    isDead = true;
    log.warn('Discord does not take the bot any more.', { why });
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
    take: (packet) => delivery?.take(packet),
    onGap: (sinceMs, server) => {
      recovery.missed(sinceMs, server);
      void recovery.look();
    },
    onDead: end,
  });
  const told = {
    client: () => gateway.client,
    isConnected: () => gateway.client.isReady(),
    guildId,
  };
  const people = createPeople({ ...told, calls, clock });
  const readers = createReaders({ ...told, calls, people });
  const directory = createDirectory({ ...told, calls, clock, log, people });
  const wording = createWording(directory, people);
  const posts = createPosts({ calls, directory, people, clock, log, user });
  const past = createPast({
    calls,
    clock,
    directory,
    people,
    wording,
    readsMessages: () => readsMessages(calls),
  });
  const downloads = createDiscordDownloads({ apiUrl, calls });
  const registration = createRegistration({
    calls,
    application: async () => (await whoAmI()).application,
    server: guildId,
    command,
    log,
  });
  const directs = createDirects(log);
  const recovery = createRecovery({
    ...told,
    calls,
    clock,
    log,
    directs: () => directs.all,
    take: async (message) => delivery?.takeMessage(message),
  });
  const heartbeat = createHeartbeat({
    platform,
    clock,
    log,
    isHearing: () => health().kind === 'up',
    missedSinceMs: () => earliest(recovery.openSinceMs, gateway.missingSinceMs),
  });

  function health(): ChatHealth {
    const why = calls.down ?? gateway.down;
    return why === undefined ? { kind: 'up' } : { kind: 'down', why };
  }

  /** The server whose people count in a place; undefined = it is a direct conversation, or any place, and any person counts. */
  async function serverOf(place: Place | undefined): Promise<string | undefined> {
    if (!place) return guildId;
    const channel = await directory.channel(place.conversation);
    const server = channel?.kind === 'direct' ? guildId : channel?.guild;
    if (server !== undefined || channel?.kind === 'direct') return server;
    throw new ChatUnavailable('Discord shows the bot no such conversation.');
  }

  return {
    platform,
    hasOwnCommands: true,
    health,
    async start(inbound) {
      const { user: me, application, readsMessages: reads } = await whoAmI();
      if (!reads) log.warn(cannotRead);
      await directs.start(inbound);
      delivery = createDelivery({
        inbound,
        idsIn: (server) => {
          const own = gateway.client.guilds.cache.get(server ?? '')?.roles.botRoleFor(me);
          return own ? [me, own.id] : [me];
        },
        server: guildId,
        wording,
        people,
        calls,
        exchange: createExchanges({ calls, application, log }),
        pages: createFormPages({ makeKey: () => randomBytes(12).toString('base64url') }),
        offer: () => registration.offer,
        noteRights: directory.noteRights,
        onMissed(atMs, server) {
          recovery.missed(atMs, server);
          void recovery.look(againMs);
        },
        onLetIn: () => registration.again(),
        onDirect: directs.add,
        clock,
        log,
      });
      registration.start(inbound);
      await gateway.start({ readsMessages: reads, heardMs: await heartbeat.start(inbound) });
    },
    async stop() {
      recovery.stop();
      calls.close();
      downloads.close();
      await delivery?.stop();
      await heartbeat.stop();
      await registration.stop();
      await gateway.stop();
    },
    conversation: (address) => directory.conversation(address),
    nameOf: async (id) =>
      id.startsWith('@') ? `@${people.knownRole(id.slice(1)) ?? id.slice(1)}` : people.nameOf(id),
    async hasRole(person, role, place) {
      try {
        const server = (await directory.channel(place.conversation))?.guild;
        return await people.hasRole(person.id, role, server);
      } catch {
        return undefined;
      }
    },
    async knowsRole(role, place) {
      const server = await serverOf(place);
      if (server === undefined && !told.isConnected())
        throw new ChatUnavailable('Discord is not connected yet.');
      return (await people.role(role, server)) !== undefined;
    },
    standing: async (person, place) => people.standing(person.id, await serverOf(place)),
    canRead: (person, conversation) => readers.canRead(person.id, conversation),
    render: renderParts,
    post: (place, part, key) => posts.post(place, part, key),
    edit: (message, part) => posts.edit(message, part),
    find: (place, key, sinceMs) => posts.find(place, key, sinceMs),
    history: (conversation, window) => past.read(conversation, window),
    download: (file, maxBytes) => downloads.download(file, maxBytes),
  };
}

function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

const cannotRead =
  'The Message Content Intent is off, so commands after a sign (!release) are not seen and conversations can’t be read back: switch it on in the Developer Portal (Bot).';
