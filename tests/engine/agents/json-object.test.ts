import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readObject } from '../../../src/engine/agents/json-object.ts';
import { parseExact } from '../../../src/engine/data/exact-json.ts';

const fence = '```';
const block = (body: string, mark = 'json') => `${fence}${mark}\n${body}\n${fence}`;

describe('the object in a reply', () => {
  it.each([
    [
      'is a block with a fence inside of a value',
      block('{"m":"```bash\\nls\\n```"}'),
      { m: '```bash\nls\n```' },
    ],
    [
      'is the JSON block behind prose and another block',
      `First:\n${block('echo {"a":2}', 'bash')}\nThen:\n${block('{"a":1}')}`,
      { a: 1 },
    ],
    ['is there without a fence', 'Sure! Here is `it`: {"a":1}', { a: 1 }],
    ['is the last of two blocks', `Draft:\n${block('{"a":1}')}\nFinal:\n${block('{"a":2}')}`, { a: 2 }],
    ['is a block between tildes', '~~~json\n{"a":1}\n~~~', { a: 1 }],
    ['is a block that is never closed', '```json\n{"a":1}\n', { a: 1 }],
    ['is a block without a mark', block('{"a":1}', ''), { a: 1 }],
    ['is a block with other line ends', '```json\r\n{"a":1}\r\n```\r\nDone.', { a: 1 }],
    ['is a block closed on the same line', '```json\n{"a":1}```\nDone.', { a: 1 }],
    ['is a block with a longer fence', '````json\n{"a":"\\n```\\n"}\n````', { a: '\n```\n' }],
    ['is a block before a block of code', `${block('{"a":1}')}\n${block('{ ls; }', '')}`, { a: 1 }],
    ['is a block, whatever stands in the prose', `{"a":0}\n${block('{"a":1}')}\n{"a":2}`, { a: 1 }],
  ])('C58: %s', (_, reply, object) => {
    expect(readObject(reply)).toEqual(object);
  });

  it.each([
    ['before a citation', '{"verdict":"approve"}\nSources: [1] {x}', { verdict: 'approve' }],
    ['between words', 'Result: {"a":1}. See [docs].', { a: 1 }],
    ['behind a citation', 'As [1] says: {"a":[1]}', { a: [1] }],
    ['with brackets in its texts', '{"a":"}]\\"{"}', { a: '}]"{' }],
  ])('C59: is the first whole one %s', (_, reply, object) => {
    expect(readObject(reply)).toEqual(object);
  });

  it.each([
    ['two objects', '{"a":1}{"a":2}'],
    ['a broken object before a whole one', '{"a":1,} {"a":1}'],
    ['a list', '[{"a":1}]'],
    ['a list in a block', block('[{"a":1}]')],
    ['two objects in a block', block('{"a":1}{"a":2}')],
    ['a trailing comma', '{"a":1,}'],
    ['a trailing comma around an object', '{"a":{"b":1},}'],
    ['single quotes', "{'a':1}"],
    ['single quotes around an object', `{'a':{"b":1}}`],
    ['a comment', '{\n// the answer\n"a":1}'],
    ['a comment in a block', block('{\n// the answer\n"a":1}')],
    ['a cut reply', '{"a":1,"b":"wor'],
    ['a cut list', '[{"a":1},{"a":'],
    ['a cut block', '```json\n{"a":1,"b":'],
    ['a draft before a cut block', `${block('{"a":1}')}\n${fence}json\n{"a":2,"b`],
    ['a draft before a cut block without a mark', `${block('{"a":1}', '')}\n${fence}\n{"a":2,"b`],
    ['a second object that is cut', '{"a":1} {"a":'],
    ['an object in a block of code', block('{"a":1}', 'python')],
    ['a line break in a text', '{"a":"x\ny"}'],
    ['objects without end', `${'{"a":'.repeat(300)}1${'}'.repeat(300)}`],
    ['nothing', ''],
    ['prose', 'I am done.'],
    ['an empty block', block('')],
    ['a text', '"{\\"a\\":1}"x'],
  ])('C59: is not there in %s', (_, reply) => {
    expect(readObject(reply)).toBeUndefined();
  });

  it('keeps ids whole that a number can not hold', () => {
    expect(readObject('{"id":1234567890123456789,"n":12}')).toEqual({ id: '1234567890123456789', n: 12 });
  });

  it('is found again, whatever is in it', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })),
        fc.boolean(),
        (data, isIndented) => {
          const json = JSON.stringify(data, null, isIndented ? 2 : 0);
          const same = parseExact(json);
          expect(readObject(json)).toEqual(same);
          expect(readObject(`Sure:\n${block(json)}\nSee [1].`)).toEqual(same);
        },
      ),
    );
  });

  it('is an object, or nothing, for any reply', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      '\\',
      '```',
      '~~~',
      'json',
      '\n',
      ' ',
      ':',
      ',',
      'a',
      '1',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const object = readObject(pieces.join(''));
        expect(object === undefined || (typeof object === 'object' && !Array.isArray(object))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    '{',
    '[',
    '"',
    '{"a":',
    '{}',
    '[1]',
    '```\n',
    '```json\n{',
    '``` ',
    '~~~\n{"a":1}\n',
    '{"\\"',
    '\\',
    ' \n',
    '`',
    '{x}',
    '{"x"}',
    '```json\n{"x"}\n```\n',
    '```\n```\n{"x"}',
    '\t',
  ])('is looked for in time that grows with the reply only: %j', (piece) => {
    const reply = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const startMs = performance.now();
    readObject(reply);
    readObject(`${reply}{"a":1}`);
    expect(performance.now() - startMs).toBeLessThan(8_000);
  });

  it.each(['~', '```', '``` ', '~~~js ', '```a'])(
    'is looked for in such time behind a fence in a line without an end: %j',
    (fence) => {
      const startMs = performance.now();
      for (const more of [' ', 'a', fence.slice(0, 1)]) readObject(fence + more.repeat(1_000_000));
      expect(performance.now() - startMs).toBeLessThan(2_000);
    },
  );
});
