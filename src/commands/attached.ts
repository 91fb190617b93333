import { type AttachmentLimits, attachmentFaults, readAttachments } from '../engine/attachments.ts';
import type { KeptFile } from '../engine/run/state.ts';
import { type Bot, type Caller, deliveryOf } from './bot.ts';

/** Files that go with an answer, kept; or a sentence why they can't. */
export type KeptFiles =
  | { readonly kind: 'kept'; readonly files: readonly KeptFile[] }
  | { readonly kind: 'refused'; readonly why: string };

/**
 * Fetches the files that somebody attached and keeps them with the run. A repeat keeps the same ones. Rejects with
 * `ChatUnavailable` when they can't be had now.
 * @param text of the `files` field
 */
export async function keepAttached(
  bot: Bot,
  caller: Caller,
  run: string,
  text: string,
  limits: AttachmentLimits | undefined,
): Promise<KeptFiles> {
  const attached = readAttachments(text);
  if (!attached) return { kind: 'refused', why: 'The files could not be read: attach them again.' };
  if (attached.length === 0) return { kind: 'kept', files: [] };
  const chat = bot.chats.get(caller.person.platform);
  if (!limits || !chat) return { kind: 'refused', why: 'No files can be attached to this answer.' };
  const faults = attachmentFaults(attached, limits);
  if (faults.length > 0) return { kind: 'refused', why: faults.join(' ') };
  const files: KeptFile[] = [];
  for (const [index, { name, type, ...file }] of attached.entries()) {
    const fetched = await chat.download({ ...file, name, type }, limits.maxBytes);
    if (fetched.kind === 'refused') return { kind: 'refused', why: fetched.message };
    const data = Buffer.from(fetched.data, 'base64');
    const id = `${deliveryOf(caller)}/${index + 1}`;
    await bot.store.keepFile({ id, run, name, mediaType: type, data });
    files.push({ id, name, type, sizeBytes: data.length });
  }
  return { kind: 'kept', files };
}
