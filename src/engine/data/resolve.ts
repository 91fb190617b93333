import type { Json } from '../json.ts';
import { asText, md, type Prose, value } from '../prose.ts';
import type { Failure, SecretText } from '../steps/step-type.ts';
import { type Room, roomFor, TEXT_MAX_CHARS, takeRoom, takeRoomForData } from './room.ts';
import type { Scope } from './scope.ts';
import type { Placeholder, Template } from './template.ts';

/** What a template became, or why it could not. */
export type Resolved<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: Failure };

/** A part of a template as text: `text` is what the flow says, `value` is data. */
export interface ResolvedPart {
  readonly kind: 'text' | 'value';
  readonly text: string;
}

/**
 * A template as plain text; values that are not text as compact JSON. Fails with `output-too-large` when it does not
 * fit in the room, as all that follow here do.
 */
export function resolveText(
  template: Template,
  scope: Scope,
  room: Room = roomFor(TEXT_MAX_CHARS),
): Resolved<string> {
  const parts = resolveParts(template, scope, room);
  return parts.ok ? resolved(parts.value.map(({ text }) => text).join('')) : parts;
}

/** The same in parts that remember where they came from. */
export function resolveParts(
  template: Template,
  scope: Scope,
  room: Room,
): Resolved<readonly ResolvedPart[]> {
  return collect(template.parts, (part): Resolved<ResolvedPart> => {
    if (part.kind === 'text') return resolvedPart('text', fitted(part.text, room));
    const read = readValue(part, scope);
    return read.ok ? resolvedPart('value', written(read.value, asText, room)) : read;
  });
}

/** A template as text for people: what the author wrote is Markdown, each value stays a value. */
export function resolveProse(template: Template, scope: Scope): Resolved<Prose> {
  const parts = resolveParts(template, scope, roomFor(TEXT_MAX_CHARS));
  if (!parts.ok) return parts;
  return resolved(parts.value.map(({ kind, text }) => (kind === 'text' ? md(text) : value(text))));
}

/**
 * A template as an address. Values are URL-encoded; in the path a value may not be empty, `.` or `..`, so no
 * value can change the host or which segments there are. Fails with `empty-in-url` or `dots-in-url`.
 */
export function resolveUrl(template: Template, scope: Scope): Resolved<string> {
  const room = roomFor(TEXT_MAX_CHARS);
  let url = '';
  let inPath = true;
  for (const part of template.parts) {
    if (part.kind === 'text') {
      url += part.text;
      inPath &&= !/[?#]/.test(part.text);
      continue;
    }
    const read = readValue(part, scope);
    if (!read.ok) return read;
    const plainText = written(read.value, asText, roomFor(TEXT_MAX_CHARS));
    if (!plainText.ok) return plainText;
    const text = plainText.value;
    if (inPath && text === '') {
      return failed(
        'empty-in-url',
        `The value of ${part.source} is empty, and the address would then mean something else.`,
      );
    }
    if (inPath && (text === '.' || text === '..')) {
      return failed(
        'dots-in-url',
        `The value of ${part.source} is made of dots only, and the address would then mean something else.`,
      );
    }
    const encoded = fitted(encodeUrl(text), room);
    if (!encoded.ok) return encoded;
    url += encoded.value;
  }
  return resolved(url);
}

/** Encodes text for any part of an address; half surrogates become U+FFFD. */
export function encodeUrl(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/**
 * A template as the value of a header, its secrets still names. Text that a header can't hold is refused, naming
 * the header and the placeholder, never the value. Fails with `bad-header`.
 */
export function resolveHeader(header: string, template: Template, scope: Scope): Resolved<SecretText> {
  const room = roomFor(TEXT_MAX_CHARS);
  const pieces: SecretPiece[] = [];
  for (const part of template.parts) {
    const piece = part.kind === 'text' ? plain(part.text) : readPiece(part, scope, 'text', asText, room);
    if (!piece.ok) return piece;
    if (part.kind === 'placeholder' && piece.value.kind === 'text') {
      const problem = headerProblem(piece.value.text);
      if (problem)
        return failed(
          'bad-header',
          `The header "${header}" can't hold ${problem}, which ${part.source} has.`,
        );
    }
    pieces.push(piece.value);
  }
  return resolved(joinPieces(pieces));
}

/** What a header can't hold of a text: only tabs and the printable characters of Latin-1 are safe everywhere. */
export function headerProblem(text: string): string | undefined {
  if (/[\r\n]/.test(text)) return 'a line break';
  if (text.includes('\0')) return 'a NUL character';
  return /[^\t\x20-\x7e\xa0-\xff]/.test(text) ? 'characters outside Latin-1' : undefined;
}

/** A template as the text body of a request, its secrets still names. */
export function resolveSecretText(template: Template, scope: Scope): Resolved<SecretText> {
  return resolvePieces(template, scope, 'text', (text) => text);
}

/** A template as a value of a form, encoded, its secrets still names. */
export function resolveFormValue(template: Template, scope: Scope): Resolved<SecretText> {
  return resolvePieces(template, scope, 'form', encodeForm);
}

/** Encodes text as `application/x-www-form-urlencoded` does. */
export function encodeForm(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function resolvePieces(
  template: Template,
  scope: Scope,
  as: SecretForm,
  encode: (text: string) => string,
): Resolved<SecretText> {
  const room = roomFor(TEXT_MAX_CHARS);
  const pieces = collect(template.parts, (part) =>
    part.kind === 'text'
      ? plain(encode(part.text))
      : readPiece(part, scope, as, (data) => encode(asText(data)), room),
  );
  return pieces.ok ? resolved(joinPieces(pieces.value)) : pieces;
}

/** A piece of a `SecretText`. */
export type SecretPiece = SecretText[number];

/** How the value of a secret goes in. */
export type SecretForm = Extract<SecretPiece, { kind: 'secret' }>['as'];

/** One placeholder as a piece of a request: a secret stays a name, every other value is written by `write`. */
export function readPiece(
  part: Placeholder,
  scope: Scope,
  as: SecretForm,
  write: (data: Json) => string,
  room: Room,
  allowNull = false,
): Resolved<SecretPiece> {
  const [root, name] = part.path;
  if (root === 'secrets' && name !== undefined) return resolved({ kind: 'secret', name, as });
  const read = readValue(part, scope, allowNull);
  if (!read.ok) return read;
  const text = written(read.value, write, room);
  return text.ok ? resolved({ kind: 'text', text: text.value }) : text;
}

/**
 * The value of a placeholder. Null is a value only where `allowNull`. A secret is never a value: it has no other
 * way out than `readPiece`, by name. Fails with `missing-value`.
 */
export function readValue(part: Placeholder, scope: Scope, allowNull = false): Resolved<Json> {
  if (part.path[0] !== 'secrets') {
    const found = scope.lookup(part.path);
    if (found.found && (found.value !== null || allowNull)) return resolved(found.value);
    if (!found.found && found.cause === 'null' && allowNull) return resolved(null);
  }
  return failed('missing-value', `No value for ${part.source}: that step did not run or did not produce it.`);
}

/** Applies `step` to each item in order; the first failure ends it. */
export function collect<A, B>(items: readonly A[], step: (item: A) => Resolved<B>): Resolved<readonly B[]> {
  const values: B[] = [];
  for (const item of items) {
    const result = step(item);
    if (!result.ok) return result;
    values.push(result.value);
  }
  return resolved(values);
}

/** Joins neighbouring text pieces. */
export function joinPieces(pieces: readonly SecretPiece[]): SecretText {
  const joined: SecretPiece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (piece.kind === 'text' && last?.kind === 'text') {
      joined[joined.length - 1] = { kind: 'text', text: last.text + piece.text };
    } else {
      joined.push(piece);
    }
  }
  return joined;
}

/** A text piece that was written by the author or by us. */
export function plain(text: string): { readonly ok: true; readonly value: SecretPiece } {
  return { ok: true, value: { kind: 'text', text } };
}

/** A success. */
export function resolved<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

function failed(code: string, message: string): { readonly ok: false; readonly failure: Failure } {
  return { ok: false, failure: { code, message, retry: 'never' } };
}

function resolvedPart(kind: ResolvedPart['kind'], text: Resolved<string>): Resolved<ResolvedPart> {
  return text.ok ? resolved({ kind, text: text.value }) : text;
}

/** Looks at data before it is written: far too large or deeply nested data could not be. */
function written(data: Json, write: (data: Json) => string, room: Room): Resolved<string> {
  const failure = typeof data === 'string' ? undefined : takeRoomForData({ ...room }, data);
  return failure ? { ok: false, failure } : fitted(write(data), room);
}

function fitted(text: string, room: Room): Resolved<string> {
  const failure = takeRoom(room, text.length);
  return failure ? { ok: false, failure } : resolved(text);
}
