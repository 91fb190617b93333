import { evaluate as evaluateByLibrary } from '@marcbachmann/cel-js';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { parseExpression } from '../../../src/engine/data/cel.ts';
import { evaluateExpression } from '../../../src/engine/data/cel-evaluate.ts';
import { lookUp } from '../../../src/engine/data/path.ts';
import type { Lookup } from '../../../src/engine/data/scope.ts';
import type { JsonObject } from '../../../src/engine/json.ts';

const data: JsonObject = {
  input: { version: '1.2', count: 3, tags: ['a', 'b'], none: null, nested: { ok: true } },
  draft: { text: 'Hello', json: { score: 0.9, items: [{ n: 1 }, { n: 2 }], '': 1 } },
};

/** What an expression comes to: true, false, or why it can't be told. */
function result(source: string, of: JsonObject = data): boolean | string {
  const parsed = parseExpression(source);
  if (!parsed.ok) throw new Error(parsed.message);
  const lookup = ([root = '', ...path]: readonly string[]): Lookup => {
    if (!Object.hasOwn(of, root)) return { found: false, cause: 'not-run' };
    return lookUp(of[root] ?? null, path);
  };
  const decision = evaluateExpression(parsed.expression, lookup);
  return decision.ok ? decision.holds : decision.why;
}

describe('an expression', () => {
  test.each([
    ['true', true],
    ['input.count == 3', true],
    ['input.count == 3.0', true],
    ['input.count + 1 > 3.5', true],
    ['-input.count < 0 && !(1 > 2)', true],
    ['(input.count - 1) * 2 / 4 == 1 && 7 % 4 == 3', true],
    ['input.version == "1.2"', true],
    ['input.version == 1.2', false],
    ['input.version < "1.3"', true],
    ['input.version in ["1.2", "1.3"]', true],
    ['"nested" in input', true],
    ['"toString" in input', false],
    ['has(input.nested.ok) && input.nested.ok', true],
    ['has(input.missing)', false],
    ['has(input.missing.deeper)', false],
    ['has(input.none) && input.none == null', true],
    ['has(later.json.notes)', false],
    ['has(input.constructor) || has(input.toString)', false],
    ['size(input.tags) == 2 && input.tags.size() == 2', true],
    ['size("a👍") == 2', true],
    ['draft.text.contains("ell") && draft.text.startsWith("He") && draft.text.endsWith("lo")', true],
    ['draft.text.lowerAscii() == "hello" && draft.text.upperAscii() == "HELLO"', true],
    ['" a ".trim() == "a"', true],
    ['draft.text.matches("^H[a-z]+$")', true],
    ['string(input.count) == "3" && int("4") == 4 && double("0.5") == 0.5 && int(2.9) == 2', true],
    ['draft.json.items.all(x, x.n > 0)', true],
    ['draft.json.items.exists(x, x.n == 2)', true],
    ['draft.json.items.exists_one(x, x.n > 0)', false],
    ['draft.json.items.filter(x, x.n > 1).map(x, x.n) == [2]', true],
    ['draft.json.items.map(x, x.n > 1, x.n * 2) == [4]', true],
    ['draft.json.items.exists(x, input.tags.exists(y, x.n == size(y)))', true],
    ['input.nested.all(key, key == "ok")', true],
    ['draft["json"].items[1].n == 2', true],
    ['{"a": [1, "x", true]} == {"a": [1, "x", true]}', true],
    ['input.count > 2 ? draft.json.score > 0.5 : false', true],
    ['input.tags + ["c"] == ["a", "b", "c"] && "a" + "b" == "ab"', true],
    // The side that is not needed is not looked at.
    ['has(input.missing) && input.missing > 3', false],
    ['true || input.missing > 3', true],
  ])('%s is %s', (source, expected) => {
    expect(result(source)).toBe(expected);
  });

  test.each([
    ['input.missing > 3', 'input.missing: there is no such value'],
    ['later.json.ok', 'later.json.ok: that step has not run'],
    ['input.missing > 3 || true', 'input.missing: there is no such value'],
    ['input.version > 3', "a text and a number can't be compared"],
    ['input.count', 'it gives a number, not true or false'],
    ['input.none', 'it gives null, not true or false'],
    ['!input.version', 'a text stands where true or false is needed'],
    ['input.tags[2] == "c"', 'a list has nothing at 2'],
    ['input.tags[-1] == "c"', 'a list has nothing at -1'],
    ['input["constructor"] == 1', 'an object has nothing at "constructor"'],
    ['draft.json.items.exists(x, x.m == 1)', 'there is no field m'],
    ['input.count / 0 > 1', 'a sum has no result'],
    ['int(input.tags) == 1', 'a list is no number'],
    ['input.version.all(x, true)', 'all looks at a list or an object, not a text'],
    ['1 in input.version', 'in looks into a list or an object, not a text'],
    ['draft.text + 1 == "x"', 'a text stands where a number is needed'],
  ])('%s is undecided: %s', (source, why) => {
    expect(result(source)).toBe(why);
  });

  test.each([
    ['1 +', "The expression can't be read: Unexpected token: EOF."],
    ['draft.text', 'The expression gives a value of type string, not true or false.'],
    ['size(draft.text)', 'The expression gives a value of type int, not true or false.'],
    ['"yes"', 'The expression gives a value of type string, not true or false.'],
    ['"a" == 1', 'The expression can never be worked out: no such overload: string == int.'],
    ['let.json.x == 1', "The expression can't be read: Reserved identifier: let."],
    ['__proto__.json.x == 1', "The expression can't be read: Reserved identifier: __proto__."],
    ['input.?a == 1', "The expression can't be read: Expected IDENTIFIER, got QUESTION."],
    ['timestamp(input.version) > timestamp(input.version)', 'Expressions have no "timestamp" of this form.'],
    ['cel.bind(x, 1, x == 1)', 'Expressions have no "bind" of this form.'],
    ['input.version.matches(input.pattern)', 'The pattern of matches is not fixed.'],
    [
      'input.version.matches("(a+)+")',
      '"(a+)+" repeats a group that itself can match in several ways; some texts would take for ever.',
    ],
    ['99999999999999999999 == input.count', '99999999999999999999 is too large a number.'],
    ['b"a" == b"a"', 'Bytes and unsigned numbers are not known here.'],
    [`${'('.repeat(100)}true${')'.repeat(100)}`, "The expression can't be read: Exceeded maxDepth (32)."],
    [`true${' && true'.repeat(240)}`, "The expression can't be read: Exceeded maxAstNodes (400)."],
    [`"${'x'.repeat(2_000)}" == ""`, 'The expression has 2,008 characters; at most 2,000 are allowed.'],
  ])('is refused at load: %s', (source, message) => {
    const parsed = parseExpression(source);
    expect(parsed.ok ? undefined : parsed.message.split('\n')[0]).toBe(message);
  });

  it('names the data that it reads, but not the items of its loops', () => {
    const parsed = parseExpression('draft.json.items.exists(x, x.n == input.count) && has(draft.json.items)');
    expect(parsed.ok && parsed.expression.reads).toEqual([
      ['draft', 'json', 'items'],
      ['input', 'count'],
    ]);
  });

  test.each([
    ['a loop in a loop', 'input.a.all(x, input.a.all(y, x != -1 && y != -1))'],
    ['long texts compared over and over', 'input.a.all(x, input.t == input.u)'],
    ['long texts searched for long texts', 'input.t.contains(input.v)'],
    ['long texts read as numbers over and over', 'input.a.all(x, int(input.n) == 1)'],
    ['lists that grow', 'input.a.all(x, size(input.a + input.a) > 0)'],
    ['a large list searched over and over', 'input.a.all(x, !(-1 in input.a))'],
  ])('gives up on %s', (_, source) => {
    const a = Array.from({ length: 1_000 }, (_unused, index) => index);
    const [t, u, v] = ['x'.repeat(1_000_000), 'x'.repeat(1_000_000), 'x'.repeat(10_000)];
    const n = `${'0'.repeat(1_000_000)}1`;
    expect(result(source, { input: { a, t, u: `${u}`, v, n } })).toBe(
      'that is too much work over so much data',
    );
  });

  it('comes to the same as by the library, wherever both decide', () => {
    const value = fc.oneof(
      fc.integer({ min: -5, max: 5 }),
      fc.constantFrom('a', 'b', ''),
      fc.boolean(),
      fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 3 }),
    );
    const atom = fc.constantFrom(
      'input.a',
      'input.b',
      '1.0',
      '"a"',
      'true',
      'double(size(input.l))',
      'input.l',
    );
    const compared = fc
      .tuple(atom, fc.constantFrom('==', '!=', '<', '<=', '>', '>=', 'in', '+'), atom)
      .map(([left, operator, right]) =>
        operator === '+' ? `${left} + ${right} == ${right}` : `${left} ${operator} ${right}`,
      );
    const part = fc.oneof(
      compared,
      fc.constantFrom('has(input.a)', 'input.l.exists(x, x == 1.0)', 'input.l.all(x, x > input.a)'),
    );
    const whole = fc
      .tuple(part, fc.constantFrom('&&', '||'), part)
      .map(([left, operator, right]) => `(${left}) ${operator} !(${right})`);
    fc.assert(
      fc.property(whole, value, value, fc.array(fc.integer({ min: 0, max: 3 })), (source, a, b, l) => {
        const input = { a, b, l };
        const parsed = parseExpression(source);
        const ours = parsed.ok ? result(source, { input }) : 'refused';
        if (typeof ours === 'string') return;
        let theirs: unknown;
        try {
          theirs = evaluateByLibrary(source, { input });
        } catch {
          return;
        }
        expect(ours).toBe(theirs);
      }),
    );
  });

  it('never throws, whatever is written and whatever it reads', () => {
    const piece = fc.constantFrom(
      ...'input input.a . a [ ] ( ) { } , : ? " == < in && || ! - + 1 true null has size x all exists'.split(
        ' ',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), fc.jsonValue(), (pieces, a) => {
        const parsed = parseExpression(pieces.join(''));
        if (!parsed.ok) return;
        const input: JsonObject = JSON.parse(JSON.stringify({ a }));
        expect(['boolean', 'string']).toContain(typeof result(parsed.expression.source, { input }));
      }),
    );
  });
});
