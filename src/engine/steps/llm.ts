import { z } from 'zod';
import { resolveParts } from '../data/resolve.ts';
import { OUTPUT_MAX_CHARS, roomFor } from '../data/room.ts';
import { templateReferences, templateSchema } from '../data/template.ts';
import { replyFaults } from './agent-faults.ts';
import { dataIn, presetOf, presetSchema, writesSchema } from './shared-keys.ts';
import type { StepType } from './step-type.ts';

const schema = z.strictObject({
  prompt: templateSchema(20_000).describe('What the model is asked, with placeholders.'),
  system: z.string().max(20_000).optional().describe('What the model is told beforehand.'),
  preset: presetSchema,
  writes: writesSchema,
});

/** One call of a model, without tools. */
export const llm: StepType<z.output<typeof schema>> = {
  type: 'llm',
  schema,
  exits: () => ['done'],
  calls: true,
  cacheable: true,
  plainEdges: true,
  agents: (config) => [presetOf(config)],
  writes: (config) => config.writes,
  check: ({ config, schemas }) => replyFaults({ format: 'text' }, config.writes, schemas),
  written: ({ output }) => dataIn(output.text),
  references: (config) => templateReferences(config.prompt, ['prompt']),
  begin: ({ config, scope, writes }) => {
    const prompt = resolveParts(config.prompt, scope, roomFor(OUTPUT_MAX_CHARS));
    if (!prompt.ok) return { kind: 'failed', failure: prompt.failure };
    const { system } = config;
    return {
      kind: 'agent',
      call: {
        kind: 'prompt',
        agent: presetOf(config).name,
        ...(system !== undefined && { system }),
        prompt: prompt.value,
        ...(writes && { writes }),
      },
    };
  },
};
