import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Chat, ChatHealth } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import { createHeartbeat } from '../chat/heartbeat.ts';
import { platform } from './addresses.ts';
import { createAnswers } from './answers.ts';
import { DurableApp } from './bolt.ts';
import { createCalls } from './calls.ts';
import { createDelivery, type Delivery, movesNote } from './delivery.ts';
import { createDirectory } from './directory.ts';
import { createSlackDownloads } from './download.ts';
import { createEventsRoute } from './events-route.ts';
import { type Identity, identify } from './identity.ts';
import { createPast } from './past.ts';
import { createPosts } from './posts.ts';
import { createReaders } from './readers.ts';
import { createRecovery } from './recovery.ts';
import { renderParts } from './render.ts';
import { createSockets } from './sockets.ts';
import { createStandings } from './standing.ts';

export { platform } from './addresses.ts';

/** Slack, as one workspace with one bot token. */
export interface Slack extends Chat {
  /** Id of the workspace. Rejects with `ChatUnavailable` when Slack can't be asked now. */
  team(): Promise<string>;
  /** Adds `POST /slack/events`, when events come over HTTP. */
  routes(app: FastifyInstance): void;
}

/** How Slack is reached. */
export interface SlackSettings {
  /** `xoxb-…` */
  readonly botToken: string;
  /** How events come: over Socket Mode with an app token (`xapp-…`), or over signed HTTP. */
  readonly events:
    | { readonly kind: 'socket'; readonly appToken: string }
    | { readonly kind: 'http'; readonly signingSecret: string };
  /** Base address of the Web API; default Slack's own. */
  readonly apiUrl?: string;
  /** `xoxe…`, with which `doctor` reads the app's manifest. */
  readonly configToken?: string;
}

const movesShape = z.record(z.string(), z.string());

/** Makes the adapter for Slack. Nothing is connected before `start`. */
export function createSlack(
  settings: SlackSettings,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Slack {
  const { events, apiUrl } = settings;
  const calls = createCalls({ token: settings.botToken, apiUrl, clock, log });
  let identity: Identity | undefined;
  let asked: Promise<Identity> | undefined;
  let delivery: Delivery | undefined;
  /** Who the bot is, asked once: posts may go out before events come in. */
  const whoAmI = (): Promise<Identity> => {
    asked ??= identify(calls, log);
    return asked;
  };
  const directory = createDirectory({ calls, clock, whoAmI });
  const standings = createStandings({ calls, clock, whoAmI });
  const readers = createReaders({ calls, clock, whoAmI, directory, standings });
  const posts = createPosts({ calls, apiUrl, directory, clock, log, whoAmI });
  const past = createPast({ calls, directory, clock, whoAmI });
  const downloads = createSlackDownloads({ token: settings.botToken, apiUrl, calls });
  const answers = createAnswers({ calls, apiUrl, log });
  const receiver =
    events.kind === 'socket'
      ? createSockets({
          appToken: events.appToken,
          apiUrl,
          clock,
          log,
          onGap(sinceMs) {
            recovery.missed(sinceMs);
            void recovery.look();
          },
        })
      : createEventsRoute({ signingSecret: events.signingSecret, clock });
  const recovery = createRecovery({
    calls,
    clock,
    log,
    take: async (message) => delivery?.takeMessage(message),
  });
  const heartbeat = createHeartbeat({
    platform,
    clock,
    log,
    isHearing: () => health().kind === 'up',
    missedSinceMs: () => recovery.openSinceMs,
  });
  // Bolt gives itself to the receiver.
  new DurableApp(receiver, async (event) => {
    if (!delivery) throw new Error('Slack is not connected yet.');
    await delivery.take(event);
  });

  function health(): ChatHealth {
    const why =
      calls.dead ??
      (identity ? undefined : 'Not connected to Slack yet.') ??
      ('down' in receiver ? receiver.down : undefined);
    return why === undefined ? { kind: 'up' } : { kind: 'down', why };
  }

  return {
    platform,
    hasOwnCommands: false,
    health,
    team: async () => (await whoAmI()).team,
    routes(app) {
      if ('routes' in receiver) receiver.routes(app);
    },
    async start(inbound) {
      identity = await whoAmI();
      delivery = createDelivery({ inbound, identity, directory, calls, answers, clock, log });
      const moves = movesShape.safeParse(await inbound.note(platform, movesNote));
      for (const [from, to] of Object.entries(moves.data ?? {})) directory.moved(from, to);
      const heardMs = await heartbeat.start(inbound);
      if (heardMs !== undefined) recovery.missed(heardMs);
      await receiver.start();
      // In the background: there may be many conversations.
      void recovery.look();
    },
    async stop() {
      recovery.stop();
      calls.close();
      downloads.close();
      await heartbeat.stop();
      await delivery?.stop();
      await receiver.stop();
    },
    conversation: (address) => directory.conversation(address),
    nameOf: (id) => (id.startsWith('@') ? directory.handleOf(id.slice(1)) : directory.nameOf(id)),
    async hasRole(person, role) {
      try {
        const group = await directory.group(role);
        return group === undefined ? false : (await directory.groupMembers(group))?.has(person.id);
      } catch {
        return undefined;
      }
    },
    knowsRole: async (role) => (await directory.group(role)) !== undefined,
    standing: (person) => standings.of(person.id),
    canRead: (person, conversation) => readers.canRead(person.id, conversation),
    render: renderParts,
    post: (place, part, key) => posts.post(place, part, key),
    edit: (message, part) => posts.edit(message, part),
    find: (place, key, sinceMs) => posts.find(place, key, sinceMs),
    history: (conversation, window) => past.read(conversation, window),
    download: (file, maxBytes) => downloads.download(file, maxBytes),
  };
}
