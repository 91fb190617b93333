import { asText } from '../prose.ts';
import type { SecretText } from '../steps/step-type.ts';
import { insideJsonString } from './data-template.ts';
import { withFix } from './issue.ts';
import { collect, joinPieces, plain, type Resolved, readPiece, resolved } from './resolve.ts';
import { roomFor, TEXT_MAX_CHARS } from './room.ts';
import type { Scope } from './scope.ts';
import type { Placeholder, Template, TextPart } from './template.ts';

/** JSON written as text with placeholders, proven to be JSON whatever the values are. */
export interface JsonText {
  readonly template: Template;
  readonly parts: readonly JsonTextPart[];
}

/** A piece of a `JsonText`; a placeholder stands inside the quotes of a JSON string, or is a whole JSON value. */
export type JsonTextPart = TextPart | (Placeholder & { readonly inString: boolean });

/** A JSON text, or what is wrong with it and what to write. */
export type ParsedJsonText =
  | { readonly ok: true; readonly json: JsonText }
  | { readonly ok: false; readonly message: string };

/** Checks that a template is JSON, with its placeholders inside strings or in the place of whole values. */
export function parseJsonText(template: Template): ParsedJsonText {
  const parts: JsonTextPart[] = [];
  let inString = false;
  let escaped = false;
  for (const part of template.parts) {
    if (part.kind === 'placeholder') {
      parts.push({ ...part, inString });
      escaped = false;
      continue;
    }
    for (const char of part.text) {
      if (escaped) escaped = false;
      else if (char === '"') inString = !inString;
      else escaped = inString && char === '\\';
    }
    parts.push(part);
  }
  const fault = jsonFault(parts);
  return fault === undefined
    ? { ok: true, json: { template, parts } }
    : {
        ok: false,
        message: withFix(
          `This is not JSON once its placeholders are filled: ${fault}.`,
          'Write JSON, with placeholders inside its strings ("{{step.text}}") or in the place of whole values ({{step.json}}).',
        ),
      };
}

/**
 * JSON text with its placeholders filled, secrets still names: in strings as escaped text, elsewhere as JSON (null
 * allowed).
 */
export function resolveJsonText(json: JsonText, scope: Scope): Resolved<SecretText> {
  const room = roomFor(TEXT_MAX_CHARS);
  const pieces = collect(json.parts, (part) => {
    if (part.kind === 'text') return plain(part.text);
    return part.inString
      ? readPiece(part, scope, 'json-inside', (data) => insideJsonString(asText(data)), room)
      : readPiece(part, scope, 'json', (data) => JSON.stringify(data), room, true);
  });
  return pieces.ok ? resolved(joinPieces(pieces.value)) : pieces;
}

/** Stand-ins that only fit where any value fits: `x` ends no escape, `null` is no key and no part of a number. */
function jsonFault(parts: readonly JsonTextPart[]): string | undefined {
  const filled = parts
    .map((part) => (part.kind === 'text' ? part.text : part.inString ? 'x' : 'null'))
    .join('');
  try {
    JSON.parse(filled);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(/\s+/g, ' ') : 'it can not be read';
  }
}
