import type { Agent } from '../agents/agent.ts';
import type { AgentCall } from '../agents/call.ts';
import { type AgentWords, wordsFor } from '../agents/words.ts';
import type { Scope } from '../data/scope.ts';
import type { Plan, PlanStep } from '../flow/plan.ts';
import type { StepStart } from '../steps/step-type.ts';
import { beginStep, fixedTurn } from './begin.ts';
import { openDraft } from './draft.ts';
import type { RunState } from './state.ts';

/** What the agent of a step would be told. */
export interface ShownPrompt {
  /** Id of the step. */
  readonly step: string;
  readonly agent: string;
  readonly words:
    | (AgentWords & {
        readonly kind: 'told';
        /** What stands around data that others wrote: drawn anew for each prompt. Absent = there is none. */
        readonly marker?: string;
      })
    /** Nothing: the step would fail before. A sentence. */
    | { readonly kind: 'failed'; readonly why: string };
}

/** The steps of a flow that ask an agent, in the order they are written. */
export function promptSteps(plan: Plan): readonly PlanStep[] {
  return [...plan.steps.values()].filter(({ stepType }) => stepType.agents !== undefined);
}

/**
 * What a step that asks an agent would tell it in any run: everything that is fixed as it is, and placeholders in the place of
 * what is not. Undefined = it asks none.
 * @param nextMarker draws a marker that nobody can guess
 */
export function promptInFlow(plan: Plan, step: PlanStep, nextMarker: () => string): ShownPrompt | undefined {
  const start = step.stepType.begin({
    ...fixedTurn(plan, step),
    scope: standIns(step),
    nowMs: 0,
    branches: [],
    stepOutput: (id) => ({
      name: plan.steps.get(id)?.name ?? id,
      output: { text: `{{${id}.text}}`, json: {} },
    }),
  });
  return promptOf(plan, step, start, nextMarker);
}

/** The same with what a run has given so far; a run that has ended tells what it would be now, too. */
export function promptInRun(
  plan: Plan,
  state: RunState,
  step: PlanStep,
  nowMs: number,
  nextMarker: () => string,
): ShownPrompt | undefined {
  return promptOf(plan, step, beginStep(openDraft(plan, state, nowMs), step), nextMarker);
}

/** Every placeholder stands for itself; one that makes the whole of the options is a list of it. */
function standIns({ stepType, config }: PlanStep): Scope {
  const lists = stepType
    .references(config)
    .flatMap(({ at, lookup }) => (at.length === 1 && at[0] === 'options' ? [lookup.join('.')] : []));
  return {
    lookup(path) {
      const name = path.join('.');
      const value = `{{${name}}}`;
      return { found: true, value: lists.includes(name) ? [value] : value };
    },
  };
}

function promptOf(
  plan: Plan,
  { id, stepType, config }: PlanStep,
  start: StepStart,
  nextMarker: () => string,
): ShownPrompt | undefined {
  const agent = stepType.agents?.(config)[0]?.name;
  if (agent === undefined) return undefined;
  if (start.kind === 'failed') {
    return { step: id, agent, words: { kind: 'failed', why: start.failure.message } };
  }
  if (start.kind !== 'agent') return undefined;
  return { step: id, agent, words: told(plan.agents.get(agent), start.call, nextMarker) };
}

function told(agent: Agent | undefined, call: AgentCall, nextMarker: () => string): ShownPrompt['words'] {
  let marker = '';
  const words = wordsFor(agent ?? {}, call, () => {
    marker = nextMarker();
    return marker;
  });
  const isThere = marker !== '' && words.prompt.includes(marker);
  return { kind: 'told', ...words, ...(isThere && { marker }) };
}
