import { isJsonObject, type Json } from '../engine/json.ts';

/** The body of a request, read; or why it can't be, in a sentence for its sender. */
export type HookBody =
  | {
      readonly ok: true;
      /** JSON as it is, a form as an object of texts, or the text; null when there is none. */
      readonly body: Json;
      readonly text: string;
    }
  | { readonly ok: false; readonly status: 400 | 415; readonly error: string };

/** Most levels of objects and lists inside each other. */
const depthMax = 64;

/** Reads a body by its content type. One without a type is text. */
export function readHookBody(
  bytes: Buffer,
  headers: { readonly 'content-type'?: string | undefined; readonly 'content-encoding'?: string | undefined },
): HookBody {
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity') return refused(415, 'Compressed bodies are not accepted.');
  const text = decode(bytes);
  if (text === undefined) return refused(400, 'The body is not UTF-8.');
  if (text.trim() === '') return { ok: true, body: null, text: '' };
  const type = (headers['content-type'] ?? 'text/plain').split(';')[0]?.trim().toLowerCase() ?? '';
  if (/^(?:application|text)\/(?:[\w.+-]+\+)?json$/.test(type)) return readJson(text, text);
  if (type === 'application/x-www-form-urlencoded') return readForm(text);
  if (type.startsWith('text/') || /^application\/(?:[\w.+-]+\+)?xml$/.test(type))
    return { ok: true, body: text, text };
  return refused(415, 'Send JSON, a form or text, and say so in the header content-type.');
}

/** @param text all of the body */
function readJson(json: string, text: string): HookBody {
  let body: Json;
  try {
    body = JSON.parse(json);
  } catch {
    return refused(400, 'The body is not valid JSON.');
  }
  const fault = shapeFault(body);
  return fault === undefined ? { ok: true, body, text } : refused(400, fault);
}

/** A form that is nothing but `payload` holds JSON: so do those of GitHub. */
function readForm(text: string): HookBody {
  const fields = [...new URLSearchParams(text)];
  const [[name, value] = ['', '']] = fields;
  if (fields.length === 1 && name === 'payload') return readJson(value, text);
  const body = Object.fromEntries(fields);
  const fault = shapeFault(body);
  return fault === undefined ? { ok: true, body, text } : refused(400, fault);
}

/** What no data may be: nested without end, or named so that code would trip over it. Level by level, never by recursion. */
function shapeFault(body: Json): string | undefined {
  let level: readonly Json[] = [body];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > depthMax) return `The body is nested more than ${depthMax} levels deep.`;
    if (level.some((one) => isJsonObject(one) && Object.hasOwn(one, '__proto__')))
      return 'The body has a key "__proto__".';
    level = level.flatMap(childrenOf);
  }
  return undefined;
}

function childrenOf(value: Json): readonly Json[] {
  if (isJsonObject(value)) return Object.values(value);
  return Array.isArray(value) ? value : [];
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function refused(status: 400 | 415, error: string): HookBody {
  return { ok: false, status, error };
}
