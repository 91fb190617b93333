import { z } from 'zod';
import { dataReferences, dataTemplateSchema, resolveData, resolveFields } from '../data/data-template.ts';
import { withFix } from '../data/issue.ts';
import { usesSchema } from './shared-keys.ts';
import type { Failure, StepType } from './step-type.ts';

const schema = z
  .strictObject({
    over: dataTemplateSchema.describe('The list to go through: a placeholder, or the list itself.'),
    uses: usesSchema,
    with: z
      .record(z.string(), dataTemplateSchema)
      .default({})
      .describe('What else its input holds, the same for each item: fields with placeholders.'),
    itemAs: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'use a letter, then letters, digits and _.')
      .default('item')
      .describe('The name of the item in the input of the flow.'),
    maxItems: z
      .int()
      .min(1)
      .max(10_000)
      .default(100)
      .describe('Most items; with more it fails before any starts.'),
    maxParallel: z.int().min(1).max(100).default(2).describe('How many items are at work at once.'),
    onItemFailure: z
      .enum(['collect', 'stop'])
      .default('stop')
      .describe('Whether the other items go on when one fails, or the step fails with it.'),
  })
  .refine((map) => !Object.hasOwn(map.with, map.itemAs), {
    error: withFix('The item and a field of with: have one name.', 'Give one of them another name.'),
  });

type MapConfig = z.output<typeof schema>;

/** Runs a flow once for each item of a list. */
export const map: StepType<MapConfig> = {
  type: 'map',
  schema,
  exits: () => ['done'],
  plainEdges: true,
  uses: (config) => config.uses,
  references: (config) => [
    ...dataReferences(config.over, ['over']),
    ...Object.entries(config.with).flatMap(([name, value]) => dataReferences(value, ['with', name])),
  ],
  begin: ({ config, scope }) => {
    const items = resolveData(config.over, scope);
    if (!items.ok) return { kind: 'failed', failure: items.failure };
    if (!Array.isArray(items.value)) return { kind: 'failed', failure: failure('not-a-list', NOT_A_LIST) };
    if (items.value.length > config.maxItems) {
      const message = `The list has ${items.value.length} items, and at most ${config.maxItems} are allowed: raise maxItems, or shorten the list.`;
      return { kind: 'failed', failure: failure('too-many-items', message) };
    }
    const rest = resolveFields(config.with, scope);
    if (!rest.ok) return { kind: 'failed', failure: rest.failure };
    return {
      kind: 'lanes',
      uses: config.uses,
      inputs: items.value.map((item) => ({ ...rest.value, [config.itemAs]: item })),
      maxParallel: config.maxParallel,
      onFailure: config.onItemFailure,
    };
  },
};

const NOT_A_LIST = 'What over: names is no list: name a list, such as {{fetch.json.body}}.';

function failure(code: string, message: string): Failure {
  return { code, message, retry: 'never' };
}
