import { isJsonObject, type Json, type JsonObject, objectOf } from '../src/engine/json.ts';
import type { StepType } from '../src/engine/steps/step-type.ts';
import { stepNotes } from './reference-outputs.ts';

/**
 * The page that lists all that can be written in the files of flows and agents.
 * @param schema as `flowJsonSchema` gives it
 * @param agentSchema as `agentJsonSchema` gives it
 */
export function flowReference(
  schema: JsonObject,
  agentSchema: JsonObject,
  stepTypes: ReadonlyMap<string, StepType>,
): string {
  const parts = objectOf(schema.$defs);
  const edge = objectOf(listOf(objectOf(parts.edge).anyOf)[1]);
  const flow = objectOf(parts.flow);
  const triggers = listOf(objectOf(objectOf(objectOf(flow.properties).triggers).items).oneOf).map(objectOf);
  const rules = objectOf(objectOf(objectOf(objectOf(parts['step.condition']).properties).all).items);
  return `${[
    '# Reference of the flow file',
    'Made by `npm run generate` from the schemas that read flows. How the parts work together is told in [flows.md](flows.md).',
    'Editors complete and check a flow file that begins with `# yaml-language-server: $schema=` and the address of `schema/flow.schema.json`, which `flowbot schema flow` prints. A key `ui` is allowed in every object, and ignored. Lengths of time are texts such as `30s`, `10m`, `12h`, `2d`, `1h30m`. A field without a default may be left out unless it says *required*.',
    '## The flow',
    table(flow),
    ...objectTables(flow, ['triggers', 'steps', 'edges', 'input']),
    'The same can stand under `spec:` in an envelope:',
    table(objectOf(parts.envelope)),
    '## Triggers',
    ...triggers.flatMap((trigger) => [
      `### ${String(objectOf(objectOf(trigger.properties).type).const)}`,
      ...described(trigger),
      table(trigger, ['type']),
    ]),
    '## Steps',
    'Steps stand under `steps:`, each under its id: a letter, then letters, digits and `_`, at most 64. Every step can be left by `failed`, too.',
    ...[...stepTypes.keys()].flatMap((type) => stepSection(type, objectOf(parts[`step.${type}`]))),
    '## Edges',
    'An edge is a text: `"a -> b"`, `"a.exit -> b"`, a chain `"a -> b -> c"`; or an object:',
    table(edge),
    '## Rules',
    'Conditions list them under `all:` or `any:`; an edge has them, or a single one, under `when:`.',
    table(rules),
    ...agentSections(objectOf(agentSchema.$defs)),
  ]
    .filter((part) => part !== '')
    .join('\n\n')}\n`;
}

function stepSection(type: string, step: JsonObject): readonly string[] {
  const notes = stepNotes[type];
  return [
    `### ${type}`,
    ...(notes ? [notes.does, `Exits: ${notes.exits}. Output: ${notes.output}.`] : []),
    table(step, ['type']),
    ...objectTables(step),
  ];
}

/** The keys that all agents have, then those of each runtime. */
function agentSections(parts: JsonObject): readonly string[] {
  const runtimes = Object.entries(parts)
    .filter(([name]) => name.startsWith('runtime.'))
    .map(([name, keys]) => ({ name: name.slice('runtime.'.length), keys: objectOf(keys) }));
  const written = runtimes.map(({ keys }) => Object.entries(objectOf(keys.properties)));
  const isShared = ([key, value]: [string, Json]) =>
    written.every((keys) =>
      keys.some(([name, one]) => name === key && JSON.stringify(one) === JSON.stringify(value)),
    );
  const shared = (written[0] ?? []).filter(isShared);
  const common = { properties: Object.fromEntries(shared) };
  const apart = ['runtime', ...shared.map(([key]) => key)];
  return [
    '## Agents',
    'Agents stand in files of their own, `agents/<name>.agent.yaml`. All have a `runtime`, and may have:',
    table(common),
    ...objectTables(common),
    // What several have stands with the first of them.
    ...new Set(
      runtimes.flatMap(({ name, keys }) => [
        `### runtime: ${name}`,
        table(keys, apart),
        ...objectTables(keys, apart),
      ]),
    ),
  ];
}

/** Tables for the objects inside an object, each named by its path. */
function objectTables(schema: JsonObject, apart: readonly string[] = []): readonly string[] {
  return Object.entries(objectOf(schema.properties))
    .filter(([key]) => !apart.includes(key))
    .flatMap(([key, value]) => inner(key, objectOf(value)));
}

function inner(path: string, schema: JsonObject): readonly string[] {
  if (Array.isArray(schema.anyOf)) return schema.anyOf.flatMap((one: Json) => inner(path, objectOf(one)));
  if (schema.type === 'array') return inner(`${path}[]`, objectOf(schema.items));
  if (schema.type !== 'object') return [];
  if (isJsonObject(schema.additionalProperties)) return inner(`${path}.<name>`, schema.additionalProperties);
  // Rules have a section of their own.
  if (!isJsonObject(schema.properties) || 'isTrue' in schema.properties) return [];
  return [
    `In \`${path}\`:`,
    table(schema),
    ...Object.entries(schema.properties).flatMap(([key, value]) => inner(`${path}.${key}`, objectOf(value))),
  ];
}

function table({ properties, required }: JsonObject, apart: readonly string[] = []): string {
  const needed = new Set(listOf(required));
  const rows = Object.entries(objectOf(properties)).filter(([key]) => key !== 'ui' && !apart.includes(key));
  if (rows.length === 0) return '';
  return [
    '| field | type | default | limits | what it is |',
    '|---|---|---|---|---|',
    ...rows.map(([key, value]) => {
      const field = objectOf(value);
      const fallback = needed.has(key) ? '*required*' : defaultOf(field);
      return `| \`${key}\` | ${cell(typeOf(field))} | ${cell(fallback)} | ${cell(limitsOf(field))} | ${cell(described(field).join(''))} |`;
    }),
  ].join('\n');
}

function described({ description }: JsonObject): readonly string[] {
  return typeof description === 'string' ? [description] : [];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function defaultOf({ default: fallback }: JsonObject): string {
  return fallback === undefined ? '' : `\`${JSON.stringify(fallback)}\``;
}

function typeOf(schema: JsonObject): string {
  if (schema.const !== undefined) return `\`${String(schema.const)}\``;
  if (Array.isArray(schema.enum)) return schema.enum.map((one: Json) => `\`${String(one)}\``).join(', ');
  if (Array.isArray(schema.anyOf)) {
    return [...new Set(schema.anyOf.map((one: Json) => typeOf(objectOf(one))))].join(' or ');
  }
  if (isDuration(schema)) return 'length of time';
  switch (schema.type) {
    case 'string':
      return 'text';
    case 'boolean':
      return 'true or false';
    case 'integer':
      return 'whole number';
    case 'array':
      return isJsonObject(schema.items) && schema.items.type === 'string' ? 'list of texts' : 'list';
    case 'number':
    case 'object':
    case 'null':
      return schema.type;
    default:
      return 'any';
  }
}

function isDuration({ examples }: JsonObject): boolean {
  return listOf(examples)[0] === '30s';
}

function limitsOf(schema: JsonObject): string {
  const number = (key: string): string | undefined => {
    const value = schema[key];
    return typeof value === 'number' && value !== Number.MAX_SAFE_INTEGER
      ? value.toLocaleString('en')
      : undefined;
  };
  const above = number('exclusiveMinimum');
  const below = number('exclusiveMaximum');
  return [
    range(number('minimum'), number('maximum'), ''),
    above === undefined ? '' : `more than ${above}`,
    below === undefined ? '' : `less than ${below}`,
    range(number('minLength'), number('maxLength'), ' characters'),
    range(number('minItems'), number('maxItems'), ''),
    range(number('minProperties'), number('maxProperties'), ''),
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function range(least: string | undefined, most: string | undefined, unit: string): string {
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (most !== undefined) return `at most ${most}${unit}`;
  return least === undefined || (unit !== '' && least === '1') ? '' : `at least ${least}${unit}`;
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
