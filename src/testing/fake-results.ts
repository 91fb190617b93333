import { parseJson } from '../adapters/http/json.ts';
import { NO_USAGE, type Usage } from '../engine/agents/usage.ts';
import type { Plan } from '../engine/flow/plan.ts';
import type { Json } from '../engine/json.ts';
import { DEFAULT_TIMEOUT_MS } from '../engine/limits.ts';
import type { AttemptResult } from '../engine/run/attempt-result.ts';
import type { CallEffect } from '../engine/run/effect.ts';
import { type HttpReport, httpResult } from '../engine/steps/http-result.ts';
import { pluginResult } from '../engine/steps/plugin-result.ts';
import { scriptResult } from '../engine/steps/script-result.ts';
import type { HttpCall } from '../engine/steps/step-type.ts';
import { type ToolReport, toolResult } from '../engine/steps/tool-result.ts';
import { compose } from '../render/markdown/index.ts';
import { fakeAttempt } from './fake-agent.ts';
import { nameInAllItems } from './simulated-run.ts';
import type { Fake } from './test-file.ts';

/** A call that a fake stands for; runs of other flows, and looks at those who are asked, are simulated. */
export type FakedEffect = Exclude<CallEffect, { kind: 'lane' | 'check' }>;

/** What a call comes to. */
export interface Called {
  readonly result: AttemptResult;
  readonly delayMs: number;
  /** What it posts, once it has come to that. */
  readonly post?: { readonly key: string; readonly to: string; readonly text: string };
  /** Why the test can't tell what it comes to, and what to write. */
  readonly problem?: string;
}

/** Where a call is made, and what the test has for it. */
export interface FakeCall {
  readonly plan: Plan;
  /** The step as the test calls it: `draft`, `deploy/build`. */
  readonly name: string;
  /** Where what is posted goes when the step does not say. */
  readonly homeName: string;
  /** The next fake of the step; undefined = there is none. */
  take(): Fake | undefined;
  /** The id of the message that a post becomes: `m1`. */
  messageId(post: string): string;
}

/** What a call comes to by the fake of its step, read as the answer of the real thing would be. */
export function callResult(effect: FakedEffect, call: FakeCall): Called {
  switch (effect.kind) {
    case 'message':
      return messageCalled(effect, call);
    case 'agent':
      return agentCalled(effect, call);
    case 'http':
    case 'script':
    case 'tool':
    case 'plugin':
    case 'history': {
      const fake = call.take();
      return fake ? called(effect, fake, call.plan) : withoutFake(effect, call);
    }
  }
}

type Plain = Exclude<FakedEffect, { kind: 'message' | 'agent' }>;

function called(effect: Plain, fake: Fake, plan: Plan): Called {
  const { delay: delayMs = 0, timeout } = fake;
  const limitMs = limitOf(effect);
  return timeout || delayMs >= limitMs
    ? { result: timedOut(effect, limitMs), delayMs: limitMs }
    : { result: resultBy(effect, fake, plan), delayMs };
}

function resultBy(effect: Plain, fake: Fake, plan: Plan): AttemptResult {
  switch (effect.kind) {
    case 'http':
      return fake.failure === undefined
        ? httpResult(effect.call, httpReport(fake))
        : failed('faked', fake.failure);
    case 'script':
      return unlucky(fake) ?? scriptResult(effect.call.run, { kind: 'ended', ...printed(fake) });
    case 'tool':
      return { ...(unlucky(fake) ?? toolResult(effect.call, toolAnswer(fake))), usage: ONE_TOOL_CALL };
    case 'plugin':
      return unlucky(fake) ?? pluginResult(effect.type, exitsOf(effect, plan), returned(fake));
    case 'history':
      return unlucky(fake) ?? { kind: 'done', output: { text: fake.text ?? '', json: fake.json ?? {} } };
  }
}

/** What goes wrong, by the sentence that the fake has for it; undefined = nothing. */
function unlucky({ failure, unknown }: Fake): AttemptResult | undefined {
  if (failure !== undefined) return failed('faked', failure);
  return unknown === undefined ? undefined : { kind: 'unknown', message: unknown };
}

function printed({ stdout = '', stderr = '', exitCode = 0 }: Fake) {
  return { exitCode, stdout, stderr };
}

function toolAnswer({ text, json = {} }: Fake): ToolReport {
  const content = text === undefined ? [] : [{ kind: 'text' as const, text }];
  return { kind: 'answered', content, structured: json, isError: false };
}

function returned({ text, json, exit }: Fake) {
  return { text, json, exit };
}

function exitsOf({ step }: FakedEffect, { steps }: Plan): readonly string[] {
  const planned = steps.get(step);
  return planned?.stepType.exits(planned.config) ?? [];
}

/** A call that a tool has got counts, whatever it came to. */
const ONE_TOOL_CALL: Usage = { ...NO_USAGE, toolCalls: 1 };

function timedOut(effect: Plain, afterMs: number): AttemptResult {
  const within = `within ${afterMs / 1000} s`;
  switch (effect.kind) {
    case 'http':
      return httpResult(effect.call, {
        kind: 'failed',
        reason: 'timeout',
        message: `${hostOf(effect.call)} did not answer ${within}; raise the timeout if it must.`,
        mayHaveArrived: true,
      });
    case 'script':
      return scriptResult(effect.call.run, {
        kind: 'failed',
        reason: 'timeout',
        message: `The program ${JSON.stringify(effect.call.run)} did not end ${within} and was ended.`,
        stderr: '',
      });
    case 'tool': {
      const message = `The tool ${effect.call.tool} of ${effect.call.server} did not answer ${within}.`;
      const report = { kind: 'failed', reason: 'timeout', message, mayHaveHappened: true } as const;
      return { ...toolResult(effect.call, report), usage: ONE_TOOL_CALL };
    }
    case 'plugin':
      return {
        kind: 'unknown',
        message: `The step type ${JSON.stringify(effect.type)} did not end ${within}.`,
      };
    case 'history':
      return failed('timeout', `it did not end ${within}.`);
  }
}

function httpReport({ unknown, status = 200, headers = {}, body = '' }: Fake): HttpReport {
  if (unknown !== undefined) {
    return { kind: 'failed', reason: 'connection', message: unknown, mayHaveArrived: true };
  }
  const isText = typeof body === 'string';
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const all = { 'content-type': isText ? 'text/plain' : 'application/json', ...Object.fromEntries(given) };
  const text = isText ? body : JSON.stringify(body);
  return { kind: 'answered', status, headers: all, text, ...readBody(text, all['content-type']) };
}

function readBody(text: string, type: string): { readonly body: Json; readonly bodyFault?: string } {
  const isJson = /^(?:application\/json|text\/json|[^;]*\+json)\b/.test(type);
  return isJson && text.trim() !== '' ? parseJson(text) : { body: null };
}

function agentCalled(effect: Extract<FakedEffect, { kind: 'agent' }>, call: FakeCall): Called {
  const { timeLimitMs = DEFAULT_TIMEOUT_MS.agent } = call.plan.agents.get(effect.call.agent) ?? {};
  const limitMs = Math.min(timeLimitMs, effect.timeoutMs ?? DEFAULT_TIMEOUT_MS.agent);
  const attempt = fakeAttempt(effect.call, call.plan, limitMs, call.take);
  if (!attempt) return withoutFake(effect, call);
  const { result, usage, delayMs } = attempt;
  return { result: { ...result, usage }, delayMs };
}

function messageCalled(effect: Extract<FakedEffect, { kind: 'message' }>, call: FakeCall): Called {
  const fake = call.take() ?? {};
  const { delay: delayMs = 0 } = fake;
  const result = unlucky(fake);
  if (result) return { result, delayMs };
  const { post: key, to = call.homeName, prose } = effect;
  const text = compose(prose);
  const json = { messageId: call.messageId(key), conversationName: to };
  return { result: { kind: 'done', output: { text, json } }, delayMs, post: { key, to, text } };
}

/** What the test has to say: the key that stands for an answer, by kind of call. */
const ANSWER_KEYS: Readonly<Record<Exclude<FakedEffect['kind'], 'message'>, keyof Fake>> = {
  http: 'body',
  agent: 'reply',
  script: 'stdout',
  tool: 'text',
  plugin: 'text',
  history: 'text',
};

function withoutFake(effect: Exclude<FakedEffect, { kind: 'message' }>, { plan, name }: FakeCall): Called {
  const type = plan.steps.get(effect.step)?.type ?? effect.kind;
  // One fake is enough for all items of a list.
  const fake = `fakes: { ${nameInAllItems(name)}: { ${ANSWER_KEYS[effect.kind]}: … } }`;
  return {
    result: {
      kind: 'failed',
      failure: { code: 'no-fake', message: 'the test has no fake for it.', retry: 'never' },
    },
    delayMs: 0,
    problem: `${name} (${type}) is called and the case has no fake for it: write ${fake}.`,
  };
}

/** The time for an attempt, in milliseconds. */
function limitOf(effect: Plain): number {
  switch (effect.kind) {
    case 'http':
      return effect.timeoutMs;
    case 'script':
    case 'tool':
    case 'plugin':
      return effect.timeoutMs ?? DEFAULT_TIMEOUT_MS[effect.kind];
    case 'history':
      return HISTORY_MAX_MS;
  }
}

/** Longer than anybody waits: what the step allows the engine itself looks after. */
const HISTORY_MAX_MS = 86_400_000;

function hostOf({ url }: HttpCall): string {
  return new URL(url).host;
}

function failed(code: string, message: string): AttemptResult {
  return { kind: 'failed', failure: { code, message, retry: 'allowed' } };
}
