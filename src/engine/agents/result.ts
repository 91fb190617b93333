import type { Json, JsonObject } from '../json.ts';
import { beginning, beginningOf } from '../prose.ts';
import type { Failure, Output } from '../steps/step-type.ts';
import type { AgentCall, Choice } from './call.ts';
import { decide } from './decide.ts';
import type { AgentOutcome } from './outcome.ts';
import { choiceRule } from './prompt.ts';
import { checkFields, fieldsOf, isOpen, readReply } from './reply.ts';
import { visible } from './visible.ts';

/** What an outcome means for the step. */
export type AgentResult =
  | { readonly kind: 'done'; readonly output: Output }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'unknown'; readonly message: string }
  /** It is told what is wrong with its pick and asked again; after `ASKED_AGAIN_MAX` times, this is the failure. */
  | { readonly kind: 'again'; readonly explanation: string; readonly failure: Failure };

/** How often an agent is asked again within one attempt. */
export const ASKED_AGAIN_MAX = 2;
/** Most characters that are kept of a reply that failed. */
const REPLY_KEPT_MAX_CHARS = 100_000;

type Task = Extract<AgentCall, { kind: 'task' }>;
type Replied = Extract<AgentOutcome, { kind: 'replied' }>;

/**
 * Turns what became of a call into the step's result. The text is the whole reply, `json` has the fields that were asked
 * for, or all when none were; where the agent picks steps, the reply is always an object, and a text is its field `text`. Fails with
 * `reply-mismatch`, `bad-choice`, `agent-timeout`, or with the code of the runtime.
 */
export function agentResult(call: AgentCall, outcome: AgentOutcome): AgentResult {
  switch (outcome.kind) {
    case 'replied':
      return repliedResult(call, outcome);
    case 'failed': {
      const { code, message, retry } = outcome;
      return { kind: 'failed', failure: { code, message, retry } };
    }
    case 'timeout': {
      const message = 'the agent was not ready when its time was over.';
      return { kind: 'failed', failure: { code: 'agent-timeout', message, retry: 'allowed' } };
    }
    case 'unknown':
      return { kind: 'unknown', message: outcome.message };
  }
}

function repliedResult(call: AgentCall, reply: Replied): AgentResult {
  switch (call.kind) {
    case 'task':
      return taskResult(call, reply);
    case 'prompt':
      return { kind: 'done', output: { text: wholeText(reply), json: {} } };
    case 'decision': {
      const decided = decide(call, reply);
      return decided.ok ? { kind: 'done', output: decided.output } : mismatch(reply, decided.problem);
    }
  }
}

function taskResult({ reply: format, choose }: Task, reply: Replied): AgentResult {
  const fields = fieldsOf(format, choose);
  if (!fields) return { kind: 'done', output: { text: wholeText(reply), json: {} } };
  const read = readReply(reply.text, reply.structured);
  if (!read.ok) return mismatch(reply, read.problem);
  const object = choose ? withPickedList(read.object) : read.object;
  const checked = checkFields(object, fields, isOpen(format));
  if (!checked.ok) return mismatch(reply, checked.problem);
  const json = checked.object;
  const problem = choose && pickProblem(choose, json.choice ?? null);
  if (choose && problem !== undefined) return again(choose, reply, json.choice ?? null, problem);
  if (format.format === 'json') return { kind: 'done', output: { text: wholeText(reply), json } };
  const { text, ...rest } = json;
  return { kind: 'done', output: { text: typeof text === 'string' ? text : '', json: rest } };
}

/** Who picks one step often names it without a list. */
function withPickedList(object: JsonObject): JsonObject {
  return typeof object.choice === 'string' ? { ...object, choice: [object.choice] } : object;
}

/** What is wrong with a pick, as a sentence; undefined = nothing. */
function pickProblem({ among, min, max }: Choice, picked: Json): string | undefined {
  const list: readonly Json[] = Array.isArray(picked) ? picked : [picked];
  const unknown = list.filter((one) => typeof one !== 'string' || !among.includes(one));
  if (unknown.length > 0) return `${shown(unknown)} can't be picked.`;
  if (new Set(list).size < list.length) return 'A step is picked twice.';
  if (list.length < min) return `Only ${list.length} of at least ${min} are picked.`;
  return list.length > max ? `${list.length} are picked, and ${max} at most can be.` : undefined;
}

function again(choose: Choice, reply: Replied, picked: Json, problem: string): AgentResult {
  const explanation = `Your reply was not accepted. choice was ${shown(picked)}: ${problem} ${choiceRule(choose)} Reply again, with all fields.`;
  const message = `the agent picked ${shown(picked)} as what comes next, and can pick ${shown(choose.among)}. ${problem}`;
  return { kind: 'again', explanation, failure: keeping(reply, { code: 'bad-choice', message }) };
}

function mismatch(reply: Replied, problem: string): AgentResult {
  const message = `The reply did not match the fields this step asks for: ${problem}`;
  return { kind: 'failed', failure: keeping(reply, { code: 'reply-mismatch', message }) };
}

function keeping(reply: Replied, failure: Pick<Failure, 'code' | 'message'>): Failure {
  return { ...failure, retry: 'allowed', reply: beginning(wholeText(reply), REPLY_KEPT_MAX_CHARS) };
}

/** All that was said: where a provider gives data only, the data. */
export function wholeText({ text, structured }: Replied): string {
  return text === '' && structured !== undefined ? JSON.stringify(structured) : text;
}

/** What a model picked, or could have, as a sentence can hold it. */
function shown(picked: Json): string {
  return beginningOf(visible(JSON.stringify(picked)), 500);
}
