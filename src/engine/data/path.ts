import type { Json } from '../json.ts';
import { isJsonObject } from '../json.ts';
import { withFix } from './issue.ts';
import type { Lookup } from './scope.ts';

/** Most names and list positions after `text`, `json` or `input`. */
const pathMaxLevels = 8;

/** A path that was read, or what is wrong with it and what to write. */
export type ParsedPath =
  | { readonly ok: true; readonly path: readonly string[] }
  | { readonly ok: false; readonly message: string };

const plainName = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
const listPosition = /^(?:0|[1-9]\d{0,8})$/;

/** Roots whose data begins right behind the dot; every other root is a step (or `start`): `text` or `json` follows. */
const openRoots: ReadonlySet<string> = new Set(['input', 'run', 'item']);

/**
 * Reads a path into a step's output: `text`, `json`, or `json.` and up to 8 names or list positions
 * (`json.items.0.title`).
 */
export function parsePath(text: string): ParsedPath {
  const path = text.split('.');
  const [head, ...rest] = path;
  if (head === 'text' && rest.length > 0) {
    return refused(
      `"${clip(text)}" looks inside a text.`,
      'Write text alone, or a field such as json.title.',
    );
  }
  if (head !== 'text' && head !== 'json') {
    return refused(
      `"${clip(text)}" begins with neither text nor json.`,
      `Write text, or json.${clip(text)}.`,
    );
  }
  return checkLevels(path, rest);
}

/** Reads a path inside a JSON value: 1 to 8 names or list positions (`items.0.title`). */
export function parseFieldPath(text: string): ParsedPath {
  const path = text.split('.');
  return checkLevels(path, path);
}

/** Checks the names of a placeholder: a root, then what that root has (`draft`, `json`, `items`, `0`). */
export function checkLookup(path: readonly string[]): ParsedPath {
  const [root = '', kind, ...rest] = path;
  if (!plainName.test(root)) return notPlain(root);
  if (openRoots.has(root)) return checkLevels(path, path.slice(1));
  if (root === 'secrets') {
    if (kind !== undefined && rest.length === 0) return checkLevels(path, [kind]);
    return refused('A secret is one name.', 'Write {{secrets.NAME}}.');
  }
  if (kind === undefined) {
    return refused(
      `{{${root}}} does not say what to take.`,
      `Write {{${root}.text}}, or a field such as {{${root}.json.title}}.`,
    );
  }
  const inner = parsePath([kind, ...rest].join('.'));
  return inner.ok ? { ok: true, path } : inner;
}

/** Looks a path up: own properties and list positions only. A path through null or into a text is `missing`. */
export function lookUp(from: Json, path: readonly string[]): Lookup {
  let at: Json = from;
  for (const key of path) {
    const next = child(at, key);
    if (next === undefined) return { found: false, cause: 'missing' };
    at = next;
  }
  return at === null ? { found: false, cause: 'null' } : { found: true, value: at };
}

function child(parent: Json, key: string): Json | undefined {
  if (isJsonObject(parent)) return Object.hasOwn(parent, key) ? parent[key] : undefined;
  if (!Array.isArray(parent) || !listPosition.test(key)) return undefined;
  const list: readonly Json[] = parent;
  return list[Number(key)];
}

function checkLevels(path: readonly string[], levels: readonly string[]): ParsedPath {
  if (levels.length > pathMaxLevels) {
    return refused(
      `"${clip(path.join('.'))}" goes ${levels.length} levels deep; ${pathMaxLevels} are allowed.`,
      'Read a field nearer to the top.',
    );
  }
  const odd = levels.find((level) => !plainName.test(level) && !listPosition.test(level));
  return odd === undefined ? { ok: true, path } : notPlain(odd);
}

function notPlain(name: string): ParsedPath {
  return refused(
    `"${clip(name)}" is no plain name.`,
    'Use letters, digits and _ only, or a list position such as 0; when a key has other characters, read its parent.',
  );
}

function refused(message: string, fix: string): ParsedPath {
  return { ok: false, message: withFix(message, fix) };
}

function clip(text: string): string {
  const line = text.slice(0, 80).replaceAll(/\s+/g, ' ');
  return text.length > 80 ? `${line.toWellFormed()}…` : line;
}
