import { describe, expect, test } from 'vitest';
import { callsOf, openJudged, partOf, posted, routes, saying } from './judged.ts';

const error = (code: number, status = 400, message = 'Whatever') =>
  ({ kind: 'error', status, code, message }) as const;

describe('what becomes of a post that Discord refuses', () => {
  test.each([
    ['slow mode', 20016, 429],
    ['the write limit of a channel', 20028, 429],
    ['the write limit of a server', 20029, 429],
    ['sending is switched off for a while', 40004, 503],
    ['a feature is switched off for a while', 40006, 503],
    ['a service is overloaded', 40062, 429],
    ['the API is overloaded', 130000, 503],
    ['the address is blocked', 40333, 403],
  ])('%s (%i): the same goes out later', async (_, code, status) => {
    const h = await openJudged();
    h.failRequest(routes.post, error(code, status));
    const outcome = await h.chat.post(h.channel, partOf(h, 'Hello'), 'key-1');
    // A server error says nothing about what was done.
    expect(outcome.kind).toBe(status >= 500 ? 'unknown' : 'later');
    h.pass(outcome.kind === 'later' ? outcome.afterMs : 0);
    await posted(h, h.channel);
    expect(await h.messages(h.channel)).toHaveLength(1);
  });

  test.each([
    [10003, 404, 'deleted'],
    [40005, 413, 'larger'],
    [40007, 403, 'banned'],
    [50001, 403, 'View Channel'],
    [50006, 400, 'empty'],
    [50008, 400, 'no messages'],
    [50009, 403, 'verification'],
    [50013, 403, 'Send Messages'],
    [60003, 403, 'two-factor'],
    [160005, 403, 'locked'],
    [200000, 400, 'AutoMod'],
    [240000, 400, 'link'],
    [400001, 400, 'files'],
    [987654, 400, '987654'],
  ])('%i: a sentence says what to do, after one request', async (code, status, words) => {
    const h = await openJudged();
    h.failRequest(routes.post, error(code, status));
    const outcome = await h.chat.post(h.channel, partOf(h, 'Hello'), 'key-1');
    expect(outcome).toEqual({ kind: 'refused', message: saying(words) });
    expect(callsOf(h, routes.post)).toHaveLength(1);
    expect(h.chat.health()).toEqual({ kind: 'up' });
    await posted(h, h.channel, partOf(h, 'Other'), 'key-2');
  });

  test('50035: what Discord has against it is in the sentence', async () => {
    const h = await openJudged();
    h.failRequest(routes.post, error(50035, 400, 'Invalid Form Body.'));
    expect(await h.chat.post(h.channel, partOf(h, 'Hello'), 'key-1')).toEqual({
      kind: 'refused',
      message: 'Discord refused it (50035: Invalid Form Body).',
    });
  });

  test('long and hostile details are made short', async () => {
    const h = await openJudged();
    h.failRequest(routes.post, error(987654, 400, `x\n\n@everyone ${'y'.repeat(5_000)}`));
    const outcome = await h.chat.post(h.channel, partOf(h, 'Hello'), 'key-1');
    expect(outcome.kind === 'refused' && outcome.message.length).toBeLessThan(400);
  });

  test('413: a page in place of an answer says that it is too large', async () => {
    const h = await openJudged();
    h.failRequest(routes.post, { kind: 'status', status: 413 });
    expect(await h.chat.post(h.channel, partOf(h, 'Hello'), 'key-1')).toEqual({
      kind: 'refused',
      message: saying('larger'),
    });
  });

  test.each([
    ['VIEW_CHANNEL', 'View Channel'],
    ['SEND_MESSAGES', 'Send Messages'],
  ] as const)('without %s the sentence names it', async (permission, name) => {
    const h = await openJudged();
    await h.deny(h.channel, permission);
    expect(await h.chat.post(h.channel, partOf(h, 'Hello'), 'key-1')).toEqual({
      kind: 'refused',
      message: saying(name),
    });
  });
});
