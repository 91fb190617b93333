import { describe, expect, test } from 'vitest';
import { send, serve } from './loopback.ts';

describe('C52: line breaks in header values', () => {
  test.each([
    ['a secret with a trailing newline', 'sk-abc\n'],
    ['a header smuggled in', 'hello\r\nX-Admin: 1'],
    ['a carriage return alone', 'hello\rX-Admin: 1'],
    ['NUL', 'sk-\0abc'],
    ['escape', 'sk-\u001babc'],
    ['delete', 'sk-\u007fabc'],
    ['next line', 'sk-\u0085abc'],
    ['line separator', 'sk-\u2028abc'],
    ['an em dash', 'sk — abc'],
    ['an emoji', 'sk 🚀'],
    ['a letter that looks like Latin', 'sk-аbc'],
  ])('%s is refused, naming the header and never the value', async (_, value) => {
    const server = await serve((_seen, response) => response.end());
    const outcome = await send(server.origin, { headers: { 'X-Title': value } });
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'request', mayHaveArrived: false });
    expect(outcome).toHaveProperty('message', expect.stringContaining('The header "X-Title"'));
    expect(outcome).not.toHaveProperty('message', expect.stringMatching(/sk|hello|X-Admin/));
    expect(server.seen).toEqual([]);
  });

  test('Latin-1 and tabs arrive as they are', async () => {
    const server = await serve((_seen, response) => response.end());
    await send(server.origin, { headers: { 'X-Title': 'naïve\tü' } });
    expect(server.seen[0]?.headers['x-title']).toBe('naïve\tü');
  });
});

describe('headers a flow cannot set', () => {
  test.each([
    'Host',
    'content-length',
    'Transfer-Encoding',
    'Connection',
    'Keep-Alive',
    'Upgrade',
    'TE',
    'Trailer',
    'Expect',
    'Proxy-Connection',
    'HTTP2-Settings',
  ])('%s', async (name) => {
    const outcome = await send('http://127.0.0.1:1/', { headers: { [name]: 'x' } });
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'request', mayHaveArrived: false });
    expect(outcome).toHaveProperty('message', expect.stringContaining(`"${name}" is set by Flowbot itself`));
  });

  test.each(['', 'X Title', 'X:Title', 'X\r\nTitle', 'Tïtle', '[x]'])('%j is no name', async (name) => {
    const outcome = await send('http://127.0.0.1:1/', { headers: { [name]: 'x' } });
    expect(outcome).toMatchObject({ reason: 'request', message: expect.stringContaining('has a name') });
  });

  test('one name in two spellings', async () => {
    const outcome = await send('http://127.0.0.1:1/', { headers: { Accept: 'a', accept: 'b' } });
    expect(outcome).toMatchObject({ reason: 'request', message: expect.stringContaining('given twice') });
  });
});

test('flowbot says who it is, unless the flow says something else', async () => {
  const server = await serve((_seen, response) => response.end());
  await send(server.origin);
  await send(server.origin, { headers: { 'User-Agent': 'release-notes' } });
  expect(server.seen.map(({ headers }) => headers['user-agent'])).toEqual(['flowbot', 'release-notes']);
});
