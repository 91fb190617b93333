import { z } from 'zod';

/** What the reference reads of a JSON Schema. */
export interface Schema {
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
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly minLength?: number | undefined;
  readonly maxLength?: number | undefined;
}

export const schemaSchema: z.ZodType<Schema> = z.lazy(() =>
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
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
  }),
);

/** A type in words; the names of schemas in it stand apart. */
export type TypeWords = readonly (string | { readonly schema: string })[];

/** A field or parameter, in words. */
export interface Described {
  /** With its path, where it is inside of another: `actions[].id`. */
  readonly name: string;
  readonly type: TypeWords;
  readonly isRequired: boolean;
  readonly what: string;
}

/** The fields of a schema, each followed by those inside of it; those of schemas with a name are not. */
export function fieldsOf(schema: Schema, path = ''): readonly Described[] {
  return insideOf(schema).flatMap(({ way, properties = {}, required = [], additionalProperties }) => {
    const before = path === '' && way === '' ? '' : `${path}${way}.`;
    const further = typeof additionalProperties === 'object' && {
      name: `${before}*`,
      type: typeWords(additionalProperties),
      isRequired: false,
      what: 'Further fields.',
    };
    const named = Object.entries(properties).flatMap(([name, field]) => [
      {
        name: `${before}${name}`,
        type: typeWords(field),
        isRequired: required.includes(name),
        what: about(field),
      },
      ...fieldsOf(field, `${before}${name}`),
    ]);
    return further ? [...named, further] : named;
  });
}

/** Objects in a schema whose fields are its own. */
interface Inside extends Pick<Schema, 'properties' | 'required' | 'additionalProperties'> {
  /** How they are come by: `[]` = in a list, `.*` = under any name. */
  readonly way: string;
}

function insideOf(schema: Schema): readonly Inside[] {
  const { properties, items, additionalProperties, anyOf = [], allOf = [] } = schema;
  const further = (inner: Schema, way: string) =>
    insideOf(inner).map((inside) => ({ ...inside, way: `${way}${inside.way}` }));
  return [
    ...(properties ? [{ ...schema, way: '' }] : []),
    ...(items ? further(items, '[]') : []),
    ...(typeof additionalProperties === 'object' ? further(additionalProperties, '.*') : []),
    ...[...anyOf, ...allOf].flatMap(insideOf),
  ];
}

/** What is said of a schema, and what it is by default. */
export function about({ description = '', default: preset }: Schema): string {
  return preset === undefined ? description : `${description} Default: ${JSON.stringify(preset)}.`.trim();
}

/** What a value is. */
export function typeWords(schema: Schema): TypeWords {
  const { $ref, type, items, anyOf, allOf, properties, additionalProperties } = schema;
  if ($ref !== undefined) return [{ schema: nameOf($ref) }];
  if (schema.const !== undefined) return [JSON.stringify(schema.const)];
  if (schema.enum) return [schema.enum.map((one) => JSON.stringify(one)).join(' or ')];
  if (anyOf) return joined(anyOf, ' or ');
  if (allOf) return joined(allOf, ' and ');
  if (type === 'array') return ['list of ', ...(items ? typeWords(items) : ['anything'])];
  if (type === 'object' && !properties && typeof additionalProperties === 'object') {
    return ['object of ', ...typeWords(additionalProperties)];
  }
  const types = typeof type === 'string' ? [type] : (type ?? []);
  const words = types.length === 0 ? 'anything' : types.map((one) => WORDS.get(one) ?? one).join(' or ');
  return [[words, ...limitWords(schema)].join(', ')];
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['integer', 'whole number'],
  ['boolean', 'true or false'],
]);

/** The name of a schema that a reference leads to. */
function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}

function joined(schemas: readonly Schema[], word: string): TypeWords {
  return schemas.flatMap((schema, index) => [...(index > 0 ? [word] : []), ...typeWords(schema)]);
}

function limitWords({ minimum, maximum, minLength, maxLength }: Schema): readonly string[] {
  // What only says that a number is exact is no limit.
  const isLimit = (value: number | undefined) =>
    value !== undefined && Math.abs(value) < Number.MAX_SAFE_INTEGER;
  return [
    rangeWords(isLimit(minimum) ? minimum : undefined, isLimit(maximum) ? maximum : undefined, ''),
    rangeWords(minLength, maxLength, ' characters'),
  ].filter((words) => words !== undefined);
}

function rangeWords(from: number | undefined, upTo: number | undefined, unit: string): string | undefined {
  const [least, most] = [from?.toLocaleString('en'), upTo?.toLocaleString('en')];
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (least !== undefined) return `at least ${least}${unit}`;
  return most === undefined ? undefined : `at most ${most}${unit}`;
}

/** The shortest value that a schema takes, for an example. @param named schemas by their names */
export function exampleOf(schema: Schema, named: ReadonlyMap<string, Schema>): unknown {
  const { $ref, type, enum: choices, anyOf = [], allOf = [], properties = {}, required = [] } = schema;
  const other = $ref === undefined ? (anyOf[0] ?? allOf[0]) : named.get(nameOf($ref));
  if (other) return exampleOf(other, named);
  if (schema.const !== undefined) return schema.const;
  if (choices) return choices[0];
  switch (typeof type === 'string' ? type : type?.[0]) {
    case 'string':
      return '…';
    case 'number':
    case 'integer':
      return schema.minimum ?? 0;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return Object.fromEntries(
        Object.entries(properties)
          .filter(([name]) => required.includes(name))
          .map(([name, field]) => [name, exampleOf(field, named)]),
      );
    default:
      return null;
  }
}
