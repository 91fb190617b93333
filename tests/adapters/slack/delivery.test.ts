import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseIncoming } from '../../../src/adapters/slack/parse.ts';
import type { SlackStandIn } from '../../fakes/slack/index.ts';
import { openSlack } from './harness.ts';
import { type Live, openLive } from './live.ts';

const note = `
name: Note
triggers: [{ type: command, command: note }, { type: manual }]
steps:
  post: { type: message, to: "#releases", text: "Noted: {{start.json.prompt}}" }
`;

const runsOf = (live: Live) => live.flowbot.bot.store.runs({ limit: 50 });

/** Resolves when the flow has posted, and nothing more happens. */
async function oncePosted(slack: SlackStandIn): Promise<readonly string[]> {
  const texts = async () => (await slack.messages(slack.otherChannel)).map(({ text }) => text);
  await slack.until(async () => (await texts()).length > 0);
  await slack.quiet();
  return texts();
}

describe.each(['socket', 'http'] as const)('what people type in Slack, over %s', (transport) => {
  test('C13, trap 3: a mention that comes three times, and once more after a restart, starts one run', async () => {
    const { slack, live } = await openLive(transport, { note });
    slack.mentionEvents = 'mention';
    await slack.say(slack.people.ana, slack.channel, '@flowbot note it down');
    slack.pass(3_000);
    await slack.redeliver();
    slack.pass(61_000);
    await slack.redeliver();
    await live.restart();
    slack.pass(236_000);
    await slack.redeliver();
    expect(await oncePosted(slack)).toEqual(['Noted: it down']);
    expect(await runsOf(live)).toHaveLength(1);
  });

  test('C14: when only a late retry arrives, the command runs once and is answered', async () => {
    const { slack, live } = await openLive(transport, { note });
    await live.stop();
    const asked = await slack.say(slack.people.ana, slack.channel, '!note it down');
    await slack.retry();
    await live.start();
    await slack.retry();
    expect(await oncePosted(slack)).toEqual(['Noted: it down']);
    expect(await runsOf(live)).toHaveLength(1);
    const answers = await slack.messages({ ...slack.channel, thread: asked.id });
    expect(answers).toMatchObject([{ author: 'bot', text: expect.stringContaining('has succeeded') }]);
  });

  test('C16: previews, edits, our own posts and other bots start nothing', async () => {
    const { slack, live } = await openLive(transport, { note });
    const typed = '@flowbot note https://example.com';
    const asked = await slack.say(slack.people.ana, slack.channel, typed);
    const message = {
      type: 'message',
      user: slack.people.ana.id,
      ts: asked.id,
      text: `<@${slack.botUserId}> note <https://example.com>`,
    };
    for (const more of [{ attachments: [{ id: 1 }] }, { reply_count: 1 }, { language: { locale: 'en' } }]) {
      await slack.sendEvent({
        type: 'message',
        subtype: 'message_changed',
        hidden: true,
        channel: 'C0GENERAL',
        channel_type: 'channel',
        ts: `${asked.id.slice(0, -3)}999`,
        message: { ...message, ...more },
        previous_message: message,
      });
    }
    await slack.editAs(slack.people.ana, asked, '@flowbot note https://example.org');
    await slack.sendEvent({
      ...message,
      type: 'app_mention',
      channel: 'C0GENERAL',
      edited: { user: slack.people.ana.id, ts: asked.id },
    });
    await slack.sayAsBot(slack.channel, typed);
    await slack.sayAsBot(slack.channel, typed, true);
    expect(await oncePosted(slack)).toEqual(['Noted: https://example.com']);
    expect(await runsOf(live)).toHaveLength(1);
  });

  test.each(['both', 'mention-first'] as const)(
    'trap 11: one text that comes as a message and as a mention (%s) starts one run',
    async (mentionEvents) => {
      const { slack, live } = await openLive(transport, { note });
      slack.mentionEvents = mentionEvents;
      await slack.say(slack.people.ana, slack.channel, '@flowbot note it down');
      expect(await oncePosted(slack)).toEqual(['Noted: it down']);
      expect(await runsOf(live)).toHaveLength(1);
    },
  );

  test('traps 2 and 4: what could not be stored is not acknowledged, and comes again', async () => {
    const { inbox, slack } = await openSlack(transport);
    inbox.refuseNext(1);
    await slack.say(slack.people.ana, slack.channel, '!note it down');
    expect(slack.undelivered()).toHaveLength(1);
    expect(inbox.taken).toEqual([]);
    await slack.retry();
    expect(slack.undelivered()).toEqual([]);
    expect(inbox.taken).toMatchObject([{ text: '!note it down' }]);
  });

  test('trap 4: nothing is acknowledged before it is stored', async () => {
    const { inbox, slack } = await openSlack(transport);
    const stored = Promise.withResolvers<void>();
    const receive = inbox.receive.bind(inbox);
    inbox.receive = async (event) => {
      await stored.promise;
      return receive(event);
    };
    const isAcknowledged = () => slack.delivered().some(({ ackedAtMs }) => ackedAtMs !== undefined);
    const said = slack.say(slack.people.ana, slack.channel, 'hello');
    await slack.until(() => slack.delivered().length > 0);
    await slack.quiet();
    expect(isAcknowledged()).toBe(false);
    stored.resolve();
    await said;
    expect(isAcknowledged()).toBe(true);
  });

  test('a burst of 200 messages is acknowledged in time, none lost and none doubled', async () => {
    const { inbox, slack } = await openSlack(transport);
    const texts = Array.from({ length: 200 }, (_, index) => `message ${index}`);
    await slack.burst(texts.map((text) => ({ person: slack.people.ana, place: slack.channel, text })));
    expect(slack.undelivered()).toEqual([]);
    expect(slack.delivered().every(({ ackedAtMs }) => ackedAtMs !== undefined)).toBe(true);
    const said = inbox.taken.flatMap((event) => (event.type === 'message' ? [event.text] : []));
    expect(said.toSorted()).toEqual(texts.toSorted());
  });

  test('messages with files and replies that are shown in the channel too are messages', async () => {
    const { inbox, slack } = await openSlack(transport);
    const { ana } = slack.people;
    const root = await slack.upload(ana, slack.channel, '!note this', {
      name: 'plan.txt',
      bytes: Buffer.from('A plan'),
    });
    await slack.sayRaw(
      ana,
      { ...slack.channel, thread: root.id },
      {
        subtype: 'thread_broadcast',
        text: '!note that',
      },
    );
    expect(inbox.taken).toMatchObject([
      {
        text: '!note this',
        files: [{ id: expect.any(String), name: 'plan.txt', type: expect.any(String), sizeBytes: 6 }],
      },
      { text: '!note that', message: { thread: root.id }, files: [] },
    ]);
  });

  test('direct messages are said to the bot; in a group conversation they need the mention or the prefix', async () => {
    const { inbox, slack } = await openSlack(transport);
    const { ana } = slack.people;
    await slack.say(ana, slack.directPlace(ana), 'note this');
    const group = { type: 'message', channel: 'G0GROUP', channel_type: 'mpim', user: ana.id };
    await slack.sendEvent({ ...group, ts: '1764520000.000100', text: 'note that' });
    await slack.sendEvent({ ...group, ts: '1764520000.000200', text: `<@${slack.botUserId}>: note that` });
    expect(inbox.taken).toMatchObject([
      { text: 'note this', toBot: true, message: { conversation: `${slack.teamId}/D0${ana.id}` } },
      { text: 'note that', toBot: false, message: { conversation: `${slack.teamId}/G0GROUP` } },
      { text: 'note that', toBot: true },
    ]);
  });

  test('mentions, channels and addresses arrive as the words that were typed', async () => {
    const { inbox, slack } = await openSlack(transport);
    slack.createGroup({ id: 'S0OPS', handle: 'ops', users: [] });
    const of = slack.mention;
    await slack.say(
      slack.people.ana,
      slack.channel,
      `${of(slack.people.bo)} and ${of('S0OPS')} in ${of('C0RELEASES')}, ${of('here')}: https://example.com/?a=1&b=2 <@U0CY>`,
    );
    expect(inbox.taken).toMatchObject([
      { text: '@Bo and @ops in #releases, @here: https://example.com/?a=1&b=2 <@U0CY>' },
    ]);
  });

  test('trap 20: people of another organisation, and events of shared channels, keep our own addresses', async () => {
    const { inbox, slack } = await openSlack(transport);
    await slack.sendEvent({
      type: 'message',
      channel: 'C0GENERAL',
      channel_type: 'channel',
      user: 'W0STRANGER',
      user_team: 'T0ELSEWHERE',
      source_team: 'T0ELSEWHERE',
      team: 'T0ELSEWHERE',
      ts: '1764520000.000100',
      text: 'hello <@W0STRANGER>',
    });
    expect(inbox.taken).toMatchObject([
      {
        person: { id: 'W0STRANGER', name: 'W0STRANGER' },
        message: slack.channel,
        text: 'hello @W0STRANGER',
      },
    ]);
  });

  test('a name that does not come in time holds nothing up: the id stands for it', async () => {
    const { inbox, slack } = await openSlack(transport);
    slack.failMethod('users.info', { kind: 'delay', ms: 2_000 }, 2);
    const said = slack.say(slack.people.ana, slack.channel, 'hello');
    await inbox.until(1);
    await said;
    expect(inbox.taken).toMatchObject([{ person: { id: 'U0ANA', name: 'U0ANA' }, text: 'hello' }]);
    await slack.retry();
    expect(slack.undelivered()).toEqual([]);
  });

  test('what the bot does not know is acknowledged and does nothing', async () => {
    const { inbox, slack, log } = await openSlack(transport);
    const hostile: readonly Readonly<Record<string, unknown>>[] = [
      { type: 'reaction_added', user: 'U0ANA' },
      { type: 'message', channel: 'C0GENERAL', ts: '1764520000.000100', text: 'nobody said this' },
      { type: 'message', user: 'U0ANA', channel: ['C0GENERAL'], ts: 5, text: {} },
      { type: 'message', user: 'U0ANA', channel: 'C0GENERAL', ts: 'now', text: '!note this' },
      {
        type: 'message',
        subtype: 'me_message',
        user: 'U0ANA',
        channel: 'C0GENERAL',
        ts: '1764520000.000200',
      },
      { type: 'member_joined_channel', user: slack.botUserId },
      { type: 'app_home_opened', user: 'U0ANA', tab: 'messages' },
      { type: '__proto__', constructor: { prototype: {} } },
    ];
    for (const event of hostile) await slack.sendEvent(event);
    expect(slack.undelivered()).toEqual([]);
    expect(inbox.taken).toEqual([]);
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('reading what Slack sends', () => {
  const scraps = fc.oneof(
    fc.anything({ maxDepth: 3 }),
    fc.constantFrom('message', 'block_actions', 'U0ANA', 'C0GENERAL', '1764520000.000100', '<@', '{"c":1}'),
  );
  const event = fc.record(
    {
      type: fc.oneof(
        fc.constantFrom('message', 'app_mention', 'member_joined_channel', 'tokens_revoked'),
        scraps,
      ),
      user: scraps,
      channel: scraps,
      ts: scraps,
      thread_ts: scraps,
      text: scraps,
      files: scraps,
      tokens: scraps,
    },
    { requiredKeys: [] },
  );
  const body = fc.record(
    {
      type: fc.oneof(
        fc.constantFrom('event_callback', 'block_actions', 'view_submission', 'shortcut', 'message_action'),
        scraps,
      ),
      event,
      command: scraps,
      callback_id: scraps,
      user: fc.oneof(fc.record({ id: scraps }), scraps),
      actions: fc.oneof(fc.array(fc.record({ action_id: scraps, value: scraps, text: scraps })), scraps),
      view: fc.oneof(
        fc.record({
          id: scraps,
          callback_id: scraps,
          private_metadata: scraps,
          blocks: scraps,
          state: scraps,
        }),
        scraps,
      ),
      message: fc.oneof(event, scraps),
      container: scraps,
      trigger_id: scraps,
      response_url: scraps,
    },
    { requiredKeys: [] },
  );

  test('no body makes it stumble', () => {
    fc.assert(
      fc.property(fc.oneof(body, scraps), (sent) => {
        expect(parseIncoming(sent, 'T0TEAM').kind).toEqual(expect.any(String));
      }),
      { numRuns: 500 },
    );
  });
});
