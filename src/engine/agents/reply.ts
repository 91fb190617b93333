import { typeInWords } from '../data/type-words.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Choice, ReplyField, ReplyFormat } from './call.ts';
import { readObject } from './json-object.ts';

/** A reply as data, or what is wrong with it, as the end of a sentence. */
export type ReadReply =
  | { readonly ok: true; readonly object: JsonObject }
  | { readonly ok: false; readonly problem: string };

/** The fields that a reply must have by name, or none: then every object will do. */
export type ReplyFields = Readonly<Record<string, ReplyField>>;

/** The fields of a step's reply; undefined = it is a text. With a choice a text is a field, too. */
export function fieldsOf(reply: ReplyFormat, choose: Choice | undefined): ReplyFields | undefined {
  if (!choose) return reply.format === 'json' ? reply.fields : undefined;
  const own: ReplyFields =
    reply.format === 'json' ? reply.fields : { text: { type: 'string', description: 'Your reply.' } };
  return { ...own, choice: { type: 'list', description: 'The steps that come next.' } };
}

/** Whether a reply may be any object. */
export function isOpen(reply: ReplyFormat): boolean {
  return reply.format === 'json' && Object.keys(reply.fields).length === 0;
}

/** The object in a reply. @param structured the reply as data, where the provider gives some: taken instead of the text */
export function readReply(text: string, structured: Json | undefined): ReadReply {
  const object = structured === undefined ? readObject(text) : structured;
  return isJsonObject(object) ? { ok: true, object } : { ok: false, problem: 'it is not one JSON object.' };
}

/** The fields of a reply. @param keepsOthers those that were not asked for are not dropped */
export function checkFields(object: JsonObject, fields: ReplyFields, keepsOthers = false): ReadReply {
  const problems = Object.entries(fields).flatMap(([name, { type }]) => {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    if (value === undefined) return [`${name} is missing`];
    return isOf(type, value) ? [] : [`${name} must be ${words(type)}, not ${kindOf(value)}`];
  });
  if (problems.length > 0) return { ok: false, problem: `${problems.join('; ')}.` };
  if (keepsOthers) return { ok: true, object };
  const kept = Object.keys(fields).flatMap((name) => {
    const value = object[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ok: true, object: Object.fromEntries(kept) };
}

function isOf(type: ReplyField['type'], value: Json): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'list':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
  }
}

/** A field's type as people call it. */
export function words(type: ReplyField['type']): string {
  return typeInWords(type === 'list' ? 'array' : type);
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'number' && !Number.isFinite(value)) return 'one too large';
  return typeof value === 'boolean' ? String(value) : typeInWords(typeof value);
}
