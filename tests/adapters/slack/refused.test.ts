import { describe, expect, test } from 'vitest';
import { md } from '../../../src/engine/prose.ts';
import type { Part } from '../../../src/ports/chat.ts';
import type { MethodFault } from '../../fakes/slack/index.ts';
import { openSlack, type SlackHarness } from './harness.ts';

/** A post of one message. */
function partOf(h: SlackHarness, text: string): Part {
  const [part = null] = h.chat.render({ prose: [md(text)], buttons: [], notify: [] });
  return part;
}

const callsOf = (h: SlackHarness, method: string) => h.slack.calls().filter((call) => call.method === method);
const postOf = (h: SlackHarness) => h.chat.post(h.slack.channel, partOf(h, '# Hello\n\n- one'), 'key-1');

async function posted(h: SlackHarness) {
  const outcome = await postOf(h);
  if (outcome.kind !== 'posted') throw new Error(JSON.stringify(outcome));
  return outcome.message;
}

describe('what becomes of a post that Slack refuses', () => {
  test.each(['ratelimited', 'rate_limited', 'team_added_to_org', 'org_login_required'])(
    '%s: the same goes out later',
    async (code) => {
      const h = await openSlack('http');
      h.slack.failMethod('chat.postMessage', { kind: 'error', code });
      const outcome = await postOf(h);
      expect(outcome).toMatchObject({ kind: 'later' });
      if (outcome.kind === 'later') h.slack.pass(outcome.afterMs);
      expect(await postOf(h)).toMatchObject({ kind: 'posted' });
    },
  );

  test.each(['internal_error', 'fatal_error', 'service_unavailable', 'request_timeout'])(
    '%s: nobody knows whether it is there',
    async (code) => {
      const h = await openSlack('http');
      h.slack.failMethod('chat.postMessage', { kind: 'error', code });
      expect(await postOf(h)).toMatchObject({ kind: 'unknown' });
      h.slack.failMethod('chat.update', { kind: 'error', code });
      expect(await h.chat.edit(await posted(h), partOf(h, 'Bye'))).toMatchObject({ kind: 'unknown' });
    },
  );

  const payloadCodes = [
    'invalid_blocks',
    'invalid_blocks_format',
    'msg_too_long',
    'msg_blocks_too_long',
    'no_text',
    'metadata_too_large',
    'invalid_metadata_format',
    'invalid_metadata_schema',
    'too_many_attachments',
  ];

  test.each(payloadCodes)('trap 14, %s: the same words go out in the plainest form', async (code) => {
    const h = await openSlack('http');
    h.slack.failMethod('chat.postMessage', { kind: 'error', code });
    expect(await postOf(h)).toMatchObject({ kind: 'posted' });
    expect(callsOf(h, 'chat.postMessage')).toHaveLength(2);
    expect(await h.slack.messages(h.slack.channel)).toMatchObject([{ text: 'Hello\n\n• one' }]);
  });

  test.each(payloadCodes)('%s twice: it is given up with the reasons that Slack gave', async (code) => {
    const h = await openSlack('http');
    h.slack.failMethod('chat.postMessage', { kind: 'error', code, messages: ['/blocks/0 is wrong'] }, 2);
    expect(await postOf(h)).toEqual({
      kind: 'refused',
      message: `Slack refused it (${code}: /blocks/0 is wrong).`,
    });
    expect(callsOf(h, 'chat.postMessage')).toHaveLength(2);
  });

  test.each(['message_not_found', 'streaming_state_conflict', 'channel_not_found'])(
    '%s: there is nothing to be edited any more',
    async (code) => {
      const h = await openSlack('http');
      const message = await posted(h);
      h.slack.failMethod('chat.update', { kind: 'error', code });
      expect(await h.chat.edit(message, partOf(h, 'Bye'))).toEqual({ kind: 'gone' });
    },
  );

  test.each([
    'token_revoked',
    'account_inactive',
    'invalid_auth',
    'not_authed',
    'token_expired',
    'team_access_not_granted',
  ])('%s: posts wait, and what mends it heals everything', async (code) => {
    const h = await openSlack('http');
    h.slack.failMethod('chat.postMessage', { kind: 'error', code });
    expect(await postOf(h)).toEqual({ kind: 'later', afterMs: 300_000 });
    expect(h.chat.health()).toMatchObject({ kind: 'down', why: expect.stringContaining(code) });
    h.slack.pass(300_000);
    expect(await postOf(h)).toMatchObject({ kind: 'posted' });
    expect(h.chat.health()).toEqual({ kind: 'up' });
  });

  test.each([
    ['channel_not_found', '/invite'],
    ['not_in_channel', '/invite'],
    ['is_archived', 'unarchive'],
    ['restricted_action', 'admin'],
    ['restricted_action_read_only_channel', 'admin'],
    ['restricted_action_thread_only_channel', 'threads only'],
    ['restricted_action_non_threadable_channel', 'no threads'],
    ['restricted_action_thread_locked', 'locked'],
    ['messages_tab_disabled', 'Messages Tab'],
    ['ekm_access_denied', 'encryption'],
    ['access_denied', 'admin'],
    ['no_permission', 'admin'],
    ['message_limit_exceeded', 'plan'],
    ['missing_scope', 'permission'],
    ['thread_not_found', 'deleted'],
    ['something_new', 'something_new'],
  ])('%s: a sentence says what to do', async (code, word) => {
    const h = await openSlack('http');
    h.slack.failMethod('chat.postMessage', { kind: 'error', code });
    const outcome = await postOf(h);
    expect(outcome).toMatchObject({ kind: 'refused', message: expect.stringContaining(word) });
    expect(outcome).toMatchObject({ message: expect.stringMatching(/^\p{Lu}.*\.$/u) });
    expect(callsOf(h, 'chat.postMessage')).toHaveLength(1);
    expect(h.chat.health()).toEqual({ kind: 'up' });
  });

  test('a missing permission is named', async () => {
    const h = await openSlack('http');
    h.slack.scopes = h.slack.scopes.filter((scope) => scope !== 'chat:write');
    expect(await postOf(h)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('chat:write'),
    });
  });

  test('a rate limit is kept to as long as Slack asks, for this channel only', async () => {
    const h = await openSlack('http');
    h.slack.failMethod('chat.postMessage', { kind: '429', retryAfterS: 17 });
    expect(await postOf(h)).toEqual({ kind: 'later', afterMs: 17_000 });
    expect(await h.chat.post(h.slack.otherChannel, partOf(h, 'Hi'), 'key-2')).toMatchObject({
      kind: 'posted',
    });
    h.slack.pass(16_000);
    expect(await postOf(h)).toEqual({ kind: 'later', afterMs: 1_000 });
    expect(callsOf(h, 'chat.postMessage')).toHaveLength(2);
    h.slack.pass(1_000);
    expect(await postOf(h)).toMatchObject({ kind: 'posted' });
  });

  test('a rate limit that does not say for how long is one all the same', async () => {
    const h = await openSlack('http');
    h.slack.failMethod('chat.postMessage', { kind: '429' });
    expect(await postOf(h)).toEqual({ kind: 'later', afterMs: 30_000 });
  });

  const lost: readonly [string, MethodFault, number][] = [
    ['the connection breaks before it is done', { kind: 'reset' }, 0],
    ['the answer is lost', { kind: 'lost' }, 1],
    ['the answer is cut off', { kind: 'cut' }, 1],
    ['a proxy answers with a page', { kind: 'html' }, 0],
    ['Slack answers with 500', { kind: 'status', status: 500 }, 0],
    ['Slack answers with 500 although it is done', { kind: 'status', status: 500, isDone: true }, 1],
    ['Slack answers with 503', { kind: 'status', status: 503 }, 0],
  ];

  test.each(lost)('trap 1: %s: it is sent once, and can be looked up', async (_, fault, shown) => {
    const h = await openSlack('http');
    h.slack.failMethod('chat.postMessage', fault);
    expect(await postOf(h)).toMatchObject({ kind: 'unknown' });
    expect(callsOf(h, 'chat.postMessage')).toHaveLength(1);
    expect(await h.slack.messages(h.slack.channel)).toHaveLength(shown);
    const found = await h.chat.find(h.slack.channel, 'key-1', h.slack.nowMs() - 60_000);
    expect(found.kind).toBe(shown === 1 ? 'found' : 'absent');
  });
});
