import { z } from 'zod';
import { openApi } from '../api/openapi.ts';
import { OPERATIONS } from '../api/operations.ts';
import {
  about,
  type Described,
  exampleOf,
  fieldsOf,
  type Schema,
  schemaSchema,
  type TypeWords,
  typeWords,
} from './reference-schema.ts';

/** An operation of the API, as its reference shows it. */
export interface ReferencedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** Paragraphs. */
  readonly description: readonly string[];
  /** Where they stand is said with what they are. */
  readonly parameters: readonly Described[];
  /** Absent = it takes none. */
  readonly body?: {
    readonly fields: readonly Described[];
    /** What can be sent, as JSON. */
    readonly example: string;
  };
  readonly answers: readonly ReferencedAnswer[];
  /** Parameters of the query that it does not go without. */
  readonly asked: readonly string[];
  /** It can answer with what happens, as it happens. */
  readonly isStream: boolean;
}

/** What an operation answers with one status. */
export interface ReferencedAnswer {
  readonly status: string;
  readonly what: string;
  /** Absent = it has no body. */
  readonly type?: TypeWords;
  /** Those of the answer itself; what has a name is told under it. */
  readonly fields: readonly Described[];
}

/** All of the reference. */
export interface Reference {
  readonly operations: readonly ReferencedOperation[];
  /** What can go wrong with every operation; it is left out of theirs. */
  readonly common: readonly ReferencedAnswer[];
  readonly schemas: readonly {
    readonly name: string;
    readonly what: string;
    readonly type: TypeWords;
    readonly fields: readonly Described[];
  }[];
}

const STREAM = 'text/event-stream';

const contentSchema = z.record(z.string(), z.object({ schema: schemaSchema })).default({});
const operationSchema = z.object({
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
  requestBody: z.object({ content: contentSchema }).optional(),
  responses: z.record(z.string(), z.object({ description: z.string(), content: contentSchema })),
});
const documentSchema = z.object({
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z.object({ schemas: z.record(z.string(), schemaSchema) }),
});

let made: Reference | undefined;

/** The reference, made from the document that programs get: what is in that is in this. */
export function referenceOf(): Reference {
  made ??= read(documentSchema.parse(openApi(OPERATIONS, { version: '', url: () => '' })()));
  return made;
}

function read({ paths, components }: z.output<typeof documentSchema>): Reference {
  const named = new Map(Object.entries(components.schemas));
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => readOperation(method, path, operation, named)),
  );
  const common = (all[0]?.answers ?? []).filter(
    (answer) => !isGood(answer) && all.every(({ answers }) => answers.some((other) => isSame(answer, other))),
  );
  return {
    operations: all.map(({ answers, ...operation }) => ({
      ...operation,
      answers: answers.filter((answer) => !common.some((other) => isSame(answer, other))),
    })),
    common,
    schemas: [...named].map(([name, schema]) => ({
      name,
      what: about(schema),
      type: typeWords(schema),
      fields: fieldsOf(schema),
    })),
  };
}

/** Whether the operation did what was asked. */
export function isGood({ status }: ReferencedAnswer): boolean {
  return status < '400';
}

function isSame(one: ReferencedAnswer, other: ReferencedAnswer): boolean {
  return one.status === other.status && one.what === other.what;
}

function readOperation(
  method: string,
  path: string,
  operation: z.output<typeof operationSchema>,
  named: ReadonlyMap<string, Schema>,
): ReferencedOperation {
  const { operationId, summary, description, parameters, requestBody, responses } = operation;
  const body = requestBody && Object.values(requestBody.content)[0]?.schema;
  return {
    id: operationId,
    method: method.toUpperCase(),
    path,
    summary,
    description: description.split('\n\n').filter((paragraph) => paragraph !== ''),
    parameters: parameters.map((parameter) => ({
      name: parameter.name,
      type: [...typeWords(parameter.schema), `; in the ${parameter.in}`],
      isRequired: parameter.required,
      what: about({ ...parameter.schema, description: parameter.description }),
    })),
    ...(body && { body: { fields: fieldsOf(body), example: JSON.stringify(exampleOf(body, named)) } }),
    answers: Object.entries(responses).map(([status, answer]) => readAnswer(status, answer)),
    asked: parameters.filter((one) => one.in === 'query' && one.required).map(({ name }) => name),
    isStream: Object.values(responses).some(({ content }) => STREAM in content),
  };
}

function readAnswer(
  status: string,
  { description, content }: z.output<typeof operationSchema>['responses'][string],
): ReferencedAnswer {
  const [first, ...others] = Object.entries(content);
  if (!first) return { status, what: description, fields: [] };
  const [, { schema }] = first;
  const otherwise = others.map(([kind]) => `; or ${kind}`);
  return { status, what: description, type: [...typeWords(schema), ...otherwise], fields: fieldsOf(schema) };
}
