import { resultEvent } from '../engine/run/attempt-result.ts';
import type { RunEvent } from '../engine/run/event.ts';
import type { Output } from '../engine/steps/step-type.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { CallResult, PerformedEffect } from './call-handler.ts';

/** Most characters of an output as JSON: more would block everything else while it is written. */
const outputMaxChars = 50_000_000;

/** A result as it can be stored: without secrets, and not too large. */
export function keepable(result: CallResult, secrets: Secrets): CallResult {
  return storable(withoutSecrets(result, secrets));
}

/** Only what came from outside: a secret that reads like one of our own words must not change them. */
function withoutSecrets(result: CallResult, { redact }: Secrets): CallResult {
  switch (result.kind) {
    case 'done':
      return { ...result, output: redact(result.output) };
    case 'failed': {
      const { message, reply } = result.failure;
      const told = { message: redact(message), ...(reply !== undefined && { reply: redact(reply) }) };
      return { ...result, failure: { ...result.failure, ...told } };
    }
    case 'parked':
      return { ...result, why: redact(result.why) };
    case 'unknown':
      return { ...result, message: redact(result.message) };
    case 'checked':
      return result;
  }
}

/** What can't be stored would be tried for ever. */
function storable(result: CallResult): CallResult {
  if (result.kind !== 'done' || fits(result.output)) return result;
  const message = `What came back takes more than ${outputMaxChars / 1_000_000} MB as JSON, which is too much to keep: ask for less of it.`;
  const { usage } = result;
  return {
    kind: 'failed',
    failure: { code: 'output-too-large', message, retry: 'never' },
    ...(usage && { usage }),
  };
}

function fits(output: Output): boolean {
  if (output.text.length > outputMaxChars) return false;
  try {
    return JSON.stringify(output).length <= outputMaxChars;
  } catch {
    return false; // longer than a text can be
  }
}

/** What the run hears of a call that has ended. @param atMs when, epoch ms */
export function eventOf(effect: PerformedEffect, result: CallResult, atMs: number): RunEvent {
  if (effect.kind === 'check') return checkedEvent(effect, result, atMs);
  if (result.kind === 'checked') throw new Error(`A ${effect.kind} call can't come to this.`);
  return resultEvent(effect, result, atMs);
}

function checkedEvent(
  { key, question }: Extract<PerformedEffect, { kind: 'check' }>,
  result: CallResult,
  atMs: number,
): RunEvent {
  // A look that failed has found nobody missing.
  const { missing, place = undefined } = result.kind === 'checked' ? result : { missing: [] };
  return {
    type: 'question.checked',
    atMs,
    question,
    check: key,
    missing,
    ...(place !== undefined && { place }),
  };
}
