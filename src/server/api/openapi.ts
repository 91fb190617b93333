import { z } from 'zod';
import { PROBLEMS, type ProblemCode } from '../problem.ts';
import type { Operation } from './operation.ts';
import { eventResource, problemResource } from './resources.ts';

/** What can go wrong with every operation. */
const ALWAYS: readonly ProblemCode[] = [
  'not-signed-in',
  'not-allowed',
  'too-many',
  'internal',
  'unavailable',
];
/** And with those that take a body. */
const WITH_BODY: readonly ProblemCode[] = ['bad-request', 'too-large', 'not-json', 'does-not-fit'];

type Part = Readonly<Record<string, unknown>>;

/**
 * The OpenAPI 3.1 document of operations, made from their schemas.
 * @param about `version` of Flowbot; `url`: where the server is reached, asked each time
 * @returns what gives the document
 */
export function openApi(
  operations: readonly Operation[],
  about: { readonly version: string; readonly url: () => string },
): () => Part {
  const paths = new Map<string, Record<string, Part>>();
  for (const operation of operations) {
    const path = paths.get(operation.path) ?? {};
    path[operation.method.toLowerCase()] = operationPart(operation);
    paths.set(operation.path, path);
  }
  paths.set('/v1/runs/{run}/events', { get: eventsPart() });
  const { schemas } = z.toJSONSchema(z.globalRegistry, {
    uri: (id) => `#/components/schemas/${id}`,
    unrepresentable: 'any',
  });
  const parts = {
    openapi: '3.1.0',
    info: {
      title: 'Flowbot',
      version: about.version,
      description:
        'Starts flows, shows runs as they move, and answers their questions. Every request carries a token of FLOWBOT_TOKENS, but from the machine itself where nobody needs one.',
    },
    paths: Object.fromEntries(paths),
    components: {
      schemas: Object.fromEntries(
        Object.entries(schemas)
          .filter(([id]) => !id.startsWith('__'))
          .map(([id, schema]) => [id, withoutIds(schema)]),
      ),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
    security: [{ token: [] }, {}],
  };
  return () => ({ ...parts, servers: [{ url: about.url() }] });
}

function operationPart(operation: Operation): Part {
  const { id, summary, description, access, params, query, body, answer, problems } = operation;
  const codes = [
    ...new Set([
      ...ALWAYS,
      ...(body ? WITH_BODY : []),
      ...(query ? ['does-not-fit' as const] : []),
      ...problems,
    ]),
  ];
  const key = {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    schema: { type: 'string', minLength: 1, maxLength: 200 },
    description:
      'The same for all repeats of a request: it is done once, and its repeats get the same answer, for a day.',
  };
  return {
    operationId: id,
    summary,
    description: [description, `For ${access.startsWith('a') ? 'an' : 'a'} ${access} or more.`]
      .filter(Boolean)
      .join('\n\n'),
    parameters: [
      ...parameters(params, 'path'),
      ...parameters(query, 'query'),
      ...(operation.method === 'POST' ? [key] : []),
    ],
    ...(body && {
      requestBody: {
        required: false,
        content: { 'application/json': { schema: jsonSchema(body, 'input') } },
      },
    }),
    responses: {
      [answer.status]: {
        description: answer.what,
        content: { 'application/json': { schema: jsonSchema(answer.schema, 'output') } },
      },
      ...problemParts(codes),
    },
  };
}

function eventsPart(): Part {
  return {
    operationId: 'followRun',
    summary: 'Shows what happens in a run, as it happens',
    description:
      'With `Accept: text/event-stream` a stream of server-sent events that ends with the run, and goes on behind `Last-Event-ID`; 204 when there is nothing more to come. Otherwise all that has happened so far.\n\nFor a viewer or more.',
    parameters: [
      { name: 'run', in: 'path', required: true, schema: { type: 'string' } },
      {
        name: 'after',
        in: 'query',
        required: false,
        schema: { type: 'string' },
        description: 'Only events behind the one with this id.',
      },
      {
        name: 'Last-Event-ID',
        in: 'header',
        required: false,
        schema: { type: 'string' },
        description: 'The same, as browsers send it.',
      },
    ],
    responses: {
      200: {
        description: 'The events.',
        content: {
          'application/json': {
            schema: jsonSchema(z.strictObject({ events: z.array(eventResource) }), 'output'),
          },
          'text/event-stream': { schema: { type: 'string' } },
        },
      },
      204: { description: 'The run has ended, and everything was had.' },
      ...problemParts([...ALWAYS, 'not-found', 'does-not-fit']),
    },
  };
}

function problemParts(codes: readonly ProblemCode[]): Part {
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code][0]);
  const content = { 'application/problem+json': { schema: jsonSchema(problemResource, 'output') } };
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => [
      status,
      { description: `${some.map((code) => PROBLEMS[code][1]).join('; or ')}.`, content },
    ]),
  );
}

function parameters(schema: z.ZodObject | undefined, place: 'path' | 'query'): readonly Part[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = typeof property === 'object' ? property : {};
    return {
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      schema: rest,
      ...(description !== undefined && { description }),
    };
  });
}

/** A schema with references to those that have names. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Part {
  const {
    $schema: _,
    $defs: _defs,
    ...rest
  } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    reused: 'inline',
  });
  return withReferences(rest);
}

/** Schemas with a name are told apart in `components`. */
function withReferences(value: unknown): Part {
  const text = JSON.stringify(value).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text);
}

function withoutIds({ $schema: _, $id: _id, id: _name, ...schema }: Part): Part {
  return schema;
}
