import { describe, expect, it, test } from 'vitest';
import { namesOfRefs, resolveRefs, resolveSchemas } from '../../../src/engine/data/schema-refs.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { read } from '../flow/faults.ts';

const resolve = (written: Readonly<Record<string, JsonObject>>) =>
  resolveSchemas(new Map(Object.entries(written)));

describe('named schemas', () => {
  it('hold what they name, whatever their own $defs are called', () => {
    const { schemas, faults } = resolve({
      ticket: {
        type: 'object',
        properties: { by: { $ref: 'person', title: 'By' }, size: { $ref: '#/$defs/Name' } },
        $defs: { Name: { enum: ['s', 'm'] } },
      },
      person: {
        type: 'object',
        properties: { name: { $ref: '#/$defs/Name' } },
        $defs: { Name: { type: 'string' } },
      },
    });
    expect([...faults]).toEqual([]);
    expect(schemas.get('ticket')).toEqual({
      type: 'object',
      properties: {
        by: { type: 'object', properties: { name: { type: 'string' } }, title: 'By' },
        size: { enum: ['s', 'm'] },
      },
    });
  });

  it('may have any type on top, and data that looks like a reference stays', () => {
    const list = {
      type: 'array',
      items: { $ref: './schemas/name.schema.json' },
      examples: [{ $ref: 'nope' }],
    };
    const { schemas } = resolve({ list, name: { type: 'string' } });
    expect(schemas.get('list')).toEqual({ ...list, items: { type: 'string' } });
  });

  it('must match a reference and what stands beside it', () => {
    const { schemas } = resolve({ a: { $ref: 'b', minLength: 2 }, b: { type: 'string' } });
    expect(schemas.get('a')).toEqual({ minLength: 2, allOf: [{ type: 'string' }] });
  });

  it.each([
    ['from the bottom', (names: readonly string[]) => names],
    ['from the top', (names: readonly string[]) => names.toReversed()],
  ])(
    'that lead to each other a thousand times over are refused, not a way to end Flowbot: %s',
    (_, order) => {
      const names = Array.from({ length: 1_000 }, (_unused, index) => `s${index}`);
      const all = new Map<string, JsonObject>(
        order(names).map((name) => [
          name,
          name === 's0' ? { type: 'string' } : { not: { $ref: `s${Number(name.slice(1)) - 1}` } },
        ]),
      );
      const { schemas, faults } = resolveSchemas(all);
      expect(schemas.has('s999')).toBe(false);
      expect(faults.has('s999')).toBe(true);
      const own = Object.fromEntries(names.map((name, index) => [name, { $ref: `#/$defs/s${index + 1}` }]));
      const inside = resolve({ deep: { $ref: '#/$defs/s0', $defs: { ...own, s1000: {} } } });
      expect(inside.faults.get('deep')?.map(({ message }) => message)).toEqual([
        '$ref "#/$defs/s65" comes after 64 others that lead to each other.',
      ]);
    },
  );

  test.each<[string, Record<string, JsonObject>, Record<string, string[]>]>([
    [
      'unknown',
      { ticket: { $ref: 'persn' }, person: {} },
      { ticket: ['unknown-schema at $ref: There is no schema "persn". Did you mean "person"?'] },
    ],
    [
      'in a circle',
      { a: { not: { $ref: 'b' } }, b: { $ref: 'a' } },
      {
        b: [
          'schema at $ref: $ref "a" leads back to itself: a → b → a. Write out the levels that are needed.',
        ],
        a: [
          "broken-schema at not.$ref: The schema b can't be used: there are faults in its file. Mend that file.",
        ],
      },
    ],
    [
      'in a circle of their own',
      { a: { $ref: '#/$defs/A', $defs: { A: { items: { $ref: '#/$defs/A' } } } } },
      {
        a: [
          'schema at $defs.A.items.$ref: $ref "#/$defs/A" leads back to itself. Write out the levels that are needed.',
        ],
      },
    ],
    [
      'not there in the schema',
      { a: { $ref: '#/$defs/toString' } },
      {
        a: [
          'schema at $ref: $ref "#/$defs/toString" is not in this schema. Write "#/$defs/Name" and the schema under $defs, or the name of another schema.',
        ],
      },
    ],
    [
      'no schema',
      {
        a: { type: 'objekt' },
        b: { $dynamicRef: 'x' },
        c: { properties: { n: { type: 'integer', default: 'x' } } },
      },
      {
        a: [
          'schema at type: type is no type of JSON Schema. Use string, number, integer, boolean, array or object.',
        ],
        b: ["schema at $dynamicRef: $dynamicRef can't be used in a schema. Remove it."],
        c: [
          'schema at properties.n.default: The default of n is not what its schema asks for. Change one of them.',
        ],
      },
    ],
  ])('are refused when they are %s', (_, written, expected) => {
    const { faults } = resolve(written);
    expect(Object.fromEntries([...faults].map(([name, all]) => [name, all.map(read)]))).toEqual(expected);
  });

  it('are checked like inputs: a pattern that hangs, and a hundred that stand for millions', () => {
    const doubled = Object.fromEntries(
      Array.from({ length: 100 }, (_, at): [string, JsonObject] => [
        `s${at}`,
        at === 99 ? { type: 'string' } : { allOf: [{ $ref: `s${at + 1}` }, { $ref: `s${at + 1}` }] },
      ]),
    );
    const { faults } = resolve({ ...doubled, hangs: { type: 'string', pattern: '(a+)+$' } });
    expect(faults.has('s0')).toBe(true);
    expect(faults.get('hangs')?.map(({ path }) => path)).toEqual([['pattern']]);
  });

  it('are put into the input of a flow, whose own $defs stay', () => {
    const { schemas } = resolve({ ticket: { type: 'object', properties: { n: { type: 'integer' } } } });
    const own = {
      type: 'object',
      properties: { t: { $ref: 'ticket' }, u: { $ref: '#/$defs/U' } },
      $defs: { U: {} },
    };
    expect(resolveRefs(own, schemas)).toEqual({
      schema: { ...own, properties: { ...own.properties, t: schemas.get('ticket') } },
      faults: [],
    });
    expect(namesOfRefs(own)).toEqual(['ticket']);
  });
});
