import { z } from 'zod';
import { durationSchema } from '../data/duration.ts';
import { isJsonObject, type Json, type JsonObject, objectOf } from '../json.ts';
import type { StepType } from '../steps/step-type.ts';
import { addressSchema, mentionSchema, personSchema } from './address.ts';
import { flowSchema } from './definition.ts';
import { edgeSchema, edgesMax } from './edges.ts';
import { envelopeSchemas } from './envelope.ts';
import { flowIdSchema, stepIdSchema } from './ids.ts';
import { commonStepSchema, refusedKeys, stepsMax } from './step-definition.ts';

/** Of JSON Schema: what editors read to complete and check a file. */
const dialect = 'https://json-schema.org/draft/2020-12/schema';

const stepId = '(?!(?:input|start|run|secrets|item)$)[A-Za-z][A-Za-z0-9_]{0,63}';
const chainEnd = '[A-Za-z][A-Za-z0-9_]{0,63}';
const chainStart = `${chainEnd}(?:\\.[A-Za-z][A-Za-z0-9_-]{0,63})?`;
const arrow = '\\s*->\\s*';

/** What a text must look like, where a function decides it and not the schema: by the schema's definition. */
const textForms: ReadonlyMap<unknown, JsonObject> = new Map<unknown, JsonObject>([
  [
    durationSchema.in.def,
    {
      pattern:
        '^\\s*(?:(?=\\d)(?:\\d+w)?(?:\\d+d)?(?:\\d+h)?(?:\\d+m)?(?:\\d+s)?(?:\\d+ms)?|\\d{1,4}:[0-5]\\d:[0-5]\\d)\\s*$',
      examples: ['30s', '10m', '12h', '2d'],
    },
  ],
  [stepIdSchema.def, { pattern: `^${stepId}$` }],
  [flowIdSchema.def, { pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$' }],
  [personSchema.def, { pattern: '^[a-z][a-z0-9-]{0,31}:[A-Za-z0-9][A-Za-z0-9._-]{0,99}$' }],
  // Neither of these is ever a placeholder.
  [
    addressSchema.def,
    { pattern: '^[^{}<>]+$', examples: ['slack:#releases', 'discord:Our Server/#releases'] },
  ],
  [mentionSchema.def, { pattern: '^[^{}<>]+$' }],
]);

/**
 * The JSON Schema (2020-12) of a flow file, with or without its envelope: all keys of all step types, their limits,
 * defaults and descriptions. What it refuses does not compile; whether the parts of a flow fit together, it can't see.
 * @param stepTypes those that flows can use, by name
 */
export function flowJsonSchema(stepTypes: ReadonlyMap<string, StepType>): JsonObject {
  const step = (name: string) => `step.${name}`;
  return fileSchema('Flow', flowObject(), {
    edge: {
      anyOf: [
        {
          type: 'string',
          pattern: `^\\s*${chainStart}(?:${arrow}${chainStart})*${arrow}${chainEnd}\\s*$`,
          description: 'Steps in their order: "a -> b", "a.exit -> b", "a -> b -> c".',
        },
        jsonSchemaOf(edgeSchema),
      ],
    },
    step: {
      type: 'object',
      required: ['type'],
      properties: { type: { enum: [...stepTypes.keys()], description: 'What the step does.' } },
      // Not oneOf: what is wrong with a step is then said about its own type, and not about all of them.
      allOf: [...stepTypes.keys()].map((name) => ({
        if: { properties: { type: { const: name } }, required: ['type'] },
        // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
        then: { $ref: `#/$defs/${step(name)}` },
      })),
    },
    ...Object.fromEntries([...stepTypes.values()].map((type) => [step(type.type), stepObject(type)])),
  });
}

/**
 * The JSON Schema of a file that holds a flow or an agent, with or without its envelope.
 * @param content that of the flow or agent
 * @param parts what it refers to, by name
 */
export function fileSchema(kind: 'Flow' | 'Agent', content: JsonObject, parts: JsonObject = {}): JsonObject {
  const name = kind.toLowerCase();
  const inside = { $ref: `#/$defs/${name}` };
  return {
    $schema: dialect,
    title: kind,
    if: { type: 'object', anyOf: ['apiVersion', 'kind', 'spec'].map((key) => ({ required: [key] })) },
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
    then: { $ref: '#/$defs/envelope' },
    else: inside,
    $defs: {
      [name]: content,
      envelope: withProperties(jsonSchemaOf(envelopeSchemas[kind]), { spec: inside }),
      ...parts,
    },
  };
}

/** The JSON Schema of what is written for a schema, with `ui` allowed in each of its objects. */
export function jsonSchemaOf(schema: z.ZodType): JsonObject {
  const {
    $schema: _dialect,
    $defs: _anyJson,
    ...written
  } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      Object.assign(jsonSchema, textForms.get(def));
      // Left out by zod where a value is changed when it is read: these are the same before and after.
      if (def.type !== 'default' || jsonSchema.default !== undefined) return;
      if (typeof def.defaultValue === 'number') jsonSchema.default = def.defaultValue;
      if (isEmptyList(def.defaultValue)) jsonSchema.default = [];
    },
  });
  return objectOf(polished(z.json().parse(written)));
}

function flowObject(): JsonObject {
  return withProperties(jsonSchemaOf(flowSchema), {
    steps: {
      type: 'object',
      description: 'The steps, by id.',
      minProperties: 1,
      maxProperties: stepsMax,
      propertyNames: { pattern: `^${stepId}$` },
      additionalProperties: { $ref: '#/$defs/step' },
    },
    edges: {
      type: 'array',
      description: 'How steps follow each other; absent = in the order they are written.',
      maxItems: edgesMax,
      items: { $ref: '#/$defs/edge' },
    },
  });
}

function stepObject({ type, schema, cacheable }: StepType): JsonObject {
  const own = jsonSchemaOf(schema);
  const refused = new Set([...Object.keys(refusedKeys[type] ?? {}), ...(cacheable ? [] : ['cache'])]);
  const common = Object.entries(objectOf(jsonSchemaOf(commonStepSchema).properties)).filter(
    ([key]) => !refused.has(key),
  );
  const required = Array.isArray(own.required) ? own.required : [];
  return {
    ...own,
    properties: { type: { const: type }, ...objectOf(own.properties), ...Object.fromEntries(common) },
    required: ['type', ...required],
  };
}

function withProperties(schema: JsonObject, properties: JsonObject): JsonObject {
  return { ...schema, properties: { ...objectOf(schema.properties), ...properties } };
}

/** What zod says, in the form that people write: lengths of time as text, any JSON as no restriction at all. */
function polished(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(polished);
  if (!isJsonObject(schema)) return schema;
  // The only part that refers to itself is "any JSON".
  if ('$ref' in schema) return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== '$ref'));
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, key === 'default' ? value : polished(value)]),
  );
  if (inner.type === 'string' && typeof inner.default === 'number') {
    return { ...inner, default: shortDuration(inner.default) };
  }
  if (inner.type !== 'object' || inner.additionalProperties !== false) return inner;
  return withProperties(inner, { ui: { description: 'For editors; ignored.' } });
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

function shortDuration(ms: number): string {
  const [unit, size] = units.find(([, length]) => ms % length === 0) ?? ['ms', 1];
  return `${ms / size}${unit}`;
}
