import type { Json, JsonObject } from '../json.ts';
import { beginningOf } from '../prose.ts';
import type { Output } from '../steps/step-type.ts';
import type { AgentCall } from './call.ts';
import type { AgentOutcome } from './outcome.ts';
import { checkFields, readReply } from './reply.ts';

type Decision = Extract<AgentCall, { kind: 'decision' }>;
type Replied = Extract<AgentOutcome, { kind: 'replied' }>;

/** What is chosen when nothing else is. */
const NONE_OF_THESE = 'none_of_these';

/** What was decided, or what is wrong with the reply, as the end of a sentence. */
export type Decided =
  | { readonly ok: true; readonly output: Output }
  | { readonly ok: false; readonly problem: string };

/** Options in the order they are offered: none of them is always one, too. */
export function offeredBy({ options }: Pick<Decision, 'options'>): readonly string[] {
  return options.includes(NONE_OF_THESE) ? options : [...options, NONE_OF_THESE];
}

/**
 * The decision in a reply: `{ choice, confidence, probabilities, gated }`. With `minConfidence`, none of the options is
 * chosen when the confidence is lower or nobody has given one; `gated` tells so. When scored, the option with the highest
 * score is chosen, the first of several, and its score is the confidence.
 */
export function decide(call: Decision, reply: Replied): Decided {
  const found = call.mode === 'score' ? scored(call, reply) : chosen(call, reply);
  if (!found.ok) return found;
  const { choice, confidence, probabilities } = found;
  const { minConfidence } = call;
  const isSure = minConfidence === undefined || (confidence !== null && confidence >= minConfidence);
  const gated = !isSure && choice !== NONE_OF_THESE;
  const final = isSure ? choice : NONE_OF_THESE;
  return { ok: true, output: { text: final, json: { choice: final, confidence, probabilities, gated } } };
}

type Found =
  | {
      readonly ok: true;
      readonly choice: string;
      readonly confidence: number | null;
      readonly probabilities: JsonObject | null;
    }
  | { readonly ok: false; readonly problem: string };

function chosen(call: Decision, { text, structured, confidence, probabilities }: Replied): Found {
  const offered = offeredBy(call);
  const bare = bareChoice(text, offered);
  const read =
    structured === undefined && bare !== undefined
      ? ({ ok: true, object: { choice: bare } } as const)
      : readReply(text, structured);
  if (!read.ok) return read;
  const checked = checkFields(read.object, { choice: { type: 'string' } });
  if (!checked.ok) return checked;
  const choice = checked.object.choice;
  if (typeof choice !== 'string' || !offered.includes(choice)) {
    return { ok: false, problem: `choice must be one of ${listed(offered)}, not ${quoted(choice)}.` };
  }
  const known = inOrder(offered, probabilities);
  return {
    ok: true,
    choice,
    confidence: part(confidence) ?? part(probabilities?.[choice]) ?? part(read.object.confidence),
    probabilities: known,
  };
}

function scored(call: Decision, { text, structured, probabilities }: Replied): Found {
  const offered = offeredBy(call);
  const measured = inOrder(offered, probabilities);
  if (measured && offered.every((option) => Object.hasOwn(measured, option)))
    return highest(offered, measured);
  const read = readReply(text, structured);
  if (!read.ok) return read;
  const checked = checkFields(read.object, { scores: { type: 'list' } });
  if (!checked.ok) return checked;
  const { scores } = checked.object;
  const values = Array.isArray(scores) ? scores.map(part) : [];
  if (values.length !== offered.length || values.includes(null)) {
    const problem = `scores must be a list of ${offered.length} numbers from 0 to 1, one for each option.`;
    return { ok: false, problem };
  }
  const entries = offered.map((option, index) => [option, values[index] ?? 0] as const);
  return highest(offered, Object.fromEntries(entries));
}

function highest(offered: readonly string[], probabilities: JsonObject): Found {
  const score = (option: string) => part(probabilities[option]) ?? 0;
  const choice = offered.reduce((best, option) => (score(option) > score(best) ? option : best));
  return { ok: true, choice, confidence: score(choice), probabilities };
}

/** Models that are asked for a word often say just that. */
function bareChoice(text: string, offered: readonly string[]): string | undefined {
  const said = text.trim();
  return offered.find((option) => option.trim() === said);
}

function inOrder(
  offered: readonly string[],
  probabilities: Readonly<Record<string, number>> | undefined,
): JsonObject | null {
  if (!probabilities) return null;
  const entries = offered.flatMap((option) => {
    const value = Object.hasOwn(probabilities, option) ? part(probabilities[option]) : null;
    return value === null ? [] : [[option, value] as const];
  });
  return Object.fromEntries(entries);
}

/** A number from 0 to 1; null when it is none. */
function part(value: Json | undefined): number | null {
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : null;
}

function quoted(value: Json | undefined): string {
  return beginningOf(JSON.stringify(value ?? null), 200);
}

function listed(offered: readonly string[]): string {
  return offered.map((option) => JSON.stringify(option)).join(', ');
}
