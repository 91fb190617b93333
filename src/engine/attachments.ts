import { z } from 'zod';

/** A file that a person sent, as the platform describes it: nothing of it is proven before its bytes are there. */
export interface Attachment {
  /** The platform's id. */
  readonly id: string;
  /** At most 120 characters without control characters, slashes, or signs that turn words around. */
  readonly name: string;
  /** `image/png`, in lower case; `application/octet-stream` when the platform does not know it. */
  readonly type: string;
  /** Null = the platform does not say. */
  readonly sizeBytes: number | null;
  /** Where the platform keeps it, or shows it. */
  readonly url: string | null;
}

/** What is taken in a `files` field. */
export interface AttachmentLimits {
  readonly maxFiles: number;
  /** Of each file. */
  readonly maxBytes: number;
  /** Media types (`application/pdf`, `image/*`) and endings (`.csv`), one of which a file must have; none = any file. */
  readonly types: readonly string[];
}

/** What is taken where a flow says nothing else. */
export const defaultAttachmentLimits: AttachmentLimits = {
  maxFiles: 5,
  maxBytes: 10 * 1024 * 1024,
  types: [],
};

/** Most files that any platform sends for one field. */
const listMax = 10;
/** Longest text that is read as a list, in UTF-16 units: ten files with the longest names and addresses fit. */
const textMaxChars = 100_000;
const nameMaxChars = 120;
const endingMaxChars = 16;
const unknownType = 'application/octet-stream';

const attachmentSchema: z.ZodType<Attachment> = z.strictObject({
  id: z.string().min(1).max(100),
  name: z.string().max(4_000).transform(cleanName),
  type: z.string().max(1_000).transform(cleanType),
  sizeBytes: z.int().nonnegative().nullable(),
  url: z
    .string()
    .max(4_000)
    .regex(/^https?:\/\//i)
    .nullable(),
});

/** A file as an event described it; undefined = that is no description of a file. */
export function readAttachment(file: unknown): Attachment | undefined {
  return attachmentSchema.safeParse(file).data;
}

/** The files of a `files` field, none for `""`. Undefined = the text is no list of at most ten files. */
export function readAttachments(text: string): readonly Attachment[] | undefined {
  if (text === '') return [];
  if (text.length > textMaxChars) return undefined;
  try {
    return z.array(attachmentSchema).max(listMax).safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** What is wrong with the files that somebody sent, a sentence for each fault; none when all are taken. */
export function attachmentFaults(
  files: readonly Pick<Attachment, 'name' | 'type' | 'sizeBytes'>[],
  limits: AttachmentLimits,
): readonly string[] {
  const { maxFiles, maxBytes, types } = limits;
  const tooMany =
    files.length > maxFiles
      ? [`${counted(files.length, 'was', 'were')} sent; ${counted(maxFiles, 'is', 'are')} allowed.`]
      : [];
  const each = files.flatMap((file) => [kindFault(file, types), sizeFault(file, maxBytes)]);
  return [...tooMany, ...each.filter((fault) => fault !== undefined)];
}

/** Why a file is too large, as a sentence; undefined when it is not, or the platform does not say. */
export function sizeFault(
  { name, sizeBytes }: Pick<Attachment, 'name' | 'sizeBytes'>,
  maxBytes: number,
): string | undefined {
  if (sizeBytes === null || sizeBytes <= maxBytes) return undefined;
  const [unit, bytes] = unitFor(maxBytes);
  // Rounded away from each other: a file that is too large never seems to fit.
  const has = Math.ceil((sizeBytes / bytes) * 10) / 10;
  return `“${name}” has ${has} ${unit}; ${sizeInWords(maxBytes)} are allowed.`;
}

/** A size for people, at most one digit behind the point, rounded down: `10 MB`. */
export function sizeInWords(sizeBytes: number): string {
  const [unit, bytes] = unitFor(sizeBytes);
  return `${Math.floor((sizeBytes / bytes) * 10) / 10} ${unit}`;
}

function unitFor(sizeBytes: number): readonly [unit: string, bytes: number] {
  if (sizeBytes >= 1024 * 1024) return ['MB', 1024 * 1024];
  return sizeBytes >= 1024 ? ['kB', 1024] : ['bytes', 1];
}

function kindFault(
  { name, type }: Pick<Attachment, 'name' | 'type'>,
  types: readonly string[],
): string | undefined {
  if (types.length === 0 || types.some((one) => isOfKind(one.toLowerCase()))) return undefined;
  return `“${name}” is not of an accepted kind: ${types.join(', ')}.`;

  function isOfKind(kind: string): boolean {
    if (kind.startsWith('.')) return name.toLowerCase().endsWith(kind);
    return kind.endsWith('/*') ? type.startsWith(kind.slice(0, -1)) : type === kind;
  }
}

function counted(files: number, one: string, many: string): string {
  return files === 1 ? `1 file ${one}` : `${files || 'no'} files ${many}`;
}

/** A name that means nothing but itself, wherever it is shown or kept; its ending stays. */
function cleanName(name: string): string {
  const plain = name
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\\/]/gu, '_')
    .trim();
  const shown = /^\.*$/.test(plain) ? 'file' : plain;
  const letters = [...shown];
  if (letters.length <= nameMaxChars) return shown;
  const [ending = ''] = /\.[^.]*$/.exec(shown) ?? [];
  const kept = [...ending].length <= endingMaxChars ? ending : '';
  return `${letters.slice(0, nameMaxChars - [...kept].length - 1).join('')}…${kept}`;
}

function cleanType(type: string): string {
  const [essence = ''] = type.split(';', 1);
  const plain = essence.trim().toLowerCase();
  return /^[a-z0-9][\w!#$&^.+-]{0,63}\/[a-z0-9][\w!#$&^.+-]{0,127}$/.test(plain) ? plain : unknownType;
}
