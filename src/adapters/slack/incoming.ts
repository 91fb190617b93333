import type { JsonObject } from '../../engine/json.ts';

/** What Slack sent, as far as it concerns us. People and places by Slack's ids, texts as Slack encodes them. */
export type Incoming =
  | TypedMessage
  | {
      readonly kind: 'command';
      readonly id: string;
      readonly user: string;
      readonly channel: string;
      readonly text: string;
      readonly contact: Contact;
    }
  | Click
  | {
      readonly kind: 'submit';
      readonly user: string;
      readonly view: string;
      readonly form: string;
      /** Where the form was opened; absent for a form that is not ours. */
      readonly place: { readonly conversation: string; readonly thread?: string } | undefined;
      readonly values: Readonly<Record<string, string>>;
    }
  | {
      readonly kind: 'shortcut';
      readonly id: string;
      readonly user: string;
      readonly used?: Omit<TypedMessage, 'kind' | 'direct'>;
      readonly contact: Contact;
    }
  | { readonly kind: 'home'; readonly user: string }
  | {
      readonly kind: 'joined';
      readonly user: string;
      readonly channel: string;
      readonly inviter?: string;
      readonly ts: string;
    }
  /** A message is gone. `author`: who had written it, a person or a bot, as far as Slack says. */
  | {
      readonly kind: 'deleted';
      readonly channel: string;
      readonly ts: string;
      readonly thread?: string;
      readonly author?: string;
    }
  /** Something about a conversation is not as it was; `user` has left it. */
  | { readonly kind: 'changed'; readonly channel: string; readonly user?: string }
  /** A conversation has got another id. */
  | { readonly kind: 'moved'; readonly from: string; readonly to: string }
  | { readonly kind: 'ended'; readonly why: string }
  | { readonly kind: 'ignored' };

/** A new message of a person. */
export interface TypedMessage {
  readonly kind: 'message';
  readonly user: string;
  readonly channel: string;
  readonly ts: string;
  readonly thread?: string;
  readonly text: string;
  readonly files: readonly JsonObject[];
  /** In the person's direct conversation with the bot, outside of threads. */
  readonly direct: boolean;
}

/** A press of a button; without a channel it was on the person's own page. */
export interface Click {
  readonly kind: 'click';
  readonly id: string;
  readonly user: string;
  readonly channel?: string;
  readonly ts: string;
  readonly thread?: string;
  readonly button: string;
  readonly label: string;
  readonly contact: Contact;
}

/** How the person can be answered at once. */
export interface Contact {
  /** Opens one form, within 3 s. */
  readonly trigger: string;
  readonly responseUrl?: string;
}

/** What does not concern us. */
export const ignored: Incoming = { kind: 'ignored' };
