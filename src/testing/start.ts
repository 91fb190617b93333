import { checkInput, type InputProblem, inputFromText } from '../engine/data/input.ts';
import type { Plan } from '../engine/flow/plan.ts';
import { headerNames, readRequestInput } from '../engine/flow/webhook-trigger.ts';
import type { JsonObject } from '../engine/json.ts';
import { asText } from '../engine/prose.ts';
import type { RunStart } from '../engine/run/event.ts';
import { personOf } from './people.ts';
import type { TestCase } from './test-file.ts';

/** The conversation in which runs live whose flow names none. */
const HOME_NAME = '#test';

/** How the run of a case starts, or why it can't, in a sentence. */
export function startOf(test: TestCase, plan: Plan): RunStart | string {
  const { prompt = '' } = test;
  const request = test.request && { ...test.request, headers: lowerCase(test.request.headers) };
  const read = readInput({ ...test, request }, plan);
  if (typeof read === 'string') return read;
  const person = personOf(test.by);
  const homeName = plan.conversation ?? HOME_NAME;
  const command = plan.triggers.find((trigger) => trigger.type === 'command')?.command;
  const isTyped = request === undefined && command !== undefined;
  return {
    trigger: request ? 'webhook' : isTyped ? 'command' : 'manual',
    text: request ? asText(request.body) : isTyped ? `!${command} ${prompt}`.trim() : prompt,
    prompt,
    input: read,
    files: [],
    ...(!request && { person }),
    ...(request && { request: { ...request, headers: headerNames(request.headers) } }),
    home: { platform: person.platform, conversation: homeName },
    homeName,
  };
}

function readInput(
  { input, prompt, request }: Pick<TestCase, 'input' | 'prompt' | 'request'>,
  plan: Plan,
): JsonObject | string {
  if (request) {
    const trigger = plan.triggers.find((one) => one.type === 'webhook');
    if (!trigger) return `${plan.id} has no webhook that a request could start: write input: instead.`;
    const read = readRequestInput(trigger, plan.input, request);
    return read.ok ? read.input : misfit(read.problems);
  }
  if (!plan.input) return input ?? {};
  if (input || prompt === undefined) {
    const checked = checkInput(plan.input, input ?? {});
    return checked.ok ? checked.input : misfit(checked.problems);
  }
  const read = inputFromText(plan.input, prompt);
  const problems = [...read.missing, ...read.problems];
  return problems.length === 0 ? read.input : misfit(problems);
}

function misfit(problems: readonly InputProblem[]): string {
  return `The input does not fit: ${problems.map(({ message }) => message).join('; ')}.`;
}

function lowerCase(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
