import type { JsonObject } from '../../engine/json.ts';

/** What Discord told, as far as it concerns us. People, roles and places by Discord's ids, texts as Discord encodes them. */
export type Incoming =
  | Typed
  | Deed
  /** Messages of somebody are gone. */
  | {
      readonly kind: 'deleted';
      readonly ids: readonly string[];
      readonly channel: string;
      readonly guild: string | undefined;
    }
  /** The servers that the bot is in, by id. */
  | { readonly kind: 'hello'; readonly guilds: readonly string[] }
  /** A server is there: perhaps the bot was let into it. */
  | {
      readonly kind: 'guild';
      readonly id: string;
      readonly owner: string;
      /** Where greetings belong. */
      readonly channel: string | undefined;
    }
  /** The bot is in this server no more. */
  | { readonly kind: 'left'; readonly id: string }
  | { readonly kind: 'ignored' };

/** Something that somebody did with what the bot offers, and waits for the answer to. */
export type Deed =
  | ({ readonly kind: 'command'; readonly data: unknown } & Done)
  | ({ readonly kind: 'autocomplete'; readonly data: unknown } & Done)
  | Click
  | ({
      readonly kind: 'submit';
      readonly form: string;
      readonly components: unknown;
      readonly resolved: unknown;
      /** What it was opened from: a command, a message, or a message that only they see. */
      readonly from: 'command' | 'message' | 'own';
    } & Done)
  | ({ readonly kind: 'used'; readonly message: Written } & Done);

/** A new message of a person. */
export interface Typed extends Written {
  readonly kind: 'message';
  readonly by: Member;
}

/** A message, and what Discord tells of those it mentions. */
export interface Written {
  readonly id: string;
  readonly channel: string;
  readonly guild: string | undefined;
  readonly text: string;
  readonly files: readonly JsonObject[];
  /** Names of people that it mentions, by id. */
  readonly names: ReadonlyMap<string, string>;
}

/** A press of a button, or a choice from a list of them. */
export interface Click extends Done {
  readonly kind: 'click';
  readonly button: string;
  /** The message it stands under. */
  readonly message: string;
}

/** Something that somebody did and can be answered for a while. */
export interface Done extends Contact {
  readonly by: Member;
  readonly channel: string;
  readonly guild: string | undefined;
  /** What the bot may do there; undefined where Discord does not say. */
  readonly held: bigint | undefined;
}

/** How they can be answered: once within three seconds, and further for a quarter of an hour. */
export interface Contact {
  readonly id: string;
  readonly token: string;
}

/** Somebody, as Discord knows them at this moment. */
export interface Member {
  readonly id: string;
  /** As others see it there. */
  readonly name: string;
  /** Ids of their roles in the server; absent in direct conversations. */
  readonly roles?: readonly string[];
}

/** What does not concern us. */
export const ignored: Incoming = { kind: 'ignored' };
