import { z } from 'zod';
import { openApi } from '../api/openapi.ts';
import { OPERATIONS } from '../api/operations.ts';

/** A field or parameter, in words. */
export interface Described {
  readonly name: string;
  /** `list of {Step}`: names of schemas stand in braces. */
  readonly type: string;
  readonly isRequired: boolean;
  readonly what: string;
}

/** An operation of the API, as its reference shows it. */
export interface ReferencedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** Paragraphs. */
  readonly description: readonly string[];
  readonly parameters: readonly Described[];
  readonly body: readonly Described[];
  readonly answers: readonly { readonly status: string; readonly what: string; readonly type: string }[];
}

/** All of the reference. */
export interface Reference {
  readonly operations: readonly ReferencedOperation[];
  readonly schemas: readonly { readonly name: string; readonly fields: readonly Described[] }[];
}

/** What this reads of a JSON Schema. */
interface Schema {
  readonly $ref?: string | undefined;
  readonly type?: string | readonly string[] | undefined;
  readonly enum?: readonly unknown[] | undefined;
  readonly const?: unknown;
  readonly items?: Schema | undefined;
  readonly anyOf?: readonly Schema[] | undefined;
  readonly allOf?: readonly Schema[] | undefined;
  readonly properties?: Readonly<Record<string, Schema>> | undefined;
  readonly required?: readonly string[] | undefined;
  readonly additionalProperties?: boolean | Schema | undefined;
  readonly description?: string | undefined;
  readonly default?: unknown;
}

const schemaSchema: z.ZodType<Schema> = z.lazy(() =>
  z.looseObject({
    $ref: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    enum: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
    items: schemaSchema.optional(),
    anyOf: z.array(schemaSchema).optional(),
    allOf: z.array(schemaSchema).optional(),
    properties: z.record(z.string(), schemaSchema).optional(),
    required: z.array(z.string()).optional(),
    additionalProperties: z.union([z.boolean(), schemaSchema]).optional(),
    description: z.string().optional(),
    default: z.unknown().optional(),
  }),
);

const content = z.record(z.string(), z.object({ schema: schemaSchema })).optional();
const documentSchema = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        summary: z.string(),
        description: z.string().default(''),
        parameters: z
          .array(
            z.object({
              name: z.string(),
              in: z.string(),
              required: z.boolean(),
              schema: schemaSchema,
              description: z.string().default(''),
            }),
          )
          .default([]),
        requestBody: z.object({ content }).optional(),
        responses: z.record(z.string(), z.object({ description: z.string(), content })),
      }),
    ),
  ),
  components: z.object({ schemas: z.record(z.string(), schemaSchema) }),
});

let made: Reference | undefined;

/** The reference, made from the document that programs get: what is in that is in this. */
export function documentOf(): Reference {
  made ??= read(documentSchema.parse(openApi(OPERATIONS, { version: '', url: () => '' })()));
  return made;
}

function read({ paths, components }: z.output<typeof documentSchema>): Reference {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): ReferencedOperation => {
      const { operationId, summary, description, parameters, requestBody, responses } = operation;
      const body = requestBody?.content?.['application/json']?.schema;
      return {
        id: operationId,
        method: method.toUpperCase(),
        path,
        summary,
        description: description.split('\n\n').filter((paragraph) => paragraph !== ''),
        parameters: parameters.map(({ name, required, schema, ...one }) => ({
          name,
          type: `${typeOf(schema)}, in the ${one.in}`,
          isRequired: required,
          what: sentences(one.description, schema.default),
        })),
        body: body ? fieldsOf(body) : [],
        answers: Object.entries(responses).map(([status, answer]) => ({
          status,
          what: answer.description,
          type: answerType(answer.content),
        })),
      };
    }),
  );
  const schemas = Object.entries(components.schemas).map(([name, schema]) => ({
    name,
    fields: fieldsOf(schema),
  }));
  return { operations, schemas };
}

function answerType(answer: z.output<typeof content>): string {
  const [kind, { schema }] = Object.entries(answer ?? {})[0] ?? ['', { schema: undefined }];
  if (!schema) return 'nothing';
  return kind === 'application/problem+json' ? 'a problem' : typeOf(schema);
}

/** The fields of an object, those inside of others with their path. */
function fieldsOf(schema: Schema, before = ''): readonly Described[] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, field]): readonly Described[] => {
    const path = `${before}${name}`;
    const own = {
      name: path,
      type: typeOf(field),
      isRequired: required.includes(name),
      what: sentences(field.description, field.default),
    };
    const inner = field.items?.properties ? field.items : field;
    return [own, ...fieldsOf(inner, `${path}${inner === field ? '' : '[]'}.`)];
  });
}

function sentences(description = '', preset?: unknown): string {
  return preset === undefined ? description : `${description} Default: ${JSON.stringify(preset)}.`.trim();
}

function typeOf(schema: Schema): string {
  const { $ref, type, items, anyOf, allOf, additionalProperties } = schema;
  if ($ref !== undefined) return `{${$ref.split('/').at(-1) ?? ''}}`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((one) => JSON.stringify(one)).join(' or ');
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (allOf) return allOf.map(typeOf).join(' and ');
  if (type === 'array') return `list of ${items ? typeOf(items) : 'anything'}`;
  if (type === 'object' && typeof additionalProperties === 'object' && !schema.properties) {
    return `object of ${typeOf(additionalProperties)}`;
  }
  return typeof type === 'string' ? type : (type?.join(' or ') ?? 'anything');
}
