import { z } from 'zod';
import { visible } from '../agents/visible.ts';
import { dataReferences, dataTemplateSchema, resolveData } from '../data/data-template.ts';
import { resolveParts } from '../data/resolve.ts';
import { OUTPUT_MAX_CHARS, roomFor } from '../data/room.ts';
import { templateReferences, templateSchema } from '../data/template.ts';
import type { Json } from '../json.ts';
import { presetOf, presetSchema } from './shared-keys.ts';
import type { StepStart, StepType } from './step-type.ts';

const OPTIONS_MAX = 64;
const OPTION_MAX_CHARS = 200;

const schema = z.strictObject({
  prompt: templateSchema(20_000).describe('What is to be decided, with placeholders.'),
  options: dataTemplateSchema.describe(
    `What can be chosen: a list of 1 to ${OPTIONS_MAX} texts of at most ${OPTION_MAX_CHARS} characters, or a placeholder for one. none_of_these is always offered.`,
  ),
  mode: z.enum(['choose', 'score']).default('choose').describe('Choose one option, or give each a score.'),
  minConfidence: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Below this confidence, or without one, the choice is none_of_these.'),
  preset: presetSchema,
});

/** A model chooses among options, or scores them. */
export const decision: StepType<z.output<typeof schema>> = {
  type: 'decision',
  schema,
  exits: () => ['done'],
  calls: true,
  cacheable: true,
  plainEdges: true,
  agents: (config) => [presetOf(config)],
  references: (config) => [
    ...templateReferences(config.prompt, ['prompt']),
    ...dataReferences(config.options, ['options']),
  ],
  begin: ({ config, scope }) => {
    const prompt = resolveParts(config.prompt, scope, roomFor(OUTPUT_MAX_CHARS));
    if (!prompt.ok) return { kind: 'failed', failure: prompt.failure };
    const written = resolveData(config.options, scope);
    if (!written.ok) return { kind: 'failed', failure: written.failure };
    const options = readOptions(written.value);
    if (typeof options === 'string') return badOptions(options);
    const { mode, minConfidence } = config;
    return {
      kind: 'agent',
      call: {
        kind: 'decision',
        agent: presetOf(config).name,
        prompt: prompt.value,
        options,
        mode,
        ...(minConfidence !== undefined && { minConfidence }),
      },
    };
  },
};

/** The options as they are seen, so that no two look the same, or what is wrong with them, as the end of a sentence. */
function readOptions(data: Json): readonly string[] | string {
  if (!Array.isArray(data)) return 'they are no list.';
  const items: readonly Json[] = data;
  if (items.length === 0 || items.length > OPTIONS_MAX) return `there are ${items.length} of them.`;
  const options: string[] = [];
  for (const [index, item] of items.entries()) {
    const which = `number ${index + 1}`;
    if (typeof item === 'string' && item.length > OPTION_MAX_CHARS)
      return `${which} has ${item.length.toLocaleString('en')} characters.`;
    const option = typeof item === 'string' ? visible(item).trim() : '';
    if (option === '') return `${which} is no text.`;
    if (options.includes(option)) return `${which} is there twice.`;
    options.push(option);
  }
  return options;
}

function badOptions(problem: string): StepStart {
  const message = `the options must be a list of 1 to ${OPTIONS_MAX} different texts of at most ${OPTION_MAX_CHARS} characters, but ${problem}`;
  return { kind: 'failed', failure: { code: 'bad-options', message, retry: 'never' } };
}
