import { createHash } from 'node:crypto';
import type { PostFile } from '../../engine/post.ts';

/**
 * Marks are numbers that Discord keeps with a message and shows to nobody: the `id` of a component. Ours are from 2^30
 * to 2^31 - 1, where Discord's own are never: those count from 1.
 *
 * They are hashes of 30 bits. Two given keys share a mark with a chance of one in 1,073,741,823; among 1,000 messages
 * of a conversation that are looked through, some other one has the mark looked for with a chance of one in a million.
 */

const first = 2 ** 30;
const count = 2 ** 30;

/** The mark of an edited message, whatever it was posted with. No key and no file has it. */
export const editedMark = first;

/** The mark of a post by its key. */
export function markOf(key: string): number {
  return hashed(['key', key]);
}

/** The mark of what a file shows. */
export function contentMark({ name, mediaType, alt, data }: PostFile): number {
  return hashed(['file', name, mediaType, alt, data]);
}

/** Whether a component's id is a mark of ours. */
export function isMark(id: unknown): id is number {
  return Number.isInteger(id) && Number(id) >= first && Number(id) < first + count;
}

function hashed(texts: readonly string[]): number {
  const digest = createHash('sha256').update(JSON.stringify(texts)).digest();
  return first + 1 + (digest.readUInt32BE(0) % (count - 1));
}
