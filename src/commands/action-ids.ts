import type { Button } from '../engine/post.ts';
import { ANSWER_VERBS } from '../engine/run/question-card.ts';

/**
 * What the ids of our buttons and forms mean. An id comes back from the platform, perhaps years later and perhaps
 * made up: it is an address, never a proof of permission.
 */
export type ActionId =
  /** Answer a question; `form` = whether something has to, or can, be filled in first. */
  | {
      readonly kind: 'answer';
      readonly question: string;
      readonly action: string;
      readonly form: 'none' | 'optional' | 'required';
      /** The content that it was shown with, as `carriedFingerprint` makes it. */
      readonly covers?: string;
    }
  | { readonly kind: 'cancel'; readonly run: string }
  /** Show what running it again would do. */
  | { readonly kind: 'again'; readonly run: string }
  | { readonly kind: 'retry'; readonly run: string }
  /** Retry it on the version of its flow that is in force now. */
  | { readonly kind: 'renew'; readonly run: string }
  /** Run it from the beginning. `offer` is the event that was answered with this button: it starts one run at most. */
  | { readonly kind: 'rerun'; readonly run: string; readonly offer: string }
  /** Fill in the input that a message or command left out; `event` is that event's id, as `eventKey` makes it. */
  | { readonly kind: 'fill'; readonly flow: string; readonly event: string }
  /** Start a flow from a person's own page. */
  | { readonly kind: 'start'; readonly flow: string }
  /** Choose the flow that a shortcut starts; `event` is the shortcut's id as the platform gave it. */
  | { readonly kind: 'pick'; readonly event: string };

/** Longest id that every platform takes, in UTF-16 units. */
const idMaxChars = 100;
const forms = { answer: 'none', comment: 'optional', explain: 'required' } as const;

/** Reads the id of a button or form; undefined when it is not one of ours. */
export function parseActionId(id: string): ActionId | undefined {
  if (id.length > idMaxChars) return undefined;
  const [verb = '', first = '', ...rest] = id.split(':');
  const more = rest.join(':');
  if (first === '') return undefined;
  switch (verb) {
    case 'answer':
    case 'comment':
    case 'explain':
      return answerId(first, rest, forms[verb]);
    case 'cancel':
    case 'again':
    case 'retry':
    case 'renew':
      return rest.length > 0 ? undefined : { kind: verb, run: first };
    case 'start':
      return rest.length > 0 ? undefined : { kind: 'start', flow: first };
    case 'pick':
      return { kind: 'pick', event: [first, ...rest].join(':') };
    case 'rerun':
      return more === '' ? undefined : { kind: 'rerun', run: first, offer: more };
    case 'fill':
      return more === '' ? undefined : { kind: 'fill', flow: first, event: more };
    default:
      return undefined;
  }
}

function answerId(
  question: string,
  [action = '', covers, ...more]: readonly string[],
  form: (typeof forms)[keyof typeof forms],
): ActionId | undefined {
  if (action === '' || more.length > 0) return undefined;
  return { kind: 'answer', question, action, form, ...(covers !== undefined && { covers }) };
}

/** The id that `parseActionId` reads as this. */
export function writeActionId(id: ActionId): string {
  switch (id.kind) {
    case 'answer':
      return [
        ANSWER_VERBS[id.form],
        id.question,
        id.action,
        ...(id.covers === undefined ? [] : [id.covers]),
      ].join(':');
    case 'cancel':
    case 'again':
    case 'retry':
    case 'renew':
      return `${id.kind}:${id.run}`;
    case 'rerun':
      return `rerun:${id.run}:${id.offer}`;
    case 'start':
      return `start:${id.flow}`;
    case 'pick':
      return `pick:${id.event}`;
    case 'fill':
      return `fill:${id.flow}:${id.event}`;
  }
}

/** The button that opens the form of an input. @param id as `writeActionId` makes it of a `fill`. */
export function fillIn(id: string): Button {
  return { id, label: 'Fill in', style: 'primary' };
}

/** Longest event id kept as it is: a flow's id has up to 64 characters, and both must fit into one button's id. */
const eventMaxChars = 30;

/** A platform's event id in at most 30 characters: a longer one is replaced by a digest, always the same. */
export async function eventKey(id: string): Promise<string> {
  if (id.length <= eventMaxChars) return id;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(id));
  return Buffer.from(digest).toString('hex').slice(0, eventMaxChars);
}
