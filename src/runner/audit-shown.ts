import type { AuditEntry } from '../engine/audit/entry.ts';
import type { StoredPart, StoredPost } from '../ports/store.ts';

const questionKey = /^question\/([^/]+)/;

/**
 * What the audit remembers when people see a post: something only for cards of questions, whose keys begin with
 * `question/` and the id of the question.
 * @param first the first message of the post, as it was just sent or edited
 */
export function shownEntries(
  { key, run, revision }: StoredPost,
  first: StoredPart | undefined,
  atMs: number,
): readonly AuditEntry[] {
  const question = questionKey.exec(key)?.[1];
  if (question === undefined || run === undefined || !first?.message) return [];
  const { message, url } = first;
  return [
    {
      type: 'question.shown',
      atMs,
      run,
      question,
      post: key,
      revision,
      message,
      ...(url !== undefined && { url }),
    },
  ];
}
