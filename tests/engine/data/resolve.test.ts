import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDataTemplate, resolveData, resolveDataAsJson } from '../../../src/engine/data/data-template.ts';
import { parseJsonText, resolveJsonText } from '../../../src/engine/data/json-text.ts';
import {
  resolveFormValue,
  resolveHeader,
  resolveProse,
  resolveSecretText,
  resolveText,
  resolveUrl,
} from '../../../src/engine/data/resolve.ts';
import { roomFor, takeRoomForData } from '../../../src/engine/data/room.ts';
import type { Json } from '../../../src/engine/json.ts';
import type { SecretText } from '../../../src/engine/steps/step-type.ts';
import { fixedScope, templateOf } from './fixed-scope.ts';

const missing = (source: string) => ({
  ok: false,
  failure: {
    code: 'missing-value',
    message: `No value for ${source}: that step did not run or did not produce it.`,
    retry: 'never',
  },
});

const withId = (id: Json) => fixedScope({ find: { text: '', json: { values: { id } } } });

/** Text of a request whose secrets are all called by these values. */
const reveal = (text: SecretText, secret: (as: string) => string = () => '') =>
  text.map((piece) => (piece.kind === 'text' ? piece.text : secret(piece.as))).join('');

function jsonTextOf(source: string) {
  const parsed = parseJsonText(templateOf(source));
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.json;
}

function dataOf(data: unknown) {
  const parsed = parseDataTemplate(data);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.faults));
  return parsed.template;
}

describe('C44: a missing value', () => {
  const url = templateOf('https://api.example.com/users/{{find.json.values.id}}');

  it.each([
    ['of a step that did not run', fixedScope({})],
    ['that the step did not produce', fixedScope({ find: { text: '', json: {} } })],
    ['that is null', withId(null)],
  ])('%s fails, and is never an empty text', (_, scope) => {
    expect(resolveUrl(url, scope)).toEqual(missing('{{find.json.values.id}}'));
    expect(resolveText(url, scope)).toEqual(missing('{{find.json.values.id}}'));
    expect(resolveProse(url, scope)).toEqual(missing('{{find.json.values.id}}'));
    expect(resolveHeader('X', url, scope)).toEqual(missing('{{find.json.values.id}}'));
    expect(resolveFormValue(url, scope)).toEqual(missing('{{find.json.values.id}}'));
  });

  it('that is an empty text is refused in a path, with its own sentence', () => {
    expect(resolveUrl(url, withId(''))).toEqual({
      ok: false,
      failure: {
        code: 'empty-in-url',
        message:
          'The value of {{find.json.values.id}} is empty, and the address would then mean something else.',
        retry: 'never',
      },
    });
    const query = templateOf('https://api.example.com/users?id={{find.json.values.id}}');
    expect(resolveUrl(query, withId(''))).toEqual({ ok: true, value: 'https://api.example.com/users?id=' });
  });

  it.each([
    [0, '0'],
    [false, 'false'],
  ])('is not what %s is', (id, text) => {
    expect(resolveUrl(url, withId(id))).toEqual({ ok: true, value: `https://api.example.com/users/${text}` });
  });

  it('may be null where JSON is expected', () => {
    const data = dataOf({ id: '{{find.json.values.id}}', note: 'id {{find.json.values.id}}' });
    expect(resolveData(dataOf({ id: '{{find.json.values.id}}' }), withId(null))).toEqual({
      ok: true,
      value: { id: null },
    });
    expect(resolveData(data, withId(null))).toEqual(missing('{{find.json.values.id}}'));
    expect(resolveData(data, fixedScope({}))).toEqual(missing('{{find.json.values.id}}'));
    const outside = resolveJsonText(jsonTextOf('{"id": {{find.json.values.id}}}'), withId(null));
    expect(outside).toEqual({ ok: true, value: [{ kind: 'text', text: '{"id": null}' }] });
    const inside = resolveJsonText(jsonTextOf('{"id": "{{find.json.values.id}}"}'), withId(null));
    expect(inside).toEqual(missing('{{find.json.values.id}}'));
  });
});

describe('C46: a value that contains a placeholder', () => {
  const evil = '{{secrets.API_KEY}} and {{b.json.token}} $& $1 \u0000';
  const scope = fixedScope({
    start: { text: evil, json: {} },
    b: { text: '', json: { token: 'T' } },
    secrets: { API_KEY: 'S' },
  });

  it('appears literally in a message', () => {
    expect(resolveProse(templateOf('**{{start.text}}**'), scope)).toEqual({
      ok: true,
      value: [
        { kind: 'markdown', text: '**' },
        { kind: 'value', text: evil },
        { kind: 'markdown', text: '**' },
      ],
    });
    expect(resolveText(templateOf('{{start.text}}'), scope)).toEqual({ ok: true, value: evil });
  });

  it('leaves JSON valid', () => {
    const body = resolveJsonText(jsonTextOf('{"name": "a {{start.text}}", "all": {{start.text}}}'), scope);
    expect(body.ok && JSON.parse(reveal(body.value))).toEqual({ name: `a ${evil}`, all: evil });
  });

  it('is refused in a header, which names the header and the placeholder, never the value', () => {
    const header = resolveHeader('X-Title', templateOf('{{start.text}}'), scope);
    expect(header).toEqual({
      ok: false,
      failure: {
        code: 'bad-header',
        message: 'The header "X-Title" can\'t hold a NUL character, which {{start.text}} has.',
        retry: 'never',
      },
    });
  });

  it('never makes a secret a value', () => {
    expect(resolveText(templateOf('{{secrets.API_KEY}}'), scope)).toEqual(missing('{{secrets.API_KEY}}'));
    expect(resolveUrl(templateOf('https://x.example/{{secrets.API_KEY}}'), scope).ok).toBe(false);
    expect(resolveData(dataOf('{{secrets.API_KEY}}'), scope).ok).toBe(false);
  });
});

describe('C52: header values', () => {
  const header = (text: string) =>
    resolveHeader('X-Title', templateOf('a {{start.text}}'), fixedScope({ start: { text, json: {} } }));

  it.each([
    ['hello\r\nX-Admin: 1', 'a line break'],
    ['hello\n', 'a line break'],
    ['naïve — ü', 'characters outside Latin-1'],
    ['👍', 'characters outside Latin-1'],
    ['\u001b[0m', 'characters outside Latin-1'],
  ])('refuses %j', (text, what) => {
    const result = header(text);
    expect(result).toMatchObject({
      failure: { message: `The header "X-Title" can't hold ${what}, which {{start.text}} has.` },
    });
  });

  it('takes Latin-1, and keeps secrets as names', () => {
    expect(header('naïve ü')).toEqual({ ok: true, value: [{ kind: 'text', text: 'a naïve ü' }] });
    expect(resolveHeader('Authorization', templateOf('Bearer {{secrets.TOKEN}}'), fixedScope({}))).toEqual({
      ok: true,
      value: [
        { kind: 'text', text: 'Bearer ' },
        { kind: 'secret', name: 'TOKEN', as: 'text' },
      ],
    });
  });
});

describe('addresses', () => {
  const template = templateOf('https://api.example.com/users/{{a.text}}/posts?q={{a.text}}&r=1');

  it.each(['.', '..'])('refuses a path segment of dots: %s', (text) => {
    expect(resolveUrl(template, fixedScope({ a: { text, json: {} } }))).toMatchObject({
      failure: { code: 'dots-in-url', message: expect.stringContaining('{{a.text}}') },
    });
  });

  it('keep their host, their segments and their parameters, whatever goes in', () => {
    const odd = fc.constantFrom(
      '/',
      '?',
      '#',
      '@',
      '..',
      '%2e',
      '%2F',
      '\\',
      ':',
      '&',
      '=',
      ' ',
      '\n',
      '\ud800',
    );
    const text = fc.array(fc.oneof(odd, fc.string())).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (inserted) => {
        const result = resolveUrl(template, fixedScope({ a: { text: inserted, json: {} } }));
        if (!result.ok) {
          expect(['', '.', '..']).toContain(inserted);
          return;
        }
        const url = new URL(result.value);
        expect(url.origin).toBe('https://api.example.com');
        expect(url.pathname.split('/')).toEqual(['', 'users', expect.any(String), 'posts']);
        expect(decodeURIComponent(url.pathname.split('/')[2] ?? '')).toBe(inserted.toWellFormed());
        expect([...url.searchParams]).toEqual([
          ['q', inserted.toWellFormed()],
          ['r', '1'],
        ]);
        expect(url.hash).toBe('');
      }),
    );
  });
});

describe('forms', () => {
  it('read back as what went in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const result = resolveFormValue(
          templateOf('{{a.text}} & more'),
          fixedScope({ a: { text, json: {} } }),
        );
        const read = result.ok && new URLSearchParams(`k=${reveal(result.value)}`).get('k');
        expect(read).toBe(`${text.toWellFormed()} & more`);
      }),
    );
  });

  it('keep secrets as names', () => {
    expect(resolveFormValue(templateOf('{{secrets.S}}'), fixedScope({}))).toEqual({
      ok: true,
      value: [{ kind: 'secret', name: 'S', as: 'form' }],
    });
  });
});

describe('JSON text', () => {
  it.each([
    ['{"a": "{{a.text}}", "b": {{a.json}}, "{{a.text}}": [{{a.json}}]}'],
    ['{{a.json}}'],
    ['"\\"{{a.text}}"'],
    ['{"a":{"b":{{a.json}}}}'],
  ])('takes %s', (source) => {
    expect(parseJsonText(templateOf(source)).ok).toBe(true);
  });

  it.each([
    ['{"a": {{a.json}}, }'],
    ['{ {{a.json}}: 1 }'],
    ['{"a": 1{{a.json}}}'],
    ['{{a.json}}{{a.json}}'],
    ['{"a": "{{a.text}}}'],
    ['"\\\\{{a.text}}"'],
    ['"\\u00{{a.text}}"'],
    [''],
  ])('refuses %s', (source) => {
    expect(parseJsonText(templateOf(source))).toEqual({
      ok: false,
      message: expect.stringContaining('This is not JSON once its placeholders are filled'),
    });
  });

  it('stays valid JSON, whatever goes in, and reads back as what went in', () => {
    const body = jsonTextOf(
      '{"in": "a {{a.text}} b", "out": {{a.json}}, "list": [{{a.text}}, "{{a.json}}"]}',
    );
    const anything = fc.record({
      text: fc.string({ unit: 'binary' }),
      json: fc.dictionary(fc.string(), fc.jsonValue()),
    });
    fc.assert(
      fc.property(anything, ({ text, json }) => {
        const data: Json = JSON.parse(JSON.stringify(json));
        const result = resolveJsonText(body, {
          lookup: ([, kind]) => ({ found: true, value: kind === 'text' ? text : data }),
        });
        expect(result.ok && JSON.parse(reveal(result.value))).toEqual({
          in: `a ${text} b`,
          out: data,
          list: [text, JSON.stringify(data)],
        });
      }),
    );
  });

  it('keeps secrets as names, with how they go in', () => {
    expect(
      resolveJsonText(jsonTextOf('{"a": "x {{secrets.A}}", "b": {{secrets.B}}}'), fixedScope({})),
    ).toEqual({
      ok: true,
      value: [
        { kind: 'text', text: '{"a": "x ' },
        { kind: 'secret', name: 'A', as: 'json-inside' },
        { kind: 'text', text: '", "b": ' },
        { kind: 'secret', name: 'B', as: 'json' },
        { kind: 'text', text: '}' },
      ],
    });
  });
});

describe('data templates', () => {
  const scope = fixedScope({ a: { text: 'hi', json: { n: 1, list: [1, 'two'], no: false } } });

  it('keep the type of a text that is exactly one placeholder', () => {
    const data = dataOf({
      n: '{{a.json.n}}',
      list: ['{{ a.json.list }}', 'n={{a.json.n}}'],
      no: '{{a.json.no}}',
      t: true,
    });
    expect(resolveData(data, scope)).toEqual({
      ok: true,
      value: { n: 1, list: [[1, 'two'], 'n=1'], no: false, t: true },
    });
  });

  it('keep an own key called __proto__ a key', () => {
    const result = resolveData(dataOf(JSON.parse('{"__proto__": "{{a.text}}"}')), scope);
    expect(JSON.stringify(result.ok && result.value)).toBe('{"__proto__":"hi"}');
  });

  it('report every fault with its place', () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    const parsed = parseDataTemplate({
      ok: 1,
      bad: ['{{#x}}'],
      '{{a.text}}': 1,
      when: new Date(0),
      big: Number.NaN,
      cyclic,
    });
    expect(parsed.ok ? [] : parsed.faults.map(({ path }) => path.slice(0, 2))).toEqual([
      ['bad', 0],
      ['{{a.text}}'],
      ['when'],
      ['big'],
      ['cyclic', 0],
    ]);
  });

  it('written as JSON say the same as resolved, secrets apart', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (json, text) => {
        const template = dataOf({
          json: escapeBraces(JSON.parse(JSON.stringify(json))),
          only: '{{a.text}}',
          mixed: '"{{a.text}}',
        });
        const filled = fixedScope({ a: { text, json: {} } });
        const [data, written] = [resolveData(template, filled), resolveDataAsJson(template, filled)];
        expect(written.ok && JSON.parse(reveal(written.value))).toEqual(data.ok && data.value);
      }),
    );
    expect(resolveDataAsJson(dataOf({ k: '{{secrets.A}}', m: ['Bearer {{secrets.A}}'] }), scope)).toEqual({
      ok: true,
      value: [
        { kind: 'text', text: '{"k":' },
        { kind: 'secret', name: 'A', as: 'json' },
        { kind: 'text', text: ',"m":["Bearer ' },
        { kind: 'secret', name: 'A', as: 'json-inside' },
        { kind: 'text', text: '"]}' },
      ],
    });
  });
});

it('writes values that are not text as compact JSON', () => {
  const scope = fixedScope({ a: { text: '', json: { list: [1, { b: null }] } } });
  expect(resolveText(templateOf('x{{a.json.list}}'), scope)).toEqual({ ok: true, value: 'x[1,{"b":null}]' });
  expect(resolveSecretText(templateOf('x{{a.json.list}} {{secrets.S}}'), scope)).toEqual({
    ok: true,
    value: [
      { kind: 'text', text: 'x[1,{"b":null}] ' },
      { kind: 'secret', name: 'S', as: 'text' },
    ],
  });
});

describe('what grows too large', () => {
  const big = 'x'.repeat(1_000_000);
  const scope = fixedScope({ a: { text: big, json: { big } } });
  const texts = '{{a.text}}'.repeat(13);
  const list = Array.from({ length: 13 }, () => '{{a.text}}');
  const tooLarge = {
    ok: false,
    failure: {
      code: 'output-too-large',
      message: expect.stringContaining('more than 12,000,000 characters'),
      retry: 'never',
    },
  };

  it.each<[string, () => unknown]>([
    ['a text', () => resolveText(templateOf(texts), scope)],
    ['a text for people', () => resolveProse(templateOf(texts), scope)],
    ['an address', () => resolveUrl(templateOf(`https://a.example/?q=${texts}`), scope)],
    ['a header', () => resolveHeader('X-A', templateOf(texts), scope)],
    ['the text of a request', () => resolveSecretText(templateOf(texts), scope)],
    ['a value of a form', () => resolveFormValue(templateOf(texts), scope)],
    ['JSON text', () => resolveJsonText(jsonTextOf(`"${texts}"`), scope)],
    ['JSON text with whole values', () => resolveJsonText(jsonTextOf(`[${list.join()}]`), scope)],
    ['data as JSON', () => resolveDataAsJson(dataOf({ list }), scope)],
    ['a text in data as JSON', () => resolveDataAsJson(dataOf({ texts }), scope)],
    ['data', () => resolveData(dataOf({ list }), scope)],
  ])('is not made: %s', (_, make) => {
    expect(make()).toEqual(tooLarge);
  });

  it('nor is what nests too deep to be written', () => {
    let json: Json = 1;
    for (let level = 0; level < 20_000; level++) json = [json];
    const deep = fixedScope({ a: { text: '', json: { deep: json } } });
    const one = '{{a.json.deep}}';
    expect(resolveText(templateOf(one), deep)).toEqual(tooLarge);
    expect(resolveData(dataOf([one]), deep)).toEqual(tooLarge);
    expect(resolveDataAsJson(dataOf([one]), deep)).toEqual(tooLarge);
    expect(resolveJsonText(jsonTextOf(one), deep)).toEqual(tooLarge);
  });

  it('counts data as JSON would have it', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const data: Json = JSON.parse(JSON.stringify(value));
        const { length } = JSON.stringify(data);
        expect(takeRoomForData(roomFor(length), data)).toBeUndefined();
        expect(takeRoomForData(roomFor(length - 1), data)).toBeDefined();
      }),
    );
  });
});

function escapeBraces(data: Json): Json {
  return JSON.parse(JSON.stringify(data).replaceAll('{{', '{ {'));
}
