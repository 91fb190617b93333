import { isJsonObject, type Json, type JsonObject, objectOf } from '../src/engine/json.ts';

const HEAD = `// Generated from the schemas by \`npm run generate\`: do not edit.
`;

/**
 * The TypeScript of what is written in a flow file: an interface for the flow, the edges and each step type.
 * @param schema as `flowJsonSchema` gives it
 */
export function writtenTypes(schema: JsonObject): string {
  const parts = objectOf(schema.$defs);
  const stepNames = Object.keys(parts).filter((name) => name.startsWith('step.'));
  const edge = objectOf(parts.edge).anyOf;
  const edgeObject = Array.isArray(edge) ? objectOf(edge[1]) : {};
  const flow = objectOf(parts.flow);
  const rule = objectOf(objectOf(objectOf(objectOf(parts['step.condition']).properties).all).items);
  return [
    HEAD,
    declaration('FlowKeys', 'The keys of a flow.', flow),
    declaration('Rule', 'One rule of a condition or an edge.', rule),
    declaration('EdgeKeys', 'An edge written as an object.', edgeObject),
    ...stepNames.map((name) =>
      declaration(interfaceName(name), `The keys of a \`${typeName(name)}\` step.`, objectOf(parts[name])),
    ),
    '/** The step types that Flowbot brings along. */',
    `export type BuiltInType = ${stepNames.map((name) => `'${typeName(name)}'`).join(' | ')};`,
    '',
    '/** The keys of a step, by its type. A plugin adds those of its own types by a module augmentation. */',
    'export interface StepKeys {',
    ...stepNames.map((name) => `  readonly ${typeName(name)}: ${interfaceName(name)};`),
    '}',
    '',
  ].join('\n');
}

function typeName(name: string): string {
  return name.slice('step.'.length);
}

function interfaceName(name: string): string {
  const type = typeName(name);
  return `${type.charAt(0).toUpperCase()}${type.slice(1)}Step`;
}

function declaration(name: string, doc: string, schema: JsonObject): string {
  return `/** ${doc} */\nexport interface ${name} ${objectType(schema, '')}\n`;
}

function objectType({ properties, required }: JsonObject, indent: string): string {
  const needed = new Set(Array.isArray(required) ? required : []);
  const keys = Object.entries(objectOf(properties)).flatMap(([key, value]) => {
    const inner = objectOf(value);
    const doc = docOf(inner);
    return [
      ...(doc === '' ? [] : [`${indent}  /** ${doc} */`]),
      `${indent}  readonly ${key}${needed.has(key) ? '' : '?'}: ${typeOf(inner, `${indent}  `)};`,
    ];
  });
  return `{\n${keys.join('\n')}\n${indent}}`;
}

function docOf({ description, default: fallback }: JsonObject): string {
  const text = typeof description === 'string' ? description : '';
  return fallback === undefined ? text : `${text} Default: \`${JSON.stringify(fallback)}\`.`.trim();
}

function typeOf(schema: JsonObject, indent: string): string {
  if (schema.const !== undefined) return literal(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ');
  if (Array.isArray(schema.anyOf)) {
    return schema.anyOf.map((one: Json) => typeOf(objectOf(one), indent)).join(' | ');
  }
  if (Array.isArray(schema.oneOf)) {
    return schema.oneOf
      .map((one: Json) => `\n${indent}  | ${typeOf(objectOf(one), `${indent}    `)}`)
      .join('');
  }
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'number':
      return schema.type;
    case 'integer':
      return 'number';
    case 'array':
      return arrayOf(typeOf(objectOf(schema.items), indent));
    case 'object':
      if (!isJsonObject(schema.properties)) {
        return `Readonly<Record<string, ${typeOf(objectOf(schema.additionalProperties), indent)}>>`;
      }
      return isRule(schema.properties) ? 'Rule' : objectType(schema, indent);
    default:
      return 'unknown';
  }
}

/** Rules stand in many places, and would fill most of the page. */
function isRule(properties: JsonObject): boolean {
  return 'isTrue' in properties && !('all' in properties);
}

function arrayOf(item: string): string {
  return `readonly ${/^[\w]+$/.test(item) || /^\{[\s\S]*\}$/.test(item) ? item : `(${item})`}[]`;
}

function literal(value: Json): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}
