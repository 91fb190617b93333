import { Routes } from 'discord.js';
import { z } from 'zod';
import type { Inbound } from '../../ports/chat.ts';
import type { Log } from '../../ports/log.ts';
import { platform } from './addresses.ts';
import { anything, type Call, type Calls } from './calls.ts';
import { commandDefinitions, definitionDigest } from './command-definitions.ts';
import { type Offer, offerOf } from './offer.ts';

/** Makes the bot's commands known to Discord, and knows what they stand for. */
export interface Registration {
  /** Follows the bot's menu from now on. What Discord does not take now is tried again with the next change or start. */
  start(inbound: Inbound): void;
  /** What is offered now; undefined before `start`. */
  readonly offer: Offer | undefined;
  /** Complete when nothing is being made known. */
  stop(): Promise<void>;
}

const commandsNote = 'commands';
const noteShape = z.object({
  /** The server where they are known; "" = everywhere. */
  server: z.string(),
  /** What each was when it was made known, by type and name. */
  digests: z.record(z.string(), z.string()),
});
type Known = z.infer<typeof noteShape>;
const nothingKnown: Known = { server: '', digests: {} };

const listShape = z.array(z.object({ id: z.string(), type: z.number().default(1), name: z.string() }));

/**
 * Makes it. Only what has changed is sent, and only what was ours is deleted: an application may have commands of others,
 * and a command that is deleted loses the permissions that the server's admins have given it.
 *
 * @param server id of the only server that gets the commands, at once; undefined = everywhere
 * @param command the chat command with its slash
 */
export function createRegistration(options: {
  readonly calls: Calls;
  readonly application: () => Promise<string>;
  readonly server: string | undefined;
  readonly command: string;
  readonly log: Log;
}): Registration {
  const { calls, server, command, log } = options;
  let offer: Offer | undefined;
  let making = Promise.resolve();
  let isStopped = false;

  async function make(inbound: Inbound, wanted: Offer): Promise<void> {
    if (wanted !== offer || isStopped) return;
    const known = noteShape.catch(nothingKnown).parse(await inbound.note(platform, commandsNote));
    const here = server ?? '';
    const application = await options.application();
    const before = known.server === here ? known.digests : {};
    if (known.server !== here) await forget(application, known.server, Object.keys(known.digests));
    const body = commandDefinitions(wanted, server === undefined ? 'global' : 'guild');
    const digests: Record<string, string> = {};
    for (const definition of body) {
      const name = keyOf(definition);
      const digest = definitionDigest([definition]);
      const isThere =
        before[name] === digest ||
        (await made({ method: 'POST', route: routeOf(application, here), body: definition }, name));
      if (isThere) digests[name] = digest;
    }
    const gone = Object.keys(before).filter((name) => !body.some((definition) => keyOf(definition) === name));
    if (gone.length > 0) await forget(application, here, gone);
    if (JSON.stringify(known) !== JSON.stringify({ server: here, digests })) {
      await inbound.keepNote(platform, commandsNote, { server: here, digests });
    }
  }

  async function made(call: Call, name: string): Promise<boolean> {
    const sent = await calls.read(call, anything);
    if (sent.kind === 'ok') return true;
    const why = sent.kind === 'later' ? 'Discord asks to wait.' : sent.message;
    log.warn('A command could not be made known to Discord.', { command: name, why });
    return false;
  }

  /** Deletes commands that were ours. */
  async function forget(application: string, where: string, names: readonly string[]): Promise<void> {
    const route = routeOf(application, where);
    const listed = await calls.read({ method: 'GET', route }, listShape);
    if (listed.kind !== 'ok') return;
    for (const one of listed.data.filter((command) => names.includes(keyOf(command)))) {
      await calls.read({ method: 'DELETE', route: `${route}/${one.id}` }, anything);
    }
  }

  return {
    get offer() {
      return offer;
    },
    start(inbound) {
      inbound.followMenu(platform, (menu) => {
        const changed = offerOf(menu, command);
        offer = changed;
        for (const why of changed.faults) log.warn('Discord does not get a command.', { why });
        making = making
          .then(() => make(inbound, changed))
          .catch((error: unknown) => log.error('The commands could not be made known to Discord.', error));
      });
    },
    async stop() {
      isStopped = true;
      await making;
    },
  };
}

function routeOf(application: string, server: string): `/${string}` {
  return server === ''
    ? Routes.applicationCommands(application)
    : Routes.applicationGuildCommands(application, server);
}

/** Commands of different types may have one name. */
function keyOf({ type = 1, name }: { readonly type?: number | undefined; readonly name: string }): string {
  return `${type}:${name}`;
}
