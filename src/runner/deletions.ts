import type { MessageRef } from '../engine/people.ts';
import type { Log } from '../ports/log.ts';
import type { Store, StoredPost } from '../ports/store.ts';

/** Messages of posts that somebody has deleted, as far as it was told. Only what must last is posted again for it. */
export interface Deletions {
  /** A message of a post is gone. */
  note(post: string, message: MessageRef): void;
  /** Whether it was noted as gone. */
  has(post: string, message: MessageRef | undefined): boolean;
  /** A post as it is stored now that messages of it may be gone: then it is not shown. */
  storedOf(post: StoredPost): Promise<StoredPost>;
}

/** So often a message is posted again at once; after that only with what changes, so that nobody has to fight. */
const AT_ONCE_MAX = 3;

/** Makes it, empty. What was noted and not yet stored is lost with the process: an edit finds out, too. */
export function createDeletions({ store, log }: { readonly store: Store; readonly log: Log }): Deletions {
  const noted = new Map<string, Set<string>>();

  const has = (post: string, message: MessageRef | undefined): boolean =>
    message !== undefined && noted.get(post)?.has(message.id) === true;

  return {
    has,
    note(post, { id }) {
      noted.set(post, (noted.get(post) ?? new Set()).add(id));
    },
    async storedOf(post) {
      const { key, parts, content, revision, shown } = post;
      const gone = parts.filter(({ message }) => has(key, message));
      if (gone.length === 0 || !content.lasting) {
        noted.delete(key);
        return post;
      }
      // Nobody sees anything of it, so whatever the message must show is a change.
      const fresh = gone.filter(({ part }) => part !== null).map((part) => ({ ...part, part: null }));
      if (fresh.length === 0) return post;
      const isEnough = gone.some(({ copy = 0 }) => copy >= AT_ONCE_MAX);
      if (isEnough) {
        log.info('A message is deleted again and again: it is posted again when it changes.', {
          post: key,
          ...(post.run !== undefined && { run: post.run }),
        });
      }
      const seen = isEnough ? shown : Math.min(shown, revision - 1);
      await store.commit({ posted: [{ key, parts: fresh, shown: seen }] });
      return {
        ...post,
        shown: seen,
        parts: parts.map((part) => fresh.find(({ index }) => index === part.index) ?? part),
      };
    },
  };
}
