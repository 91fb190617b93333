import type { GatewayDispatchPayload } from 'discord.js';
import { ChatUnavailable } from '../../ports/chat.ts';
import { madeAtMs, messageRef, placeOf } from './addresses.ts';
import type { Deed, Incoming, Typed } from './incoming.ts';
import { createInteractions, type InteractionOptions } from './interactions.ts';
import { parseIncoming } from './parse.ts';
import type { People } from './people.ts';
import { takeMention } from './typed.ts';

/** Hands what people do to the bot, and the bot's answers to them. */
export interface Delivery {
  /** Takes one thing that Discord told. */
  take(packet: Pick<GatewayDispatchPayload, 't' | 'd'>): void;
  /** Takes a message that was found in a history. Rejects when it could not be stored. */
  takeMessage(message: Typed): Promise<void>;
  /** Takes nothing more; complete when the answers under way are given, or do not come for a while. */
  stop(): Promise<void>;
}

/** Things done that are remembered, for when Discord tells them again. */
const begunMax = 5_000;
/** How long a stop waits for answers under way, in milliseconds. */
const stopPatienceMs = 5_000;

/** Makes the delivery of one bot. */
export function createDelivery(
  options: InteractionOptions & {
    /** The bot's own id, and in a server that of the role that is only the bot's. */
    readonly idsIn: (server: string | undefined) => readonly string[];
    /** The only server that is served; undefined = all. */
    readonly server: string | undefined;
    readonly people: People;
    /** A message of then (epoch ms) in a server, or in a direct conversation, could not be stored. */
    readonly onMissed: (atMs: number, server: string | undefined) => void;
    /** The bot was let into a server. */
    readonly onLetIn: () => void;
    /** Somebody writes in a direct conversation. */
    readonly onDirect: (channel: string) => void;
  },
): Delivery {
  const { inbound, idsIn, server, wording, people, clock, log } = options;
  const interactions = createInteractions(options);
  const underWay = new Set<Promise<void>>();
  /** Servers that the bot is known to be in. */
  const known = new Set<string>();
  /** Things that were done and are answered, or about to be. */
  const begun = new Set<string>();
  let isStopped = false;

  async function handle(incoming: Incoming): Promise<void> {
    switch (incoming.kind) {
      case 'message':
        return onMessage(incoming).catch((error: unknown) => {
          log.error('A message could not be stored; it is looked for again.', error);
          if (incoming.guild === undefined) options.onDirect(incoming.channel);
          options.onMissed(madeAtMs(incoming.id), incoming.guild);
        });
      case 'deleted':
        return onDeleted(incoming);
      case 'hello':
        for (const guild of incoming.guilds) known.add(guild);
        return;
      case 'guild':
        return onGuild(incoming);
      case 'left':
        known.delete(incoming.id);
        return;
      case 'command':
      case 'autocomplete':
      case 'click':
      case 'submit':
      case 'used':
        return onDeed(incoming);
      case 'ignored':
    }
  }

  async function onMessage(said: Typed): Promise<void> {
    const { text, toBot } = takeMention(said.text, idsIn(said.guild));
    const early = { text: wording.plain({ ...said, text }), toBot: toBot || said.guild === undefined };
    // What people tell each other is not worth asking Discord for anything.
    if (!inbound.concerns(early) || !(await isServed(said))) return;
    if (said.guild === undefined) options.onDirect(said.channel);
    people.meet(said.by, said.guild);
    const { answer } = await inbound.receive({
      type: 'message',
      id: `m:${said.id}`,
      atMs: madeAtMs(said.id),
      person: wording.personOf(said.by),
      ...(await wording.messageOf({ ...said, text })),
      toBot: early.toBot,
    });
    // Messages are answered by posts.
    await answer;
  }

  /** Whose they were is not told. */
  async function onDeleted({ ids, channel, guild }: Extract<Incoming, { kind: 'deleted' }>): Promise<void> {
    if (guild !== undefined && server !== undefined && guild !== server) return;
    const place = await wording.placeIn(channel).catch(() => undefined);
    // Nobody can tell now in which conversation that was.
    if (!place) return;
    const { conversation, thread } = place;
    for (const id of ids) inbound.deleted(messageRef(conversation, id, thread));
  }

  /** The bot was let into a server, unless it was there before. */
  async function onGuild({ id, owner, channel }: Extract<Incoming, { kind: 'guild' }>): Promise<void> {
    if (known.has(id)) return;
    known.add(id);
    options.onLetIn();
    if (channel === undefined || (server !== undefined && id !== server)) return;
    const place = placeOf(channel);
    await inbound.receive({
      type: 'invited',
      id: `g:${id}:${clock.now()}`,
      atMs: clock.now(),
      person: { platform: place.platform, id: owner, name: people.knownName(owner) ?? owner },
      place,
    });
  }

  async function onDeed(deed: Deed): Promise<void> {
    // Told again, as after a broken connection: the answer to the first one must not be taken by this.
    if (begun.has(deed.id)) return;
    begun.add(deed.id);
    const [oldest] = begun;
    if (begun.size > begunMax && oldest !== undefined) begun.delete(oldest);
    const why = await whyNotServed(deed);
    if (why !== undefined) return interactions.refuse(deed, why);
    people.meet(deed.by, deed.guild);
    await interactions.handle(deed);
  }

  /** Anybody can let the bot into a server of theirs, and write to it then: with one server, only its people count. */
  async function isServed({ guild, by }: Pick<Typed, 'guild' | 'by'>): Promise<boolean> {
    if (server === undefined || guild === server) return true;
    return guild === undefined && (await people.isIn(by.id, server));
  }

  async function whyNotServed(deed: Deed): Promise<string | undefined> {
    try {
      return (await isServed(deed)) ? undefined : 'I work in another server only.';
    } catch (error) {
      if (error instanceof ChatUnavailable)
        return 'Discord gives me no answer at the moment. Please try again.';
      throw error;
    }
  }

  /** Work that nobody waits for, but a stop. */
  function later(work: Promise<void>): void {
    const ended = work
      .catch((error: unknown) => log.error('An answer could not be given.', error))
      .finally(() => underWay.delete(ended));
    underWay.add(ended);
  }

  return {
    take(packet) {
      if (!isStopped) later(handle(parseIncoming(packet)));
    },
    takeMessage: (message) => onMessage(message),
    async stop() {
      isStopped = true;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancel = clock.alarm(clock.now() + stopPatienceMs, resolve);
      await Promise.race([Promise.all(underWay), late]);
      cancel();
    },
  };
}
