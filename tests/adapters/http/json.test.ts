import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../../src/adapters/http/json.ts';

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

  test('numbers that a number cannot hold become text', () => {
    expect(parseJson('[9007199254740993,1]')).toEqual({ body: ['9007199254740993', 1] });
  });

  test('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'[]{}",:\\-1e. ') }), (text) => void parseJson(text)),
    );
  });
});
