import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WebhookTrigger } from '../../src/engine/flow/plan.ts';
import { proves } from '../../src/server/signatures.ts';

const hmac = (secret: string, content: string | Buffer) =>
  createHmac('sha256', secret).update(content).digest('hex');

/** Whether a request is let through. */
function holds(
  verify: WebhookTrigger['verify'],
  headers: IncomingHttpHeaders,
  secret: string,
  { body = '', nowMs = 0, pathSecret }: { body?: string | Buffer; nowMs?: number; pathSecret?: string } = {},
): boolean {
  const request = { headers, body: Buffer.from(body), ...(pathSecret !== undefined && { pathSecret }) };
  return proves(verify, request, secret, nowMs);
}

/**
 * The example of GitHub's documentation.
 * https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries#testing-the-webhook-payload-validation
 */
const github = {
  secret: "It's a Secret to Everybody",
  body: 'Hello, World!',
  signature: 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
};

describe('github', () => {
  const given = (signature: string | undefined, body = github.body, secret = github.secret) =>
    holds('github', signature === undefined ? {} : { 'x-hub-signature-256': signature }, secret, { body });

  test('the example of its documentation holds', () => {
    expect(given(github.signature)).toBe(true);
    expect(given(github.signature.replace(/[0-9a-f]{64}/, (hex) => hex.toUpperCase()))).toBe(true);
  });

  test.each([
    ['no signature', given(undefined)],
    ['an empty one', given('')],
    ['another body', given(github.signature, 'Hello, World?')],
    ['another secret', given(github.signature, github.body, 'another')],
    ['another digest', given(`${github.signature.slice(0, -1)}8`)],
    ['a digest that is cut', given(github.signature.slice(0, -2))],
    ['a digest and more', given(`${github.signature}00`)],
    ['no hex', given(`sha256=${'z'.repeat(64)}`)],
    ['the old digest', given(`sha1=${'0'.repeat(40)}`)],
    ['two signatures', given(`${github.signature}, ${github.signature}`)],
  ])('%s does not', (_, answer) => expect(answer).toBe(false));

  test('bytes that are no text count as they came', () => {
    const body = Buffer.from([0xff, 0xfe, 0x00, 0x80]);
    expect(holds('github', { 'x-hub-signature-256': `sha256=${hmac('s', body)}` }, 's', { body })).toBe(true);
  });
});

describe('hmac', () => {
  const seconds = 1_767_600_000;
  /** The key and the data of RFC 4231, test case 2, with the time in front. */
  const signed = (timestamp: string, body: string) => ({
    'x-flowbot-timestamp': timestamp,
    'x-flowbot-signature': `sha256=${hmac('Jefe', `${timestamp}.${body}`)}`,
  });
  const at = (offsetS: number, headers = signed(String(seconds), 'what do ya want for nothing?')) =>
    holds('hmac', headers, 'Jefe', {
      body: 'what do ya want for nothing?',
      nowMs: (seconds + offsetS) * 1_000,
    });

  test('the digest is that of RFC 4231', () => {
    expect(hmac('Jefe', 'what do ya want for nothing?')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  test.each([
    [0, true],
    [300, true],
    [301, false],
    [-300, true],
    [-301, false],
    [86_400, false],
  ])('%s s after it was signed: %s', (offsetS, expected) => expect(at(offsetS)).toBe(expected));

  test.each<[string, IncomingHttpHeaders]>([
    [
      'another time than the signed one',
      { ...signed(String(seconds), 'x'), 'x-flowbot-timestamp': '1767600001' },
    ],
    ['no time', { 'x-flowbot-signature': signed(String(seconds), 'x')['x-flowbot-signature'] }],
    ['no signature', { 'x-flowbot-timestamp': String(seconds) }],
    ['a time in milliseconds', signed(String(seconds * 1_000), 'what do ya want for nothing?')],
    ['a time that is no number', signed('now', 'what do ya want for nothing?')],
    ['a negative time', signed('-1', 'what do ya want for nothing?')],
    ['a time with a fraction', signed(`${seconds}.5`, 'what do ya want for nothing?')],
  ])('%s does not hold', (_, headers) => {
    const request = { body: 'what do ya want for nothing?', nowMs: seconds * 1_000 };
    expect(holds('hmac', headers, 'Jefe', request)).toBe(false);
  });
});

describe('stripe', () => {
  /** The time of the example header in https://docs.stripe.com/webhooks#verify-manually */
  const seconds = 1_492_774_577;
  const body = '{"id":"evt_1"}';
  const v1 = hmac('whsec_test', `${seconds}.${body}`);
  const given = (header: string, offsetS = 0, secret = 'whsec_test') =>
    holds('stripe', { 'stripe-signature': header }, secret, { body, nowMs: (seconds + offsetS) * 1_000 });

  test.each<[string, boolean]>([
    [`t=${seconds},v1=${v1}`, true],
    [`t=${seconds}, v1=${v1}`, true],
    [`v1=${v1},t=${seconds}`, true],
    [`t=${seconds},v1=${'0'.repeat(64)},v1=${v1},v0=${'1'.repeat(64)}`, true],
    [`t=${seconds},v0=${v1}`, false],
    [`t=${seconds}`, false],
    [`v1=${v1}`, false],
    [`t=${seconds + 1},v1=${v1}`, false],
    [`t=${seconds},t=${seconds},v1=${v1}`, false],
    [`t=${seconds},${`v1=${'0'.repeat(64)},`.repeat(10)}v1=${v1}`, false],
    ['', false],
    [',,=,t=,v1=', false],
    // That of the documentation, which tells the form; its secret is not published.
    [
      `t=${seconds},v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd,v0=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39`,
      false,
    ],
  ])('%s: %s', (header, expected) => expect(given(header)).toBe(expected));

  test.each([
    [300, true],
    [301, false],
    [-300, true],
    [-301, false],
  ])('%s s after it was signed: %s', (offsetS, expected) =>
    expect(given(`t=${seconds},v1=${v1}`, offsetS)).toBe(expected),
  );
});

describe('gitlab, path and alertmanager', () => {
  const basic = (pair: string) => ({ authorization: `Basic ${Buffer.from(pair).toString('base64')}` });

  test.each<[string, boolean, boolean]>([
    ['the token', holds('gitlab', { 'x-gitlab-token': 's3cret' }, 's3cret'), true],
    ['another', holds('gitlab', { 'x-gitlab-token': 's3cre7' }, 's3cret'), false],
    ['its beginning', holds('gitlab', { 'x-gitlab-token': 's3cre' }, 's3cret'), false],
    ['none', holds('gitlab', {}, 's3cret'), false],
    [
      'letters as bytes',
      holds('gitlab', { 'x-gitlab-token': Buffer.from('schlüssel').toString('latin1') }, 'schlüssel'),
      true,
    ],
    ['the address', holds('path', {}, 's3cret', { pathSecret: 's3cret' }), true],
    ['another address', holds('path', {}, 's3cret', { pathSecret: 's3cret/' }), false],
    ['an empty address', holds('path', {}, 's3cret', { pathSecret: '' }), false],
    ['no secret in the address', holds('path', {}, 's3cret'), false],
    ['a bearer', holds('alertmanager', { authorization: 'Bearer s3cret' }, 's3cret'), true],
    ['a bearer in another case', holds('alertmanager', { authorization: 'bearer  s3cret' }, 's3cret'), true],
    ['another bearer', holds('alertmanager', { authorization: 'Bearer s3cret2' }, 's3cret'), false],
    ['a password', holds('alertmanager', basic('alertmanager:s3cret'), 's3cret'), true],
    ['a password with a colon', holds('alertmanager', basic('x:s3:cret'), 's3:cret'), true],
    ['the secret as a user', holds('alertmanager', basic('s3cret:'), 's3cret'), false],
    ['no colon', holds('alertmanager', basic('s3cret'), 's3cret'), false],
    ['the secret alone', holds('alertmanager', { authorization: 's3cret' }, 's3cret'), false],
    ['nothing', holds('alertmanager', {}, 's3cret'), false],
  ])('%s', (_, answer, expected) => expect(answer).toBe(expected));
});

test('no request proves a secret that it does not know, and none makes it trip', () => {
  const kinds = fc.constantFrom<WebhookTrigger['verify'][]>(
    'path',
    'hmac',
    'github',
    'gitlab',
    'stripe',
    'alertmanager',
  );
  const headers = fc.record({
    'x-flowbot-signature': fc.string(),
    'x-flowbot-timestamp': fc.constantFrom('0', 'x', ''),
    'x-hub-signature-256': fc.string(),
    'x-gitlab-token': fc.string(),
    'stripe-signature': fc.string().map((text) => `t=0,v1=${text}`),
    authorization: fc.string().map((text) => `Basic ${text}`),
  });
  fc.assert(
    fc.property(kinds, headers, fc.string(), fc.string(), (verify, sent, body, pathSecret) => {
      expect(holds(verify, sent, 'nobody knows this', { body, pathSecret })).toBe(false);
    }),
  );
});
