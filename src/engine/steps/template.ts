import { z } from 'zod';
import { dataReferences, dataTemplateSchema, resolveData } from '../data/data-template.ts';
import { withFix } from '../data/issue.ts';
import { resolveText } from '../data/resolve.ts';
import { OUTPUT_MAX_CHARS, roomFor, takeRoomForData } from '../data/room.ts';
import { type Template, templateReferences, templateSchema } from '../data/template.ts';
import type { OutputTemplate } from '../flow/plan.ts';
import { isJsonObject, type Json } from '../json.ts';
import { asText } from '../prose.ts';
import type { Output, StepType } from './step-type.ts';

/** A template step as it is carried out. */
export type TemplateConfig =
  | { readonly kind: 'text'; readonly text: Template }
  | { readonly kind: 'data'; readonly data: OutputTemplate };

/**
 * Makes text or data from earlier output. Data that is an object becomes `json` itself, other data `json.value`; its
 * `text` is the data as text. More than `OUTPUT_MAX_CHARS` fails it with `output-too-large`.
 */
export const template: StepType<TemplateConfig> = {
  type: 'template',
  schema: z
    .strictObject({
      text: templateSchema(20_000).optional().describe('The text to make, with placeholders.'),
      data: dataTemplateSchema
        .optional()
        .describe(
          'The data to make: any value. A text in it that is exactly one placeholder keeps its type.',
        ),
    })
    .transform(({ text, data }, context): TemplateConfig => {
      if (text && !data) return { kind: 'text', text };
      if (data && !text) return { kind: 'data', data };
      const problem = text ? 'Both text: and data: are written.' : 'There is nothing to make.';
      context.addIssue({ code: 'custom', message: withFix(problem, 'Write one of text: and data:.') });
      return z.NEVER;
    }),
  exits: () => ['done'],
  plainEdges: true,
  cacheable: true,
  references: (config) =>
    config.kind === 'text'
      ? templateReferences(config.text, ['text'])
      : dataReferences(config.data, ['data']),
  begin: ({ config, scope }) => {
    if (config.kind === 'text') {
      const text = resolveText(config.text, scope, roomFor(OUTPUT_MAX_CHARS));
      if (!text.ok) return { kind: 'failed', failure: text.failure };
      return { kind: 'done', exit: 'done', output: { text: text.value, json: {} } };
    }
    const data = resolveData(config.data, scope, roomFor(OUTPUT_MAX_CHARS));
    if (!data.ok) return { kind: 'failed', failure: data.failure };
    const failure = takeRoomForData(roomFor(OUTPUT_MAX_CHARS), data.value);
    if (failure) return { kind: 'failed', failure };
    return { kind: 'done', exit: 'done', output: dataOutput(data.value) };
  },
};

function dataOutput(data: Json): Output {
  return { text: asText(data), json: isJsonObject(data) ? data : { value: data } };
}
