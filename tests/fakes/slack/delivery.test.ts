import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSlackStandIn, type SlackStandIn } from './index.ts';
import { callApi, connectBot, type Envelope, startHttpBot } from './little-bot.ts';
import { isWire, type Wire } from './wire.ts';

let slack: SlackStandIn;
beforeEach(async () => {
  slack = await createSlackStandIn({ settleMs: 50 });
});
afterEach(() => slack.close());

const eventOf = ({ payload }: Envelope): Wire => (isWire(payload.event) ? payload.event : {});
const events = (envelopes: readonly Envelope[]) => envelopes.filter(({ type }) => type === 'events_api');

describe('Socket Mode', () => {
  test('a message is an event in Slack’s own encoding', async () => {
    const bot = await connectBot(slack);
    const typed = `@flowbot a < b ${slack.mention(slack.people.bo)} https://example.com/?a=1&b=2, ana@example.com @ana #general`;
    const { id } = await slack.say(slack.people.ana, slack.channel, typed);
    const [message, mention] = events(bot.envelopes).map(eventOf);
    expect(message).toMatchObject({
      type: 'message',
      channel: 'C0GENERAL',
      channel_type: 'channel',
      user: 'U0ANA',
      ts: id,
      client_msg_id: expect.any(String),
      text: '<@U0FLOWBOT> a &lt; b <@U0BO> <https://example.com/?a=1&amp;b=2>, <mailto:ana@example.com|ana@example.com> @ana #general',
    });
    expect(mention).toMatchObject({ type: 'app_mention', ts: id });
    const ids = bot.envelopes.map(({ payload }) => payload.event_id);
    expect(new Set(ids).size).toBe(2);
    expect(bot.notices).toMatchObject([{ type: 'hello', num_connections: 1 }]);
  });

  test.each([
    ['both', ['message', 'app_mention']],
    ['mention-first', ['app_mention', 'message']],
    ['message', ['message']],
    ['mention', ['app_mention']],
  ] as const)('a mention is told as %s', async (mode, types) => {
    const bot = await connectBot(slack);
    slack.mentionEvents = mode;
    await slack.say(slack.people.ana, slack.channel, 'hey @flowbot');
    expect(bot.envelopes.map((each) => eventOf(each).type)).toEqual(types);
  });

  test('an event that is not acknowledged comes again with the same event_id in another envelope', async () => {
    const bot = await connectBot(slack, () => undefined);
    await slack.say(slack.people.ana, slack.channel, 'hello');
    bot.answer = () => ({});
    await slack.retry();
    await slack.retry();
    const [first, second, ...more] = bot.envelopes;
    expect(more).toEqual([]);
    expect(second?.payload.event_id).toBe(first?.payload.event_id);
    expect(second?.envelope_id).not.toBe(first?.envelope_id);
    expect([first?.retry_attempt, second?.retry_attempt, second?.retry_reason]).toEqual([0, 1, 'timeout']);
    expect(slack.undelivered()).toEqual([]);
  });

  test('what was taken can come again in the same envelope', async () => {
    const bot = await connectBot(slack);
    await slack.say(slack.people.ana, slack.channel, 'hello');
    await slack.redeliver();
    const [first, second] = bot.envelopes;
    expect(second?.envelope_id).toBe(first?.envelope_id);
    expect(second?.payload).toEqual(first?.payload);
  });

  test('what happens while nobody is connected comes with the next connection, in order', async () => {
    await slack.say(slack.people.ana, slack.channel, 'first');
    await slack.say(slack.people.bo, slack.channel, 'second');
    await slack.command(slack.people.ana, slack.channel, 'help');
    expect(slack.troubles(slack.people.ana)).toHaveLength(1);
    const bot = await connectBot(slack);
    await slack.until(() => slack.undelivered().length === 0);
    expect(bot.envelopes.map((each) => eventOf(each).text)).toEqual(['first', 'second']);
  });

  test('a cut connection loses nothing', async () => {
    const dying = await connectBot(slack, () => {
      slack.dropConnections();
      return undefined;
    });
    await slack.say(slack.people.ana, slack.channel, 'hello');
    expect(await dying.closed).toBe(1006);
    const bot = await connectBot(slack);
    await slack.until(() => slack.undelivered().length === 0);
    expect(bot.envelopes).toHaveLength(1);
  });

  test('a refresh says so, then closes; refused and used-up addresses do not connect', async () => {
    const bot = await connectBot(slack);
    await slack.refresh('warning');
    expect(slack.connections()).toBe(1);
    await slack.refresh();
    await bot.closed;
    expect(bot.notices.map(({ type, reason }) => [type, reason])).toEqual([
      ['hello', undefined],
      ['disconnect', 'warning'],
      ['disconnect', 'refresh_requested'],
    ]);
    slack.refuseConnections(1);
    await expect(connectBot(slack)).rejects.toThrow('503');
    await connectBot(slack);
    await slack.onceConnected(1);
  });

  test('each event goes to one of several connections', async () => {
    const bots = [await connectBot(slack), await connectBot(slack)];
    await slack.burst(
      Array.from({ length: 10 }, (_, n) => ({
        person: slack.people.ana,
        place: slack.channel,
        text: `${n}`,
      })),
    );
    expect(bots.map(({ envelopes }) => envelopes.length)).toEqual([5, 5]);
    expect(slack.delivered().every(({ sentAtMs, ackedAtMs = 0 }) => ackedAtMs >= sentAtMs)).toBe(true);
  });

  test('2,000 events at once: each arrives once', async () => {
    const bot = await connectBot(slack);
    const typed = Array.from({ length: 2000 }, (_, n) => ({
      person: slack.people.ana,
      place: slack.channel,
      text: `${n}`,
    }));
    const messages = await slack.burst(typed);
    expect(bot.envelopes.map((each) => eventOf(each).ts)).toEqual(messages.map(({ id }) => id));
    expect(slack.undelivered()).toEqual([]);
    expect(slack.delivered().filter(({ ackedAtMs }) => ackedAtMs === undefined)).toEqual([]);
  });

  test('an eleventh connection is told that there are too many', async () => {
    for (let count = 1; count <= 10; count += 1) await connectBot(slack);
    const eleventh = await connectBot(slack);
    expect(slack.connections()).toBe(10);
    expect(eleventh.notices).toMatchObject([{ type: 'disconnect', reason: 'too_many_websockets' }]);
  });

  test('what happens to the bot’s channels and tokens is told', async () => {
    const bot = await connectBot(slack);
    const { ana } = slack.people;
    const place = slack.createChannel({ name: 'secret', isPrivate: true, botIsMember: false });
    await slack.invite(ana, place);
    await slack.rename(place, 'open-secret');
    const moved = await slack.changeId(place);
    await slack.archive(moved);
    await slack.removeBot(slack.otherChannel);
    await slack.deactivate(ana);
    await slack.revokeTokens();
    await slack.uninstall();
    expect(bot.envelopes.map(eventOf)).toMatchObject([
      { type: 'member_joined_channel', user: slack.botUserId, inviter: 'U0ANA' },
      { type: 'group_rename', channel: { name: 'open-secret' } },
      { type: 'channel_id_changed', old_channel_id: 'C0SECRET', new_channel_id: moved.conversation },
      { type: 'group_archive' },
      { type: 'channel_left' },
      { type: 'member_left_channel' },
      { type: 'user_change', user: { deleted: true } },
      { type: 'tokens_revoked' },
      { type: 'app_uninstalled' },
    ]);
  });

  test('a bot outside the channel hears nothing', async () => {
    const bot = await connectBot(slack);
    await slack.removeBot(slack.channel);
    const before = bot.envelopes.length;
    await slack.say(slack.people.ana, slack.channel, '@flowbot hello');
    expect(bot.envelopes.length).toBe(before);
  });

  test('edits, deletions, other bots and its own posts are told as what they are', async () => {
    const bot = await connectBot(slack);
    const message = await slack.say(slack.people.ana, slack.channel, 'a');
    await slack.editAs(slack.people.ana, message, 'b');
    await slack.deleteMessage(message);
    await slack.sayAsBot(slack.channel, 'c');
    await slack.sayAsBot(slack.channel, 'd', true);
    const { ts } = await callApi(slack, 'chat.postMessage', { channel: 'C0GENERAL', text: 'e' });
    await callApi(slack, 'chat.update', { channel: 'C0GENERAL', ts, text: 'f' });
    await slack.until(() => bot.envelopes.length === 7 && slack.undelivered().length === 0);
    expect(
      bot.envelopes.map(eventOf).map(({ subtype, bot_id, hidden }) => [subtype, bot_id, hidden]),
    ).toEqual([
      [undefined, undefined, undefined],
      ['message_changed', undefined, true],
      ['message_deleted', undefined, true],
      ['bot_message', 'B0OTHERBOT', undefined],
      [undefined, 'B0OTHERBOT', undefined],
      [undefined, 'B0FLOWBOT', undefined],
      ['message_changed', undefined, true],
    ]);
  });
});

describe('HTTP', () => {
  test('requests are signed over the raw body; what fails comes again with the reason', async () => {
    const bot = await startHttpBot();
    slack.eventsUrl = bot.url;
    bot.answer = () => ({ status: 500 });
    await slack.say(slack.people.ana, slack.channel, 'hello');
    bot.answer = () => ({ status: 200 });
    await slack.retry();
    const [first, second] = bot.requests;
    expect(second?.body).toBe(first?.body);
    expect(first?.headers).not.toHaveProperty('x-slack-retry-num');
    expect(second?.headers).toMatchObject({ 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_error' });
    const stamp = first?.headers['x-slack-request-timestamp'];
    const digest = createHmac('sha256', slack.signingSecret)
      .update(`v0:${stamp}:${first?.body}`)
      .digest('hex');
    expect(first?.headers['x-slack-signature']).toBe(`v0=${digest}`);
    expect(slack.undelivered()).toEqual([]);
    await bot.close();
  });

  test('a bot that does not want an event again is not given it; one that is away is', async () => {
    const bot = await startHttpBot();
    slack.eventsUrl = bot.url;
    bot.answer = () => ({ status: 500, headers: { 'x-slack-no-retry': '1' } });
    await slack.say(slack.people.ana, slack.channel, 'no');
    expect(slack.undelivered()).toEqual([]);
    await bot.close();
    await slack.say(slack.people.ana, slack.channel, 'yes');
    expect(slack.undelivered()).toHaveLength(1);
  });

  test('the address is checked, and anybody can send anything', async () => {
    const bot = await startHttpBot();
    slack.eventsUrl = bot.url;
    expect(await slack.urlVerification('abc')).toMatchObject({ status: 200 });
    await slack.sslCheck();
    await slack.sendSigned({ body: '{}', timestamp: '1', signature: 'v0=wrong', contentType: 'text/plain' });
    const [check, ssl, hostile] = bot.requests;
    expect(JSON.parse(check?.body ?? '')).toMatchObject({ type: 'url_verification', challenge: 'abc' });
    expect(ssl?.headers).not.toHaveProperty('x-slack-signature');
    expect(hostile?.headers).toMatchObject({
      'content-type': 'text/plain',
      'x-slack-signature': 'v0=wrong',
      'x-slack-request-timestamp': '1',
    });
    await bot.close();
  });

  test('commands and interactions are forms, exactly of the type that was asked for', async () => {
    const bot = await startHttpBot();
    slack.eventsUrl = bot.url;
    slack.formContentType = 'application/x-www-form-urlencoded;charset=utf-8';
    bot.answer = () => ({ status: 200, body: 'Working on it.' });
    await slack.command(slack.people.ana, slack.channel, 'run a=<b>');
    const [command] = bot.requests;
    expect(command?.headers['content-type']).toBe('application/x-www-form-urlencoded;charset=utf-8');
    const fields = new URLSearchParams(command?.body);
    expect([fields.get('command'), fields.get('text'), fields.get('is_enterprise_install')]).toEqual([
      '/flow',
      'run a=&lt;b&gt;',
      'false',
    ]);
    expect(await slack.privates(slack.people.ana)).toEqual([
      { text: 'Working on it.', buttons: [], files: [] },
    ]);
    bot.answer = () => ({ status: 200 });
    await slack.globalShortcut(slack.people.ana);
    const payload = JSON.parse(new URLSearchParams(bot.requests[1]?.body).get('payload') ?? '{}');
    expect(payload).toMatchObject({ type: 'shortcut', callback_id: 'run_flow', user: { id: 'U0ANA' } });
    await bot.close();
  });
});
