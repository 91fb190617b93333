import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { generatedFiles } from '../../scripts/generated-files.ts';
import { parseAgent } from '../../src/engine/agents/agent-schema.ts';
import { agentJsonSchema } from '../../src/engine/agents/json-schema.ts';
import { compile } from '../../src/engine/flow/compile.ts';
import { flowJsonSchema } from '../../src/engine/flow/json-schema.ts';
import type { Json, JsonObject } from '../../src/engine/json.ts';
import { builtInStepTypes } from '../../src/engine/steps/registry.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

const jsonSchema: z.ZodType<Json> = z.json();
const ajv = new Ajv2020({
  allowUnionTypes: true,
  allErrors: true,
  formats: { uri: URL.canParse },
  strictTuples: false,
});
const flowSchema = flowJsonSchema(builtInStepTypes);
const isFlow = ajv.compile(flowSchema);
const agentSchema = agentJsonSchema();
const isAgent = ajv.compile(agentSchema);

/** What the schema says against a file, as an editor would show it. */
function complaints(data: unknown, validate = isFlow): readonly string[] {
  validate(data);
  return (validate.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`.trim());
}

describe('generated files', () => {
  test.each([...generatedFiles()])('%s is current', (file, text) => {
    expect(read(file) === text, `Run "npm run generate": ${file} is not what the schemas say.`).toBe(true);
  });
});

describe('the JSON Schema of a flow', () => {
  const samples = globSync('flows/**/*.flow.yaml', { cwd: ROOT });

  test.each(samples)('%s says which schema it follows', (file) => {
    expect(read(file).split('\n')[0]).toBe('# yaml-language-server: $schema=../schema/flow.schema.json');
  });

  test.each(samples)('%s fits', (file) => {
    expect(complaints(parse(read(file)))).toEqual([]);
  });

  const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT })];
  const examples = pages.flatMap((page) =>
    [...read(page).matchAll(/```yaml\n([\s\S]*?)```/g)]
      .map(([, text = '']): unknown => parse(text))
      .filter((data) => typeof data === 'object' && data !== null && ('steps' in data || 'spec' in data))
      .map((data, index) => ({ page, index, data })),
  );

  test.each(examples)('flow $index of $page fits', ({ data }) => {
    expect(complaints(data)).toEqual([]);
  });

  const say = { type: 'message', text: 'Hello' };

  test.each<[string, Json]>([
    ['every key that flows have', { id: 'a', name: 'A', enabled: false, alerts: [0.5], steps: { say } }],
    [
      'an envelope',
      { apiVersion: 'flowbot/v1', kind: 'Flow', metadata: { name: 'a' }, spec: { steps: { say } } },
    ],
    [
      'keys of editors',
      { ui: 1, triggers: [{ type: 'manual', ui: {} }], steps: { say: { ...say, ui: [] } } },
    ],
    [
      'an edge with a list',
      { steps: { a: say, b: say, c: say }, edges: [{ from: ['start'], to: 'a' }, 'a -> b -> c'] },
    ],
    [
      'lengths of time',
      { steps: { wait: { type: 'wait', for: '1h30m' } }, humanReminder: null, timeout: '12:00:00' },
    ],
    [
      'a method in small letters',
      { steps: { get: { type: 'http', method: 'get', url: 'https://example.com/' } } },
    ],
  ])('takes %s, as Flowbot does', (_name, flow) => {
    expect(errorsOf(flow)).toEqual([]);
    expect(complaints(flow)).toEqual([]);
  });

  const withStep = (step: Json): JsonObject => ({ steps: { say, other: step } });

  test.each<[string, Json, string]>([
    ['no steps', {}, "must have required property 'steps'"],
    ['no step', { steps: {} }, '/steps must NOT have fewer than 1 properties'],
    ['an unknown key', { steps: { say }, stepz: {} }, 'must NOT have additional properties'],
    [
      'an unknown key of a step',
      withStep({ ...say, txt: 'x' }),
      '/steps/other must NOT have additional properties',
    ],
    ['a step without a type', withStep({ text: 'x' }), "/steps/other must have required property 'type'"],
    [
      'an unknown type',
      withStep({ ...say, type: 'massage' }),
      '/steps/other/type must be equal to one of the allowed values',
    ],
    ['a missing key', withStep({ type: 'message' }), "/steps/other must have required property 'text'"],
    ['a reserved id', { steps: { input: say } }, '/steps property name must be valid'],
    ['too many attempts', withStep({ ...say, attempts: 6 }), '/steps/other/attempts must be <= 5'],
    ['a length of time without a unit', { timeout: '10', steps: { say } }, '/timeout must match pattern'],
    ['a number for a length of time', { timeout: 10, steps: { say } }, '/timeout must be string'],
    [
      'attempts of an approval',
      withStep({ type: 'approval', attempts: 2 }),
      '/steps/other must NOT have additional',
    ],
    [
      'a placeholder as address',
      withStep({ ...say, to: '#{{input.a}}' }),
      '/steps/other/to must match pattern',
    ],
    [
      'a cached message',
      withStep({ ...say, cache: true }),
      '/steps/other must NOT have additional properties',
    ],
    ['an edge without an arrow', { steps: { say }, edges: ['say'] }, '/edges/0 must match pattern'],
    [
      'an unknown key of an edge',
      { steps: { a: say, b: say }, edges: [{ from: 'a', to: 'b', x: 1 }] },
      '/edges/0 must NOT',
    ],
    [
      'an unknown trigger',
      { triggers: [{ type: 'smoke' }], steps: { say } },
      '/triggers/0/type must be equal to constant',
    ],
    [
      'an unknown operator',
      withStep({ type: 'condition', all: [{ step: 'say', path: 'text', equals: 1 }] }),
      '/all/0 must NOT',
    ],
    [
      'an envelope of another kind',
      { apiVersion: 'flowbot/v1', kind: 'Agent', spec: { steps: { say } } },
      '/kind must be equal to constant',
    ],
  ])('refuses %s, as Flowbot does', (_name, flow, complaint) => {
    expect(errorsOf(flow)).not.toEqual([]);
    expect(complaints(flow).join('\n')).toContain(complaint);
  });

  test('refuses nothing that Flowbot takes', () => {
    const flows = samples.map((file): unknown => parse(read(file))).filter((flow) => sizeOf(flow) < 100);
    const value = fc.oneof(
      fc.constantFrom(
        '1h',
        '5m',
        0,
        1,
        3,
        true,
        null,
        'slack:#a',
        'slack:U0ANA',
        '@a',
        'get',
        'a -> b',
        '{{input.a}}',
      ),
      fc.jsonValue({ maxDepth: 1 }),
    );
    const key = fc.constantFrom(...keysOf(flowSchema));
    fc.assert(
      fc.property(
        fc.constantFrom(...flows),
        fc.nat(),
        key,
        value,
        fc.boolean(),
        (flow, at, name, put, replaces) => {
          const changed = jsonSchema.parse(changedAt(flow, { left: at % sizeOf(flow) }, name, put, replaces));
          if (errorsOf(changed).length > 0) return;
          expect(complaints(changed)).toEqual([]);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('the JSON Schema of an agent', () => {
  const samples = globSync('agents/*.agent.yaml', { cwd: ROOT });

  test.each(samples)('%s says which schema it follows, and fits', (file) => {
    expect(read(file).split('\n')[0]).toBe('# yaml-language-server: $schema=../schema/agent.schema.json');
    expect(complaints(parse(read(file)), isAgent)).toEqual([]);
  });

  test.each<[string, Json, string]>([
    ['no runtime', {}, "must have required property 'runtime'"],
    ['an unknown runtime', { runtime: 'magic' }, '/runtime must be equal to one of the allowed values'],
    ['an unknown key', { runtime: 'scripted', replys: [] }, 'must NOT have additional properties'],
    ['no model', { runtime: 'openai' }, "must have required property 'model'"],
    [
      'a key of another runtime',
      { runtime: 'program', command: ['coder'], access: {} },
      'must NOT have additional properties',
    ],
    [
      'an unknown permission',
      { runtime: 'openai', model: 'm-1', access: { files: { tools: { read: 'alow' } } } },
      '/access/files/tools/read must be equal to one of the allowed values',
    ],
    ['a flow in an envelope', { apiVersion: 'flowbot/v1', kind: 'Flow', spec: {} }, '/kind must be equal'],
  ])('refuses %s, as Flowbot does', (_name, agent, complaint) => {
    expect(parseAgent(agent, 'sample').faults).not.toEqual([]);
    expect(complaints(agent, isAgent).join('\n')).toContain(complaint);
  });

  const whole: readonly JsonObject[] = [
    {
      runtime: 'openai',
      model: 'm-1',
      baseUrl: 'https://models.example.com/v1',
      apiKey: '{{secrets.KEY}}',
      headers: { 'X-Team': 'docs' },
      access: { files: ['read'], web: { readOnly: true, tools: { post: 'ask' }, others: 'allow' } },
      rateLimit: { requests: 60, per: '1m' },
    },
    { runtime: 'program', command: ['coder', '--quiet'], workspace: 'git', changes: 'ask', env: { A: '1' } },
    { runtime: 'scripted', replies: [{ reply: 'Hello.' }], fallback: 'other' },
  ];

  test('refuses nothing that Flowbot takes', () => {
    const value = fc.oneof(
      fc.constantFrom('1h', '5m', 0, 1, 3, true, null, 'git', 'ask', 'tool', '{{secrets.KEY}}', ['a']),
      fc.jsonValue({ maxDepth: 1 }),
    );
    const key = fc.constantFrom(...keysOf(agentSchema));
    fc.assert(
      fc.property(
        fc.constantFrom(...whole),
        fc.nat(),
        key,
        value,
        fc.boolean(),
        (agent, at, name, put, replaces) => {
          const changed = jsonSchema.parse(
            changedAt(agent, { left: at % sizeOf(agent) }, name, put, replaces),
          );
          if (parseAgent(changed, 'sample').faults.length > 0) return;
          expect(complaints(changed, isAgent)).toEqual([]);
        },
      ),
    );
    for (const agent of whole) expect(complaints(agent, isAgent)).toEqual([]);
  });
});

test.each([
  ['flow', flowSchema],
  ['agent', agentSchema],
])('the JSON Schema of a %s describes every key', (_kind, schema) => {
  expect(undescribed(schema, [])).toEqual([]);
});

function errorsOf(flow: Json): readonly string[] {
  return compile(flow, 'sample')
    .faults.filter(({ severity }) => severity === 'error')
    .map(({ message }) => message);
}

/** Keys that say nothing about themselves; what a `type` is stands in its place. */
function undescribed(part: unknown, path: readonly string[]): readonly string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([key, value]: [string, unknown]) => {
    const at = [...path, key];
    const isProperty = path.at(-1) === 'properties' && key !== 'type' && path.at(-2) !== 'if';
    const isBare = isProperty && typeof value === 'object' && value !== null && !('description' in value);
    return [...(isBare && !('$ref' in value) ? [at.join('.')] : []), ...undescribed(value, at)];
  });
}

function sizeOf(data: unknown): number {
  if (typeof data !== 'object' || data === null) return 1;
  return Object.values(data).reduce((sum: number, inner: unknown) => sum + sizeOf(inner), 1);
}

/** Data with one of its values replaced, or one more key in one of its objects; `left` counts down to the place. */
function changedAt(
  data: unknown,
  at: { left: number },
  key: string,
  put: unknown,
  replaces: boolean,
): unknown {
  const isHere = at.left === 0;
  at.left -= 1;
  if (isHere && replaces) return put;
  if (typeof data !== 'object' || data === null) return isHere ? put : data;
  const change = (inner: unknown): unknown => changedAt(inner, at, key, put, replaces);
  if (Array.isArray(data)) return data.map(change);
  const entries = Object.entries(data).map(([name, inner]: [string, unknown]) => [name, change(inner)]);
  return Object.fromEntries(isHere ? [...entries, [key, put]] : entries);
}

/** All keys that a schema knows. */
function keysOf(part: unknown): readonly string[] {
  if (typeof part !== 'object' || part === null) return [];
  const own =
    'properties' in part && typeof part.properties === 'object' ? Object.keys(part.properties ?? {}) : [];
  return [...new Set([...own, ...Object.values(part).flatMap(keysOf)])];
}
