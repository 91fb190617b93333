import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate, type Operator, rulesSchema, withStep } from '../../../src/engine/data/condition.ts';
import { lookUp } from '../../../src/engine/data/path.ts';
import type { Lookup } from '../../../src/engine/data/scope.ts';
import type { Json } from '../../../src/engine/json.ts';

const operators: readonly Operator[] = [
  'is',
  'isNot',
  'contains',
  'greaterThan',
  'atLeast',
  'lessThan',
  'atMost',
  'exists',
  'isEmpty',
  'isTrue',
  'isFalse',
];

function holds(operator: Operator, found: Lookup, value: Json): boolean {
  return evaluate({ join: 'all', rules: [{ step: 'a', path: ['json', 'v'], operator, value }] }, () => found)
    .holds;
}

const found = (value: Json): Lookup => ({ found: true, value });
const missing: Lookup = { found: false, cause: 'missing' };
const nothing: Lookup = { found: false, cause: 'null' };
const skipped: Lookup = { found: false, cause: 'skipped' };

describe('C55: number against text', () => {
  it.each<[Json, boolean]>([
    [200, true],
    ['200', true],
    [' 200 ', true],
    [JSON.parse('200.0'), true],
    ['2e2', false],
    ['٢٠٠', false],
    [true, false],
    ['200.0', false],
  ])('%j is 200: %s', (value, expected) => {
    expect(holds('is', found(value), 200)).toBe(expected);
    expect(holds('is', found(value), '200')).toBe(expected);
    expect(holds('isNot', found(value), 200)).toBe(!expected);
  });

  it.each<[Json, boolean]>([
    ['10', true],
    [10, true],
    [' 10.5 ', true],
    ['9', false],
    ['9,5', false],
    ['', false],
    ['abc', false],
    ['1e2', false],
    ['0x10', false],
    ['Infinity', false],
    ['9'.repeat(400), false],
    [[10], false],
    [true, false],
    [Number.NaN, false],
  ])('%j is greater than 9: %s', (value, expected) => {
    expect(holds('greaterThan', found(value), 9)).toBe(expected);
  });

  it('puts null and missing values in no order', () => {
    for (const operator of ['greaterThan', 'atLeast', 'lessThan', 'atMost'] as const) {
      expect([nothing, missing, skipped].map((lookup) => holds(operator, lookup, 9))).toEqual([
        false,
        false,
        false,
      ]);
    }
  });

  it('takes the limit itself only where it says so', () => {
    expect(operators.filter((operator) => holds(operator, found(9), '9'))).toEqual([
      'is',
      'atLeast',
      'atMost',
    ]);
  });

  it.each<[Json, Json, boolean]>([
    [[1, 20, 3], 20, true],
    [[1, 20, 3], '20', true],
    [[1, 200, 3], 20, false],
    [['a b'], 'a', false],
    ['a Big word', 'Big', true],
    ['a Big word', 'big', false],
    ['room 12', 12, true],
    [200, 20, false],
    [{ a: 1 }, 'a', false],
  ])('%j contains %j: %s', (value, part, expected) => {
    expect(holds('contains', found(value), part)).toBe(expected);
  });
});

describe('C56: null, missing, empty and the text "null"', () => {
  it.each<[string, Lookup, boolean, boolean, boolean]>([
    // what, lookup, isEmpty, exists, isNot "X"
    ['a missing path', missing, true, false, true],
    ['a path through null', lookUp({ v: null }, ['v', 'w']), true, false, true],
    ['null', nothing, true, false, true],
    ['""', found(''), true, true, true],
    ['blank text', found('  '), true, true, true],
    ['[]', found([]), true, true, true],
    ['{}', found({}), true, true, true],
    ['0', found(0), false, true, true],
    ['false', found(false), false, true, true],
    ['the text "null"', found('null'), false, true, true],
    ['a skipped step', skipped, true, false, true],
    ['a zero-width space', found('\u200b'), true, true, true],
    ['X itself', found(' X '), false, true, false],
  ])('%s', (_, lookup, isEmpty, exists, isNot) => {
    expect(holds('isEmpty', lookup, true)).toBe(isEmpty);
    expect(holds('isEmpty', lookup, false)).toBe(!isEmpty);
    expect(holds('exists', lookup, true)).toBe(exists);
    expect(holds('exists', lookup, false)).toBe(!exists);
    expect(holds('isNot', lookup, 'X')).toBe(isNot);
  });

  it('satisfies with a missing value only isNot, isEmpty and the denial of exists', () => {
    const satisfied = operators.flatMap((operator) =>
      [true, false, 'x', 1, 'null'].some((value) => holds(operator, missing, value)) ? [operator] : [],
    );
    expect(satisfied).toEqual(['isNot', 'exists', 'isEmpty']);
    expect(holds('isEmpty', missing, false)).toBe(false);
  });

  it.each<[Json, boolean, boolean]>([
    [true, true, false],
    [' true ', true, false],
    [false, false, true],
    ['false', false, true],
    ['TRUE', false, false],
    [1, false, false],
    ['yes', false, false],
  ])('%j is true: %s, is false: %s', (value, isTrue, isFalse) => {
    expect(holds('isTrue', found(value), true)).toBe(isTrue);
    expect(holds('isTrue', found(value), false)).toBe(!isTrue);
    expect(holds('isFalse', found(value), true)).toBe(isFalse);
    expect(holds('isFalse', found(value), false)).toBe(!isFalse);
  });
});

describe('evaluate', () => {
  const rules = [
    { step: 'draft', path: ['json', 'verdict'], operator: 'is', value: 'approve' },
    { step: 'draft', path: ['json', 'score'], operator: 'greaterThan', value: 9 },
    { step: 'review', path: ['text'], operator: 'exists', value: true },
  ] as const;
  const data = { draft: { json: { verdict: 'approve', score: '9,5' } } };
  const read = (step: string, path: readonly string[]) => lookUp(data, [step, ...path]);

  it('says for every rule what was found', () => {
    expect(evaluate({ join: 'any', rules }, read)).toEqual({
      holds: true,
      why: [
        'draft.json.verdict is "approve": yes, the value is "approve".',
        'draft.json.score is greater than 9: no, the value is "9,5", which is no number.',
        'review.text exists: no, there is no such value.',
      ],
    });
    expect(evaluate({ join: 'all', rules }, read).holds).toBe(false);
  });

  it('says that a step was skipped', () => {
    const { why } = evaluate({ join: 'all', rules: rules.slice(2) }, () => skipped);
    expect(why).toEqual(['review.text exists: no, that step was skipped.']);
  });

  it('never throws, and all holds only if any does', () => {
    const anyRule = fc.record({
      step: fc.constant('a'),
      path: fc.constant(['json']),
      operator: fc.constantFrom(...operators),
      value: fc.oneof(fc.string(), fc.double(), fc.boolean()),
    });
    fc.assert(
      fc.property(fc.array(anyRule, { minLength: 1 }), fc.jsonValue(), (list, value) => {
        const json: Json = JSON.parse(JSON.stringify(value));
        const [all, any] = (['all', 'any'] as const).map((join) =>
          evaluate({ join, rules: list }, () => found(json)),
        );
        expect(all?.why).toHaveLength(list.length);
        expect(!all?.holds || any?.holds).toBe(true);
      }),
    );
  });
});

describe('rulesSchema', () => {
  const verdict = { path: ['json', 'verdict'], operator: 'is', value: 'ok' };

  it.each<[string, unknown, unknown]>([
    ['a single rule', { path: 'verdict', is: 'ok' }, { join: 'all', rules: [verdict] }],
    [
      'a rule of another step',
      { step: 'a', path: 'json.verdict', is: 'ok' },
      { join: 'all', rules: [{ ...verdict, step: 'a' }] },
    ],
    ['all', { all: [{ path: 'verdict', is: 'ok' }] }, { join: 'all', rules: [verdict] }],
    ['any', { any: [{ path: 'verdict', is: 'ok' }] }, { join: 'any', rules: [verdict] }],
    ['short operator names', { path: 'verdict', op: 'eq', value: 'ok' }, { join: 'all', rules: [verdict] }],
    [
      'text',
      { path: 'text', isEmpty: false },
      { join: 'all', rules: [{ path: ['text'], operator: 'isEmpty', value: false }] },
    ],
    [
      'the whole json',
      { path: 'json', isEmpty: true },
      { join: 'all', rules: [{ path: ['json'], operator: 'isEmpty', value: true }] },
    ],
    [
      'the input, which has no json level',
      { step: 'input', path: 'version', exists: true },
      { join: 'all', rules: [{ step: 'input', path: ['version'], operator: 'exists', value: true }] },
    ],
  ])('reads %s', (_, written, rules) => {
    expect(rulesSchema.parse(written)).toEqual(rules);
  });

  it.each([
    ['eq', 'is'],
    ['neq', 'isNot'],
    ['gt', 'greaterThan'],
    ['gte', 'atLeast'],
    ['lt', 'lessThan'],
    ['lte', 'atMost'],
  ])('reads op: %s as %s', (op, operator) => {
    expect(rulesSchema.parse({ path: 'score', op, value: 5 }).rules[0]).toMatchObject({ operator, value: 5 });
  });

  it.each<[unknown, string, (string | number)[]]>([
    [{}, 'reads nothing', []],
    [{ path: 'a' }, 'compares nothing', []],
    [{ is: 1 }, 'reads nothing', []],
    [{ path: 'a', is: 1, isNot: 2 }, 'both is and isNot', []],
    [{ path: 'a', is: 1, op: 'eq', value: 1 }, 'both is and op', []],
    [{ path: 'a', is: 1, value: 1 }, 'goes only with op:', ['value']],
    [{ path: 'a', op: 'eq' }, 'has no value', []],
    [{ path: 'a', greaterThan: 'ten' }, '"ten" is not a number', ['greaterThan']],
    [{ path: 'a', op: 'lt', value: true }, 'true is not a number', ['value']],
    [{ path: 'a', contains: '' }, 'Every text contains', ['contains']],
    [{ path: 'a', is: '{{b.text}}' }, 'Placeholders are not read in rules', ['is']],
    [{ path: 'a', is: null }, 'compares with text, a number, true or false', ['is']],
    [{ path: 'user-name', is: 1 }, '"user-name" is no plain name', ['path']],
    [{ path: 'text.size', is: 1 }, 'looks inside a text', ['path']],
    [{ all: [{ path: 'a', is: 1 }], path: 'b', is: 2 }, 'beside a list', []],
    [{ all: [{ path: 'a', is: 1 }], any: [{ path: 'a', is: 1 }] }, 'Both all: and any:', []],
    [{ any: [{ path: 'a', is: 1 }, { path: 'b' }] }, 'compares nothing', ['any', 1]],
    [{ all: [] }, '>=1', ['all']],
    [{ all: Array.from({ length: 17 }, () => ({ path: 'a', is: 1 })) }, '<=16', ['all']],
    [{ path: 'a', equals: 1 }, 'equals', []],
  ])('refuses %j', (written, message, path) => {
    const issues = rulesSchema.safeParse(written).error?.issues ?? [];
    expect(issues).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining(message), path }),
    );
  });

  it('gives rules without a step the step the edge leaves', () => {
    const rules = withStep(
      rulesSchema.parse({
        any: [
          { path: 'a', is: 1 },
          { step: 'b', path: 'a', is: 1 },
        ],
      }),
      'source',
    );
    expect(rules.rules.map((rule) => rule.step)).toEqual(['source', 'b']);
  });
});
