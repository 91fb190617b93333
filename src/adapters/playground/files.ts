import type { JsonObject } from '../../engine/json.ts';
import type { PostFile } from '../../engine/post.ts';
import { isPicture } from '../../engine/post-file.ts';
import type { MessageRow, PrivateRow, Tables } from './tables.ts';
import type { Upload } from './uploads.ts';
import type { Body, FileView } from './view.ts';

/** What a message says that shows a file; the bytes are kept apart from it. */
export function fileBody(file: PostFile): Body {
  const { name, mediaType, alt } = file;
  return { kind: 'file', name, mediaType, alt, picture: isPicture(file) };
}

/** A file with its bytes. */
export interface StoredFile extends FileView {
  readonly bytes: Buffer;
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

/** Most pictures of private messages whose bytes are kept, or the file would grow with every look at something. */
const privateMax = 100;

/** The bytes of posted files, each with the message that shows it. */
export function createFiles(tables: Tables) {
  const withBytes = (json: string, bytes: Buffer | undefined) => {
    const shown: Body = JSON.parse(json);
    return shown.kind === 'file' && bytes !== undefined ? { ...shown, bytes } : undefined;
  };
  return {
    keep: (seq: number, { data }: PostFile) => tables.addFile(seq, Buffer.from(data, 'base64')),
    /** Keeps what a private message shows, for as long as there are not many newer ones. */
    keepPrivate(seq: number, { data }: PostFile): void {
      tables.addPrivateFile(seq, Buffer.from(data, 'base64'));
      tables.keepPrivateFiles(privateMax);
    },
    /** Whether a message shows just this file. */
    isShown({ seq, body }: MessageRow, file: PostFile): boolean {
      return (
        body === JSON.stringify(fileBody(file)) &&
        tables.file(seq)?.equals(Buffer.from(file.data, 'base64')) === true
      );
    },
    /** The file that a message shows; undefined = it shows none. */
    read: ({ seq, body }: MessageRow): StoredFile | undefined => withBytes(body, tables.file(seq)),
    /** The picture that a private message shows. */
    readPrivate: ({ seq, body }: PrivateRow): StoredFile | undefined =>
      withBytes(body, tables.privateFile(seq)),
  };
}
