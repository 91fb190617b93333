import type { Plan, PlanEdge } from '../../engine/flow/plan.ts';
import { isJsonObject, type Json } from '../../engine/json.ts';
import { rulesInWords } from '../../engine/run/moved-along.ts';
import { promptInFlow } from '../../engine/run/prompts.ts';
import type { LoadedFlow } from '../../runner/catalog.ts';
import { type Content, type Html, html } from './html.ts';
import { details, facts, jsonText, longText } from './parts.ts';

/** A step of a flow. @param isWhole with what is written of it, and what it would tell an agent */
export function flowStepDetail(
  { id: flow, definition, plan }: LoadedFlow,
  id: string,
  isWhole: boolean,
): Html {
  const step = plan.steps.get(id);
  if (!step) return html`<h2>Step</h2><p class="empty">This flow has no such step.</p>`;
  const prompt = isWhole ? promptInFlow(plan, step, () => 'data') : undefined;
  return html`<h2>${step.name}</h2>
${facts([
  ['Step', html`<code>${id}</code>`],
  ['Type', step.type],
  ['Attempts', step.attempts > 1 && step.attempts],
])}
${prompt?.words.kind === 'told' && html`<h3>What ${prompt.agent} is told</h3>${prompt.words.system !== undefined && details('Beforehand', longText(prompt.words.system, 'Instructions'))}${longText(prompt.words.prompt, 'Prompt')}`}
${isWhole ? html`<h3>As it is written</h3>${jsonText(writtenStep(definition, flow, id), 'Step')}` : html`<p class="empty">What is written of it is for admins to see.</p>`}`;
}

/** What is stored may be the flow, or a bundle that has it. */
function writtenStep(definition: Json, flow: string, step: string): Json {
  const own = at(at(definition, 'flows'), flow) ?? definition;
  return at(at(own, 'steps'), step) ?? null;
}

function at(json: Json | undefined, key: string): Json | undefined {
  return isJsonObject(json) && Object.hasOwn(json, key) ? json[key] : undefined;
}

/** Arrows of a flow: when each is taken. @param positions in `Plan.edges` */
export function flowEdgeDetail(plan: Plan, positions: readonly number[]): Html {
  const edges = positions.flatMap((position) => plan.edges[position] ?? []);
  if (edges.length === 0) return html`<h2>Arrow</h2><p class="empty">There is no such arrow.</p>`;
  return html`${edges.map((edge) => oneEdge(plan, edge))}`;
}

function oneEdge({ steps }: Plan, { from, to, exit, when, chosen, sendBack }: PlanEdge): Content {
  const nameOf = (id: string) => steps.get(id)?.name ?? id;
  const condition = when && ('tree' in when ? when.source : rulesInWords(when));
  return html`<h2>${nameOf(from)} → ${nameOf(to)}</h2>
<p>Taken when “${nameOf(from)}” is left by <code>${exit}</code>${condition !== undefined && html`, and this holds: <code>${condition}</code>`}${chosen && ', and its agent has chosen it'}.</p>
${sendBack && html`<p>It sends work back, at most ${sendBack.maxRounds} times; these run again: ${sendBack.stretch.map(nameOf).join(', ')}.</p>`}`;
}
