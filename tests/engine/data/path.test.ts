import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkLookup, lookUp, parseFieldPath, parsePath } from '../../../src/engine/data/path.ts';
import type { Json } from '../../../src/engine/json.ts';

describe('parsePath', () => {
  it.each([
    ['text', ['text']],
    ['json', ['json']],
    ['json.verdict', ['json', 'verdict']],
    ['json.items.0.title', ['json', 'items', '0', 'title']],
    ['json.a.b.c.d.e.f.g.h', ['json', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']],
    ['json._id', ['json', '_id']],
  ])('reads %s', (text, path) => {
    expect(parsePath(text)).toEqual({ ok: true, path });
  });

  it.each([
    ['json.user-name', '"user-name" is no plain name.'],
    ['json.a.b.c.d.e.f.g.h.i', 'goes 9 levels deep; 8 are allowed.'],
    ['json.', '"" is no plain name.'],
    ['json.01', '"01" is no plain name.'],
    ['json.a[0]', '"a[0]" is no plain name.'],
    ['text.length', 'looks inside a text.'],
    ['verdict', 'Write text, or json.verdict.'],
    ['', 'begins with neither text nor json.'],
  ])('refuses %s and says how to mend it', (text, message) => {
    expect(parsePath(text)).toEqual({ ok: false, message: expect.stringContaining(message) });
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => void [parsePath(text), parseFieldPath(text)]));
  });
});

describe('checkLookup', () => {
  it.each([
    ['draft.text'],
    ['draft.json'],
    ['start.json.prompt'],
    ['input'],
    ['input.a.b'],
    ['run.id'],
    ['secrets.API_KEY'],
  ])('takes %s', (text) => {
    expect(checkLookup(text.split('.')).ok).toBe(true);
  });

  it.each([
    ['draft', 'Write {{draft.text}}'],
    ['draft.output', 'json.output'],
    ['secrets', 'Write {{secrets.NAME}}'],
    ['secrets.a.b', 'Write {{secrets.NAME}}'],
    ['my-step.text', '"my-step" is no plain name'],
    ['0.text', '"0" is no plain name'],
  ])('refuses %s', (text, message) => {
    expect(checkLookup(text.split('.'))).toEqual({ ok: false, message: expect.stringContaining(message) });
  });
});

describe('lookUp', () => {
  const own: Json = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}');

  it.each<[string, Json, string]>([
    ['a text inside a text', { a: 'word' }, 'a.length'],
    ['the length of a list', { a: [1] }, 'a.length'],
    ['a position that is not there', { a: [1] }, 'a.1'],
    ['a position that is no plain number', { a: [1] }, 'a.00'],
    ['a prototype', {}, '__proto__'],
    ['a constructor', {}, 'constructor'],
    ['an inherited method', { a: {} }, 'a.toString'],
    ['a path through null', { a: null }, 'a.b'],
    ['a path through a number', { a: 1 }, 'a.toFixed'],
  ])('does not find %s', (_, data, path) => {
    expect(lookUp(data, path.split('.'))).toEqual({ found: false, cause: 'missing' });
  });

  it.each<[string, Json, string, Json]>([
    ['a list position', { a: [{ b: 7 }] }, 'a.0.b', 7],
    ['a key that is digits', { a: { 0: 'zero' } }, 'a.0', 'zero'],
    ['an own __proto__', own, '__proto__.x', 1],
    ['an own constructor', own, 'constructor', 2],
    ['false', { a: false }, 'a', false],
    ['an empty text', { a: '' }, 'a', ''],
  ])('finds %s', (_, data, path, value) => {
    expect(lookUp(data, path.split('.'))).toEqual({ found: true, value });
  });

  it('says that a value is null', () => {
    expect(lookUp({ a: null }, ['a'])).toEqual({ found: false, cause: 'null' });
  });
});
