import { describe, expect, test } from 'vitest';
import type { SlackStandIn } from '../../fakes/slack/index.ts';
import { asking, decisions, lastPrivate, release } from './asking.ts';
import { onceShown, openLive } from './live.ts';

describe('who may answer', () => {
  test('outsiders hear, and only they, who may', async () => {
    const { slack, live, message, approve } = await asking('http', ', approvers: { users: [slack:U0CY] }');
    expect(await slack.notified(message)).toEqual(['U0CY']);
    await slack.click(slack.people.bo, message, approve);
    expect((await lastPrivate(slack, slack.people.bo))?.text).toContain('may answer this');
    expect(await slack.privates(slack.people.ana)).toEqual([]);
    expect(await decisions(live)).toBe(0);
  });

  const maintainers = (slack: SlackStandIn) =>
    slack.createGroup({ id: 'S0MAINT', handle: 'maintainers', users: ['U0BO'] });

  test.each(['maintainers', 'slack:S0MAINT'])(
    'people of the user group %s may, others may not',
    async (role) => {
      const { slack, thread, message, approve } = await asking(
        'http',
        `, approvers: { roles: ["${role}"] }`,
        maintainers,
      );
      expect(await slack.notified(message)).toContain('S0MAINT');
      await slack.click(slack.people.cy, message, approve);
      expect((await lastPrivate(slack, slack.people.cy))?.text).toContain('may answer this');
      await slack.click(slack.people.bo, message, approve);
      await onceShown(slack, thread, 'has succeeded');
    },
  );

  test('a change of the group counts within a minute', async () => {
    const { slack, live, thread, message, approve } = await asking(
      'http',
      ', approvers: { roles: [maintainers] }',
      maintainers,
    );
    await slack.click(slack.people.cy, message, approve);
    slack.setGroupUsers('S0MAINT', ['U0CY']);
    slack.pass(60_000);
    await slack.click(slack.people.bo, message, approve);
    expect(await decisions(live)).toBe(0);
    await slack.click(slack.people.cy, message, approve);
    await onceShown(slack, thread, 'has succeeded');
  });

  test.each([
    [
      'Slack fails',
      (slack: SlackStandIn) =>
        slack.failMethod('usergroups.users.list', { kind: 'error', code: 'internal_error' }, 4),
    ],
    [
      'the permission is missing',
      (slack: SlackStandIn) => {
        slack.scopes = slack.scopes.filter((one) => one !== 'usergroups:read');
      },
    ],
  ])('when %s, nobody of the group may answer, and a sentence says so', async (_, spoil) => {
    const { slack, live, message, approve } = await asking(
      'http',
      ', approvers: { roles: [maintainers] }',
      maintainers,
    );
    slack.pass(10 * 60_000);
    spoil(slack);
    await slack.click(slack.people.bo, message, approve);
    await slack.until(async () => (await slack.privates(slack.people.bo)).length > 0);
    expect((await lastPrivate(slack, slack.people.bo))?.text).toContain(
      'Only @maintainers may answer this, and I could not find out whether you are one of them.',
    );
    expect(await decisions(live)).toBe(0);
  });

  test('a group that was switched off is nobody’s any more', async () => {
    const { slack, live, message, approve } = await asking(
      'http',
      ', approvers: { roles: [maintainers] }',
      maintainers,
    );
    slack.disableGroup('S0MAINT');
    slack.pass(10 * 60_000);
    await slack.click(slack.people.bo, message, approve);
    await slack.until(async () => (await slack.privates(slack.people.bo)).length > 0);
    expect((await lastPrivate(slack, slack.people.bo))?.text).toBe('Only @maintainers may answer this.');
    expect(await decisions(live)).toBe(0);
  });

  test('a group that is not there is nobody’s', async () => {
    const { slack, message, approve } = await asking('http', ', approvers: { roles: [nosuchgroup] }');
    await slack.click(slack.people.bo, message, approve);
    await slack.until(async () => (await slack.privates(slack.people.bo)).length > 0);
    expect((await lastPrivate(slack, slack.people.bo))?.text).toBe('Only @nosuchgroup may answer this.');
  });

  test('`allow` with a user group keeps others from starting the flow', async () => {
    const { slack, live } = await openLive('http', {
      release: `${release()}allow: { roles: [maintainers] }\n`,
    });
    maintainers(slack);
    const refused = await slack.say(slack.people.cy, slack.channel, '!release');
    const thread = { ...slack.channel, thread: refused.id };
    expect((await onceShown(slack, thread, 'may start Release')).join()).toContain('maintainers');
    await slack.command(slack.people.cy, slack.channel, 'run release');
    expect((await lastPrivate(slack, slack.people.cy))?.text).toContain('may start Release');
    await slack.command(slack.people.bo, slack.channel, 'run release');
    await slack.quiet();
    expect(await live.flowbot.bot.store.runs({ limit: 10 })).toHaveLength(1);
  });
});
