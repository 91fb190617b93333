import { isChatCompletionBody } from '@copilotkit/aimock';
import { describe, expect, test } from 'vitest';
import type { Turn } from '../../../src/engine/agents/conversation.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import { ask, bodyOf, createClosedPort, createRawServer, createStandIn, KEY, providers } from './models.ts';

const reply: JsonObject = {
  type: 'object',
  properties: { title: { type: 'string' } },
  required: ['title'],
  additionalProperties: false,
};
const tool = {
  name: 'files__read',
  description: 'Reads a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
};

describe.each(providers)('%s', (provider) => {
  test('answers a prompt: its text, its model and what it has used up', async () => {
    const mock = await createStandIn();
    mock.onMessage(/tea/, { content: 'Tea is fine.' });
    const outcome = await ask(provider, mock.url);
    expect(outcome).toMatchObject({
      kind: 'replied',
      text: 'Tea is fine.',
      model: 'model-1',
      usage: { inputTokens: expect.any(Number), outputTokens: expect.any(Number), turns: 1, toolCalls: 0 },
    });
    const sent = mock.getLastRequest()?.body;
    expect(isChatCompletionBody(sent) && sent.messages.map(({ role, content }) => [role, content])).toEqual([
      ['system', 'Be short.'],
      ['user', 'Write about tea.'],
    ]);
  });

  test('replies with data where it can make sure of it', async () => {
    const mock = await createStandIn();
    if (provider === 'openai') mock.onMessage(/tea/, { content: '{"title":"Tea"}' });
    else mock.onMessage(/tea/, { toolCalls: [{ name: 'reply', arguments: '{"title":"Tea"}' }] });
    expect(await ask(provider, mock.url, { reply })).toMatchObject({
      kind: 'replied',
      structured: { title: 'Tea' },
    });
  });

  test('calls tools, hears what came of it, and goes on', async () => {
    const mock = await createStandIn();
    mock.on(
      { userMessage: /tea/, hasToolResult: false },
      { toolCalls: [{ id: 'call_7', name: 'files__read', arguments: '{"path":"a"}' }] },
    );
    mock.on({ toolCallId: 'call_7' }, { content: 'It says b.' });
    const first = await ask(provider, mock.url, { tools: [tool] });
    expect(first).toMatchObject({
      kind: 'uses',
      uses: [{ id: 'call_7', name: 'files__read', arguments: { path: 'a' } }],
    });
    if (first.kind !== 'uses') throw new Error('It wants no tools.');
    const { uses, text, raw = null } = first;
    const used: Turn = { kind: 'used', results: [{ id: 'call_7', text: 'b', isError: false }] };
    for (const said of [
      { kind: 'said', text, uses, raw: { runtime: provider, message: raw } },
      // As after a turn of another provider, whose words are not sent.
      { kind: 'said', text, uses, raw: { runtime: 'other', message: { secret: 'x' } } },
    ] as const) {
      const turns: readonly Turn[] = [said, used];
      expect(await ask(provider, mock.url, { tools: [tool], turns })).toMatchObject({
        kind: 'replied',
        text: 'It says b.',
      });
    }
  });

  test('is told what was wrong with its reply', async () => {
    const mock = await createStandIn();
    mock.onMessage(/Again/, { content: 'Better.' });
    const turns: readonly Turn[] = [
      { kind: 'said', text: 'Bad.', uses: [] },
      { kind: 'told', text: 'Again, please.' },
    ];
    expect(await ask(provider, mock.url, { turns })).toMatchObject({ kind: 'replied', text: 'Better.' });
  });

  test('gets its key and headers, and the limits of its file', async () => {
    const seen: { headers: unknown; body: JsonObject }[] = [];
    const address = await createRawServer(async (request, response) => {
      seen.push({ headers: request.headers, body: await bodyOf(request) });
      response.writeHead(500).end('{}');
    });
    const settings = { headers: { 'X-Team': 'docs' }, temperature: 0.5, maxTokens: 100 };
    await ask(provider, address, {}, settings);
    expect(seen).toMatchObject([
      {
        headers: { authorization: `Bearer ${KEY}`, 'x-team': 'docs' },
        body: { temperature: 0.5, max_tokens: 100, model: 'model-1' },
      },
    ]);
    // Asked once, whatever the client would do by itself.
    expect(seen).toHaveLength(1);
  });

  const failures: readonly [string, number, string, Record<string, string>, object][] = [
    ['a key that is not accepted', 401, '{}', {}, { code: 'login-lost', retry: 'never' }],
    ['no permission', 403, '{}', {}, { code: 'login-lost', retry: 'never' }],
    ['a model that is not there', 404, '{}', {}, { code: 'model-missing', retry: 'never' }],
    [
      'a request that it does not take',
      400,
      '{"error":{"message":"Too long."}}',
      {},
      { code: 'request-refused', retry: 'never', message: expect.stringContaining('(400): Too long.') },
    ],
    ['too many requests', 429, '{}', {}, { code: 'rate-limited', retry: 'allowed', unavailable: {} }],
    ['seconds to wait', 429, '{}', { 'retry-after': '7' }, { unavailable: { retryAfterMs: 7_000 } }],
    ['milliseconds to wait', 429, '{}', { 'retry-after-ms': '70' }, { unavailable: { retryAfterMs: 70 } }],
    [
      'an empty account',
      429,
      '{"error":{"code":"insufficient_quota"}}',
      {},
      { code: 'quota-used-up', retry: 'never' },
    ],
    ['too much to do', 529, '{}', {}, { code: 'overloaded', retry: 'allowed', unavailable: {} }],
    [
      'a page of a proxy',
      502,
      '<html>Bad gateway</html>',
      {},
      { code: 'overloaded', message: expect.not.stringContaining('<') },
    ],
    ['another address', 307, '', { location: 'http://127.0.0.1:1/' }, { code: 'redirected', retry: 'never' }],
    ['what is no answer', 200, '{"odd":true}', {}, { code: 'reply-unreadable', retry: 'allowed' }],
    ['what is no data', 200, '<html>', {}, { code: 'reply-unreadable', retry: 'allowed' }],
  ];

  test.each(failures)('says what %s means', async (_, status, body, headers, failure) => {
    const address = await createRawServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    });
    const outcome = await ask(provider, address);
    expect(outcome).toMatchObject({ kind: 'failed', ...failure });
    expect(JSON.stringify(outcome)).not.toContain(KEY);
  });

  test('a date until which it does not want to be asked', async () => {
    const address = await createRawServer((_request, response) => {
      // The hand clock of these tests.
      response.writeHead(429, { 'retry-after': new Date(1e15).toUTCString() }).end('{}');
    });
    const outcome = await ask(provider, address);
    expect(outcome.kind === 'failed' && outcome.unavailable?.retryAfterMs).toBeGreaterThan(0);
  });

  test('names the secret that is not accepted, or not set', async () => {
    const address = await createRawServer((_request, response) => void response.writeHead(401).end('{}'));
    expect(await ask(provider, address)).toMatchObject({
      message: expect.stringMatching(
        /^127\.0\.0\.1:\d+ does not accept its key \(401\): mend FLOWBOT_SECRET_MODEL_KEY\.$/,
      ),
    });
    expect(await ask(provider, address, {}, { apiKey: '{{secrets.OTHER}}' })).toMatchObject({
      code: 'secret-missing',
      message: 'its file needs the secret OTHER, which is not set: set FLOWBOT_SECRET_OTHER.',
      retry: 'never',
    });
  });

  test('nobody there: nothing was sent, and another one could answer', async () => {
    expect(await ask(provider, await createClosedPort())).toMatchObject({
      kind: 'failed',
      code: 'unreachable',
      retry: 'allowed',
      unavailable: {},
      usage: { turns: 0 },
    });
  });

  test('a connection that is cut after the request: nobody knows', async () => {
    const address = await createRawServer(async (request) => {
      await bodyOf(request);
      request.socket.destroy();
    });
    expect(await ask(provider, address)).toMatchObject({ kind: 'unknown' });
  });

  test('an answer without end is not read to the end', async () => {
    const address = await createRawServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (response.write('x'.repeat(1_000_000))) if (response.destroyed) return;
        response.once('drain', more);
      };
      more();
    });
    expect(await ask(provider, address)).toMatchObject({ kind: 'failed', code: 'reply-too-large' });
  });

  test('ends the request when its time is over', async () => {
    const over = new AbortController();
    const ended = Promise.withResolvers<void>();
    const address = await createRawServer((request) => {
      request.socket.once('close', () => ended.resolve());
      over.abort();
    });
    expect(await ask(provider, address, {}, {}, over.signal)).toEqual({ kind: 'timeout' });
    await ended.promise;
  });

  test('a reply that was cut, or refused, is none', async () => {
    const mock = await createStandIn();
    mock.onMessage(/tea/, { content: 'Tea is', finishReason: 'length' });
    expect(await ask(provider, mock.url)).toMatchObject({
      kind: 'failed',
      code: 'reply-cut',
      retry: 'never',
    });
  });
});

describe('openai and those that are compatible', () => {
  test.each([
    ['schema', { type: 'json_schema', json_schema: { name: 'reply', schema: reply, strict: true } }],
    ['object', { type: 'json_object' }],
    ['text', undefined],
  ])('structured: %s', async (structured, format) => {
    const bodies: JsonObject[] = [];
    const address = await createRawServer(async (request, response) => {
      bodies.push(await bodyOf(request));
      response.writeHead(500).end('{}');
    });
    await ask('openai', address, { reply }, { structured });
    expect(bodies[0]?.response_format).toEqual(format);
  });

  test('others need no key', async () => {
    const seen: unknown[] = [];
    const address = await createRawServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(500).end('{}');
    });
    await ask('openai', address, {}, {}, new AbortController().signal, '');
    expect(seen).toEqual([undefined]);
  });

  test('arguments that are no data are handed on as they are', async () => {
    const address = await createRawServer((_request, response) => {
      const message = {
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'x', arguments: '{bad' } }],
      };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ choices: [{ message, finish_reason: 'tool_calls' }] }));
    });
    expect(await ask('openai', address, { tools: [tool] })).toMatchObject({
      kind: 'uses',
      uses: [{ id: 'a', name: 'x', arguments: '{bad' }],
    });
  });
});

describe('anthropic', () => {
  test('a reply beside calls of tools comes too early', async () => {
    const address = await createRawServer((_request, response) => {
      const content = [
        { type: 'tool_use', id: 'a', name: 'files__read', input: {} },
        { type: 'tool_use', id: 'b', name: 'reply', input: { title: 'x' } },
      ];
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ content, stop_reason: 'tool_use' }));
    });
    const outcome = await ask('anthropic', address, { tools: [tool], reply });
    expect(outcome).toMatchObject({ kind: 'uses', uses: [{ id: 'a' }] });
    expect(outcome).not.toHaveProperty('raw');
  });
});
