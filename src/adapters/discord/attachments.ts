import { z } from 'zod';
import type { JsonObject } from '../../engine/json.ts';

/**
 * Files that people sent with a message, a form or a command, as flows get to know them; what is no file of Discord's
 * is left out. Their addresses work for about a day.
 */
export function attachmentsOf(files: unknown): readonly JsonObject[] {
  if (!Array.isArray(files)) return [];
  return files.flatMap((file: unknown) => {
    const read = fileFacts.safeParse(file);
    return read.success ? [read.data] : [];
  });
}

/** Files by their ids, from what came with a form or command; ids of which nothing came are left out. */
export function resolvedAttachments(ids: readonly string[], resolved: unknown): readonly JsonObject[] {
  const attachments = resolvedSchema.safeParse(resolved).data?.attachments ?? {};
  return attachmentsOf(ids.map((id) => (Object.hasOwn(attachments, id) ? attachments[id] : undefined)));
}

const resolvedSchema = z.object({ attachments: z.record(z.string(), z.unknown()) });

const fileFacts = z
  .object({
    id: z.string(),
    filename: z.string().nullish(),
    content_type: z.string().nullish(),
    size: z.number().nullish(),
    url: z.string().nullish(),
  })
  .transform(
    ({ id, filename, content_type, size, url }): JsonObject => ({
      id,
      name: filename ?? id,
      type: mediaType(content_type ?? '') ?? 'application/octet-stream',
      sizeBytes: size ?? null,
      url: url && /^https?:\/\//.test(url) ? url : null,
    }),
  );

/** `text/plain` of `text/plain; charset=utf-8`. */
function mediaType(contentType: string): string | undefined {
  return contentType.split(';', 1)[0]?.trim() || undefined;
}
