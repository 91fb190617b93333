import { Routes } from 'discord.js';
import { z } from 'zod';
import type { Inbound } from '../../ports/chat.ts';
import type { Log } from '../../ports/log.ts';
import { platform } from './addresses.ts';
import { anything, type Called, type Calls } from './calls.ts';
import { commandDefinitions, definitionDigest } from './command-definitions.ts';
import { type Offer, offerOf } from './offer.ts';

/** Makes the bot's commands known to Discord, and knows what they stand for. */
export interface Registration {
  /** Follows the bot's menu from now on. What Discord does not take now is tried again, for as long as it is wanted. */
  start(inbound: Inbound): void;
  /** What is offered now; undefined before `start`. */
  readonly offer: Offer | undefined;
  /** The bot was let into a server: what could not be made known before may be now. */
  again(): void;
  /** Complete when nothing is being made known. */
  stop(): Promise<void>;
}

const commandsNote = 'commands';
/** What each command of ours was when it was made known, by type and name, for each server; "" = everywhere. */
const noteShape = z.record(z.string(), z.record(z.string(), z.string()));
type Known = Readonly<Record<string, Readonly<Record<string, string>>>>;

const listShape = z.array(
  z.object({
    id: z.string(),
    type: z.number().default(1),
    name: z.string(),
    description: z.string().default(''),
  }),
);
type Listed = z.infer<typeof listShape>;
type Definition = ReturnType<typeof commandDefinitions>[number];

/** Wait before what Discord did not take is made known again, in milliseconds. */
const againMs = 600_000;

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
  const here = server ?? '';
  let offer: Offer | undefined;
  let making = Promise.resolve();
  /** Resolves when it makes sense to try again at once. */
  let changed = Promise.withResolvers<void>();
  let isStopped = false;
  /** What was said already, so that trying again says nothing new. */
  const said = new Set<string>();

  async function make(inbound: Inbound, wanted: Offer): Promise<void> {
    while (wanted === offer && !isStopped) {
      if (await isMade(inbound, wanted)) return;
      await Promise.race([calls.pause(againMs), changed.promise]);
    }
  }

  /** Makes everything known once. False = something is left to be done. */
  async function isMade(inbound: Inbound, wanted: Offer): Promise<boolean> {
    const known: Known = noteShape.catch({}).parse(await inbound.note(platform, commandsNote));
    const application = await options.application();
    const now: Record<string, Readonly<Record<string, string>>> = {};
    for (const [where, digests] of Object.entries(known)) {
      if (where !== here) now[where] = await afterForgetting(application, where, digests, []);
    }
    const body = commandDefinitions(wanted, server === undefined ? 'global' : 'guild');
    const wantedKeys = body.map(keyOf);
    const before = known[here] ?? {};
    const made = await madeHere(application, body, before);
    const gone = await afterForgetting(application, here, before, wantedKeys);
    now[here] = { ...gone, ...made };
    const left = Object.fromEntries(Object.entries(now).filter(([, some]) => Object.keys(some).length > 0));
    if (JSON.stringify(left) !== JSON.stringify(known)) {
      await inbound.keepNote(platform, commandsNote, left);
    }
    const isForgotten = Object.keys(gone).every((key) => wantedKeys.includes(key));
    const isAlone = Object.keys(left).every((where) => where === here);
    return isForgotten && isAlone && wantedKeys.every((key) => key in made);
  }

  /** Makes known what is not yet, or is no more. Gives the digests of those that are known now. */
  async function madeHere(
    application: string,
    body: readonly Definition[],
    before: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, string>>> {
    const route = routeOf(application, here);
    const listed = await calls.read({ method: 'GET', route }, listShape);
    if (listed.kind !== 'ok') {
      tell('The commands could not be made known to Discord.', { why: whyOf(listed) });
      return {};
    }
    const made: Record<string, string> = {};
    for (const definition of body) {
      const key = keyOf(definition);
      const digest = definitionDigest([definition]);
      const there = listed.data.find((one) => keyOf(one) === key);
      if (!there || before[key] !== digest) {
        if (there && !(key in before) && !isAlike(there, definition)) {
          log.warn('The application had this command already. It is Flowbot’s now.', { command: key });
        }
        const sent = await calls.read({ method: 'POST', route, body: definition }, anything);
        if (sent.kind !== 'ok') {
          tell('A command could not be made known to Discord.', { command: key, why: whyOf(sent) });
          // What Discord takes no more of today, it takes no more of from the next one either.
          if (sent.kind !== 'refused' || sent.code === createdMax) break;
          continue;
        }
      }
      made[key] = digest;
    }
    return made;
  }

  /** Deletes commands that were ours, but those that are wanted still. Gives those that could not be. */
  async function afterForgetting(
    application: string,
    where: string,
    digests: Readonly<Record<string, string>>,
    wanted: readonly string[],
  ): Promise<Readonly<Record<string, string>>> {
    const unwanted = Object.entries(digests).filter(([key]) => !wanted.includes(key));
    if (unwanted.length === 0) return {};
    const route = routeOf(application, where);
    const listed = await calls.read({ method: 'GET', route }, listShape);
    // Where the bot is no more it has no commands either.
    if (listed.kind === 'refused') return {};
    const left: [string, string][] = [];
    for (const [key, digest] of unwanted) {
      if (listed.kind !== 'ok' || !(await isDeleted(route, listed.data, key))) left.push([key, digest]);
    }
    return Object.fromEntries(left);
  }

  async function isDeleted(route: `/${string}`, listed: Listed, key: string): Promise<boolean> {
    const there = listed.find((one) => keyOf(one) === key);
    if (!there) return true;
    const said = await calls.read({ method: 'DELETE', route: `${route}/${there.id}` }, anything);
    return said.kind === 'ok' || said.kind === 'refused';
  }

  function tell(message: string, about: Readonly<Record<string, string>>): void {
    const whole = JSON.stringify([message, about]);
    if (said.has(whole)) return;
    said.add(whole);
    log.warn(message, about);
  }

  function again(): void {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  }

  return {
    get offer() {
      return offer;
    },
    start(inbound) {
      inbound.followMenu(platform, (menu) => {
        const wanted = offerOf(menu, command);
        offer = wanted;
        again();
        for (const why of wanted.faults) log.warn('Discord does not get a command.', { why });
        making = making
          .then(() => make(inbound, wanted))
          .catch((error: unknown) => log.error('The commands could not be made known to Discord.', error));
      });
    },
    again,
    async stop() {
      isStopped = true;
      again();
      await making;
    },
  };
}

/** Refused: too many new commands on one day. */
const createdMax = 30034;

const sentences: Readonly<Record<number, string>> = {
  10004: 'The bot is not in the server that DISCORD_GUILD_ID names.',
  30034:
    'Discord takes no more than 200 new commands a day. This and what follows is made known as soon as it does.',
  50001:
    'The bot was let into the server without the right to add commands (applications.commands): open its invitation once more. `flowbot doctor` shows the link.',
};

function whyOf(said: Exclude<Called<unknown>, { kind: 'ok' }>): string {
  if (said.kind === 'later') return 'Discord asks to wait.';
  return (said.kind === 'refused' ? sentences[said.code] : undefined) ?? said.message;
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

/** Whether a command that is there looks like one of ours, as after its note was lost. */
function isAlike({ description }: Listed[number], definition: Definition): boolean {
  return description === ('description' in definition ? definition.description : '');
}
