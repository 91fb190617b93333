import { describe, expect, test } from 'vitest';
import { createDirectory } from '../../../src/adapters/slack/directory.ts';
import { createPosts } from '../../../src/adapters/slack/posts.ts';
import type { Button } from '../../../src/engine/post.ts';
import { literal, md } from '../../../src/engine/prose.ts';
import type { Part } from '../../../src/ports/chat.ts';
import { createHandClock } from '../../fakes/clock.ts';
import { createKeptLog } from '../../fakes/log.ts';
import { answering } from './answering.ts';
import { openSlack, type SlackHarness } from './harness.ts';

function partOf(h: SlackHarness, text: string, progress = false, buttons: readonly Button[] = []): Part {
  const content = { prose: [md(text)], buttons, notify: [], ...(progress && { progress: true as const }) };
  const [part = null] = h.chat.render(content);
  return part;
}

const callsOf = (h: SlackHarness, method: string) => h.slack.calls().filter((call) => call.method === method);

async function post(h: SlackHarness, conversation: string, key = 'key-1') {
  return h.chat.post({ platform: 'slack', conversation }, partOf(h, 'Hello'), key);
}

describe('what every message carries', () => {
  test('nothing unfurls, no word is read as a mention, and a marker tells it from others', async () => {
    const h = await openSlack('http');
    const outcome = await post(h, h.slack.channel.conversation);
    if (outcome.kind === 'posted') await h.chat.edit(outcome.message, partOf(h, 'Bye'));
    expect(callsOf(h, 'chat.postMessage')[0]?.args).toMatchObject({
      unfurl_links: 'false',
      unfurl_media: 'false',
      link_names: 'false',
      parse: 'none',
      metadata: { event_type: 'flowbot_post', event_payload: { key: 'key-1' } },
      text: 'Hello',
    });
    expect(callsOf(h, 'chat.update')[0]?.args).toMatchObject({
      link_names: 'false',
      parse: 'none',
      text: 'Bye',
    });
    // An edit that names no metadata keeps what the message has.
    expect(callsOf(h, 'chat.update')[0]?.args).not.toHaveProperty('metadata');
  });

  test('its address leads to it, also in a thread', async () => {
    const h = await openSlack('http');
    const root = await h.slack.say(h.slack.people.ana, h.slack.channel, 'a topic');
    const outcome = await h.chat.post({ ...h.slack.channel, thread: root.id }, partOf(h, 'Hi'), 'key-1');
    expect(outcome).toMatchObject({
      url: expect.stringMatching(
        /^https:\/\/flowbot-test\.slack\.com\/archives\/C0GENERAL\/p\d+\?thread_ts=[\d.]+&cid=C0GENERAL$/,
      ),
    });
  });
});

describe('where posts go', () => {
  test('trap 16: channels are found by name past empty and short pages, and then known', async () => {
    const h = await openSlack('http');
    h.slack.createChannel({ name: 'launch', botIsMember: false });
    h.slack.pageSizes = [0, 1, 0, 2, 1];
    expect(await h.chat.conversation('#launch')).toEqual({
      platform: 'slack',
      id: `${h.slack.teamId}/C0LAUNCH`,
      name: '#launch',
    });
    const asked = h.slack.calls().length;
    expect(await h.chat.conversation('#LAUNCH')).toMatchObject({ name: '#launch' });
    expect(h.slack.calls()).toHaveLength(asked);
  });

  test.each([
    ['C0GENERAL', '#general'],
    ['T0TEAM/C0GENERAL', '#general'],
    ['#general', '#general'],
    ['general', '#general'],
    ['@ana', '@Ana'],
    ['@Ana', '@Ana'],
    ['U0ANA', '@Ana'],
    ['@U0ANA', '@Ana'],
  ])('%s is %s', async (address, name) => {
    const h = await openSlack('http');
    expect(await h.chat.conversation(address)).toMatchObject({ name });
  });

  test.each(['#nowhere', 'C0NOWHERE', '@nobody', 'T0OTHER/C0GENERAL', '@flowbot', '', '#', 'a b', '../x'])(
    '%j is no conversation',
    async (address) => {
      const h = await openSlack('http');
      expect(await h.chat.conversation(address)).toBeUndefined();
    },
  );

  test.each(['@dee', '@U0DEE', 'U0DEE'])(
    'C29: %s is deactivated, so it is no conversation',
    async (address) => {
      const h = await openSlack('http');
      expect(await h.chat.conversation(address)).toBeUndefined();
    },
  );

  test('a direct message is posted where its person reads it', async () => {
    const h = await openSlack('http');
    const found = await h.chat.conversation('@ana');
    expect(await post(h, found?.id ?? '')).toMatchObject({ kind: 'posted' });
    expect(await h.slack.messages(h.slack.directPlace(h.slack.people.ana))).toMatchObject([
      { text: 'Hello' },
    ]);
  });

  test('a public channel is joined first, so that the post can be looked up', async () => {
    const h = await openSlack('http');
    const place = h.slack.createChannel({ name: 'launch', botIsMember: false });
    expect(await post(h, place.conversation)).toMatchObject({ kind: 'posted' });
    const order = h.slack.calls().flatMap(({ method }) => (/join|postMessage/.test(method) ? [method] : []));
    expect(order).toEqual(['conversations.join', 'chat.postMessage']);
    expect(await h.chat.find(place, 'key-1', 0)).toMatchObject({ kind: 'found' });
    // The bot came by itself: nobody is greeted.
    expect(h.inbox.taken).toEqual([]);
  });

  test('a private channel without the bot is not known; to post there it must be invited', async () => {
    const h = await openSlack('http');
    const place = h.slack.createChannel({ name: 'secret', isPrivate: true, botIsMember: false });
    expect(await h.chat.conversation('#secret')).toBeUndefined();
    expect(await post(h, place.conversation)).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('/invite'),
    });
    await h.slack.invite(h.slack.people.ana, place);
    expect(await post(h, place.conversation)).toMatchObject({ kind: 'posted' });
  });

  test.each(['#releases', 'C0RELEASES', '@ana'])(
    'while Slack can’t be asked, %s is what it was',
    async (address) => {
      const h = await openSlack('http');
      const known = await h.chat.conversation(address);
      expect(known).toBeDefined();
      h.slack.pass(2 * 3_600_000);
      for (const method of [
        'conversations.info',
        'users.conversations',
        'conversations.list',
        'users.info',
        'users.list',
      ]) {
        h.slack.failMethod(method, { kind: 'error', code: 'token_expired' }, 100);
      }
      expect(await h.chat.conversation(address)).toEqual(known);
      expect(await post(h, known?.id ?? '')).toMatchObject({ kind: 'posted' });
    },
  );

  test('a channel that was renamed is found by its new name at once, and not by the old one', async () => {
    const h = await openSlack('http');
    expect(await h.chat.conversation('#releases')).toBeDefined();
    await h.slack.rename(h.slack.otherChannel, 'shipping');
    expect(await h.chat.conversation('#shipping')).toMatchObject({ id: h.slack.otherChannel.conversation });
    expect(await h.chat.conversation('#releases')).toBeUndefined();
  });

  test('a channel that has got another id keeps its messages: posts, edits and look-ups follow', async () => {
    const h = await openSlack('http');
    const before = await post(h, h.slack.otherChannel.conversation);
    if (before.kind !== 'posted') throw new Error(before.kind);
    const moved = await h.slack.changeId(h.slack.otherChannel);
    expect(await h.chat.edit(before.message, partOf(h, 'Still here'))).toEqual({ kind: 'edited' });
    expect(await h.chat.find(h.slack.otherChannel, 'key-1', 0)).toMatchObject({ kind: 'found' });
    expect(await post(h, h.slack.otherChannel.conversation, 'key-2')).toMatchObject({ kind: 'posted' });
    expect(await h.slack.messages(moved)).toMatchObject([{ text: 'Still here' }, { text: 'Hello' }]);
  });

  test('an archived channel takes nothing more, and the sentence says so', async () => {
    const h = await openSlack('http');
    const before = await post(h, h.slack.channel.conversation);
    if (before.kind !== 'posted') throw new Error(before.kind);
    await h.slack.archive(h.slack.channel);
    const archived = { kind: 'refused', message: expect.stringContaining('archived') };
    expect(await post(h, h.slack.channel.conversation, 'key-2')).toMatchObject(archived);
    expect(await h.chat.edit(before.message, partOf(h, 'Bye'))).toMatchObject(archived);
  });

  test('an uninstalled app is down until it is installed again', async () => {
    const h = await openSlack('http');
    await h.slack.uninstall();
    expect(h.chat.health()).toMatchObject({ kind: 'down', why: expect.stringContaining('uninstalled') });
    expect(await post(h, h.slack.channel.conversation)).toMatchObject({ kind: 'later' });
  });

  test('a revoked token of the bot is told by health; one of a person is not ours', async () => {
    const h = await openSlack('http');
    await h.slack.sendEvent({ type: 'tokens_revoked', tokens: { oauth: ['U0ANA'], bot: [] } });
    expect(h.chat.health()).toEqual({ kind: 'up' });
    await h.slack.revokeTokens();
    expect(h.chat.health()).toMatchObject({ kind: 'down', why: expect.stringContaining('revoked') });
  });
});

describe('looking a post up', () => {
  test('it is found behind newer messages, past empty and short pages', async () => {
    const h = await openSlack('http');
    await post(h, h.slack.channel.conversation);
    for (let count = 0; count < 6; count += 1) {
      await h.slack.say(h.slack.people.ana, h.slack.channel, `newer ${count}`);
    }
    h.slack.pageSizes = [0, 2, 0, 2, 2, 2];
    const found = await h.chat.find(h.slack.channel, 'key-1', h.slack.nowMs() - 60_000);
    expect(found).toMatchObject({ kind: 'found', message: h.slack.channel });
    expect(callsOf(h, 'conversations.history').length).toBeGreaterThan(3);
  });

  test('the marker of another app, or of another kind, is not ours', async () => {
    const clock = createHandClock();
    const me = { team: 'T0TEAM', user: 'U0FLOWBOT', botId: 'B0FLOWBOT', url: 'https://x.slack.com/' };
    const marked = (ts: string, bot_id: string, event_type: string) => ({
      ts,
      bot_id,
      metadata: { event_type, event_payload: { key: 'key-1' } },
    });
    const messages = [
      marked('4.000000', 'B0OTHER', 'flowbot_post'),
      marked('3.000000', 'B0FLOWBOT', 'another_kind'),
      { ts: '2.500000', user: 'U0ANA', metadata: 'flowbot_post' },
      marked('2.000000', 'B0FLOWBOT', 'flowbot_post'),
    ];
    const calls = answering(() => ({ ok: { messages } }));
    const whoAmI = async () => me;
    const directory = createDirectory({ calls, clock, whoAmI });
    const posts = createPosts({ calls, apiUrl: undefined, directory, clock, log: createKeptLog(), whoAmI });
    const found = await posts.find({ platform: 'slack', conversation: 'T0TEAM/C0GENERAL' }, 'key-1', 0);
    expect(found).toMatchObject({ kind: 'found', message: { id: '2.000000' } });
  });

  test('where the bot is not, nobody can tell', async () => {
    const h = await openSlack('http');
    await post(h, h.slack.channel.conversation);
    await h.slack.removeBot(h.slack.channel);
    expect(await h.chat.find(h.slack.channel, 'key-1', 0)).toMatchObject({
      kind: 'unknowable',
      message: expect.stringContaining('/invite'),
    });
  });
});

test('somebody who is not there keeps a message from nobody else', async () => {
  const h = await openSlack('http');
  h.slack.createGroup({ id: 'S0OPSGROUP', handle: 'ops', users: ['U0BO'] });
  const notify = ['U0CY', 'U0NOBODY', '@ops', '@nosuchgroup', '@S0NOSUCHGROUP'];
  const [part] = h.chat.render({ prose: [md('Publish?')], buttons: [], notify });
  const posted = await h.chat.post(h.slack.channel, part ?? null, 'key');
  if (posted.kind !== 'posted') throw new Error(posted.kind);
  expect(await h.slack.notified(posted.message)).toEqual(['U0CY', 'S0OPSGROUP']);
  expect(h.log.lines).toContainEqual(expect.objectContaining({ level: 'warn' }));
});

describe('how fast posts go out', () => {
  test('trap 15, C25: five runs with 400 edits each stay within the allowance, and decisions are not behind', async () => {
    const h = await openSlack('http');
    const cards = await Promise.all(
      ['1', '2', '3', '4', '5'].map(async (run, index) => {
        const place = index < 3 ? h.slack.channel : h.slack.otherChannel;
        const outcome = await h.chat.post(place, partOf(h, `Run ${run}`, true), `run-${run}`);
        if (outcome.kind !== 'posted') throw new Error(outcome.kind);
        return { run, message: outcome.message, nextMs: 0 };
      }),
    );
    const approval = await h.chat.post(h.slack.channel, partOf(h, 'Publish?'), 'question');
    if (approval.kind !== 'posted') throw new Error(approval.kind);
    const editedAtMs: number[] = [];

    // Each run finishes an item every 100 ms; what waits is replaced by what is newer.
    for (let item = 1; item <= 400; item += 1) {
      h.slack.pass(100);
      for (const card of cards) {
        if (card.nextMs > h.slack.nowMs()) continue;
        const outcome = await h.chat.edit(card.message, partOf(h, `Run ${card.run}: ${item} of 400`, true));
        if (outcome.kind === 'later') card.nextMs = h.slack.nowMs() + outcome.afterMs;
        else editedAtMs.push(h.slack.nowMs());
      }
      if (item === 200) {
        expect(await h.chat.edit(approval.message, partOf(h, 'Approved by Ana'))).toEqual({ kind: 'edited' });
        expect(await post(h, h.slack.otherChannel.conversation, 'result')).toMatchObject({ kind: 'posted' });
      }
    }
    for (const card of cards) {
      const final = partOf(h, `Run ${card.run} has succeeded`);
      for (;;) {
        const outcome = await h.chat.edit(card.message, final);
        if (outcome.kind !== 'later') break;
        h.slack.pass(outcome.afterMs);
      }
    }
    const perMinute = editedAtMs.map(
      (end) => editedAtMs.filter((at) => at > end - 60_000 && at <= end).length,
    );
    expect(Math.max(...perMinute)).toBeLessThanOrEqual(50);
    expect(editedAtMs.length).toBeGreaterThan(20);
    const shown = [
      ...(await h.slack.messages(h.slack.channel)),
      ...(await h.slack.messages(h.slack.otherChannel)),
    ];
    expect(shown.filter(({ text }) => text.includes('has succeeded'))).toHaveLength(5);
    expect(callsOf(h, 'chat.update').every(({ error }) => error === undefined)).toBe(true);
  });

  test('a channel gets about one message a second, others are not held up by it', async () => {
    const h = await openSlack('http');
    const here = h.slack.channel.conversation;
    let outcome = await post(h, here, 'key-0');
    let sent = 0;
    for (; outcome.kind === 'posted'; sent += 1) outcome = await post(h, here, `key-${sent + 1}`);
    expect(sent).toBeLessThanOrEqual(20);
    expect(await post(h, h.slack.otherChannel.conversation, 'other')).toMatchObject({ kind: 'posted' });
    expect(outcome).toMatchObject({ kind: 'later', afterMs: expect.any(Number) });
    h.slack.pass(1_000);
    expect(await post(h, here, 'last')).toMatchObject({ kind: 'posted' });
  });
});

describe('whom posts notify', () => {
  test('only those of `notify`, by ids and by names of groups; no words do', async () => {
    const h = await openSlack('http');
    h.slack.createGroup({ id: 'S0OPS', handle: 'ops', users: ['U0BO', 'U0CY'] });
    const [part = null] = h.chat.render({
      prose: [literal('<!channel> <@U0CY> @here'), md(' <!subteam^S0OPS>')],
      buttons: [],
      notify: ['U0ANA', '@ops', '@nobody', '<!here>'],
    });
    const outcome = await h.chat.post(h.slack.channel, part, 'key-1');
    if (outcome.kind !== 'posted') throw new Error(outcome.kind);
    expect((await h.slack.notified(outcome.message)).toSorted()).toEqual(['S0OPS', 'U0ANA']);
  });
});
