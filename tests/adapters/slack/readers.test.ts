import { describe, expect, test } from 'vitest';
import type { Place } from '../../../src/engine/people.ts';
import { openSlack } from './harness.ts';

const minuteMs = 60_000;

/** A workspace, and who can read what in it. */
async function opened() {
  const h = await openSlack('socket');
  const before = h.slack.calls().length;
  return {
    h,
    slack: h.slack,
    reads: (id: string, { conversation }: Place) => h.chat.canRead({ id }, conversation),
    asked: (name: string) =>
      h.slack
        .calls()
        .slice(before)
        .filter(({ method }) => method === name).length,
  };
}

describe('who can read a public channel', () => {
  test.each([
    ['a member of the workspace who is not in it', 'U0CY', true],
    ['somebody of another workspace of the organisation who is also in ours', 'W0GRID', true],
    ['somebody of the organisation who is not in ours', 'W0SISTER', false],
    ['a guest who is in it', 'U0GUEST', true],
    ['a guest who is not', 'U0SINGLE', false],
    ['somebody of another organisation who is in it', 'U0FAY', true],
    ['somebody whom the bot shares no channel with', 'U0STRANGER', false],
    ['another bot', 'U0OTHERBOT', false],
    ['somebody whose account is deactivated', 'U0DEE', false],
    ['nobody', 'U0NOBODY', false],
    ['no id of a person', 'C0GENERAL', false],
  ])('%s', async (_, id, can) => {
    const { h, slack, reads } = await opened();
    await slack.remove(slack.people.cy, h.channel);
    expect(await reads(id, h.channel)).toBe(can);
  });

  test('also one that the bot is not in, since people can open it', async () => {
    const { slack, reads } = await opened();
    const place = slack.createChannel({ name: 'elsewhere', botIsMember: false });
    expect(await reads('U0ANA', place)).toBe(true);
  });

  test('when it becomes private, a minute later only who is in it', async () => {
    const { h, slack, reads } = await opened();
    await slack.remove(slack.people.cy, h.channel);
    expect(await reads('U0CY', h.channel)).toBe(true);
    slack.makePrivate(h.channel);
    slack.pass(minuteMs);
    expect([await reads('U0CY', h.channel), await reads('U0ANA', h.channel)]).toEqual([false, true]);
  });
});

describe('who can read a private channel', () => {
  test('who is in it, and a minute after they left nobody of them', async () => {
    const { slack, reads } = await opened();
    const place = slack.createChannel({ name: 'secret', isPrivate: true });
    await slack.remove(slack.people.bo, place);
    expect([await reads('U0ANA', place), await reads('U0BO', place)]).toEqual([true, false]);
    await slack.remove(slack.people.ana, place);
    slack.pass(minuteMs);
    expect(await reads('U0ANA', place)).toBe(false);
  });

  test('nobody, as far as is known, where the bot is not', async () => {
    const { slack, reads } = await opened();
    const place = slack.createChannel({ name: 'secret', isPrivate: true, botIsMember: false });
    expect(await reads('U0ANA', place)).toBe(false);
  });

  test('nobody, a minute after the bot was put out', async () => {
    const { slack, reads } = await opened();
    const place = slack.createChannel({ name: 'secret', isPrivate: true });
    expect(await reads('U0ANA', place)).toBe(true);
    await slack.removeBot(place);
    slack.pass(minuteMs);
    expect(await reads('U0ANA', place)).toBe(false);
  });

  test('its members are read page by page, once a minute', async () => {
    const { slack, reads, asked } = await opened();
    const place = slack.createChannel({ name: 'secret', isPrivate: true });
    slack.pageSizes = [1, 0, 2];
    expect(await reads('W0GRID', place)).toBe(true);
    const pages = asked('conversations.members');
    expect(pages).toBeGreaterThan(3);
    expect(await reads('U0ANA', place)).toBe(true);
    expect(asked('conversations.members')).toBe(pages);
    slack.pass(minuteMs);
    await reads('U0ANA', place);
    expect(asked('conversations.members')).toBe(2 * pages);
  });
});

describe('who can read a direct conversation', () => {
  test('the person whose it is', async () => {
    const { slack, reads } = await opened();
    const place = slack.directPlace(slack.people.ana);
    expect([await reads('U0ANA', place), await reads('U0BO', place)]).toEqual([true, false]);
  });
});

test('a conversation of another workspace is read by nobody', async () => {
  const { h, reads } = await opened();
  const foreign = h.channel.conversation.replace('T0TEAM', 'T0OTHER');
  expect(await reads('U0ANA', { ...h.channel, conversation: foreign })).toBe(false);
});

test.each(['users.info', 'conversations.info', 'conversations.members'])(
  'when Slack gives no answer to %s nobody can tell, whatever was known before',
  async (method) => {
    const { slack, reads } = await opened();
    const place = slack.createChannel({ name: 'secret', isPrivate: true });
    expect(await reads('U0ANA', place)).toBe(true);
    slack.pass(minuteMs);
    slack.failMethod(method, { kind: 'status', status: 500 }, 4);
    await expect(reads('U0ANA', place)).rejects.toThrow(/^Slack (?:gave|gives) no answer/);
    expect(await reads('U0ANA', place)).toBe(true);
  },
);
