import type { PlanStep } from '../flow/plan.ts';
import { HTTP_REQUESTS_PER_RUN } from '../limits.ts';
import { stepTypes } from '../steps/registry.ts';
import type { Branch, StepStart } from '../steps/step-type.ts';
import { callsUnderWay, type Draft, planStep, setTimer, startCall } from './draft.ts';
import { failStep, finishStep } from './edges.ts';
import type { AttemptRef, Inheritance } from './event.ts';
import { editsItsPost, messagePost } from './message-post.ts';
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
      takeOver(draft, step, before);
    } else if (stepTypes.get(step.type)?.calls && free <= 0) {
      waiting.push(id);
    } else {
      perform(draft, step, at);
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

function perform(draft: Draft, step: PlanStep, at: AttemptRef): void {
  const { round, attempt } = at;
  const key = `${step.id}/${round}/${attempt}`;
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
      startCall(draft, { ...start, key, ...at });
      break;
    case 'http': {
      if (draft.state.httpRequests >= HTTP_REQUESTS_PER_RUN) {
        failStep(draft, step.id, attempt, {
          code: 'http-limit',
          message: `this run has sent ${HTTP_REQUESTS_PER_RUN} HTTP requests, which is the limit for one run.`,
          retry: 'never',
        });
        break;
      }
      draft.state.httpRequests += 1;
      startCall(draft, { ...start, key, ...at });
      break;
    }
  }
}

/** What a step does now that its turn has come. */
export function beginStep(draft: Draft, step: PlanStep): StepStart {
  const type = stepTypes.get(step.type);
  if (!type?.begin) throw new Error(`Step type ${step.type} passed compile but can't run.`);
  return type.begin({
    config: step.config,
    scope: scopeOf(draft.plan, draft.state),
    nowMs: draft.atMs,
    branches: branchesOf(draft, step),
    ...(draft.state.start.schedule && { schedule: draft.state.start.schedule }),
    stepOutput: (id) => ({
      name: draft.plan.steps.get(id)?.name ?? id,
      output: own(draft.state.outputs, id),
    }),
    ...(step.timeoutMs !== undefined && { timeoutMs: step.timeoutMs }),
  });
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
