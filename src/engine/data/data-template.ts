import { z } from 'zod';
import type { OutputTemplate } from '../flow/plan.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import { asText } from '../prose.ts';
import type { Reference, SecretText } from '../steps/step-type.ts';
import { withFix } from './issue.ts';
import {
  collect,
  joinPieces,
  plain,
  type Resolved,
  readPiece,
  readValue,
  resolved,
  resolveText,
} from './resolve.ts';
import { type Room, roomFor, TEXT_MAX_CHARS, takeRoomForData } from './room.ts';
import type { Scope } from './scope.ts';
import { type Placeholder, parseTemplate, type Template, templateReferences } from './template.ts';

type Path = readonly (string | number)[];

/** One thing wrong in a data template, with its place inside the data. */
export interface DataFault {
  readonly path: Path;
  readonly message: string;
}

/** A data template, or all that is wrong with it. */
export type ParsedDataTemplate =
  | { readonly ok: true; readonly template: OutputTemplate }
  | { readonly ok: false; readonly faults: readonly DataFault[] };

const maxDepth = 64;

/**
 * Reads data with placeholders in its texts (not in its keys). The data comes from a file or a module, so it may be
 * anything: what is not JSON, and data nested deeper than 64 levels, is a fault.
 */
export function parseDataTemplate(data: unknown): ParsedDataTemplate {
  const faults: DataFault[] = [];
  const template = parseNode(data, [], faults);
  return faults.length === 0 ? { ok: true, template } : { ok: false, faults };
}

/** Data with placeholders of a flow file, parsed. */
export const dataTemplateSchema = z.unknown().transform((data, context): OutputTemplate => {
  const parsed = parseDataTemplate(data);
  if (parsed.ok) return parsed.template;
  for (const { path, message } of parsed.faults) {
    context.addIssue({ code: 'custom', message, path: [...path] });
  }
  return z.NEVER;
});

/**
 * Data with its placeholders filled: a text that is exactly one placeholder keeps the value's type, null included.
 * Fails with `output-too-large` when the values do not fit in the room.
 */
export function resolveData(
  template: OutputTemplate,
  scope: Scope,
  room: Room = roomFor(TEXT_MAX_CHARS),
): Resolved<Json> {
  switch (template.kind) {
    case 'plain':
      return resolved(template.value);
    case 'template': {
      const only = onlyPlaceholder(template.template);
      return only ? readData(only, scope, room) : resolveText(template.template, scope, room);
    }
    case 'list':
      return collect(template.items, (item) => resolveData(item, scope, room));
    case 'object': {
      const entries = collect(template.entries, ([key, inner]): Resolved<readonly [string, Json]> => {
        const result = resolveData(inner, scope, room);
        return result.ok ? resolved([key, result.value]) : result;
      });
      return entries.ok ? resolved(Object.fromEntries(entries.value)) : entries;
    }
  }
}

/** Fields of data by name, each filled as `resolveData` does it. */
export function resolveFields(
  fields: Readonly<Record<string, OutputTemplate>>,
  scope: Scope,
): Resolved<JsonObject> {
  const room = roomFor(TEXT_MAX_CHARS);
  const entries = collect(Object.entries(fields), ([name, template]): Resolved<readonly [string, Json]> => {
    const value = resolveData(template, scope, room);
    return value.ok ? resolved([name, value.value]) : value;
  });
  return entries.ok ? resolved(Object.fromEntries(entries.value)) : entries;
}

function readData(placeholder: Placeholder, scope: Scope, room: Room): Resolved<Json> {
  const read = readValue(placeholder, scope, true);
  const failure = read.ok ? takeRoomForData(room, read.value) : undefined;
  return failure ? { ok: false, failure } : read;
}

/** The same as `resolveData`, written as JSON, with the secrets in it still names. */
export function resolveDataAsJson(template: OutputTemplate, scope: Scope): Resolved<SecretText> {
  const pieces = jsonOf(template, scope, roomFor(TEXT_MAX_CHARS));
  return pieces.ok ? resolved(joinPieces(pieces.value)) : pieces;
}

/** Where a data template reads data. `at` is its place, from the top of the step. */
export function dataReferences(template: OutputTemplate, at: Path): readonly Reference[] {
  switch (template.kind) {
    case 'plain':
      return [];
    case 'template':
      return templateReferences(template.template, at);
    case 'list':
      return template.items.flatMap((item, index) => dataReferences(item, [...at, index]));
    case 'object':
      return template.entries.flatMap(([key, inner]) => dataReferences(inner, [...at, key]));
  }
}

function parseNode(data: unknown, path: Path, faults: DataFault[]): OutputTemplate {
  const refuse = (message: string): OutputTemplate => {
    faults.push({ path, message });
    return { kind: 'plain', value: null };
  };
  if (path.length > maxDepth) {
    return refuse(withFix(`This is nested deeper than ${maxDepth} levels.`, 'Make it flatter.'));
  }
  if (typeof data === 'string') {
    const parsed = parseTemplate(data);
    return parsed.ok ? { kind: 'template', template: parsed.template } : refuse(parsed.message);
  }
  if (data === null || typeof data === 'boolean' || (typeof data === 'number' && Number.isFinite(data))) {
    return { kind: 'plain', value: data };
  }
  if (Array.isArray(data)) {
    const items: readonly unknown[] = data;
    return { kind: 'list', items: items.map((item, index) => parseNode(item, [...path, index], faults)) };
  }
  if (!isJsonObject(data) || !isPlainObject(data)) {
    return refuse(
      withFix(
        `This is no JSON value (${typeof data}).`,
        'Write text, a number, true, false, null, a list or an object.',
      ),
    );
  }
  return {
    kind: 'object',
    entries: Object.entries(data).map(([key, inner]) => {
      if (key.includes('{{')) {
        faults.push({
          path: [...path, key],
          message: withFix('Placeholders are not read in keys.', 'Write the key itself.'),
        });
      }
      return [key, parseNode(inner, [...path, key], faults)] as const;
    }),
  };
}

/** Not a date, map or other thing that a `.flow.ts` module may hold. */
function isPlainObject(data: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(data);
  return prototype === Object.prototype || prototype === null;
}

function onlyPlaceholder(template: Template): Placeholder | undefined {
  const [first, ...more] = template.parts;
  return first?.kind === 'placeholder' && more.length === 0 ? first : undefined;
}

function jsonOf(template: OutputTemplate, scope: Scope, room: Room): Resolved<SecretText> {
  switch (template.kind) {
    case 'plain':
      return resolved([plain(JSON.stringify(template.value)).value]);
    case 'template':
      return jsonOfText(template.template, scope, room);
    case 'list':
      return between('[', ']', template.items, (item) => jsonOf(item, scope, room));
    case 'object':
      return between('{', '}', template.entries, ([key, inner]) => {
        const result = jsonOf(inner, scope, room);
        return result.ok ? resolved([plain(`${JSON.stringify(key)}:`).value, ...result.value]) : result;
      });
  }
}

function jsonOfText(template: Template, scope: Scope, room: Room): Resolved<SecretText> {
  const only = onlyPlaceholder(template);
  if (only) {
    const piece = readPiece(only, scope, 'json', (data) => JSON.stringify(data), room, true);
    return piece.ok ? resolved([piece.value]) : piece;
  }
  const pieces = collect(template.parts, (part) =>
    part.kind === 'text'
      ? plain(insideJsonString(part.text))
      : readPiece(part, scope, 'json-inside', (data) => insideJsonString(asText(data)), room),
  );
  return pieces.ok ? resolved([plain('"').value, ...pieces.value, plain('"').value]) : pieces;
}

/** Text escaped for the inside of a JSON string. */
export function insideJsonString(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function between<T>(
  open: string,
  close: string,
  items: readonly T[],
  write: (item: T) => Resolved<SecretText>,
): Resolved<SecretText> {
  const written = collect(items, write);
  if (!written.ok) return written;
  const inner = written.value.flatMap((pieces, index) =>
    index === 0 ? pieces : [plain(',').value, ...pieces],
  );
  return resolved([plain(open).value, ...inner, plain(close).value]);
}
