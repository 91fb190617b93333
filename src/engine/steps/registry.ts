import { agent } from './agent.ts';
import { approval } from './approval.ts';
import { condition } from './condition.ts';
import { decision } from './decision.ts';
import { flow } from './flow.ts';
import { history } from './history.ts';
import { http } from './http.ts';
import { join } from './join.ts';
import { llm } from './llm.ts';
import { map } from './map.ts';
import { message } from './message.ts';
import { script } from './script.ts';
import type { StepType } from './step-type.ts';
import { template } from './template.ts';
import { tool } from './tool.ts';
import { wait } from './wait.ts';

/** The built-in step types by name, in the order in which people read about them. */
export const builtInStepTypes: ReadonlyMap<string, StepType> = new Map(
  [
    known(message),
    known(approval),
    known(http),
    known(condition),
    known(join),
    known(template),
    known(wait),
    known(agent),
    known(llm),
    known(decision),
    known(script),
    known(flow),
    known(map),
    known(tool),
    known(history),
  ].map((type) => [type.type, type]),
);

/**
 * A type whose config nobody outside needs to know. Sound as long as a type is only given configs that its own
 * schema parsed, which is all that `flow/step-definition.ts` makes.
 */
function known<C>(type: StepType<C>): StepType {
  return type as StepType<unknown>;
}
