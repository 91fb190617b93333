import type { JsonObject } from '../../engine/json.ts';
import type { PostFile } from '../../engine/post.ts';
import { isPicture } from '../../engine/post-file.ts';
import type { MessageRow, Tables } from './tables.ts';
import type { Upload } from './uploads.ts';
import type { Body, FileView } from './view.ts';

/** What a message says that shows a file; the bytes are kept apart from it. */
export function fileBody(file: PostFile): Body {
  const { name, mediaType, alt } = file;
  return { kind: 'file', name, mediaType, alt, picture: isPicture(file) };
}

/** A file that a person sent, as flows get to know it. @param server where it answers */
export function describeUpload({ id, name, type, bytes }: Upload, server: string): JsonObject {
  return {
    id,
    name,
    type: type || 'application/octet-stream',
    sizeBytes: bytes.length,
    url: `${server}/playground/api/upload?${new URLSearchParams({ id })}`,
  };
}

/** The bytes of posted files, each with the message that shows it. */
export function createFiles(tables: Tables) {
  return {
    keep: (seq: number, { data }: PostFile) => tables.addFile(seq, Buffer.from(data, 'base64')),
    /** Whether a message shows just this file. */
    isShown({ seq, body }: MessageRow, file: PostFile): boolean {
      return (
        body === JSON.stringify(fileBody(file)) &&
        tables.file(seq)?.equals(Buffer.from(file.data, 'base64')) === true
      );
    },
    /** The file that a message shows; undefined = it shows none. */
    read({ seq, body }: MessageRow): (FileView & { readonly bytes: Buffer }) | undefined {
      const shown: Body = JSON.parse(body);
      const bytes = shown.kind === 'file' ? tables.file(seq) : undefined;
      return shown.kind === 'file' && bytes !== undefined ? { ...shown, bytes } : undefined;
    },
  };
}
