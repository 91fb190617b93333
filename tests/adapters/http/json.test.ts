import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../../src/adapters/http/json.ts';

describe('numbers that a number cannot hold become text', () => {
  test.each([
    ['1234567890123456789', '1234567890123456789'],
    ['-1234567890123456789', '-1234567890123456789'],
    ['9007199254740993', '9007199254740993'],
    ['9007199254740991', 9007199254740991],
    ['9007199254740992', 9007199254740992],
    ['10000000000000000', 1e16],
    ['0.12345678901234567890', 0.12345678901234568],
    ['1e400', '1e400'],
    ['-1E+400', '-1E+400'],
    ['1e-400', 0],
    ['1.7e308', 1.7e308],
    ['[1234567890123456789,1,[1234567890123456788]]', ['1234567890123456789', 1, ['1234567890123456788']]],
    ['{"1234567890123456789": 1234567890123456789 }', { '1234567890123456789': '1234567890123456789' }],
    ['"1234567890123456789 \\" 1234567890123456789"', '1234567890123456789 " 1234567890123456789'],
    ['["\\\\", 1234567890123456789]', ['\\', '1234567890123456789']],
  ])('%s', (text, body) => {
    expect(parseJson(text)).toEqual({ body });
  });

  test('and all other JSON stays as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.bigInt({ min: 10n ** 16n, max: 10n ** 30n }), (value, large) => {
        fc.pre(!/(?<![\d.])\d{16}/.test(JSON.stringify(value)));
        const text = JSON.stringify([value]).replace(/\]$/, `,${large}]`);
        const exact = BigInt(Number(large)) === large ? Number(large) : String(large);
        expect(parseJson(text).body).toEqual([...JSON.parse(JSON.stringify([value])), exact]);
      }),
    );
  });
});

describe('JSON that a stranger wrote', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

  test('C53: nested 200,000 deep', () => {
    expect(parseJson(nested(200_000))).toEqual({
      body: null,
      bodyFault: 'The JSON of the answer is nested deeper than 200 levels.',
    });
  });

  test('200 levels are read and 201 are not; brackets in text do not count', () => {
    expect(JSON.stringify(parseJson(nested(200)).body)).toBe(nested(200));
    expect(parseJson(nested(201))).toHaveProperty('bodyFault');
    expect(parseJson(`["${'['.repeat(300)}","\\"${'['.repeat(300)}"]`)).not.toHaveProperty('bodyFault');
  });

  test('C53: a list of 2 million items', () => {
    const { body } = parseJson(`[${'1,'.repeat(2_000_000)}1234567890123456789]`);
    expect(body).toHaveLength(2_000_001);
  });

  test.each(['{"__proto__":{"admin":true}}', '{"__proto__":{"admin":1234567890123456789}}'])(
    '%s is data and changes nothing else',
    (text) => {
      const { body } = parseJson(text);
      expect(Object.keys(body ?? {})).toEqual(['__proto__']);
      expect(body).not.toHaveProperty('admin');
      expect({}).not.toHaveProperty('admin');
    },
  );

  test('a fault says where and never quotes', () => {
    const { body, bodyFault } = parseJson('{"token": sk-abc}');
    expect(body).toBeNull();
    expect(bodyFault).toMatch(/^The answer says it is JSON, but it is not valid JSON/);
    expect(bodyFault).not.toContain('sk');
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'[]{}",:\\-1e. ') }), (text) => void parseJson(text)),
    );
  });
});
