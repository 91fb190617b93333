import { webApi } from '@slack/bolt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSlackStandIn, type SlackStandIn } from './index.ts';
import { callApi } from './little-bot.ts';
import { isWire, type Wire } from './wire.ts';

let slack: SlackStandIn;
beforeEach(async () => {
  slack = await createSlackStandIn();
});
afterEach(() => slack.close());

const api = (method: string, args: Wire = {}, token?: string) => callApi(slack, method, args, token);
const post = (args: Wire) => api('chat.postMessage', { channel: 'C0GENERAL', ...args });
const postBlocks = (...blocks: readonly Wire[]) => post({ text: 'x', blocks });

const plain = (text: string) => ({ type: 'plain_text', text });

describe('posting', () => {
  test.each<readonly [string, Wire]>([
    ['no_text', {}],
    ['no_text', { text: '   ' }],
    ['invalid_arguments', { text: 'x', invented: 1 }],
    ['thread_not_found', { text: 'x', thread_ts: '1.000001' }],
    ['channel_not_found', { text: 'x', channel: 'nowhere' }],
    ['markdown_text_conflict', { text: 'x', markdown_text: 'x' }],
    ['msg_too_long', { markdown_text: 'x'.repeat(12_001) }],
    ['missing_scope', { text: 'x', username: 'Boss' }],
    ['invalid_metadata_format', { text: 'x', metadata: { event_type: 'a' } }],
    ['invalid_metadata_schema', { text: 'x', metadata: { event_type: 'a', event_payload: { a: [1] } } }],
    [
      'metadata_too_large',
      { text: 'x', metadata: { event_type: 'a', event_payload: { a: 'x'.repeat(9000) } } },
    ],
  ])('%s', async (error, args) => {
    expect(await post(args)).toMatchObject({ ok: false, error });
  });

  test('times are unique and increase although the clock stands still', async () => {
    const sent = [await post({ text: 'a' }), await post({ text: 'b' }), await post({ text: 'c' })];
    const times = sent.map(({ ts }) => String(ts));
    expect(new Set(times).size).toBe(3);
    expect(times.toSorted()).toEqual(times);
  });

  test('a public channel takes posts of those outside, a private one is not even there', async () => {
    const open = slack.createChannel({ name: 'open', botIsMember: false });
    const closed = slack.createChannel({ name: 'closed', isPrivate: true, botIsMember: false });
    expect(await post({ channel: open.conversation, text: 'x' })).toMatchObject({ ok: true });
    expect(await api('conversations.history', { channel: open.conversation })).toMatchObject({
      error: 'not_in_channel',
    });
    expect(await post({ channel: closed.conversation, text: 'x' })).toMatchObject({
      error: 'channel_not_found',
    });
    slack.scopes = slack.scopes.filter((scope) => scope !== 'chat:write.public');
    expect(await post({ channel: open.conversation, text: 'x' })).toMatchObject({ error: 'not_in_channel' });
    await api('conversations.join', { channel: open.conversation });
    expect(await post({ channel: open.conversation, text: 'x' })).toMatchObject({ ok: true });
    await slack.archive(open);
    expect(await post({ channel: open.conversation, text: 'x' })).toMatchObject({ error: 'is_archived' });
  });

  test('a user id opens the direct messages, also of somebody who left', async () => {
    expect(await post({ channel: 'U0ANA', text: 'x' })).toMatchObject({ ok: true, channel: 'D0U0ANA' });
    expect(await post({ channel: 'U0DEE', text: 'x' })).toMatchObject({ ok: true, channel: 'D0U0DEE' });
    expect(await slack.messages(slack.directPlace(slack.people.ana))).toMatchObject([
      { text: 'x', author: 'bot' },
    ]);
  });

  test('an edit: own messages only, 4,000 characters, text alone drops the blocks', async () => {
    const { ts } = await postBlocks({ type: 'header', text: plain('Head') });
    const edit = (args: Wire) => api('chat.update', { channel: 'C0GENERAL', ts, ...args });
    expect(await edit({ text: 'x'.repeat(4001) })).toMatchObject({ error: 'msg_too_long' });
    expect(await edit({ channel: 'U0ANA', text: 'x' })).toMatchObject({ error: 'channel_not_found' });
    expect(await edit({ ts: '1.000001', text: 'x' })).toMatchObject({ error: 'message_not_found' });
    expect(await edit({ text: 'only text' })).toMatchObject({ ok: true });
    expect(await slack.messages(slack.channel)).toMatchObject([{ text: 'only text', edited: true }]);
    const theirs = await slack.say(slack.people.ana, slack.channel, 'mine');
    expect(await edit({ ts: theirs.id, text: 'x' })).toMatchObject({ error: 'cant_update_message' });
  });

  test('history: newest first, without replies, in pages, bounds outside unless asked', async () => {
    const roots: string[] = [];
    for (const text of ['1', '2', '3', '4']) roots.push(String((await post({ text })).ts));
    await post({
      text: 'reply',
      thread_ts: roots[0],
      metadata: { event_type: 'e', event_payload: { key: 'k' } },
    });
    const history = (args: Wire) => api('conversations.history', { channel: 'C0GENERAL', ...args });
    const texts = (answer: Wire) =>
      Array.isArray(answer.messages) ? answer.messages.map(({ text }: { text: string }) => text) : [];
    const first = await history({ limit: 3 });
    expect([texts(first), first.has_more]).toEqual([['4', '3', '2'], true]);
    const { response_metadata: more } = first;
    const cursor = isWire(more) ? more.next_cursor : undefined;
    expect(texts(await history({ limit: 3, cursor }))).toEqual(['1']);
    expect(texts(await history({ oldest: roots[1], latest: roots[3] }))).toEqual(['3']);
    expect(texts(await history({ oldest: roots[1], latest: roots[3], inclusive: true }))).toEqual([
      '4',
      '3',
      '2',
    ]);
    const replies = (args: Wire) =>
      api('conversations.replies', { channel: 'C0GENERAL', ts: roots[0], ...args });
    expect(texts(await replies({}))).toEqual(['1', 'reply']);
    expect(await replies({})).not.toHaveProperty('messages.1.metadata.event_payload');
    expect(await replies({ include_all_metadata: true })).toHaveProperty(
      'messages.1.metadata.event_payload.key',
      'k',
    );
    expect(await history({ cursor: 'x' })).toMatchObject({ error: 'invalid_cursor' });
    expect(await history({ limit: 1000 })).toMatchObject({ error: 'invalid_limit' });
  });

  test('lists come in short and empty pages when they are told to', async () => {
    slack.pageSizes = [1, 0, 2];
    const client = new webApi.WebClient(slack.botToken, {
      slackApiUrl: slack.apiUrl,
      retryConfig: { retries: 0 },
    });
    const pages: (string | undefined)[][] = [];
    let cursor: string | undefined = '';
    while (cursor !== undefined) {
      const { channels = [], response_metadata: more } = await client.conversations.list({
        limit: 2,
        cursor,
      });
      pages.push(channels.map(({ name }) => name));
      cursor = more?.next_cursor || undefined;
    }
    expect(pages).toEqual([['general'], [], ['releases', 'announcements'], ['ops']]);
  });
});

describe('people and groups', () => {
  test('people are found by id and address; those who left are marked', async () => {
    expect(await api('users.info', { user: 'U0DEE' })).toMatchObject({ user: { deleted: true } });
    expect(await api('users.info', { user: 'U0NOBODY' })).toMatchObject({ error: 'user_not_found' });
    expect(await api('users.lookupByEmail', { email: 'ana@example.com' })).toMatchObject({
      user: { id: 'U0ANA' },
    });
    expect(await api('users.lookupByEmail', { email: 'x@example.com' })).toMatchObject({
      error: 'users_not_found',
    });
    expect(await api('conversations.open', { users: 'U0ANA' })).toMatchObject({ channel: { id: 'D0U0ANA' } });
  });

  test('groups have members until they change or are disabled', async () => {
    slack.createGroup({ id: 'S0OPS', handle: 'ops', users: ['U0BO'] });
    const members = () => api('usergroups.users.list', { usergroup: 'S0OPS' });
    expect(await members()).toMatchObject({ users: ['U0BO'] });
    slack.setGroupUsers('S0OPS', ['U0CY']);
    expect(await members()).toMatchObject({ users: ['U0CY'] });
    expect(await api('usergroups.list')).toMatchObject({ usergroups: [{ id: 'S0OPS', handle: 'ops' }] });
    slack.disableGroup('S0OPS');
    expect(await members()).toMatchObject({ error: 'no_such_subteam' });
    expect(await api('usergroups.list')).toMatchObject({ usergroups: [] });
  });

  test('the manifest is exported with a configuration token only', async () => {
    slack.manifest = { display_information: { name: 'Flowbot' } };
    const args = { app_id: slack.appId };
    expect(await api('apps.manifest.export', args)).toMatchObject({ error: 'not_allowed_token_type' });
    const answer = await api('apps.manifest.export', args, slack.configToken);
    expect(answer).toMatchObject({ manifest: { display_information: { name: 'Flowbot' } } });
  });
});

describe('who may call', () => {
  test.each<readonly [string, string, string]>([
    ['a token nobody has', 'xoxb-other', 'invalid_auth'],
    ['the app token', 'xapp-flowbot', 'not_allowed_token_type'],
  ])('%s', async (_, token, error) => {
    expect(await api('chat.postMessage', { channel: 'C0GENERAL', text: 'x' }, token)).toMatchObject({
      error,
    });
  });

  test('no token, an unknown method, a missing scope', async () => {
    const answer = await fetch(`${slack.apiUrl}auth.test`, { method: 'POST' });
    expect(await answer.json()).toEqual({ ok: false, error: 'not_authed' });
    expect(await api('chat.shout')).toMatchObject({ error: 'unknown_method' });
    slack.scopes = ['chat:write'];
    expect(await api('usergroups.list')).toMatchObject({
      error: 'missing_scope',
      needed: 'usergroups:read',
      provided: 'chat:write',
    });
  });

  test('after the tokens were revoked, and after the app was taken out', async () => {
    await slack.revokeTokens();
    expect(await api('auth.test')).toMatchObject({ error: 'token_revoked' });
    await slack.uninstall();
    expect(await api('auth.test')).toMatchObject({ error: 'account_inactive' });
  });
});

describe('faults', () => {
  const client = () =>
    new webApi.WebClient(slack.botToken, {
      slackApiUrl: slack.apiUrl,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      logLevel: webApi.LogLevel.ERROR,
    });
  const say = () => client().chat.postMessage({ channel: 'C0GENERAL', text: 'x' });
  test.each([
    [{ kind: 'error', code: 'fatal_error' } as const, 0],
    [{ kind: '429', retryAfterS: 7 } as const, 0],
    [{ kind: '429' } as const, 0],
    [{ kind: 'status', status: 503 } as const, 0],
    [{ kind: 'html' } as const, 0],
    [{ kind: 'reset' } as const, 0],
    [{ kind: 'lost' } as const, 1],
    [{ kind: 'cut' } as const, 1],
  ])('%j fails the call and posts %i messages', async (fault, posted) => {
    slack.failMethod('chat.postMessage', fault);
    await expect(say()).rejects.toThrow();
    expect(await slack.messages(slack.channel)).toHaveLength(posted);
    await expect(say()).resolves.toMatchObject({ ok: true });
  });
});

describe('files', () => {
  test('an upload takes three steps; where it is shared is known later', async () => {
    const client = new webApi.WebClient(slack.botToken, {
      slackApiUrl: slack.apiUrl,
      retryConfig: { retries: 0 },
    });
    const picture = { file: Buffer.from('picture'), filename: 'flow.png' };
    await client.filesUploadV2({ channel_id: 'C0GENERAL', initial_comment: 'Here', ...picture });
    expect(await slack.messages(slack.channel)).toMatchObject([{ text: 'Here', author: 'bot' }]);
    const completed = slack.calls().find(({ method }) => method === 'files.completeUploadExternal');
    const files = completed?.args.files;
    const [file] = Array.isArray(files) ? files : [];
    const shares = async () => (await client.files.info({ file: file.id })).file?.shares;
    expect(await shares()).toEqual({});
    expect((await shares())?.public).toHaveProperty('C0GENERAL');
    const image = { type: 'image', alt_text: 'Flow', slack_file: { id: file.id } };
    expect(await postBlocks(image)).toMatchObject({ ok: true });
    const url = `${slack.apiUrl.replace('/api/', '')}/files/${file.id}/flow.png`;
    const signedIn = await fetch(url, { headers: { authorization: `Bearer ${slack.botToken}` } });
    expect(await signedIn.text()).toBe('picture');
    const stranger = await fetch(url);
    expect([stranger.status, stranger.headers.get('content-type')]).toEqual([200, 'text/html']);
  });

  test('a file must be there, and have its bytes', async () => {
    const { file_id: id } = await api('files.getUploadURLExternal', { filename: 'a.txt', length: 3 });
    expect(await api('files.completeUploadExternal', { files: [{ id }] })).toMatchObject({
      error: 'file_upload_incomplete',
    });
    expect(await api('files.info', { file: 'F0NONE' })).toMatchObject({ error: 'file_not_found' });
  });
});
