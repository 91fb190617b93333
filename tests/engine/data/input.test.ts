import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  checkInput,
  coerceText,
  compileInput,
  formFields,
  inputFromText,
} from '../../../src/engine/data/input.ts';
import { patternFault } from '../../../src/engine/data/pattern.ts';
import type { Json, JsonObject } from '../../../src/engine/json.ts';

const release: JsonObject = {
  type: 'object',
  properties: {
    version: { type: 'string', title: 'Version', minLength: 1 },
    count: { type: 'integer', minimum: 1, maximum: 5, default: 2 },
    urgent: { type: 'boolean' },
    env: { enum: ['test', 'prod'] },
    tags: { type: 'array', items: { type: 'string' } },
    share: { type: 'number' },
  },
  required: ['version'],
  additionalProperties: false,
};
const sole: JsonObject = { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] };

function faultsOf(schema: JsonObject): readonly string[] {
  const compiled = compileInput(schema);
  return compiled.ok ? [] : compiled.faults.map((fault) => `${fault.path.join('.')}: ${fault.message}`);
}

describe('the schema of an input', () => {
  it('may use what JSON Schema has, as long as it is complete in itself', () => {
    expect(faultsOf(release)).toEqual([]);
    const shared = {
      ...sole,
      properties: { a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/A' } },
      $defs: { A: { type: 'string' } },
    };
    expect(faultsOf(shared)).toEqual([]);
    expect(faultsOf({ ...sole, $schema: 'http://json-schema.org/draft-07/schema#' })).toEqual([]);
    expect(faultsOf({ ...sole, default: { $ref: 'x', pattern: '(a+)+' } })).toEqual([]);
  });

  const property = (field: Json): JsonObject => ({ type: 'object', properties: { a: field } });
  test.each<[string, JsonObject, string]>([
    ['a text on top', { type: 'string' }, 'type: An input has an object on top.'],
    ['no type on top', {}, 'type: An input has an object on top.'],
    [
      'a name placeholders cannot read',
      { type: 'object', properties: { 'user-name': {} } },
      'properties.user-name: "user-name" can\'t be the name of an input: placeholders could not read it.',
    ],
    [
      'an unknown type',
      property({ type: 'text' }),
      'properties.a.type: properties.a.type is no type of JSON Schema.',
    ],
    [
      'a remote $ref',
      property({ $ref: 'https://example.com/s.json' }),
      'properties.a.$ref: $ref "https://example.com/s.json" is not in this schema.',
    ],
    [
      'a $ref to nothing',
      property({ $ref: '#/$defs/No' }),
      'properties.a.$ref: $ref "#/$defs/No" is not in this schema.',
    ],
    [
      'an endless $ref',
      { ...property({ $ref: '#/$defs/A' }), $defs: { A: { items: { $ref: '#/$defs/A' } } } },
      '$defs.A.items.$ref: $ref "#/$defs/A" leads back to itself.',
    ],
    [
      'a hanging pattern',
      property({ type: 'string', pattern: '^(a+)+$' }),
      'properties.a.pattern: "^(a+)+$" repeats a group that itself can match in several ways; some texts would take for ever.',
    ],
    [
      'a broken pattern',
      property({ type: 'string', pattern: '(' }),
      'properties.a.pattern: "(" is not a regular expression.',
    ],
    [
      'a long pattern',
      property({ type: 'string', pattern: 'a'.repeat(201) }),
      'properties.a.pattern: The pattern has 201 characters; at most 200 are allowed.',
    ],
    [
      'a default that does not fit',
      property({ type: 'integer', default: 'x' }),
      'properties.a.default: The default of a is not what its schema asks for.',
    ],
    ['a check that answers later', { ...sole, $async: true }, "$async: $async can't be used in an input."],
  ])('is refused with %s', (_, schema, fault) => {
    expect(faultsOf(schema)).toContain(fault);
  });

  it('cannot stand for a huge one', () => {
    const names = Array.from({ length: 20 }, (_, index) => `D${index}`);
    const $defs = Object.fromEntries(
      names.map((name, index) => [
        name,
        { allOf: [{ $ref: `#/$defs/D${index + 1}` }, { $ref: `#/$defs/D${index + 1}` }] },
      ]),
    );
    expect(
      faultsOf({ type: 'object', properties: { a: { $ref: '#/$defs/D0' } }, $defs: { ...$defs, D20: {} } }),
    ).toContain(': The input is too large to be checked quickly.');
  });

  it('never throws, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('type', 'properties', '$ref', 'pattern', 'allOf', '$defs', 'items', 'x'),
          fc.jsonValue(),
        ),
        (schema) => {
          compileInput(schema as JsonObject);
        },
      ),
    );
  });
});

describe('patterns', () => {
  test.each([
    '^[a-z]+$',
    '^[a-z]+(-[a-z]+)*$',
    '^v?\\d+(\\.\\d+)*$',
    '^(?:ab)+$',
    '^[A-Z]{2}\\d{4}$',
    '^(?=.*\\d).{8,}',
    '^\\d{1,3}(?:,\\d{3})*$',
    '^\\d+\\.\\d+\\.\\d+$',
    '^[a-z]+-[0-9]+$',
    '^[A-Z]{2,5}-\\d+$',
    '^[\\w.+-]+@[\\w-]+\\.[\\w.]+$',
    '^https?:\\/\\/\\S+$',
    '^[a-z][a-z0-9-]*[a-z0-9]$',
    '^(test|prod)$',
  ])('takes %s', (pattern) => {
    expect(patternFault(pattern)).toBeUndefined();
  });
  test.each([
    '(a*)*',
    '(a|a)*',
    '(a?)+',
    '([a-z]+)*',
    '(-[a-z-]+)*',
    '(-.+)+',
    '((ab)+)+',
    '(a)\\1',
    '(\\.\\D+)*',
    '(x[a-z]{2,})+',
    '^[a-z]+[a-z0-9]*[a-z0-9-]*[a-z0-9.]*@example\\.com$',
    '^\\d*\\d*\\d*\\d*x',
    '^a*a*a*$',
    '^(ab)*(ab)*(ab)*x',
    '^(-[a-z]+[a-z]+)*x',
    `^${'a?'.repeat(90)}$`,
    `^${'(a|a)'.repeat(35)}x$`,
    '^a{0,90}a{0,90}a{0,90}x',
    '^(?=a*(?=a*(?=a*b)))c',
    '^é*é*é*x',
    '.*.*x',
    '(?<=a*a*)b',
    '^(?i:a*)$',
  ])('refuses %s', (pattern) => {
    expect(patternFault(pattern)).toBeDefined();
  });
});

it('a pattern that is taken answers at once on the longest text', () => {
  const atom = fc.constantFrom('a', '[ab]', '\\w', '.', '-', '\\.', '(a|b)', '(?:-a)', '(?=a)', '\\b');
  const times = fc.constantFrom('', '', '*', '+', '?', '{1,30}', '*?', '{2}');
  const part = fc
    .tuple(atom, times)
    .map(([one, many]) => (one === '\\b' || one === '(?=a)' ? one : one + many));
  const group = fc.tuple(fc.array(part, { minLength: 1, maxLength: 4 }), times);
  const pattern = fc
    .tuple(
      fc.constantFrom('^', ''),
      fc.array(
        fc.oneof(
          part,
          group.map(([p, t]) => `(${p.join('')})${t}`),
        ),
      ),
    )
    .map(([start, parts]) => `${start}${parts.join('')}!`);
  fc.assert(
    fc.property(pattern, (source) => {
      if (patternFault(source) !== undefined) return;
      const expression = new RegExp(source, 'u');
      for (const text of ['a', '-a', '-', 'ab'])
        expect(expression.test(text.repeat(1000).slice(0, 1000))).toBe(false);
    }),
    { numRuns: 2000 },
  );
});

describe('an input', () => {
  it('arrives as a copy with its defaults', () => {
    const given = { version: '1.2' };
    expect(checkInput(release, given)).toEqual({ ok: true, input: { version: '1.2', count: 2 } });
    expect(given).toEqual({ version: '1.2' });
  });

  test.each<[Json, readonly string[]]>([
    [{}, ['Version is missing']],
    ['text', ['the input must be an object']],
    [null, ['the input must be an object']],
    [{ version: '' }, ['Version must not be empty']],
    [{ version: '1', count: 1.5 }, ['count must be a whole number']],
    [{ version: '1', count: 9 }, ['count must be at most 5']],
    [{ version: '1', env: 'dev' }, ['env must be one of test, prod']],
    [{ version: '1', tags: ['a', 1] }, ['tags.1 must be text']],
    [{ version: '1', colour: 'red' }, ['colour is not an input of this flow']],
    [
      { count: 'x', urgent: 'y' },
      ['Version is missing', 'count must be a whole number', 'urgent must be true or false'],
    ],
  ])('%j hears %j', (input, messages) => {
    const checked = checkInput(release, input);
    expect(checked.ok ? [] : checked.problems.map((problem) => problem.message)).toEqual(messages);
  });

  it('is told by the titles that its form shows; the field keeps its name', () => {
    const from = { type: 'string', format: 'date', title: 'Day' };
    const tags = { type: 'array', items: { type: 'string' }, title: ' Tags ' };
    const schema = {
      type: 'object',
      properties: {
        from,
        to: { $ref: '#/$defs/To' },
        tags,
        plain: { type: 'string', title: ' ' },
        odd: { type: 'string', title: 'plain' },
      },
      required: ['from', 'to', 'plain', 'odd'],
      $defs: { To: from },
    };
    const checked = checkInput(schema, { tags: [1] });
    expect(checked.ok ? [] : checked.problems).toEqual([
      { field: 'from', message: 'Day is missing' },
      { field: 'to', message: 'Day is missing' },
      { field: 'plain', message: 'plain is missing' },
      { field: 'odd', message: 'plain is missing' },
      { field: 'tags.0', message: 'Tags.0 must be text' },
    ]);
    expect(coerceText(schema, { from: 'x', tags: '[' }).problems).toEqual([
      { field: 'tags', message: 'Tags must be a list, such as ["a", "b"]' },
    ]);
  });

  test.each<[JsonObject, readonly string[]]>([
    [{ digits: '12', word: 'ab', 'x-1': 1 }, []],
    [{ digits: 'ab', word: '12' }, ['digits must look like ^\\d+$', 'word must look like ^[a-z]+$']],
    [{ digits: 'A', word: 'A' }, ['digits must look like ^\\d+$', 'word must look like ^[a-z]+$']],
    [{ 'x-1': 'text' }, ['x-1 must be a whole number']],
    [{ 'y-1': 'text' }, ['y-1 must be true or false']],
    [{ 'z-1': true }, ['z-1 is not an input of this flow']],
  ])('each of several patterns has a say of its own: %j', (input, messages) => {
    const schema = {
      type: 'object',
      properties: {
        digits: { type: 'string', pattern: '^\\d+$' },
        word: { type: 'string', pattern: '^[a-z]+$' },
      },
      patternProperties: { '^x-': { type: 'integer' }, '^y-': { type: 'boolean' } },
      additionalProperties: false,
    };
    const checked = checkInput(schema, input);
    expect(checked.ok ? [] : checked.problems.map((problem) => problem.message)).toEqual(messages);
  });

  it('may have fields named as what every object has', () => {
    const schema = {
      type: 'object',
      properties: {
        constructor: { type: 'string' },
        toString: { type: 'integer', default: 3 },
        valueOf: { type: 'integer' },
      },
      required: ['constructor'],
      additionalProperties: false,
    };
    expect(compileInput(schema)).toEqual({ ok: true });
    expect(checkInput(schema, JSON.parse('{"constructor":"a"}'))).toEqual({
      ok: true,
      input: { constructor: 'a', toString: 3 },
    });
    expect(checkInput(schema, {})).toMatchObject({ problems: [{ message: 'constructor is missing' }] });
  });

  it('a text too long for its pattern never matches', () => {
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^a*$' } } };
    expect(checkInput(schema, { a: 'a'.repeat(1000) }).ok).toBe(true);
    expect(checkInput(schema, { a: 'a'.repeat(1001) })).toEqual({
      ok: false,
      problems: [{ field: 'a', message: 'a must look like ^a*$' }],
    });
  });
});

describe('text becomes an input', () => {
  test.each<[string, JsonObject]>([
    ['version=1.2', { version: '1.2', count: 2 }],
    ['version=1.10 count=3 urgent=yes share=0.5', { version: '1.10', count: 3, urgent: true, share: 0.5 }],
    ['version="1.2 beta" env=prod', { version: '1.2 beta', env: 'prod', count: 2 }],
    ['Version=1 tags=a,b', { version: '1', tags: ['a', 'b'], count: 2 }],
    ['version=1 tags=\'["a, b", "c"]\'', { version: '1', tags: ['a, b', 'c'], count: 2 }],
    ['version=a=b&c', { version: 'a=b&c', count: 2 }],
  ])('%s', (text, input) => {
    expect(inputFromText(release, text)).toEqual({ input, missing: [], problems: [] });
  });

  const deploy: JsonObject = {
    type: 'object',
    properties: { env: { type: 'string' }, reason: { type: 'string' } },
  };
  test.each([
    ['—env=“prod eu” –-reason=‘Bo’s fix’'],
    ['—env=“prod eu”\u00A0–-reason=‘Bo’s fix’'],
    ['\u200B—env=“prod eu” \u200B–-reason=‘Bo’s fix’'],
    ['--env="prod eu" --reason="Bo’s fix"'],
  ])('C11: %s is read as if typed with plain signs', (text) => {
    expect(inputFromText(deploy, text)).toEqual({
      input: { env: 'prod eu', reason: 'Bo’s fix' },
      missing: [],
      problems: [],
    });
  });

  test.each<[string, JsonObject]>([
    ['the weather in Oslo', { topic: 'the weather in Oslo' }],
    ['  a=b and "c ', { topic: 'a=b and "c' }],
    ['topic=Oslo', { topic: 'Oslo' }],
    ['--topic="Oslo and Bergen"', { topic: 'Oslo and Bergen' }],
    ['topic=Oslo and Bergen', { topic: 'topic=Oslo and Bergen' }],
  ])('a sole text field takes %j whole', (text, input) => {
    expect(inputFromText(sole, text)).toEqual({ input, missing: [], problems: [] });
  });

  it('names what is missing', () => {
    expect(inputFromText(sole, ' ')).toEqual({
      input: {},
      missing: [{ field: 'topic', message: 'topic is missing' }],
      problems: [],
    });
    expect(inputFromText(release, 'env=prod')).toEqual({
      input: { env: 'prod' },
      missing: [{ field: 'version', message: 'Version is missing' }],
      problems: [],
    });
  });

  test.each<[string, readonly string[]]>([
    ['version=1 "unclosed', ['"\\"unclosed" is not written as key=value; values with spaces need quotes']],
    ['version="unclosed', ['version has a quote that is never closed']],
    ['verison=1', ['verison is not an input of this flow. Did you mean "version"?']],
    ['version=1 version=2', ['Version is given twice']],
    ['version=1 count=many', ['count must be a whole number']],
    ['version=1 count=9', ['count must be at most 5']],
    ['version=1 count=9007199254740993', ['count must be a whole number']],
    ['version=1 tags=[a', ['tags must be a list, such as ["a", "b"]']],
  ])('C71: %s is answered, not obeyed', (text, messages) => {
    expect(inputFromText(release, text).problems.map((problem) => problem.message)).toEqual(messages);
  });

  it('C71: 40,000 characters are only text', () => {
    expect(inputFromText(release, 'x'.repeat(40_000)).problems).toHaveLength(1);
    expect(inputFromText(release, '"='.repeat(20_000)).problems).not.toEqual([]);
  });

  it('never throws and only yields inputs that pass their own check', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        const read = inputFromText(release, text);
        if (read.missing.length + read.problems.length === 0)
          expect(checkInput(release, read.input).ok).toBe(true);
      }),
    );
  });
});

describe('forms', () => {
  it('have a field for each input, filled with what is known', () => {
    expect(formFields(release, { version: '1.2' }, 'slack')).toEqual([
      { id: 'version', label: 'Version', type: 'text', required: true, initial: '1.2', minLength: 1 },
      { id: 'count', label: 'count', type: 'integer', required: false, initial: '2', min: 1, max: 5 },
      { id: 'urgent', label: 'urgent', type: 'boolean', required: false },
      { id: 'env', label: 'env', type: 'select', required: false, options: ['test', 'prod'] },
      { id: 'tags', label: 'tags', type: 'text', required: false, hint: 'A list, separated by commas' },
      { id: 'share', label: 'share', type: 'number', required: false },
    ]);
  });

  it('know lists of choices and long texts', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: {
        areas: { type: 'array', items: { enum: ['a', 'b'] }, description: 'Which?' },
        notes: { $ref: '#/$defs/Notes' },
      },
      $defs: { Notes: { type: 'string', maxLength: 3000 } },
    };
    expect(formFields(schema, { areas: ['a'] }, 'slack')).toEqual([
      {
        id: 'areas',
        label: 'areas',
        type: 'multiselect',
        required: false,
        hint: 'Which?',
        initial: '["a"]',
        options: ['a', 'b'],
      },
      { id: 'notes', label: 'notes', type: 'multiline', required: false, maxLength: 3000 },
    ]);
  });

  test.each<[JsonObject, object]>([
    [{ format: 'date' }, { type: 'date' }],
    [{ type: 'string', format: 'time' }, { type: 'time' }],
    [{ type: 'string', format: 'date-time' }, { type: 'datetime' }],
    [{ type: 'string', format: 'slack-user' }, { type: 'user' }],
    [{ type: 'string', format: 'slack-channel' }, { type: 'channel' }],
    [
      { type: 'string', format: 'discord-user' },
      { type: 'text', hint: 'The id of a person on Discord, such as 900000000000000002' },
    ],
    [
      { type: 'string', format: 'discord-role', description: 'Which?' },
      { type: 'text', hint: 'Which?' },
    ],
    [
      { type: 'string', format: 'email', maxLength: 80 },
      { type: 'text', maxLength: 80 },
    ],
    [
      { type: 'string', contentMediaType: 'text/markdown', minLength: 2 },
      { type: 'multiline', minLength: 2 },
    ],
    [{ type: 'string', contentMediaType: 'image/png' }, { type: 'text' }],
    [
      { type: 'number', minimum: 0.5, maximum: 9.5 },
      { type: 'number', min: 0.5, max: 9.5 },
    ],
    [
      { type: 'number', minimum: 1, exclusiveMinimum: 2 },
      { type: 'number', min: 2 },
    ],
    [
      { type: 'integer', minimum: 0.5, maximum: 9.5 },
      { type: 'integer', min: 1, max: 9 },
    ],
    [
      { type: 'integer', exclusiveMinimum: 0, exclusiveMaximum: 10 },
      { type: 'integer', min: 1, max: 9 },
    ],
    [{ type: 'boolean', minimum: 1, maxLength: 3 }, { type: 'boolean' }],
  ])('on Slack show %j as %j', (field, shown) => {
    const schema = { type: 'object', properties: { a: field } };
    expect(formFields(schema, {}, 'slack')).toEqual([{ id: 'a', label: 'a', required: false, ...shown }]);
  });

  test.each(['evil', 'constructor', '__proto__', 'toString'])(
    'refuses %s, which nobody asked for',
    (name) => {
      const read = coerceText(release, JSON.parse(`{"version":"1","${name}":"x","empty":""}`));
      expect(read.problems).toEqual([
        { field: name, message: expect.stringContaining(`${name} is not an input of this flow.`) },
      ]);
      expect(Object.keys(read.input)).toEqual(['version']);
    },
  );

  it('give back typed values', () => {
    expect(
      coerceText(release, { version: '1.10', count: '3', urgent: '', tags: '["a","b"]', env: 'prod' }),
    ).toEqual({
      input: { version: '1.10', count: 3, tags: ['a', 'b'], env: 'prod' },
      problems: [],
    });
  });
});

describe('mentions in what was typed', () => {
  const ana = { shown: '@Ana', typed: '<@U0ANA>' };
  const otherAna = { shown: '@Ana', typed: '<@U0OTHERANA>' };
  const anaMaria = { shown: '@Ana Maria', typed: '<@U0ANAMARIA>' };
  const ops = { shown: '#ops', typed: '<#C0OPS>' };
  const person = { type: 'string', format: 'slack-user' } as const;
  const text = { type: 'string' } as const;
  const people = { type: 'array', items: person } as const;
  const object = (properties: JsonObject) => ({ type: 'object', properties }) as const;

  it.each([
    [object({ who: person }), '@Ana', [ana], { who: 'U0ANA' }],
    [object({ who: person }), 'who=@Ana Maria', [anaMaria], { who: 'U0ANAMARIA' }],
    [
      object({ who: person, where: { type: 'string', format: 'slack-channel' } }),
      'where=#ops who=@Ana Maria',
      [ops, anaMaria],
      { where: 'C0OPS', who: 'U0ANAMARIA' },
    ],
    [
      object({ who: person, note: text }),
      'who=@Ana note="thank @Ana Maria"',
      [ana, anaMaria],
      { who: 'U0ANA', note: 'thank @Ana Maria' },
    ],
    [object({ all: people }), 'all=@Ana,@Ana Maria', [ana, anaMaria], { all: ['U0ANA', 'U0ANAMARIA'] }],
    [object({ all: people }), 'all=@Ana Maria,@Ana', [anaMaria, ana], { all: ['U0ANAMARIA', 'U0ANA'] }],
    [object({ note: text }), 'ask @Ana about <@U0ANA>', [ana], { note: 'ask @Ana about <@U0ANA>' }],
    [
      object({ from: person, to: person }),
      'from=@Ana to=@Ana',
      [ana, otherAna],
      { from: 'U0ANA', to: 'U0OTHERANA' },
    ],
    [
      object({ from: person, to: person }),
      'from=@Ana to=@Ana',
      [otherAna, ana],
      { from: 'U0OTHERANA', to: 'U0ANA' },
    ],
    [object({ from: person, to: person }), 'from=@Ana to=@Ana', [ana, ana], { from: 'U0ANA', to: 'U0ANA' }],
    [
      object({ who: person, note: text }),
      'note="for @Ana" who=@Ana',
      [ana, otherAna],
      { note: 'for @Ana', who: 'U0OTHERANA' },
    ],
    [object({ who: person }), 'who=@Ana', [ops, ana], { who: 'U0ANA' }],
  ])('%j reads %j', (schema, typed, mentions, input) => {
    expect(inputFromText(schema, typed, mentions)).toEqual({ input, missing: [], problems: [] });
  });
});
