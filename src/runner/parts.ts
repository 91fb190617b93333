import type { MessageRef, Place } from '../engine/people.ts';
import type { Chat, Part } from '../ports/chat.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store, StoredPart } from '../ports/store.ts';
import { backOffMs, pause } from './patience.ts';

/** One message of a post, and what it must show. */
export interface PartWork {
  readonly chat: Chat;
  /** Key of the post. */
  readonly post: string;
  readonly place: Place;
  readonly index: number;
  readonly part: Part;
  /** It is posted again when somebody has deleted it. */
  readonly lasting: boolean;
  /** As it is stored, unless it is new. */
  readonly before: StoredPart | undefined;
  /** Somebody has deleted the message that is stored. */
  readonly isGone: boolean;
}

/** What became of a message of a post. */
export type PartSent =
  | { readonly kind: 'sent'; readonly stored: StoredPart }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string }
  /** While it waited, what it must show has changed. */
  | { readonly kind: 'outdated' };

/** Sends and edits single messages of posts. */
export interface Parts {
  /** Posts the message or edits it, whichever makes it true. */
  send(work: PartWork): Promise<PartSent>;
}

/** Look-ups start this much before the stored intent, because clocks differ. */
const clockSkewMs = 60_000;

/**
 * Makes the part of the outbox that sends. A message is stored as an intent before it is sent, with a key as its
 * marker; after a crash or a lost answer the platform is asked for that marker before anything is sent again.
 */
export function createParts(deps: {
  readonly store: Store;
  readonly clock: Clock;
  /** Ends all waiting. */
  readonly stopped: AbortSignal;
  /** Whether newer content of a post waits. */
  readonly isOutdated: (post: string) => boolean;
  readonly onEdit: (post: string) => void;
}): Parts {
  const { store, clock, stopped } = deps;

  async function send(work: PartWork): Promise<PartSent> {
    const { before } = work;
    if (before?.message) return work.isGone ? replace(work, before) : edit(work, before, before.message);
    if (before) {
      // It was decided before, and nobody knows whether it was sent.
      return (await lookUp(work, before)) ?? post(work, before);
    }
    return postAs(work, {});
  }

  async function postAs(work: PartWork, copy: Pick<StoredPart, 'copy'>): Promise<PartSent> {
    const intent = { index: work.index, part: work.part, intentAtMs: clock.now(), ...copy };
    await store.commit({ posted: [{ key: work.post, parts: [intent] }] });
    return post(work, intent);
  }

  /** The message is not there any more. */
  async function replace(work: PartWork, before: StoredPart): Promise<PartSent> {
    if (!work.lasting) return { kind: 'refused', message: 'The message was deleted.' };
    return postAs(work, { copy: (before.copy ?? 0) + 1 });
  }

  async function post(work: PartWork, intent: StoredPart): Promise<PartSent> {
    for (let tries = 0; ; tries += 1) {
      const outcome = await work.chat.post(work.place, intent.part, markerOf(work, intent));
      switch (outcome.kind) {
        case 'posted':
          return remember(work, intent, outcome);
        case 'refused':
          // The thread may be gone or locked: better beside it than nowhere.
          return work.place.thread === undefined
            ? outcome
            : post({ ...work, place: outside(work.place) }, intent);
        case 'later':
          await pause(clock, outcome.afterMs, stopped);
          break;
        case 'unknown': {
          await pause(clock, backOffMs(tries), stopped);
          const found = await lookUp(work, intent);
          if (found) return found;
        }
      }
    }
  }

  /** Undefined: it is certainly not there, neither in its thread nor beside it. */
  async function lookUp(work: PartWork, intent: StoredPart): Promise<PartSent | undefined> {
    const found = await work.chat.find(work.place, markerOf(work, intent), intent.intentAtMs - clockSkewMs);
    switch (found.kind) {
      case 'later':
        await pause(clock, found.afterMs, stopped);
        return lookUp(work, intent);
      case 'found':
        return remember(work, intent, found);
      case 'absent':
        return work.place.thread === undefined
          ? undefined
          : lookUp({ ...work, place: outside(work.place) }, intent);
      case 'unknowable':
        return { kind: 'unknown', message: found.message };
    }
  }

  async function remember(
    work: PartWork,
    intent: StoredPart,
    { message, url }: { readonly message: MessageRef; readonly url?: string },
  ): Promise<PartSent> {
    const stored = { ...intent, message, ...(url !== undefined && { url }) };
    await store.commit({ posted: [{ key: work.post, parts: [stored] }] });
    return edit(work, stored, message);
  }

  async function edit(work: PartWork, before: StoredPart, message: MessageRef): Promise<PartSent> {
    if (JSON.stringify(before.part) === JSON.stringify(work.part)) return { kind: 'sent', stored: before };
    for (let tries = 0; ; tries += 1) {
      const outcome = await work.chat.edit(message, work.part);
      switch (outcome.kind) {
        case 'edited': {
          deps.onEdit(work.post);
          const stored = { ...before, part: work.part };
          await store.commit({ posted: [{ key: work.post, parts: [stored] }] });
          return { kind: 'sent', stored };
        }
        case 'gone':
          return replace(work, before);
        case 'closed':
          // Better said anew beside the thread than not at all.
          return work.place.thread === undefined
            ? { kind: 'refused', message: outcome.message }
            : postAs({ ...work, place: outside(work.place) }, { copy: (before.copy ?? 0) + 1 });
        case 'refused':
          return outcome;
        case 'later':
          await pause(clock, outcome.afterMs, stopped);
          break;
        case 'unknown':
          // An edit is safe to repeat.
          await pause(clock, backOffMs(tries), stopped);
      }
      if (deps.isOutdated(work.post)) return { kind: 'outdated' };
    }
  }

  return { send };
}

function markerOf({ post, index }: PartWork, { copy }: Pick<StoredPart, 'copy'>): string {
  return copy === undefined ? `${post}#${index}` : `${post}#${index}.${copy}`;
}

function outside({ platform, conversation }: Place): Place {
  return { platform, conversation };
}
