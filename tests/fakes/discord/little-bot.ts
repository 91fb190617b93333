import { Client, Events, GatewayIntentBits, Partials } from 'discord.js';
import { onTestFinished } from 'vitest';
import { createDiscordStandIn, type DiscordStandIn, type DiscordStandInOptions } from './index.ts';

/** A real client that does nothing by itself, connected to a stand-in. */
export interface LittleBot {
  readonly discord: DiscordStandIn;
  readonly client: Client<true>;
  /** Contents of the messages it was told of. */
  readonly heard: readonly string[];
  /** What happened to its connection, in order. */
  readonly life: readonly string[];
  /** Asks the HTTP API; gives what is answered, or the code of the refusal. */
  ask(
    method: 'get' | 'post' | 'put' | 'patch' | 'delete',
    path: `/${string}`,
    body?: unknown,
  ): Promise<unknown>;
}

/** Flag of messages that are made of components. */
export const v2 = 1 << 15;

/** The body of a message as our bot writes it. */
export function words(content: string, more: Readonly<Record<string, unknown>> = {}) {
  return {
    flags: v2,
    components: [{ type: 10, content }],
    allowed_mentions: { parse: [], users: [], roles: [], replied_user: false },
    ...more,
  };
}

/** Connects a client to a new stand-in, for one test. @param prepare what is done to the stand-in before */
export async function openLittleBot(
  options: DiscordStandInOptions & {
    readonly intents?: readonly number[];
    readonly shards?: 'auto';
    readonly prepare?: (discord: DiscordStandIn) => void;
  } = {},
): Promise<LittleBot> {
  const { intents = allIntents, shards, prepare, ...how } = options;
  const discord = await createDiscordStandIn(how);
  prepare?.(discord);
  const client = new Client<true>({
    intents: [...intents],
    ...(shards && { shards }),
    partials: [Partials.Channel],
    rest: { api: discord.apiUrl, retries: 0 },
  });
  const heard: string[] = [];
  const life: string[] = [];
  client.on(Events.MessageCreate, ({ content }) => void heard.push(content));
  client.on(Events.ShardReady, () => void life.push('ready'));
  client.on(Events.ShardResume, (_, replayed) => void life.push(`resumed ${replayed}`));
  client.on(Events.ShardDisconnect, ({ code }) => void life.push(`closed ${code}`));
  client.on(Events.Error, (error) => void life.push(String(error)));
  onTestFinished(async () => {
    await client.destroy();
    await discord.close();
  });
  await client.login(discord.token);
  await discord.onceConnected();
  return {
    discord,
    client,
    heard,
    life,
    async ask(method, path, body) {
      const isOpen = path.startsWith('/interactions/') || path.startsWith('/webhooks/');
      try {
        return await client.rest[method](path, { body, auth: !isOpen });
      } catch (error) {
        if (error instanceof Error && 'code' in error) return error.code;
        throw error;
      }
    },
  };
}

const allIntents = [
  GatewayIntentBits.Guilds,
  GatewayIntentBits.GuildMessages,
  GatewayIntentBits.DirectMessages,
  GatewayIntentBits.MessageContent,
];
