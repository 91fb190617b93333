import type { Person, Place } from '../../../src/engine/people.ts';
import type { ChatPlatform } from '../../contracts/chat-harness.ts';
import type { Delivered } from './delivery.ts';
import type { MethodFault } from './faults.ts';
import type { Forms } from './forms.ts';
import type { Hands } from './hands.ts';
import type { Housekeeping } from './housekeeping.ts';
import type { BotAnswer, SignedMessage } from './http-delivery.ts';
import type { Interactions } from './interactions.ts';
import type { Sockets } from './socket.ts';
import type { ApiCall } from './web-api.ts';
import type { Wire } from './wire.ts';
import type { FileDelays } from './workspace.ts';
import type { MentionEvents, Writing } from './writing.ts';

/** A workspace of Slack with its servers, as strict as the real one, and the hands of its people. */
export interface SlackStandIn
  extends ChatPlatform,
    Housekeeping,
    Interactions,
    Omit<Forms, 'submit' | 'form'>,
    Pick<Hands, 'troubles'>,
    Omit<Writing, 'sayAsBot'> {
  /** `fay` is of another organisation, `gro` of another workspace of ours. */
  readonly people: Readonly<Record<'ana' | 'bo' | 'cy' | 'dee' | 'guest' | 'fay' | 'gro', Person>>;
  /** `http://127.0.0.1:port/api/` */
  readonly apiUrl: string;
  readonly botToken: string;
  readonly appToken: string;
  /** For `apps.manifest.export`. */
  readonly configToken: string;
  readonly signingSecret: string;
  readonly botUserId: string;
  readonly botId: string;
  readonly appId: string;
  readonly teamId: string;
  /** Where events go; undefined = Socket Mode. */
  eventsUrl: string | undefined;
  /** Content type of commands and interactions over HTTP. */
  formContentType: string;
  /** What is told when a message mentions the bot; default `both`. */
  mentionEvents: MentionEvents;
  /** What the bot's token may do. */
  scopes: readonly string[];
  /** What `apps.manifest.export` gives. */
  manifest: Wire;
  /** Sizes of the first pages of every list, at most what is asked for; 0 = an empty page with a cursor. */
  pageSizes: readonly number[];
  /** How long files take; default: no time. */
  fileDelays: FileDelays;
  /** Another bot writes; `isPlain`: without the subtype `bot_message`. */
  sayAsBot: Writing['sayAsBot'];
  /** A real mention to embed in what is typed: of a user, group or channel by id, or `here` and the like. */
  mention(of: string | Person): string;
  /** The direct messages of a person and the bot. */
  directPlace(person: Person): Place;
  /**
   * The next calls of a method fail so; default: once. A file that is completed without a channel counts as the method
   * `files.completeUploadExternal, unseen`, and a request for the bytes of a file as `GET file`.
   */
  failMethod(method: string, fault: MethodFault, times?: number): void;
  /** The next attempts to open a WebSocket are refused. */
  refuseConnections(count: number): void;
  /** Cuts all WebSockets. */
  dropConnections(): void;
  /** Says `disconnect` and closes all WebSockets; `warning` only says it. Default: `refresh_requested`. */
  refresh(reason?: Parameters<Sockets['disconnect']>[0]): Promise<void>;
  connections(): number;
  /** Resolves when so many WebSockets are open. */
  onceConnected(count: number): Promise<void>;
  /** Resolves when the check is true; looks again after every request, acknowledgement and connection. */
  until(check: () => boolean | Promise<boolean>): Promise<void>;
  /** Resolves when the bot asked nothing for a short while. */
  quiet(): Promise<void>;
  /** Every attempt to bring something to the bot. */
  delivered(): readonly Delivered[];
  /** Events that the bot has not taken. */
  undelivered(): readonly Wire[];
  /** Slack gives up on them. */
  forget(): void;
  /** Every call of the Web API. */
  calls(): readonly ApiCall[];
  /** Any event, made up. */
  sendEvent(event: Wire): Promise<void>;
  /** A request to `eventsUrl`, signed rightly unless told otherwise. */
  sendSigned(message: SignedMessage): Promise<BotAnswer>;
  /** Slack checks that the address is the bot's. */
  urlVerification(challenge: string): Promise<BotAnswer>;
  /** Slack checks the certificate: unsigned. */
  sslCheck(): Promise<BotAnswer>;
  close(): Promise<void>;
}

/** How a stand-in is. */
export interface SlackStandInOptions {
  /** Time; default: it stands still at the real now until `pass`. Without `pass` it can't be turned by hand. */
  readonly clock?: { now(): number; pass?(ms: number): void };
  /** How places name a conversation; default: the channel's id. What follows its last `/` must be that id. */
  readonly conversationId?: (team: string, channel: string) => string;
  /** What people type after `@`; default `flowbot`. */
  readonly botName?: string;
  /** An event not acknowledged in so many real milliseconds counts as not taken, until a late one; default 300. */
  readonly settleMs?: number;
  /** Default: any free one. */
  readonly port?: number;
}
