import type { MessageRef, Place } from '../engine/people.ts';
import { filesFault } from '../engine/post-file.ts';
import { literal } from '../engine/prose.ts';
import { noticePost } from '../engine/run/settle.ts';
import type { Chat } from '../ports/chat.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Store, StoredPart, StoredPost } from '../ports/store.ts';
import { shownEntries } from './audit-shown.ts';
import { createDeletions } from './deletions.ts';
import { contentWithNames } from './names.ts';
import { createParts } from './parts.ts';
import { pause, Stopped } from './patience.ts';

/** What became of a post. */
export type Sent =
  | { readonly kind: 'shown'; readonly message: MessageRef; readonly url?: string }
  | { readonly kind: 'refused'; readonly message: string }
  /** It may be there, and the platform can't tell: never sent again without somebody's word. */
  | { readonly kind: 'unknown'; readonly message: string };

/** Sends posts and keeps them true, each message once. */
export interface Outbox {
  /** Brings a post to its newest content and tells how it went; joins a send that is under way. */
  send(key: string): Promise<Sent>;
  /** The same in the background. */
  wake(key: string): void;
  /** Somebody has deleted a message of a post: it is posted again if it must last, in the background. */
  repost(key: string, message: MessageRef): void;
  /** Takes no new work and resolves when what was begun has ended. */
  stop(): Promise<void>;
}

/** Wait before another try of a post when the store failed, in milliseconds. */
const retryMs = 60_000;

/**
 * Makes the outbox.
 * @param editGapMs least time between two rounds of edits of one post; changes in between are merged.
 */
export function createOutbox(deps: {
  readonly store: Store;
  readonly chats: ReadonlyMap<string, Chat>;
  readonly clock: Clock;
  readonly log: Log;
  readonly editGapMs: number;
}): Outbox {
  const { store, chats, clock, log } = deps;
  const underWay = new Map<string, Promise<Sent>>();
  /** Posts under way whose content may have changed since it was read. */
  const again = new Set<string>();
  const edits = createEditGaps(clock, deps.editGapMs);
  const deletions = createDeletions({ store, log });
  const stopped = new AbortController();
  const parts = createParts({
    store,
    clock,
    stopped: stopped.signal,
    isOutdated: (key) => again.has(key),
    onEdit: edits.note,
  });

  function send(key: string): Promise<Sent> {
    const current = underWay.get(key);
    if (current) {
      again.add(key);
      return current;
    }
    const work = sendUntilTrue(key);
    underWay.set(key, work);
    return work;
  }

  async function sendUntilTrue(key: string): Promise<Sent> {
    try {
      for (;;) {
        again.delete(key);
        // Before the content is read, so that the newest is shown.
        const gapMs = edits.leftMs(key);
        if (gapMs > 0) await pause(clock, gapMs, stopped.signal);
        const sent = await sendOnce(key);
        if (sent && !again.has(key)) return sent;
      }
    } finally {
      // In the same breath as the last look at `again`: who comes later must not join a send that has ended.
      underWay.delete(key);
    }
  }

  /** Undefined: its content has changed meanwhile. */
  async function sendOnce(key: string): Promise<Sent | undefined> {
    const stored = await store.post(key);
    if (!stored) return { kind: 'refused', message: `There is no post ${key}.` };
    const post = await deletions.storedOf(stored);
    const chat = chats.get(post.target.platform);
    // Not given up: another start may be connected again.
    if (!chat) return { kind: 'refused', message: `Flowbot is not connected to ${post.target.platform}.` };
    if (post.shown === post.revision) return shownAs(post.parts[0]);
    const fault = filesFault(post.content.files ?? []);
    if (fault !== undefined) return giveUp(post, fault);
    const place = await placeOf(chat, post);
    if (!place) return giveUp(post, `${chat.platform} has no conversation ${post.target.conversation}.`);
    const lasting = post.content.lasting === true;
    const rendered = chat.render(await contentWithNames(chat, post.content));
    let first: StoredPart | undefined;
    for (const [index, part] of rendered.entries()) {
      const before = post.parts.find((candidate) => candidate.index === index);
      const isGone = deletions.has(key, before?.message);
      const outcome = await parts.send({ chat, post: key, place, index, part, lasting, before, isGone });
      switch (outcome.kind) {
        case 'sent':
          first ??= outcome.stored;
          break;
        case 'refused':
          return giveUp(post, outcome.message);
        case 'unknown':
          return outcome;
        case 'outdated':
          return undefined;
      }
    }
    await blankSurplus(chat, post, place, rendered.length);
    await store.commit({
      posted: [{ key, shown: post.revision }],
      audit: shownEntries(post, first, clock.now()),
    });
    return shownAs(first);
  }

  async function giveUp(post: StoredPost, message: string): Promise<Sent> {
    const { key, run } = post;
    log.warn('A post was given up.', { post: key, reason: message, ...(run !== undefined && { run }) });
    await tellStarter(post);
    await store.commit({ posted: [{ key, failed: message }] });
    return { kind: 'refused', message };
  }

  /** That a run went wrong reaches whoever started it also when its conversation is gone. */
  async function tellStarter({ key, run, target: { platform, conversation }, content }: StoredPost) {
    if (run === undefined || key !== noticePost(run)) return;
    const starter = (await store.run(run))?.row.startedBy;
    if (starter?.platform !== platform) return;
    const direct = await chats.get(platform)?.conversation(starter.id);
    if (!direct || direct.id === conversation) return;
    const again = { key: `${key}/direct`, run, target: { platform, conversation: direct.id }, content };
    await store.commit({ posts: [again] });
    wake(again.key);
  }

  /** Content that has become shorter leaves messages over: they keep their place and say nothing. */
  async function blankSurplus(chat: Chat, post: StoredPost, place: Place, used: number): Promise<void> {
    const [blank] = chat.render({ prose: [literal('…')], buttons: [], notify: [] });
    if (blank === undefined) return;
    for (const before of post.parts) {
      if (before.index < used || !before.message) continue;
      await parts.send({
        chat,
        post: post.key,
        place,
        index: before.index,
        part: blank,
        lasting: false,
        before,
        isGone: deletions.has(post.key, before.message),
      });
    }
  }

  /**
   * In the thread of the post it belongs under. Without that post it stands in the conversation itself. Undefined: there is
   * no conversation by that name.
   */
  async function placeOf(chat: Chat, post: StoredPost): Promise<Place | undefined> {
    const { under, isNamed, ...place } = post.target;
    if (isNamed) {
      const found = await chat.conversation(place.conversation);
      return found && { platform: place.platform, conversation: found.id };
    }
    if (under === undefined) return place;
    const root = (await store.post(under))?.parts[0]?.message ?? (await messageOf(under));
    return root ? { ...place, thread: root.thread ?? root.id } : place;
  }

  async function messageOf(key: string): Promise<MessageRef | undefined> {
    const sent = await send(key);
    return sent.kind === 'shown' ? sent.message : undefined;
  }

  /** A post and its run, for the log. Without the run where it has none, or the store can't tell now. */
  async function aboutPost(key: string): Promise<{ readonly post: string; readonly run?: string }> {
    const run = await store.post(key).then(
      (post) => post?.run,
      () => undefined,
    );
    return { post: key, ...(run !== undefined && { run }) };
  }

  function wake(key: string): void {
    if (stopped.signal.aborted) return;
    send(key).then(
      async (sent) => {
        if (sent.kind !== 'unknown') return;
        const about = await aboutPost(key);
        log.warn('Nobody can tell whether a post is there; it is not sent again.', about);
      },
      async (error: unknown) => {
        if (error instanceof Stopped) return;
        log.error('A post could not be sent; trying again.', error, await aboutPost(key));
        pause(clock, retryMs, stopped.signal).then(
          () => wake(key),
          () => {},
        );
      },
    );
  }

  return {
    send,
    wake,
    repost(key, message) {
      deletions.note(key, message);
      wake(key);
    },
    async stop() {
      stopped.abort();
      await Promise.allSettled(underWay.values());
    },
  };
}

/** When posts were edited last. */
interface EditGaps {
  note(key: string): void;
  /** How long the next edit has to wait, in milliseconds. */
  leftMs(key: string): number;
}

function createEditGaps(clock: Clock, gapMs: number): EditGaps {
  /** The last edited at the end. */
  const editedAtMs = new Map<string, number>();
  return {
    note(key) {
      editedAtMs.delete(key);
      editedAtMs.set(key, clock.now());
      for (const [other, atMs] of editedAtMs) {
        if (clock.now() - atMs < gapMs) break;
        editedAtMs.delete(other);
      }
    },
    leftMs: (key) => (editedAtMs.get(key) ?? Number.NEGATIVE_INFINITY) + gapMs - clock.now(),
  };
}

function shownAs(part: StoredPart | undefined): Sent {
  if (!part?.message) return { kind: 'refused', message: 'The post is empty.' };
  return { kind: 'shown', message: part.message, ...(part.url !== undefined && { url: part.url }) };
}
