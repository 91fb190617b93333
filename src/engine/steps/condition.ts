import { z } from 'zod';
import { evaluate, type Rules, readJoined, ruleListSchema } from '../data/condition.ts';
import { withFix } from '../data/issue.ts';
import type { StepType } from './step-type.ts';

/**
 * Chooses the exit `yes` or `no` by checking earlier output. What was found for each rule is kept in `json.why`, for
 * people. Never fails.
 */
export const condition: StepType<Rules> = {
  type: 'condition',
  schema: z
    .strictObject({
      all: ruleListSchema.optional().describe('`yes` when every one of these rules holds.'),
      any: ruleListSchema.optional().describe('`yes` when at least one of these rules holds.'),
    })
    .transform(({ all, any }, context): Rules => {
      const written = readJoined(all, any, context);
      if (!written) return z.NEVER;
      const { join } = written;
      return {
        join,
        rules: written.rules.map((rule, index) => {
          const { step } = rule;
          if (step !== undefined) return { ...rule, step };
          const fix = 'Write step: with the id of an earlier step.';
          context.addIssue({
            code: 'custom',
            message: withFix('This rule does not say which step it reads.', fix),
            path: [join, index],
          });
          return z.NEVER;
        }),
      };
    }),
  exits: () => ['yes', 'no'],
  plainEdges: false,
  cacheable: true,
  references: ({ join, rules }) =>
    rules.map(({ step, path }, index) => ({
      lookup: [step, ...path],
      at: [join, index, 'step'],
      source: step,
      optional: true,
    })),
  begin: ({ config, scope }) => {
    const { holds, why } = evaluate(config, (step, path) => scope.lookup([step, ...path]));
    return {
      kind: 'done',
      exit: holds ? 'yes' : 'no',
      output: { text: String(holds), json: { result: holds, why } },
    };
  },
};
