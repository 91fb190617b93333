import type { JsonObject } from '../../../src/engine/json.ts';
import type { StepStart, StepTurn, StepType } from '../../../src/engine/steps/step-type.ts';
import { fixedScope } from '../data/fixed-scope.ts';

/** What a step, written as in a flow file, does when these outputs are there. */
export function begin<C>(
  type: StepType<C>,
  written: unknown,
  data: JsonObject = {},
  turn: Partial<StepTurn<C>> = {},
): StepStart {
  return type.begin({
    config: type.schema.parse(written),
    scope: fixedScope(data),
    nowMs: 0,
    flow: { name: 'Sample' },
    name: 'Step',
    branches: [],
    stepOutput: (id) => ({ name: id, output: undefined }),
    ...turn,
  });
}

/** What is wrong with a step as written: `path: message`, one each. */
export function faults<C>(type: StepType<C>, written: unknown): readonly string[] {
  const { error } = type.schema.safeParse(written);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message.replace('\n', ' ')}`);
}

/** The failure of a step that never left the engine. */
export const missing = (source: string) => ({
  kind: 'failed',
  failure: {
    code: 'missing-value',
    message: `No value for ${source}: that step did not run or did not produce it.`,
    retry: 'never',
  },
});
