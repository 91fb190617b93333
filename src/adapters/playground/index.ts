import type { FastifyInstance } from 'fastify';
import type { Chat } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Log } from '../../ports/log.ts';
import { createDelivery } from './delivery.ts';
import { canSee, member, peopleWith, platform, standingOf } from './directory.ts';
import { downloadUpload } from './download.ts';
import { renderParts } from './render.ts';
import { addRoutes } from './routes.ts';
import { openWorkspace, type Workspace } from './workspace.ts';

/** A chat platform of this machine, with a page: for trying flows out without Slack or Discord. */
export interface Playground extends Chat {
  /** Adds the page (`/playground/`), its API and its event stream. */
  routes(app: FastifyInstance): void;
  /** Adds the channels that flows name; names that can't be one are left out. */
  ensureChannels(names: readonly string[]): void;
  /** Stops, then closes the file; call it after the server is closed. */
  close(): Promise<void>;
}

/** What the playground needs. */
export interface PlaygroundOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** The word that makes what is typed a command, with its slash: `/flow`. */
  readonly command: string;
  /** Where the server answers (`http://127.0.0.1:3000`), for links to messages. */
  readonly url: () => string;
}

/** Opens the playground's own file (not the bot's store) and makes the adapter for it. */
export function createPlayground(
  options: PlaygroundOptions & { readonly file: string; readonly ids: Ids },
): Playground {
  return playgroundOf(openWorkspace(options), options);
}

/** The adapter for a workspace. */
export function playgroundOf(workspace: Workspace, options: PlaygroundOptions): Playground {
  const { log } = options;
  const delivery = createDelivery({ workspace, clock: options.clock, log });
  const link = (message: { readonly conversation: string; readonly id: string }) =>
    `${options.url()}/playground/#${encodeURIComponent(message.conversation)}/${message.id}`;

  return {
    platform,
    hasOwnCommands: false,
    async start(inbound) {
      delivery.start(inbound);
    },
    stop: () => delivery.stop(),
    conversation: async (address) => workspace.conversation(address),
    nameOf: async (id) => member(id)?.name ?? id,
    hasRole: async (person, role) => peopleWith(role)?.includes(person.id),
    knowsRole: async (role) => peopleWith(role) !== undefined,
    standing: async (person) => standingOf(person.id),
    canRead: async ({ id }, conversation) =>
      standingOf(id) === 'member' &&
      workspace.conversation(conversation)?.id === conversation &&
      canSee(id, conversation),
    health: () => ({ kind: 'up' }),
    render: renderParts,
    async post(place, part, key) {
      try {
        const outcome = workspace.post(place, part, key);
        return outcome.kind === 'posted' ? { ...outcome, url: link(outcome.message) } : outcome;
      } catch (error) {
        log.warn('The playground gave no answer to a post.', { error: String(error) });
        return { kind: 'unknown', message: 'The playground gave no answer.' };
      }
    },
    async edit(message, part) {
      try {
        return workspace.edit(message, part);
      } catch (error) {
        log.warn('The playground gave no answer to an edit.', { error: String(error) });
        return { kind: 'unknown', message: 'The playground gave no answer.' };
      }
    },
    async history(conversation, window) {
      const outcome = workspace.past(conversation, window);
      if (outcome.kind !== 'read') return outcome;
      const messages = outcome.messages.map((one) => ({ ...one, url: link({ conversation, id: one.id }) }));
      return { ...outcome, messages };
    },
    async find(place, key, sinceMs) {
      const outcome = workspace.find(place, key, sinceMs);
      return outcome.kind === 'found' ? { ...outcome, url: link(outcome.message) } : outcome;
    },
    download: async (file, maxBytes) => downloadUpload(workspace.uploads, file, maxBytes),
    routes: (app) => addRoutes(app, { workspace, delivery, command: options.command, url: options.url }),
    ensureChannels: (names) => workspace.ensureChannels(names),
    async close() {
      await delivery.stop();
      workspace.close();
    },
  };
}
