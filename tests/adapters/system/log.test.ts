import { expect, test } from 'vitest';
import { createLog } from '../../../src/adapters/system/log.ts';
import { createSecrets } from '../../../src/adapters/system/secrets.ts';
import type { JsonObject } from '../../../src/engine/json.ts';

const secrets = createSecrets(new Map([['TOKEN', 'tok-12345']]));

function linesOf(
  level: string | undefined,
  write: (log: ReturnType<typeof createLog>) => void,
): readonly string[] {
  const lines: string[] = [];
  write(createLog(secrets, level, { write: (line) => void lines.push(line) }));
  return lines;
}

test('a line is JSON with time, message and data', () => {
  const [line = ''] = linesOf(undefined, (log) => log.info('Flows are loaded.', { flows: ['a'] }));
  expect(JSON.parse(line)).toMatchObject({
    level: 30,
    time: expect.stringMatching(/^\d{4}-/),
    msg: 'Flows are loaded.',
    flows: ['a'],
  });
});

test('C46: a secret is never printed, wherever it hides', () => {
  const lines = linesOf('info', (log) => {
    log.info('token tok-12345', { 'tok-12345': ['tok-12345'], deep: { url: 'https://x/?t=tok-12345' } });
    log.warn('tok-12345', { base64: Buffer.from('tok-12345').toString('base64') });
    log.error('failed with tok-12345', new Error('tok-12345 was refused'), { header: 'Bearer tok-12345' });
    log.error('failed', 'tok-12345');
  });
  expect(lines).toHaveLength(4);
  const all = lines.join('');
  expect(all).not.toContain('tok-12345');
  expect(all).not.toContain(Buffer.from('tok-12345').toString('base64'));
  expect(all).toContain('[secret] was refused');
});

test('what is thrown is told, with its place', () => {
  const [first = '', second = ''] = linesOf('error', (log) => {
    log.error('It broke.', new Error('why'), { run: 'k1' });
    log.error('It broke.', { odd: true });
  });
  expect(JSON.parse(first)).toMatchObject({
    level: 50,
    error: 'why',
    run: 'k1',
    stack: expect.stringContaining('log.test'),
  });
  expect(JSON.parse(second)).toMatchObject({ level: 50 });
});

test.each([
  ['silent', 0],
  ['error', 1],
  ['warn', 2],
  ['info', 3],
])('level %s writes %i of three lines', (level, count) => {
  const lines = linesOf(level, (log) => {
    log.info('a');
    log.warn('b');
    log.error('c', new Error('c'));
  });
  expect(lines).toHaveLength(count);
});

function fieldsOf(data: JsonObject): unknown {
  const [line = ''] = linesOf('info', (log) => log.info('It is.', data));
  const { level: _level, time: _time, msg: _msg, ...fields } = JSON.parse(line);
  return fields;
}

test.each([
  'authorization',
  'Authorization',
  'Proxy-Authorization',
  'cookie',
  'set-cookie',
  'Set-Cookie',
  'password',
  'db_password',
  'passwd',
  'secret',
  'token',
  'tokens',
  'botToken',
  'SLACK_BOT_TOKEN',
  'apiKey',
  'api key',
  'api_key',
  'X-API-KEY',
  'accessToken',
  'access_token',
  'refresh-token',
  'client_secret',
  'private_key',
  'privateKey',
])('a field called %s is hidden, whatever it holds', (name) => {
  expect(fieldsOf({ [name]: 'abc', run: 'k1' })).toEqual({ [name]: '[redacted]', run: 'k1' });
  expect(fieldsOf({ [name]: ['abc', { of: 'def' }] })).toEqual({ [name]: '[redacted]' });
});

test.each(['key', 'keyboard', 'authorized', 'tokenizer', 'passed', 'secretary', 'cookies left', 'run'])(
  'a field called %s is shown',
  (name) => {
    expect(fieldsOf({ [name]: 'abc' })).toEqual({ [name]: 'abc' });
  },
);

test('a number is no secret: tokens are counted', () => {
  const usage = { tokens: 1_200, inputTokens: 1_000, calls: [{ output_tokens: 200 }] };
  expect(fieldsOf({ usage })).toEqual({ usage });
});

test('a field is hidden at any depth, also in what an error shows of itself', () => {
  const refused = Object.assign(new Error('refused'), {
    status: 401,
    request: { headers: [{ Authorization: 'Bearer abc' }] },
  });
  const deep = { a: [[{ b: { c: { d: [{ e: { f: { password: 'abc', user: 'ann' } } }] } } }]] };
  const lines = linesOf('info', (log) => {
    log.info('deep', deep);
    log.warn('refused', Object.assign<JsonObject, object>({}, { refused }));
    log.error('refused', refused, { headers: { cookie: 'sid=abc' } });
  });
  expect(lines.join('')).not.toContain('abc');
  const [first, second, third] = lines.map((line) => JSON.parse(line));
  expect(first).toMatchObject({ a: [[{ b: { c: { d: [{ e: { f: { user: 'ann' } } }] } } }]] });
  const shown = { status: 401, request: { headers: [{ Authorization: '[redacted]' }] } };
  expect(second).toMatchObject({ refused: shown });
  expect(third).toMatchObject({ error: 'refused', headers: { cookie: '[redacted]' } });
});
