import { z } from 'zod';
import type { JsonObject } from '../../engine/json.ts';

/** Files that people sent, as flows get to know them; what is no file of Slack's is left out. */
export function attachmentsOf(files: readonly unknown[]): readonly JsonObject[] {
  return files.flatMap((file) => {
    const read = fileFacts.safeParse(file);
    return read.success ? [read.data] : [];
  });
}

const fileFacts = z
  .object({
    id: z.string(),
    name: z.string().nullish(),
    mimetype: z.string().nullish(),
    size: z.number().nullish(),
    permalink: z.string().nullish(),
    url_private: z.string().nullish(),
    url_private_download: z.string().nullish(),
  })
  .transform(
    ({ id, name, mimetype, size, permalink, url_private, url_private_download }): JsonObject => ({
      id,
      name: name ?? id,
      // Slack leaves it empty until it has looked at the bytes.
      type: mimetype || 'application/octet-stream',
      sizeBytes: size ?? null,
      url: url_private_download ?? url_private ?? permalink ?? null,
    }),
  );
