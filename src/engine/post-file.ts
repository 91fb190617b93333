import { FILE_MAX_BYTES, FILE_NAME_MAX_CHARS, FILES_MAX } from './limits.ts';
import type { PostContent, PostFile } from './post.ts';

const namePattern = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;
const typePattern = /^[a-z]+\/[a-z0-9][a-z0-9.+-]*$/;
const base64Pattern = /^[A-Za-z0-9+/]*={0,2}$/;
/** What chat platforms take as the description of a picture, in UTF-16 units. */
const altMaxChars = 1_000;
const pictureTypes: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif']);

/** Why a file can't be posted, as a sentence; undefined when it can. */
export function fileFault(file: PostFile): string | undefined {
  const { name, mediaType, alt, data } = file;
  const shown = `“${name.slice(0, FILE_NAME_MAX_CHARS)}”`;
  if (!namePattern.test(name) || name.length > FILE_NAME_MAX_CHARS) {
    return `${shown} can’t be the name of a file: use at most ${FILE_NAME_MAX_CHARS} letters, digits, dots, dashes and underscores, and begin with none of the first two signs.`;
  }
  if (!typePattern.test(mediaType)) {
    return `The file ${shown} has no proper media type: write one such as text/plain.`;
  }
  if (alt.length > altMaxChars || (isPicture(file) && alt.trim() === '')) {
    return `The picture ${shown} needs words that say what it shows: at most ${altMaxChars} characters.`;
  }
  if (data.length % 4 !== 0 || !base64Pattern.test(data)) return `The file ${shown} is not in base64.`;
  const bytes = fileBytes(file);
  if (bytes === 0) return `The file ${shown} is empty.`;
  if (bytes > FILE_MAX_BYTES) {
    return `The file ${shown} is too large: it has ${bytes.toLocaleString('en')} bytes, and a post takes at most ${FILE_MAX_BYTES.toLocaleString('en')}.`;
  }
  return undefined;
}

/** Why the files of a post can't be posted, as a sentence; undefined when they can. */
export function filesFault(files: readonly PostFile[]): string | undefined {
  if (files.length > FILES_MAX) {
    return `A post carries at most ${FILES_MAX} files, and this one has ${files.length}.`;
  }
  return files.map(fileFault).find((fault) => fault !== undefined);
}

/** Whether a file is shown as a picture. */
export function isPicture({ mediaType }: Pick<PostFile, 'mediaType'>): boolean {
  return pictureTypes.has(mediaType);
}

/** The pictures of a post, in order. */
export function picturesOf({ files = [] }: PostContent): readonly PostFile[] {
  return files.filter(isPicture);
}

/** Whether a post has files and nothing else, so that it needs no message with words. */
export function isOnlyFiles({ prose, buttons, notify, files = [] }: PostContent): boolean {
  const words = prose.some(({ text }) => text.trim() !== '');
  return files.length > 0 && !words && buttons.length === 0 && notify.length === 0;
}

/** How many bytes a file has. Its `data` must be base64. */
export function fileBytes({ data }: Pick<PostFile, 'data'>): number {
  return (data.length / 4) * 3 - (/=*$/.exec(data.slice(-2))?.[0].length ?? 0);
}

/** A text as a Markdown file of a post. @param text not empty, at most `FILE_TEXT_MAX_CHARS` */
export function textFile(name: string, text: string): PostFile {
  return { name, mediaType: 'text/markdown', alt: '', data: Buffer.from(text, 'utf8').toString('base64') };
}
