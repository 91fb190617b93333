import type { BodySchema } from './check.ts';
import { refusal } from './errors.ts';
import type { Gateway } from './gateway.ts';
import type { SentFile } from './messages.ts';
import { may, type PermissionName } from './permissions.ts';
import type { Wire } from './wire.ts';
import type { Channel, Guild, Message, World } from './world.ts';

/** A request of the bot. */
export interface Call {
  /** The parts of the path that vary, by name. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** The body when it is an object. */
  readonly body: Wire;
  /** The body as it is. */
  readonly raw: unknown;
  readonly files: readonly SentFile[];
}

/** What is answered; without a body: nothing. */
export interface Reply {
  readonly status: number;
  readonly body?: unknown;
}

/** What else a route may need. */
export interface Tools {
  readonly gateway: Gateway;
}

/** Something that can be asked for. */
export interface Route {
  /** `POST /channels/:channel/messages`; what begins with a colon varies and is an id unless it is a token. */
  readonly name: string;
  /** Needs no bot token. */
  readonly isOpen?: true;
  /** What its body is checked against. */
  schema?(world: World, call: Call): BodySchema;
  /** What of a call is checked; default: its body. */
  checked?(call: Call): unknown;
  /** Throws `DiscordError`. */
  run(world: World, call: Call, tools: Tools): Reply;
}

/** Done. */
export function ok(body: unknown, status = 200): Reply {
  return { status, body };
}

/** Done, and there is nothing to say. */
export const noContent: Reply = { status: 204 };

/** The channel of a call, when the bot sees it. */
export function channelOf(world: World, { params }: Call): Channel {
  const channel = world.channels.get(params.channel ?? '');
  if (channel === undefined) throw refusal('unknownChannel');
  need(world, channel, 'VIEW_CHANNEL', 'missingAccess');
  return channel;
}

/** The message of a call. */
export function messageOf(channel: Channel, { params }: Call): Message {
  const message = channel.messages.get(params.message ?? '');
  if (message === undefined) throw refusal('unknownMessage');
  return message;
}

/** The server of a call, when the bot is on it. */
export function guildOf(world: World, { params }: Call): Guild {
  const guild = world.guilds.get(params.guild ?? '');
  if (guild === undefined) throw refusal('unknownGuild');
  if (!guild.members.has(world.botId)) throw refusal('missingAccess');
  return guild;
}

/** Refuses when the bot lacks a permission. */
export function need(
  world: World,
  channel: Channel,
  name: PermissionName,
  otherwise: 'missingAccess' | 'missingPermissions' = 'missingPermissions',
): void {
  if (!may(world, channel, world.botId, name)) throw refusal(otherwise);
}

/** `limit` of a call. */
export function limitOf({ query }: Call, standard: number, max = 100): number {
  const given = Number(query.get('limit') ?? standard);
  return Number.isInteger(given) && given > 0 ? Math.min(given, max) : standard;
}
