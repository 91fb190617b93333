import type { Bot, Caller } from '../commands/bot.ts';
import { findFlow, unknownFlow } from '../commands/run.ts';
import { findRun } from '../commands/run-actions.ts';
import { suggest } from '../engine/flow/nearest.ts';
import type { Plan, PlanStep } from '../engine/flow/plan.ts';
import type { Json, JsonObject } from '../engine/json.ts';
import { promptInFlow, promptInRun, promptSteps, type ShownPrompt } from '../engine/run/prompts.ts';
import type { CliAnswer, CliCommand } from './protocol.ts';
import { asAnswer } from './reply.ts';

/**
 * Shows what the agents of a flow would be told in any run, or what those of a run would be told now.
 * @param nextMarker draws a marker that nobody can guess
 */
export async function showPrompts(
  bot: Bot,
  caller: Caller,
  { of, step }: Extract<CliCommand, { kind: 'prompt' }>,
  nextMarker: () => string,
): Promise<CliAnswer> {
  const flow = findFlow(bot, of.toLowerCase());
  if (flow) {
    const { id, plan } = flow;
    return answerOf(plan, step, { flow: id }, (one) => promptInFlow(plan, one, nextMarker));
  }
  const found = await findRun(bot, caller, of);
  if ('refused' in found) {
    const [noRun, noFlow] = [found.refused, unknownFlow(bot, of, true)].map(asAnswer);
    return refused(`${noRun?.text} ${noFlow?.text}`);
  }
  const { stored, plan } = found;
  const nowMs = bot.clock.now();
  return answerOf(plan, step, { run: stored.row.id }, (one) =>
    promptInRun(plan, stored.state, one, nowMs, nextMarker),
  );
}

function answerOf(
  plan: Plan,
  id: string | undefined,
  of: JsonObject,
  show: (step: PlanStep) => ShownPrompt | undefined,
): CliAnswer {
  const asking = promptSteps(plan);
  const steps = id === undefined ? asking : asking.filter((step) => step.id === id);
  if (steps.length === 0) return refused(whyNone(plan, id, asking));
  const prompts = steps.flatMap((step) => show(step) ?? []);
  return {
    ok: true,
    text: prompts.map(textOf).join('\n\n\n'),
    data: { ...of, prompts: prompts.map(dataOf) },
  };
}

function whyNone(plan: Plan, id: string | undefined, asking: readonly PlanStep[]): string {
  if (id === undefined || asking.length === 0) return `No step of ${plan.id} asks an agent.`;
  const names = asking.map((step) => step.id);
  if (!plan.steps.has(id)) {
    return `There is no step ${JSON.stringify(id)} in ${plan.id}. ${suggest(id, names)}`;
  }
  return `The step ${id} asks no agent. These do: ${names.join(', ')}.`;
}

function textOf({ step, agent, words }: ShownPrompt): string {
  const title = `Step ${step}, agent ${agent}`;
  if (words.kind === 'failed')
    return `${title}\n\nIt is told nothing, because the step would fail: ${words.why}`;
  const { system, prompt, marker } = words;
  return [
    title,
    ...(system === undefined ? [] : [heading('System'), system]),
    heading('Prompt'),
    prompt.trimEnd(),
    ...(marker === undefined ? [] : [heading('Marker'), `${marker}: drawn anew for each prompt.`]),
  ].join('\n\n');
}

function heading(text: string): string {
  return `----- ${text} -----`;
}

function dataOf({ step, agent, words }: ShownPrompt): Json {
  if (words.kind === 'failed') return { step, agent, failure: words.why };
  const { system = null, prompt, marker = null, reply = null } = words;
  return { step, agent, system, prompt, marker, reply };
}

function refused(text: string): CliAnswer {
  return { ok: false, text, data: null };
}
