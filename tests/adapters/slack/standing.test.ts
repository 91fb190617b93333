import { describe, expect, test } from 'vitest';
import { openSlack } from './harness.ts';

const minuteMs = 60_000;

/** A workspace, what the bot is told about its people, and how often it asked. */
async function opened() {
  const h = await openSlack('socket');
  const askedBefore = h.slack.calls().length;
  return {
    ...h,
    standing: (id: string) => h.chat.standing({ id }, h.channel),
    asked: () =>
      h.slack
        .calls()
        .slice(askedBefore)
        .filter(({ method }) => method === 'users.info').length,
  };
}

describe('what an account is', () => {
  test.each([
    ['somebody', 'U0CY', 'member'],
    ['somebody of another workspace of the organisation who is also in ours', 'W0GRID', 'member'],
    ['somebody of the organisation who is not in ours', 'W0SISTER', 'guest'],
    ['a guest', 'U0GUEST', 'guest'],
    ['a guest in one channel', 'U0SINGLE', 'guest'],
    ['somebody whom the bot shares no channel with', 'U0STRANGER', 'guest'],
    ['a workflow', 'U0WORKFLOW', 'bot'],
    ['somebody of another organisation, in a shared channel', 'U0FAY', 'guest'],
    ['another bot', 'U0OTHERBOT', 'bot'],
    ['the bot itself', 'U0FLOWBOT', 'bot'],
    ['Slackbot, which Slack does not call a bot', 'USLACKBOT', 'bot'],
    ['somebody whose account is deactivated', 'U0DEE', 'gone'],
    ['nobody', 'U0NOBODY', 'gone'],
    ['no id of a person', 'C0GENERAL', 'gone'],
  ])('%s', async (_, id, standing) => {
    const { standing: of } = await opened();
    expect(await of(id)).toBe(standing);
  });

  test('many ask at the same time, Slack is asked once, and again after a minute', async () => {
    const { slack, standing, asked } = await opened();
    expect(new Set(await Promise.all(Array.from({ length: 20 }, () => standing('U0CY'))))).toEqual(
      new Set(['member']),
    );
    expect(asked()).toBe(1);
    await slack.deactivate(slack.people.cy);
    slack.pass(minuteMs);
    expect(await standing('U0CY')).toBe('gone');
    expect(asked()).toBe(2);
  });

  test('when Slack gives no answer nobody can tell, whatever was known before', async () => {
    const { slack, standing } = await opened();
    expect(await standing('U0CY')).toBe('member');
    slack.pass(minuteMs);
    slack.failMethod('users.info', { kind: 'status', status: 500 }, 4);
    await expect(standing('U0CY')).rejects.toThrow('Slack gave no answer to users.info.');
    expect(await standing('U0CY')).toBe('member');
  });

  test('a permission that is missing is named', async () => {
    const { slack, standing } = await opened();
    slack.scopes = slack.scopes.filter((scope) => scope !== 'users:read');
    await expect(standing('U0CY')).rejects.toThrow(
      'The app has not the permission users:read: add it to the app’s manifest and install the app again.',
    );
  });
});

describe('whether there is a user group', () => {
  test('a new one is known, and a switched-off one is not, a minute later', async () => {
    const { slack, chat, channel } = await opened();
    expect(await chat.knowsRole('maintainers', channel)).toBe(false);
    slack.createGroup({ id: 'S0MAINT', handle: 'maintainers', users: ['U0BO'] });
    slack.pass(minuteMs);
    expect(await chat.knowsRole('Maintainers', channel)).toBe(true);
    expect(await chat.knowsRole('S0MAINT', channel)).toBe(true);
    slack.disableGroup('S0MAINT');
    slack.pass(minuteMs);
    expect(await chat.knowsRole('maintainers', channel)).toBe(false);
  });

  test('when Slack gives no answer, or may not, nobody can tell', async () => {
    const { slack, chat, channel } = await opened();
    slack.failMethod('usergroups.list', { kind: 'status', status: 500 }, 4);
    await expect(chat.knowsRole('maintainers', channel)).rejects.toThrow('Slack gave no answer');
    slack.scopes = slack.scopes.filter((scope) => scope !== 'usergroups:read');
    await expect(chat.knowsRole('maintainers', channel)).rejects.toThrow(
      'The app has not the permission usergroups:read',
    );
  });
});
