import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { isSigned } from '../../../src/adapters/slack/signature.ts';

const secret = 'a1b2c3d4e5f6';
const nowMs = Date.UTC(2026, 10, 30, 12);

function signed(body: string, atSeconds: number | string = nowMs / 1000, key = secret) {
  const signature = createHmac('sha256', key).update(`v0:${atSeconds}:${body}`).digest('hex');
  return {
    body,
    headers: { 'x-slack-signature': `v0=${signature}`, 'x-slack-request-timestamp': String(atSeconds) },
  };
}

describe('a request is taken', () => {
  test.each([
    ['as it was signed', signed('{"text":"grüße 👩‍👩‍👧"}')],
    ['nearly five minutes old', signed('x', nowMs / 1000 - 299)],
    ['nearly five minutes ahead', signed('x', nowMs / 1000 + 299)],
  ])('%s', (_, request) => {
    expect(isSigned(request, secret, nowMs)).toBe(true);
  });
});

describe('a request is refused', () => {
  const good = signed('{"a":1}');
  test.each([
    ['with another body', { ...good, body: '{"a":2}' }],
    ['with another secret', signed('{"a":1}', nowMs / 1000, 'other-secret')],
    ['older than five minutes', signed('x', nowMs / 1000 - 301)],
    ['from the future', signed('x', nowMs / 1000 + 86_400)],
    ['without a signature', { body: 'x', headers: {} }],
    ['with an empty signature', { ...good, headers: { ...good.headers, 'x-slack-signature': '' } }],
    ['with another version', { ...good, headers: { ...good.headers, 'x-slack-signature': 'v1=00' } }],
    ['with a shorter signature', { ...good, headers: { ...good.headers, 'x-slack-signature': 'v0=00' } }],
    ['with a time that is no number', signed('x', 'NaN')],
    ['with a time in words', signed('x', 'now')],
  ])('%s', (_, request) => {
    expect(isSigned(request, secret, nowMs)).toBe(false);
  });
});
