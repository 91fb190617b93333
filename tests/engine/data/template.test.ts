import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveText } from '../../../src/engine/data/resolve.ts';
import { parseTemplate, templateReferences, templateSchema } from '../../../src/engine/data/template.ts';
import { fixedScope, templateOf } from './fixed-scope.ts';

describe('parseTemplate', () => {
  it.each([
    ['{{a.text}}', ['a', 'text']],
    ['{{ a.text }}', ['a', 'text']],
    ['{{a.json.items.0.title}}', ['a', 'json', 'items', '0', 'title']],
    ['{{a.json.items.0}}', ['a', 'json', 'items', '0']],
    ['{{a.json.true}}', ['a', 'json', 'true']],
    ['{{a.json.null}}', ['a', 'json', 'null']],
    ['{{a.json.else}}', ['a', 'json', 'else']],
    ['{{input.version}}', ['input', 'version']],
    ['{{secrets.API_KEY}}', ['secrets', 'API_KEY']],
  ])('reads %s', (source, path) => {
    expect(templateOf(source).parts).toEqual([
      { kind: 'placeholder', path, source: `{{${path.join('.')}}}` },
    ]);
  });

  it('reads a placeholder that JSON closes at once', () => {
    expect(templateOf('{"a":{"b":{{a.json}}}}').parts).toEqual([
      { kind: 'text', text: '{"a":{"b":' },
      { kind: 'placeholder', path: ['a', 'json'], source: '{{a.json}}' },
      { kind: 'text', text: '}}' },
    ]);
  });

  it.each([
    ['a \\{{b.text}} c', 'a {{b.text}} c'],
    ['\\{{#if}}', '{{#if}}'],
    ['\\{{ and \\{{', '{{ and {{'],
    ['C:\\dir \\n }} {x} $& $1', 'C:\\dir \\n }} {x} $& $1'],
  ])('shows %s as it is meant', (source, text) => {
    expect(templateOf(source).parts).toEqual([{ kind: 'text', text }]);
  });

  it('reads a backslash in front of a placeholder', () => {
    expect(templateOf('\\\\{{a.text}}').parts).toEqual([
      { kind: 'text', text: '\\' },
      { kind: 'placeholder', path: ['a', 'text'], source: '{{a.text}}' },
    ]);
  });

  it.each([
    ['{{{a.text}}}', 'has no place here'],
    ['{{& a.text}}', 'has no place here'],
    ['{{#if a.text}}x{{/if}}', 'is a block'],
    ['{{^a.text}}x{{/a.text}}', 'is a block'],
    ['{{else}}', 'is a block'],
    ['{{! note }}', 'is a comment'],
    ['{{!-- note --}}', 'is a comment'],
    ['{{> part}}', 'is a partial'],
    ['{{* deco}}', 'is a partial or decorator'],
    ['{{~a.text}}', 'trims white space'],
    ['{{a.text~}}', 'trims white space'],
    ['{{}}', 'is empty'],
    ['{{@root.a}}', 'is a data variable'],
    ['{{a.json.[user-name]}}', 'has brackets'],
    ['{{[a].text}}', 'has brackets'],
    ['{{../a.text}}', 'moves to another context'],
    ['{{./a.text}}', 'moves to another context'],
    ['{{a/text}}', 'moves to another context'],
    ['{{this}}', 'moves to another context'],
    ['{{this.text}}', 'moves to another context'],
    ['{{.}}', 'moves to another context'],
    ['{{upper a.text}}', 'is an expression'],
    ['{{a.text b=1}}', 'is an expression'],
    ['{{(a)}}', 'is an expression'],
    ['{{"a"}}', 'is an expression'],
    ['{{a\n.text}}', 'is an expression'],
    ['{{a.text|x}}', 'is an expression'],
    ['{{0}}', 'no plain look-up'],
    ['{{true}}', 'no plain look-up'],
    ['{{a.text', 'never closed'],
    ['x {{', 'never closed'],
    ['{{a.json.user-name}}', '"user-name" is no plain name'],
    ['{{a.json.a.b.c.d.e.f.g.h.i}}', '9 levels deep'],
    ['{{a}}', 'Write {{a.text}}'],
    ['{{a.data.choice}}', 'Write text, or json.data.choice.'],
    [`{{${'a'.repeat(5_000)}}}`, 'no plain look-up'],
  ])('refuses %s', (source, message) => {
    expect(parseTemplate(source)).toEqual({ ok: false, message: expect.stringContaining(message) });
  });

  it('never throws, whatever the text', () => {
    const piece = fc.constantFrom(
      '{{',
      '}}',
      '\\',
      '{',
      '}',
      'a',
      '.',
      'text',
      '#',
      '0',
      ' ',
      '[',
      '"',
      '@',
      '\n',
    );
    const noisy = fc.array(fc.oneof(piece, fc.string())).map((pieces) => pieces.join(''));
    fc.assert(fc.property(noisy, (source) => void parseTemplate(source)));
  });

  it('leaves text without double braces as it is', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }).filter((text) => !text.includes('{{')),
        (text) => {
          expect(resolveText(templateOf(text), fixedScope({}))).toEqual({ ok: true, value: text });
        },
      ),
    );
  });
});

it('names every place where a template reads data', () => {
  expect(templateReferences(templateOf('{{a.text}} and {{ b.json.x }}'), ['headers', 'X'])).toEqual([
    { lookup: ['a', 'text'], at: ['headers', 'X'], source: '{{a.text}}', optional: false },
    { lookup: ['b', 'json', 'x'], at: ['headers', 'X'], source: '{{b.json.x}}', optional: false },
  ]);
});

it('reports a wrong template at its place in a schema', () => {
  const { error } = templateSchema(100).safeParse('{{#if x}}');
  expect(error?.issues[0]).toMatchObject({
    code: 'custom',
    path: [],
    message: expect.stringContaining('block'),
  });
});
