import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/engine/json.ts';
import { onlyRun, runsOf } from '../commands/desk.ts';
import { desk, field, json, open, posts, secret, send, startOf } from './hooking.ts';

describe('bodies', () => {
  const flow = {
    release: `
name: Release
triggers: [{ type: webhook, secret: TOKEN }]
steps: { a: { type: template, text: a } }
`,
  };
  const post = (body: string | Buffer, type?: string, path = `/hooks/release/${secret}`) =>
    send(path, body, type === undefined ? {} : { 'content-type': type });

  test.each<[string, string | undefined, string, Json]>([
    ['JSON', 'application/json', '{"a":[1,null,"x"]}', { a: [1, null, 'x'] }],
    ['JSON with a character set', 'application/json; charset=utf-8', '"x"', 'x'],
    ['JSON by another name', 'application/vnd.github.v3+json', '[]', []],
    ['CloudEvents', 'application/cloudevents+json', '{"id":1}', { id: 1 }],
    ['a form', 'application/x-www-form-urlencoded', 'a=1&b=%C3%A4+x&a=2', { a: '2', b: 'ä x' }],
    ['a form that holds JSON', 'application/x-www-form-urlencoded', 'payload=%7B%22a%22%3A1%7D', { a: 1 }],
    ['text', 'text/plain', 'Hello, Wörld', 'Hello, Wörld'],
    ['XML', 'application/xml', '<a/>', '<a/>'],
    ['what has no type', undefined, '{"a":1}', '{"a":1}'],
    ['nothing', 'application/json', '', null],
    ['nothing of no type', undefined, '', null],
    ['a byte order mark', 'application/json', '\ufeff{"a":1}', { a: 1 }],
    ['half a character', 'application/json', '"\\ud800"', '\ud800'],
  ])('%s can be read by steps', async (_, type, text, expected) => {
    await open(flow);
    const heard = await post(text, type);
    expect(heard.status).toBe(202);
    expect((await startOf(field(heard.body, 'run')))?.request?.body).toEqual(expected);
  });

  test.each<[string, string, string | Buffer, number, string]>([
    ['broken JSON', 'application/json', '{"a":', 400, 'The body is not valid JSON.'],
    [
      'a broken payload',
      'application/x-www-form-urlencoded',
      'payload=x',
      400,
      'The body is not valid JSON.',
    ],
    ['no UTF-8', 'application/json', Buffer.from([0x22, 0xff, 0x22]), 400, 'The body is not UTF-8.'],
    [
      'a prototype',
      'application/json',
      '{"a":{"__proto__":{"x":1}}}',
      400,
      'The body has a key "__proto__".',
    ],
    [
      'one in a form',
      'application/x-www-form-urlencoded',
      '__proto__=1',
      400,
      'The body has a key "__proto__".',
    ],
    [
      'endless nesting',
      'application/json',
      '['.repeat(200_000) + ']'.repeat(200_000),
      400,
      'The body is nested more than 64 levels deep.',
    ],
    [
      'endless nesting of objects',
      'application/json',
      `${'{"a":'.repeat(150_000)}1${'}'.repeat(150_000)}`,
      400,
      'The body is nested more than 64 levels deep.',
    ],
    ['a picture', 'image/png', 'x', 415, 'Send JSON, a form or text, and say so in the header content-type.'],
    [
      'more than 1 MB',
      'application/json',
      JSON.stringify('x'.repeat(1024 * 1024)),
      413,
      'The body is too large: at most 1 MB are accepted.',
    ],
  ])('%s is refused with a sentence', async (_, type, body, status, error) => {
    await open(flow);
    const heard = await post(body, type);
    expect([heard.status, heard.body]).toEqual([status, { error }]);
    expect(await runsOf(desk)).toEqual([]);
  });

  test('just under 1 MB is taken; the text of the start is its beginning', async () => {
    await open(flow);
    const heard = await post(JSON.stringify('x'.repeat(1024 * 1024 - 2)), 'application/json');
    expect(heard.status).toBe(202);
    expect((await startOf(field(heard.body, 'run')))?.text).toHaveLength(8_000);
  });

  test('compressed ones are refused', async () => {
    await open(flow);
    const heard = await send(`/hooks/release/${secret}`, 'x', { ...json, 'content-encoding': 'gzip' });
    expect([heard.status, heard.body]).toEqual([415, { error: 'Compressed bodies are not accepted.' }]);
  });

  test('whatever is sent is answered, and never as a fault of ours', async () => {
    await open(flow);
    const types = fc.constantFrom(
      'application/json',
      'application/x-www-form-urlencoded',
      'text/plain',
      'application/xml',
      'a/b',
      '',
    );
    await fc.assert(
      fc.asyncProperty(types, fc.oneof(fc.json(), fc.string()), async (type, body) => {
        expect([202, 400, 415]).toContain((await post(body, type)).status);
      }),
      { numRuns: 60 },
    );
  });
});

describe('what steps can read', () => {
  const flow = {
    release: `
name: Release
conversation: "red:#releases"
triggers: [{ type: webhook, secret: TOKEN }]
steps:
  say:
    type: message
    text: "{{start.json.body.a}} {{start.json.headers.x_github_event}} {{start.json.query.from}} {{start.text}}"
`,
  };

  test('the body, headers with _ for -, the query and the text', async () => {
    await open(flow);
    const headers = { ...json, 'X-GitHub-Event': 'release' };
    await send(`/hooks/release/${secret}?from=here&from=there`, '{"a":"one"}', headers);
    expect(await posts()).toEqual(['one release there {"a":"one"}']);
  });

  test('headers and parameters that carry passwords are left out; odd names do no harm', async () => {
    await open({ release: flow.release.replace(/text: .*\n$/, 'text: "{{run.id}}"\n') });
    const headers = {
      ...json,
      __proto__x: 'a',
      '--proto--': 'a',
      constructor: 'b',
      Cookie: 'a=1',
      'Proxy-Authorization': 'x',
      'X-Auth-Token': 'y',
      'X-Twilio-Signature': 'z',
      'X-Many': ['one', 'two'],
    };
    const query = '__proto__=1&constructor=2&token=3&%zz&a=%F0%9F%92%A9';
    const heard = await send(`/hooks/release/${secret}?${query}`, '{}', headers);
    const start = await startOf(field(heard.body, 'run'));
    expect(start?.request).toEqual({
      body: {},
      headers: {
        host: 'flow.example.com',
        connection: expect.any(String),
        content_length: '2',
        content_type: 'application/json',
        __proto__x: 'a',
        constructor: 'b',
        x_many: 'one, two',
      },
      query: { constructor: '2', '%zz': '', a: '💩' },
    });
  });

  test('they are empty where no request started the run', async () => {
    await open({
      release: flow.release
        .replace('{ type: webhook', '{ type: manual }, { type: webhook')
        .replace(/text: .*\n$/, 'text: "{{start.json.body}}"\n'),
    });
    await desk.red.flow(desk.red.ana, 'run release');
    await desk.settle();
    expect(await onlyRun(desk)).toMatchObject({ status: 'failed' });
    expect((await desk.store.journal((await onlyRun(desk)).id)).at(0)).not.toHaveProperty('start.request');
  });
});
