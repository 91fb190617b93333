import { createHash } from 'node:crypto';
import { isJsonObject, type Json } from '../engine/json.ts';

/** Data as text that does not depend on the order of keys: the same data always gives the same text. */
export function canonicalJson(data: Json): string {
  if (Array.isArray(data)) return `[${data.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(data)) return JSON.stringify(data);
  const entries = Object.keys(data)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(data[key] ?? null)}`);
  return `{${entries.join(',')}}`;
}

/** The version of a flow: the SHA-256 of its content, 64 hex digits. */
export function versionOf(data: Json): string {
  return createHash('sha256').update(canonicalJson(data)).digest('hex');
}

/** A version as people see it: its first 16 digits. */
export function shortVersion(version: string): string {
  return version.slice(0, 16);
}
