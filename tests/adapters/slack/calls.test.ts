import nock from 'nock';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createCalls } from '../../../src/adapters/slack/calls.ts';
import { createHandClock, type HandClock } from '../../fakes/clock.ts';
import { createKeptLog } from '../../fakes/log.ts';

const host = 'https://slack.example';
const shape = z.object({ ts: z.string() });
let clock: HandClock;
const open = () => createCalls({ token: 'xoxb-1', apiUrl: `${host}/api/`, clock, log: createKeptLog() });

beforeEach(() => {
  clock = createHandClock();
  nock.disableNetConnect();
});
afterEach(() => {
  expect(nock.pendingMocks()).toEqual([]);
  nock.cleanAll();
  nock.restore();
  nock.activate();
});

/** Slack answers once. */
function answer(status: number, body: nock.Body, headers: Record<string, string> = {}): void {
  nock(host).post('/api/chat.postMessage').reply(status, body, headers);
}

const post = () => open().call('chat.postMessage', { channel: 'C0A', text: 'x' }, shape);

describe('trap 1: a call is made once, and what became of it is told', () => {
  test.each([
    ['an answer', 200, { ok: true, ts: '1.2' }, { kind: 'ok', data: { ts: '1.2' } }],
    ['an answer without what is needed', 200, { ok: true }, { kind: 'unknown' }],
    ['an internal error', 200, { ok: false, error: 'internal_error' }, { kind: 'unknown' }],
    ['a fatal error', 200, { ok: false, error: 'fatal_error' }, { kind: 'unknown' }],
    ['a server error', 503, 'busy', { kind: 'unknown' }],
    ['an answer of some proxy', 404, '<html>', { kind: 'unknown' }],
    ['a page instead of an answer', 200, '<html>log in</html>', { kind: 'unknown' }],
    ['a rate limit in words', 200, { ok: false, error: 'ratelimited' }, { kind: 'later', afterMs: 30_000 }],
    [
      'a refusal',
      200,
      { ok: false, error: 'is_archived' },
      { kind: 'refused', refusal: 'no', message: expect.stringMatching(/archived.*\.$/) },
    ],
    [
      'a refusal nobody knows',
      200,
      { ok: false, error: 'brand_new_reason', response_metadata: { messages: ['[ERROR] because'] } },
      { kind: 'refused', refusal: 'no', message: 'Slack refused it (brand_new_reason: [ERROR] because).' },
    ],
    [
      'a missing permission',
      200,
      { ok: false, error: 'missing_scope', needed: 'chat:write', provided: 'commands' },
      { kind: 'refused', message: expect.stringContaining('chat:write') },
    ],
    [
      'trap 7: a form that came too late, told in words',
      200,
      {
        ok: false,
        error: 'invalid_arguments',
        response_metadata: { messages: ['[ERROR] `trigger_id` expired'] },
      },
      { kind: 'refused', refusal: 'late' },
    ],
  ])('%s', async (_, status, body, outcome) => {
    answer(status, body);
    expect(await post()).toMatchObject(outcome);
  });

  test('too many requests: later, as long as Slack says', async () => {
    answer(429, '', { 'retry-after': '7' });
    expect(await post()).toEqual({ kind: 'later', afterMs: 7_000 });
  });

  test.each(['', 'soon'])('too many requests with the time %j: later, in half a minute', async (time) => {
    answer(429, '', time === '' ? {} : { 'retry-after': time });
    expect(await post()).toEqual({ kind: 'later', afterMs: 30_000 });
  });

  test('a broken connection: nobody knows', async () => {
    nock(host).post('/api/chat.postMessage').replyWithError('socket hang up');
    expect(await post()).toMatchObject({ kind: 'unknown' });
  });
});

describe('an installation that does not work any more', () => {
  test.each(['invalid_auth', 'account_inactive', 'token_revoked', 'token_expired', 'not_authed'])(
    '%s: everything waits, and the reason is told until a call works again',
    async (error) => {
      const calls = open();
      answer(200, { ok: false, error });
      expect(await calls.call('chat.postMessage', {}, shape)).toEqual({ kind: 'later', afterMs: 300_000 });
      expect(calls.dead).toContain(error);
      answer(200, { ok: true, ts: '1.2' });
      await calls.call('chat.postMessage', {}, shape);
      expect(calls.dead).toBeUndefined();
    },
  );
});

describe('reading', () => {
  test('waits out a rate limit and a failure, then gives the answer', async () => {
    answer(429, '', { 'retry-after': '2' });
    answer(500, 'no');
    answer(200, { ok: true, ts: '1.2' });
    const reading = open().read('chat.postMessage', {}, shape);
    while (nock.pendingMocks().length > 0) {
      await new Promise(setImmediate);
      const next = clock.nextMs();
      if (next !== undefined) clock.pass(next - clock.now());
    }
    expect(await reading).toEqual({ kind: 'ok', data: { ts: '1.2' } });
  });

  test('does not wait out a rate limit of minutes', async () => {
    answer(429, '', { 'retry-after': '300' });
    expect(await open().read('chat.postMessage', {}, shape)).toEqual({ kind: 'later', afterMs: 300_000 });
  });
});
