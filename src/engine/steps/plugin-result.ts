import { z } from 'zod';
import { roomFor, TEXT_MAX_CHARS, takeRoomForData } from '../data/room.ts';
import { reveal } from '../reveal.ts';
import type { KnownOutcome } from './step-type.ts';

/** Most characters of what a plugin threw that a failure quotes. */
const QUOTED_MAX_CHARS = 2_000;

const returnedSchema = z
  .strictObject({
    text: z.string().optional(),
    json: z.record(z.string(), z.json()).optional(),
    exit: z.string().optional(),
  })
  .default({});

/**
 * Reads what the code of a plugin has returned: `{ text?, json?, exit? }`, or nothing. With more than one exit it
 * has to choose one, which is kept as `json.exit`. Fails with `plugin-result`, never to be retried.
 */
export function pluginResult(type: string, exits: readonly string[], returned: unknown): KnownOutcome {
  const read = readReturned(returned);
  if (typeof read === 'string') return broken(`${nameOf(type)} returned what is no output: ${read}.`);
  const { text = '', json = {}, exit } = read;
  if (exits.length > 1 && (exit === undefined || !exits.includes(exit))) {
    const found = exit === undefined ? 'no exit' : `the exit ${JSON.stringify(exit)}`;
    return broken(`${nameOf(type)} returned ${found}; it has to be one of ${exits.join(', ')}.`);
  }
  if (exits.length === 1 && exit !== undefined && exit !== exits[0]) {
    return broken(`${nameOf(type)} returned the exit ${JSON.stringify(exit)}; its only one is ${exits[0]}.`);
  }
  const output = { text, json: exits.length > 1 && exit !== undefined ? { ...json, exit } : json };
  const room = roomFor(TEXT_MAX_CHARS);
  const failure = takeRoomForData(room, output.json) ?? takeRoomForData(room, output.text);
  return failure ? { kind: 'failed', failure } : { kind: 'done', output };
}

/** Reads what the code of a plugin has thrown: a failure that may be retried, unless it says `retry: 'never'`. */
export function pluginFailure(type: string, thrown: unknown): KnownOutcome {
  const said = reveal(String(thrown instanceof Error ? thrown.message : thrown).slice(0, QUOTED_MAX_CHARS));
  const never =
    typeof thrown === 'object' && thrown !== null && 'retry' in thrown && thrown.retry === 'never';
  const message = `${nameOf(type)} failed: ${said.text.toWellFormed()}`;
  return { kind: 'failed', failure: { code: 'plugin-error', message, retry: never ? 'never' : 'allowed' } };
}

function readReturned(returned: unknown): z.output<typeof returnedSchema> | string {
  try {
    const read = returnedSchema.safeParse(returned);
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    const at = issue?.path.map(String).join('.') ?? '';
    return `${at === '' ? 'it' : at} is not JSON under text, json and exit`;
  } catch {
    return "it can't be read"; // a getter of it throws
  }
}

function broken(message: string): KnownOutcome {
  return { kind: 'failed', failure: { code: 'plugin-result', message, retry: 'never' } };
}

function nameOf(type: string): string {
  return `The step type ${JSON.stringify(type)}`;
}
