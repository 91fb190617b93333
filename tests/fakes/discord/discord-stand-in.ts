import type { Person, Place } from '../../../src/engine/people.ts';
import type { ChatPlatform } from '../../contracts/chat-harness.ts';
import type { RequestFault } from './faults.ts';
import type { Forms } from './forms.ts';
import type { Gateway } from './gateway.ts';
import type { Hands } from './hands.ts';
import type { Housekeeping } from './housekeeping.ts';
import type { Interactions } from './interactions.ts';
import type { ApiCall, KeptFault } from './rest.ts';
import type { Wire } from './wire.ts';
import type { World } from './world.ts';
import type { Writing } from './writing.ts';

/** A Discord with its servers, as strict as the real one, and the hands of its people. */
export interface DiscordStandIn
  extends ChatPlatform,
    Housekeeping,
    Omit<Forms, 'submit' | 'form'>,
    Interactions,
    Pick<Hands, 'troubles'>,
    Omit<Writing, 'sayAsBot'> {
  /** `owner` owns the server and may do everything. */
  readonly people: Readonly<Record<'ana' | 'bo' | 'cy' | 'owner', Person>>;
  /** `http://127.0.0.1:port/api`: `/v10` is put behind it. */
  readonly apiUrl: string;
  readonly token: string;
  readonly appId: string;
  readonly botId: string;
  readonly guildId: string;
  /** Connections and sessions of the bot, and what to do to them. */
  readonly gateway: Gateway;
  /** What is switched on in the developer portal; default: message content, and a public bot. */
  readonly portal: World['portal'];
  /** The bot's token is not right any more. */
  revokeToken(): void;
  /** How long a nonce counts; default 3 min. */
  nonceWindowMs: number;
  /** Commands of the bot for all servers, or for one. */
  commands(guildId?: string): readonly Wire[];
  /** A message as REST shows it. */
  raw(message: Parameters<Writing['notified']>[0]): Wire;
  /**
   * The next requests of a route fail so; default: once. `route`: `POST /channels/:channel/messages`, or what it
   * matches; `GET file` for the bytes of a file.
   */
  failRequest(route: string | RegExp, fault: RequestFault, times?: number): void;
  /** Every request of the bot. */
  calls(): readonly ApiCall[];
  /** What was wrong with bodies of the bot. */
  faults(): readonly KeptFault[];
  /** Resolves when the bot has so many connections (default 1) and has read all it was told. */
  onceConnected(count?: number): Promise<void>;
  /** Resolves when the check is true; looks again after every request, heartbeat and connection. */
  until(check: () => boolean | Promise<boolean>): Promise<void>;
  /** Resolves when the bot has read all it was told, and asks nothing for a short while. */
  quiet(): Promise<void>;
  /** Any event, made up. */
  sendEvent(t: string, d: Wire): Promise<void>;
  /** A place by a channel's id. */
  placeOf(channelId: string): Place;
  close(): Promise<void>;
}

/** How a stand-in is. */
export interface DiscordStandInOptions {
  /** Time; default: it stands still at the real now until `pass`. Without `pass` it can't be turned by hand. */
  readonly clock?: { now(): number; pass?(ms: number): void };
  /** What people type after `@`; default `flowbot`. */
  readonly botName?: string;
  /** Name of the bot's command; default `flow`. */
  readonly command?: string;
  /** How long the bot's answer to what people do is waited for, in real milliseconds; default 3000. */
  readonly answerMs?: number;
  /** Default: any free one. */
  readonly port?: number;
}
