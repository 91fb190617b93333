import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import type { JsonObject } from '../engine/json.ts';

/** An id. An empty variable of a script must not make the next word one. @throws InvalidArgumentError, as all here do */
export function oneWord(text: string): string {
  if (!/^\S+$/.test(text)) throw new InvalidArgumentError('It must be one word.');
  return text;
}

/** A hash of the audit, in small letters. */
export function parseHash(text: string): string {
  if (!/^[0-9a-f]{64}$/i.test(text)) {
    throw new InvalidArgumentError('It must be a hash of 64 hex digits, as audit verify prints it.');
  }
  return text.toLowerCase();
}

/** A JSON object. */
export function parseObject(text: string): JsonObject {
  const parsed = z.record(z.string(), z.json()).safeParse(parseJson(text));
  if (!parsed.success) {
    throw new InvalidArgumentError('It must be a JSON object, such as \'{"version": "1.2"}\'.');
  }
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
