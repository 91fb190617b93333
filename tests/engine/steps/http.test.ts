import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { http } from '../../../src/engine/steps/http.ts';
import { begin, faults, missing } from './turn.ts';

const url = 'https://api.example.com/users';
const data = { a: { text: 'x & "y"', json: { n: 1, none: null, list: ['p'] } } };

function callOf(written: unknown, scope = data) {
  const start = begin(http, written, scope);
  if (start.kind !== 'http') throw new Error(JSON.stringify(start));
  return start.call;
}

describe('http', () => {
  it('sends a GET with careful defaults', () => {
    expect(begin(http, { url })).toEqual({
      kind: 'http',
      timeoutMs: 30_000,
      safe: true,
      call: {
        method: 'GET',
        url,
        headers: [],
        keep: {},
        accept: ['2xx'],
        maxBytes: 10_000_000,
        redirects: 0,
        allowHosts: [],
      },
    });
  });

  it.each([
    ['get', true],
    ['HEAD', true],
    ['options', true],
    ['post', false],
    ['PUT', false],
    ['patch', false],
    ['DELETE', false],
  ])('knows whether %s may be repeated', (method, safe) => {
    expect(begin(http, { url, method }, {}, { timeoutMs: 5 })).toMatchObject({
      safe,
      timeoutMs: 5,
      call: { method: method.toUpperCase() },
    });
  });

  it.each([
    [{ url, query: { q: '{{a.text}}', 'a b': '' } }, `${url}?q=x%20%26%20%22y%22&a%20b=`],
    [{ url: `${url}?k=1`, query: { q: '1' } }, `${url}?k=1&q=1`],
    [{ url: `${url}?`, query: { q: '1' } }, `${url}?q=1`],
    [{ url: 'https://api.example.com/ü/{{a.text}}' }, 'https://api.example.com/%C3%BC/x%20%26%20%22y%22'],
    [{ url: 'HTTP://Example.com:80/{{a.json.n}}' }, 'http://example.com/1'],
  ])('makes the address of %j', (written, address) => {
    expect(callOf(written).url).toBe(address);
  });

  it.each([
    [{ json: { n: '{{a.json.n}}', t: '<{{a.text}}>' } }, 'application/json', '{"n":1,"t":"<x & \\"y\\">"}'],
    [
      { json: '{"n": {{a.json.none}}, "t": "{{a.text}}"}' },
      'application/json',
      '{"n": null, "t": "x & \\"y\\""}',
    ],
    [{ json: ['{{a.json.list}}', null, 2] }, 'application/json', '[["p"],null,2]'],
    [{ form: { t: '{{a.text}}', 'k k': '1' } }, 'application/x-www-form-urlencoded', 't=x+%26+%22y%22&k+k=1'],
    [{ text: 'a {{a.text}}' }, 'text/plain; charset=utf-8', 'a x & "y"'],
  ])('writes the body %j', (body, contentType, text) => {
    expect(callOf({ url, method: 'POST', body }).body).toEqual({
      contentType,
      text: [{ kind: 'text', text }],
    });
  });

  it('takes another content type from the headers', () => {
    const call = callOf({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/vnd.api+json', 'X-T': '{{secrets.TOKEN}}' },
      body: { json: {} },
    });
    expect(call.body?.contentType).toBe('application/vnd.api+json');
    expect(call.headers).toEqual([['X-T', [{ kind: 'secret', name: 'TOKEN', as: 'text' }]]]);
  });

  it.each([
    [{ url: `${url}/{{b.text}}` }],
    [{ url, query: { q: '{{b.text}}' } }],
    [{ url, headers: { 'X-T': '{{b.text}}' } }],
    [{ url, method: 'POST', body: { json: { k: '{{b.text}}' } } }],
    [{ url, method: 'POST', body: { json: '{{b.text}}' } }],
    [{ url, method: 'POST', body: { form: { k: '{{b.text}}' } } }],
    [{ url, method: 'POST', body: { text: '{{b.text}}' } }],
  ])('sends nothing when a value of %j is missing, and names the place of it', (written) => {
    expect(begin(http, written, data)).toEqual(missing('{{b.text}}'));
    const [reference, second] = http.references(http.schema.parse(written));
    expect(reference).toMatchObject({ lookup: ['b', 'text'], source: '{{b.text}}', optional: false });
    expect(second).toBeUndefined();
    const place = reference?.at.reduce<unknown>((at, key) => Object(at)[key], written);
    expect(place).toContain('{{b.text}}');
  });

  it('never throws, and asks no other host, whatever goes in', () => {
    const written = { url: 'https://api.example.com/{{a.text}}?{{a.text}}', query: { q: '{{a.text}}' } };
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const start = begin(http, written, { a: { text, json: {} } });
        if (start.kind === 'http') expect(new URL(start.call.url).origin).toBe('https://api.example.com');
        else expect(start.kind).toBe('failed');
      }),
    );
  });

  it.each([
    [{ url: 'ftp://example.com/' }, 'url: An address begins with'],
    [{ url: '{{a.text}}' }, 'url: An address begins with'],
    [{ url: '{{a.text}}://example.com/' }, 'url: An address begins with'],
    [{ url: 'https://{{a.text}}/x' }, 'url: The host of an address is fixed'],
    [{ url: 'https://example.com{{a.text}}' }, 'url: The host of an address is fixed'],
    [{ url: 'https://user:pass@example.com/' }, 'url: An address can not hold a user'],
    [{ url: 'https://example.com\\@evil.example/' }, 'url: There is white space or a backslash'],
    [{ url: 'https://example.com/a b' }, 'url: There is white space'],
    [{ url: 'https://example.com/a\n' }, 'url: There is white space'],
    [{ url: 'https://example.com/#x' }, 'url: What stands behind #'],
    [{ url: 'https://example.com/%2{{a.text}}' }, 'url: A % in this address'],
    [{ url: 'https:///x' }, 'url: This is no address'],
    [{ url: 'https://exa mple.com/' }, 'url: There is white space'],
    [{ url, method: 'BREW' }, 'method: '],
    [{ url, body: { text: 'x' } }, 'body: A GET request has no body'],
    [{ url, method: 'POST', body: {} }, 'body: This body is empty'],
    [{ url, method: 'POST', body: { text: 'x', json: 1 } }, 'body: A request has one body'],
    [{ url, method: 'POST', body: { json: '{"a": {{a.text}}' } }, 'body.json: This is not JSON'],
    [{ url, method: 'POST', body: { json: { a: ['{{#x}}'] } } }, 'body.json.a.0: {{#x}} is a block'],
    [{ url, headers: { 'X-T': 'a\nb' } }, 'headers.X-T: The header "X-T" can\'t hold a line break'],
    [{ url, headers: { 'X T': 'a' } }, 'headers.X T: "X T" is no name of a header'],
    [{ url, headers: { Host: 'a' } }, 'headers.Host: The header "Host" follows'],
    [{ url, headers: { a: '1', A: '2' } }, 'headers.A: The header "A" is written twice'],
    [
      { url, headers: { 'Content-Type': '{{a.text}}' } },
      'headers.Content-Type: The type of the content is fixed',
    ],
    [{ url, keep: { 'user-name': 'a' } }, 'keep.user-name: '],
    [{ url, keep: { a: 'user-name' } }, 'keep.a: "user-name" is no plain name'],
    [{ url, keep: { a: 'header:' } }, 'keep.a: This is no name of a header'],
    [{ url, accept: ['ok'] }, 'accept.0: This is no status'],
    [{ url, accept: ['299-200'] }, 'accept.0: This is no status'],
    [{ url, accept: [] }, 'accept: '],
    [{ url, maxBytes: '101MB' }, 'maxBytes: This is no size'],
    [{ url, maxBytes: 'much' }, 'maxBytes: This is no size'],
    [{ url, redirects: 11 }, 'redirects: '],
    [{ url, allowHosts: ['http://localhost'] }, 'allowHosts.0: This is no host'],
  ])('refuses %j', (written, fault) => {
    expect(faults(http, written)).toEqual([expect.stringContaining(fault)]);
  });

  it('takes sizes, statuses and hosts in the forms people write', () => {
    const call = callOf({
      url,
      maxBytes: '500KB',
      accept: ['2XX', 404, '300-399'],
      allowHosts: ['localhost:8080', '127.0.0.1', '[::1]:80', '::1'],
    });
    expect(call).toMatchObject({ maxBytes: 500_000, accept: ['2xx', '404', '300-399'] });
    expect(call.allowHosts).toHaveLength(4);
  });
});
