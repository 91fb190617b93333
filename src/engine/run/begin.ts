import type { Plan, PlanStep } from '../flow/plan.ts';
import { AGENT_STEPS_PER_RUN, HTTP_REQUESTS_PER_RUN } from '../limits.ts';
import type { Branch, Failure, StepStart, StepTurn } from '../steps/step-type.ts';
import { BUDGET_REFUSED, isHeld, isRefused } from './budget.ts';
import { cacheKey } from './cache-key.ts';
import { callsUnderWay, type Draft, planStep, setTimer, startCall } from './draft.ts';
import { failStep, finishStep } from './edges.ts';
import type { AttemptRef, Inheritance } from './event.ts';
import { openLanes } from './lanes.ts';
import { editsItsPost, messagePost } from './message-post.ts';
import type { GoesOn } from './parked.ts';
import { openApproval } from './questions.ts';
import { own } from './record.ts';
import { scopeOf } from './scope.ts';

/** Starts every step whose turn has come, as far as slots are free. Steps that need no call end at once. */
export function beginReady(draft: Draft): void {
  const waiting: string[] = [];
  let free = draft.plan.maxParallel - callsUnderWay(draft);
  for (let id = draft.ready.shift(); id !== undefined; id = draft.ready.shift()) {
    const state = draft.state.steps[id];
    if (state?.status !== 'ready') continue;
    const step = planStep(draft.plan, id);
    const at = { step: id, round: state.round, attempt: state.attempt };
    const before = inherited(draft, at);
    if (before) {
      draft.happened.push({ kind: 'began', ...at });
      takeOver(draft, step, before);
    } else if (isRefused(draft, step)) {
      // Whoever hears that it has failed has heard that it began.
      if (!state.goesOn) draft.happened.push({ kind: 'began', ...at });
      failStep(draft, id, state.attempt, BUDGET_REFUSED);
    } else if ((step.stepType.calls && free <= 0) || isHeld(draft, step)) {
      waiting.push(id);
    } else {
      perform(draft, step, at, state.goesOn);
      if (draft.state.steps[id]?.status === 'running') free -= 1;
    }
  }
  draft.ready.push(...waiting);
}

type Finished = Inheritance['done'][string];

/** What the run that this one retries had made of the step. Sent back, the step runs like any other. */
function inherited(draft: Draft, { step, round }: AttemptRef): Finished | undefined {
  const { retryOf } = draft.state.start;
  return retryOf && round === 1 ? own(retryOf.done, step) : undefined;
}

function takeOver(draft: Draft, step: PlanStep, { exit, output }: Finished): void {
  const { feedback } = output.json;
  if (step.type === 'approval' && typeof feedback === 'string') draft.state.feedback[step.id] = feedback;
  finishStep(draft, step.id, exit, output);
}

/** @param goesOn the attempt was parked, and has begun before */
function perform(draft: Draft, step: PlanStep, at: AttemptRef, goesOn: GoesOn | undefined): void {
  const { round, attempt } = at;
  const key = `${attemptKey(at)}${goesOn ? `+${goesOn.times}` : ''}`;
  if (!goesOn) draft.happened.push({ kind: 'began', ...at });
  const start = beginStep(draft, step);
  switch (start.kind) {
    case 'done':
      finishStep(draft, step.id, start.exit, start.output);
      break;
    case 'failed':
      failStep(draft, step.id, attempt, start.failure);
      break;
    case 'ask':
      openApproval(draft, at, start.ask);
      break;
    case 'sleep': {
      const timer = `${key}/wake`;
      draft.state.steps[step.id] = { status: 'sleeping', round, timer, untilMs: start.untilMs };
      setTimer(draft, timer, start.untilMs);
      break;
    }
    case 'message': {
      const { to, prose, whole, mention } = start;
      startCall(draft, {
        kind: 'message',
        key,
        ...at,
        post: messagePost(draft.state, step, round),
        ...(to !== undefined && { to }),
        prose,
        ...(whole !== undefined && { whole }),
        ...(mention.length > 0 && { mention }),
        ...(editsItsPost(step) && { edits: true }),
      });
      break;
    }
    case 'history':
      startCall(draft, { ...start, key, ...at }, deadlineOf(step, key));
      break;
    case 'http':
      if (draft.state.httpRequests >= HTTP_REQUESTS_PER_RUN) {
        failStep(draft, step.id, attempt, HTTP_LIMIT);
        break;
      }
      draft.state.httpRequests += 1;
      startCall(draft, { ...start, key, ...at, ...cacheOf(draft, step, start) });
      break;
    case 'agent':
      if (!goesOn && draft.state.agentSteps >= AGENT_STEPS_PER_RUN) {
        failStep(draft, step.id, attempt, AGENT_LIMIT);
        break;
      }
      if (!goesOn) draft.state.agentSteps += 1;
      startCall(draft, {
        ...start,
        key,
        ...at,
        ...timeLimit(step),
        ...cacheOf(draft, step, start),
        ...(goesOn && { goesOn }),
      });
      break;
    case 'script':
    case 'tool':
      startCall(draft, { ...start, key, ...at, ...timeLimit(step) });
      break;
    case 'plugin':
      startCall(draft, { ...start, key, ...at, type: step.type, ...timeLimit(step) });
      break;
    case 'lanes':
      openLanes(draft, at, start, deadlineOf(step, key));
      break;
  }
}

/** What stands for one attempt of a step in its run: `draft/1/2`. */
export function attemptKey({ step, round, attempt }: AttemptRef): string {
  return `${step}/${round}/${attempt}`;
}

/** What says that a run, with those below it, has sent as many requests as it may. */
export const HTTP_LIMIT: Failure = {
  code: 'http-limit',
  message: `this run has sent ${HTTP_REQUESTS_PER_RUN} HTTP requests, which is the limit for one run.`,
  retry: 'never',
};

/** What says that a run, with those below it, has asked agents as often as it may. */
export const AGENT_LIMIT: Failure = {
  code: 'agent-limit',
  message: `this run has started ${AGENT_STEPS_PER_RUN} agent steps, which is the limit for one run.`,
  retry: 'never',
};

/** Key of the timer of the step's time limit, where the step has one. */
function deadlineOf({ timeoutMs }: PlanStep, key: string): string | undefined {
  return timeoutMs === undefined ? undefined : `${key}/timeout`;
}

function timeLimit({ timeoutMs }: PlanStep): { readonly timeoutMs?: number } {
  return timeoutMs === undefined ? {} : { timeoutMs };
}

function cacheOf({ plan }: Draft, step: PlanStep, start: StepStart): { readonly cache?: string } {
  return step.cache ? { cache: cacheKey(plan, step, start) } : {};
}

/** What a step does now that its turn has come. */
export function beginStep(draft: Draft, step: PlanStep): StepStart {
  const { plan, state } = draft;
  const review = own(state.review, step.id);
  return step.stepType.begin({
    ...fixedTurn(plan, step),
    scope: scopeOf(plan, state),
    nowMs: draft.atMs,
    ...(review !== undefined && { review }),
    branches: branchesOf(draft, step),
    ...(draft.state.start.schedule && { schedule: draft.state.start.schedule }),
    stepOutput: (id) => ({
      name: draft.plan.steps.get(id)?.name ?? id,
      output: own(draft.state.outputs, id),
    }),
  });
}

/** What a step sees of its flow and itself, in every run. */
export function fixedTurn(
  plan: Plan,
  { stepType, config, name, choose, timeoutMs }: PlanStep,
): Pick<StepTurn<unknown>, 'config' | 'flow' | 'name' | 'choose' | 'writes' | 'timeoutMs'> {
  const writes = plan.schemas.get(stepType.writes?.(config) ?? '');
  return {
    config,
    flow: { name: plan.name, ...(plan.instructions !== undefined && { instructions: plan.instructions }) },
    name,
    ...(choose && { choose }),
    ...(writes && { writes }),
    ...(timeoutMs !== undefined && { timeoutMs }),
  };
}

function branchesOf(draft: Draft, step: PlanStep): readonly Branch[] {
  return step.incoming.flatMap((position) => {
    const edge = draft.plan.edges[position];
    if (!edge) return [];
    return {
      step: edge.from,
      name: planStep(draft.plan, edge.from).name,
      fate: draft.state.fates[position] ?? 'dead',
      output: own(draft.state.outputs, edge.from),
    };
  });
}
