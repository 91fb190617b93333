import { lookUp } from '../data/path.ts';
import type { Lookup, Scope } from '../data/scope.ts';
import type { Plan } from '../flow/plan.ts';
import type { JsonObject } from '../json.ts';
import { personAddress } from '../people.ts';
import { own } from './record.ts';
import type { RunState } from './state.ts';

/** The data a step of this run can read now. */
export function scopeOf(plan: Plan, state: RunState): Scope {
  return {
    lookup(path) {
      const [root, ...rest] = path;
      switch (root) {
        case 'input':
          return lookUp(state.start.input, rest);
        case 'start':
          return lookUp(startData(state), rest);
        case 'run':
          return lookUp(runData(plan, state), rest);
        default:
          return lookupStep(plan, state, root ?? '', rest);
      }
    },
  };
}

function lookupStep(plan: Plan, state: RunState, id: string, path: readonly string[]): Lookup {
  const step = plan.steps.get(id);
  if (!step) return { found: false, cause: 'unknown' };
  // Feedback is always there, so that a text can mention it before anybody was asked.
  if (step.type === 'approval' && path.length === 2 && path[0] === 'json' && path[1] === 'feedback') {
    return { found: true, value: own(state.feedback, id) ?? '' };
  }
  const output = own(state.outputs, id);
  if (!output) return { found: false, cause: state.steps[id]?.status === 'skipped' ? 'skipped' : 'not-run' };
  return lookUp({ text: output.text, json: output.json }, path);
}

function startData(state: RunState): JsonObject {
  const { start } = state;
  return {
    text: start.text,
    json: {
      prompt: start.prompt,
      user: start.person?.name ?? '',
      userId: start.person ? personAddress(start.person) : '',
      conversation: start.homeName ?? '',
      files: start.files,
      schedule: start.schedule?.id ?? '',
      dueAt: start.schedule ? new Date(start.schedule.dueAtMs).toISOString() : '',
      body: start.request?.body ?? null,
      headers: start.request?.headers ?? {},
      query: start.request?.query ?? {},
    },
  };
}

function runData(plan: Plan, state: RunState): JsonObject {
  return { id: state.id, flow: plan.name, startedAt: new Date(state.startedAtMs).toISOString() };
}
