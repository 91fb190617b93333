import { describe, expect, test } from 'vitest';
import type { Person } from '../../../src/engine/people.ts';
import { answersIn, begin, cardOf, oncePrivate, outputOf, release, runOf } from '../chat/approvals.ts';
import { decidingOn } from '../chat/approvals-deciding.ts';
import { onceShown } from '../chat/waiting.ts';
import { onSlack } from './approvals.ts';

decidingOn(onSlack);

/** A run whose question these may answer. @param keys further lines of the question */
async function asking(...keys: readonly string[]) {
  const stage = await onSlack.open({ release: release(...keys) }, { FLOWBOT_ADMINS: 'slack:U0CY' });
  const { slack } = stage;
  slack.createGroup({ id: 'S0MAINT', handle: 'maintainers', users: ['U0BO', 'U0GUEST', 'U0FAY', 'W0GRID'] });
  return { ...(await begin(stage)), slack };
}

const maintainers = 'approvers: { roles: [maintainers] }';
const heard = async (slack: Awaited<ReturnType<typeof asking>>['slack'], person: Person) =>
  (await oncePrivate(slack, person)).text;

describe('C61: accounts that are no members of the workspace', () => {
  test.each(['guest', 'fay'] as const)('%s may not, not even as one of the user group', async (who) => {
    for (const keys of [[], [maintainers]]) {
      const asked = await asking(...keys);
      const { slack, message, button } = asked;
      const person = slack.people[who];
      await slack.click(person, message, button);
      expect(await heard(slack, person)).toBe('Guests may not answer this.');
      await slack.command(person, slack.channel, `approve ${(await runOf(asked)).id}`);
      expect((await oncePrivate(slack, person, 1)).text).toBe('Guests may not answer this.');
      expect(await answersIn(asked)).toEqual([]);
      expect(asked.complaints()).toEqual([]);
    }
  });

  test.each(['guest', 'fay'] as const)('%s gets no form either', async (who) => {
    const asked = await asking('form: { type: object, properties: { level: { type: integer } } }');
    const { slack, message, button } = asked;
    const person = slack.people[who];
    await slack.click(person, message, button);
    const form = await slack.form(person);
    if (form) await slack.submit(person, slack.channel, form.id, { field_level: '1' });
    expect(await heard(slack, person)).toContain('Guests may not answer this.');
    expect(await answersIn(asked)).toEqual([]);
    expect(asked.complaints()).toEqual([]);
  });

  test.each(['guest', 'fay'] as const)('%s may when named in person', async (who) => {
    const id = { guest: 'U0GUEST', fay: 'U0FAY' }[who];
    const asked = await asking(`approvers: { users: ["slack:${id}"] }`);
    const { slack, message, button, thread } = asked;
    await slack.click(slack.people[who], message, button);
    await onceShown(slack, thread, 'has succeeded');
    expect(asked.complaints()).toEqual([]);
  });

  test('of another workspace of the same organisation may, as one of the user group', async () => {
    const asked = await asking(maintainers);
    const { slack, message, button, thread } = asked;
    await slack.click(slack.people.gro, message, button);
    await onceShown(slack, thread, 'Approved by Gro');
    expect(asked.complaints()).toEqual([]);
  });

  test('whoever was put out of the user group a minute ago may not', async () => {
    const asked = await asking(maintainers);
    const { slack, message, button } = asked;
    await slack.click(slack.people.cy, message, button);
    slack.setGroupUsers('S0MAINT', ['U0GUEST']);
    slack.pass(60_000);
    await slack.click(slack.people.bo, message, button);
    expect(await heard(slack, slack.people.bo)).toMatch(/^Only @?maintainers may answer this\.$/);
    expect(await answersIn(asked)).toEqual([]);
  });
});

describe('C29: an approver whose account was deactivated', () => {
  test('is told of on the card and to admins; nothing is sent to that account', async () => {
    const asked = await asking('approvers: { users: ["slack:U0DEE", "slack:U0BO"] }');
    const { slack, thread, message, button } = asked;
    const told = await onceShown(slack, slack.directPlace(slack.people.cy), 'is not there');
    expect(told).toHaveLength(1);
    await onceShown(slack, thread, 'Dee (deactivated) is not there and can’t answer.');
    expect(JSON.stringify(slack.calls().map(({ args }) => args.channel))).not.toContain('D0U0DEE');
    await slack.click(slack.people.bo, message, button);
    await onceShown(slack, thread, 'Approved by Bo');
    expect(asked.complaints()).toEqual([]);
  });

  test('does not count any more when a click of theirs comes late', async () => {
    const asked = await asking('approvers: { users: ["slack:U0BO"] }');
    const { slack, message, button } = asked;
    await slack.deactivate(slack.people.bo);
    slack.pass(60_000);
    await slack.click(slack.people.bo, message, button);
    expect(await answersIn(asked)).toEqual([]);
    expect((await runOf(asked)).status).toBe('waiting');
  });
});

describe('C29: accounts that go while a question is open', () => {
  test('once too few are left it goes to others at once: with the next reminder, long before its time', async () => {
    const asked = await asking(
      'approvers: { users: ["slack:U0BO", "slack:U0CY"] }',
      'quorum: 2',
      'escalateTo: { users: ["slack:W0GRID"] }',
      'escalateAfter: 40h',
      'remindAfter: 12h',
      'expiresAfter: 48h',
    );
    const { slack, live, thread, message, button } = asked;
    await slack.deactivate(slack.people.cy);
    await live.stop();
    slack.pass(12 * 3_600_000 + 1);
    await live.start();
    await onceShown(slack, thread, 'may answer, too');
    const escalated = (await slack.messages(thread)).find(({ text }) => text.includes('may answer, too'));
    expect(escalated && (await slack.notified(escalated.ref))).toEqual(['W0GRID']);
    await slack.click(slack.people.bo, message, button);
    await onceShown(slack, thread, 'Bo: Approve');
    await slack.click(slack.people.gro, message, button);
    await onceShown(slack, thread, 'has succeeded');
    expect((await cardOf(asked)).text).toContain('✅ Approved by Bo and Gro');
    expect(asked.complaints()).toEqual([]);
  });

  test('an admin whose account was deactivated is not written to: that nobody heard is logged', async () => {
    const stage = await onSlack.open(
      { release: release('approvers: { users: ["slack:U0DEE"] }') },
      { FLOWBOT_ADMINS: 'slack:U0DEE' },
    );
    await begin(stage);
    const { slack, live } = stage;
    await slack.until(() => live.log.lines.some(({ level }) => level === 'warn'));
    expect(live.log.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { message: 'A post was given up.', data: { reason: 'slack has no conversation U0DEE.' } },
    ]);
    const asked = slack.calls().filter(({ method }) => method === 'conversations.open');
    expect(asked).toEqual([]);
  });
});

describe('C28: where the question stands', () => {
  test('a channel archived while it is open: the answer counts, and nothing loops', async () => {
    const asked = await asking();
    const { slack } = asked;
    const run = (await runOf(asked)).id;
    await slack.archive(slack.channel);
    const before = slack.calls().length;
    await slack.command(slack.people.bo, slack.channel, `approve ${run}`);
    await onceShown(slack, slack.otherChannel, 'Published by Bo');
    await slack.quiet();
    expect(await runOf(asked)).toMatchObject({ status: 'succeeded' });
    expect(slack.calls().length - before).toBeLessThan(25);
    expect(asked.complaints()).toEqual([]);
  });

  test('the message that began the thread was deleted: the card still becomes true', async () => {
    const asked = await asking();
    const { slack, thread, message, button } = asked;
    await slack.deleteMessage({ ...slack.channel, id: thread.thread ?? '' });
    await slack.click(slack.people.bo, message, button);
    await onceShown(slack, slack.otherChannel, 'Published by Bo');
    await slack.quiet();
    expect((await cardOf(asked)).buttons).toEqual([]);
    expect((await runOf(asked)).status).toBe('succeeded');
    expect(asked.complaints()).toEqual([]);
  });
});

test('C28: the bot is put out of the channel while it asks: a command still answers, and nothing loops', async () => {
  const asked = await asking('approvers: { users: ["slack:U0BO"] }');
  const { slack } = asked;
  const run = (await runOf(asked)).id;
  await slack.removeBot(slack.channel);
  const before = slack.calls().length;
  await slack.command(slack.people.bo, slack.otherChannel, `approve ${run}`);
  await onceShown(slack, slack.otherChannel, 'Published by Bo');
  await slack.quiet();
  expect((await runOf(asked)).status).toBe('succeeded');
  expect(slack.calls().length - before).toBeLessThan(25);
  expect(asked.complaints()).toEqual([]);
});

test('when Slack can’t tell what an account is the answer is kept, the person hears so, and it counts once Slack can', async () => {
  const asked = await asking();
  const { slack, thread, message, button } = asked;
  slack.pass(60_000);
  slack.failMethod('users.info', { kind: 'status', status: 503 }, 10);
  await slack.click(slack.people.bo, message, button);
  expect(await heard(slack, slack.people.bo)).toContain('This is kept, and done as soon as it can');
  expect(await answersIn(asked)).toEqual([]);
  await onceShown(slack, thread, 'Approved by');
  expect(await answersIn(asked)).toMatchObject([{ by: { id: 'U0BO' } }]);
  expect(asked.complaints()).toEqual([]);
});

test('C62: a click that Slack has not signed decides nothing, whatever it holds; the same, signed, does', async () => {
  const asked = await asking();
  const { slack, live, thread, message, button } = asked;
  const { team, conversation } = { team: slack.teamId, conversation: 'C0GENERAL' };
  const payload = {
    type: 'block_actions',
    api_app_id: slack.appId,
    team: { id: team },
    user: { id: 'U0BO', team_id: team },
    container: { type: 'message', message_ts: message.id, channel_id: conversation },
    channel: { id: conversation, name: 'general' },
    trigger_id: '1.2.forged',
    actions: [{ type: 'button', action_id: button, block_id: 'b', value: button, action_ts: '1796080290.1' }],
  };
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const stamp = String(Math.floor(slack.nowMs() / 1000));
  for (const more of [
    {},
    { 'x-slack-request-timestamp': stamp },
    { 'x-slack-request-timestamp': stamp, 'x-slack-signature': `v0=${'0'.repeat(64)}` },
    { 'x-slack-request-timestamp': '1', 'x-slack-signature': '' },
  ]) {
    const answer = await fetch(`${live.flowbot.url}/slack/events`, {
      method: 'POST',
      body,
      headers: { ...headers, ...more },
    });
    expect(answer.status).toBe(401);
  }
  await slack.quiet();
  expect(await answersIn(asked)).toEqual([]);
  expect((await slack.sendSigned({ body, contentType: headers['content-type'] })).status).toBe(200);
  await onceShown(slack, thread, 'Approved by Bo');
});

describe('the Home of an approver', () => {
  test('shows what waits for them, until when, with buttons that work; afterwards it is gone', async () => {
    const asked = await asking('approvers: { users: ["slack:U0BO"] }', 'expiresAfter: 2d');
    const { slack, thread, button } = asked;
    const deadlineS = Math.floor(slack.nowMs() / 1000) + 172_800;
    await slack.openHome(slack.people.bo);
    const home = await slack.home(slack.people.bo);
    expect(home?.text).toMatch(
      /Waiting for you\nPublish\?\nRelease, started by Ana in #general, run \w+, open until /,
    );
    const published = slack.calls().findLast(({ method }) => method === 'views.publish');
    expect(JSON.stringify(published?.args)).toContain(`"type":"date","timestamp":${deadlineS}`);
    await slack.openHome(slack.people.cy);
    expect((await slack.home(slack.people.cy))?.text).toContain('Nothing waits for your answer.');
    await slack.clickHome(slack.people.bo, button);
    await onceShown(slack, thread, 'Approved by Bo');
    await slack.openHome(slack.people.bo);
    expect((await slack.home(slack.people.bo))?.text).toContain('Nothing waits for your answer.');
    expect(asked.complaints()).toEqual([]);
  });

  test('a form that a button there opens counts, too', async () => {
    const asked = await asking('approvers: { users: ["slack:U0BO"] }');
    const { slack, thread } = asked;
    await slack.openHome(slack.people.bo);
    await slack.clickHome(slack.people.bo, await asked.buttonOf('Reject'));
    const form = await slack.form(slack.people.bo);
    await slack.submit(slack.people.bo, slack.channel, form?.id ?? '', { feedback: 'Not yet' });
    await onceShown(slack, thread, 'Rejected by Bo');
    expect((await cardOf(asked)).text).toContain('Not yet');
    expect(asked.complaints()).toEqual([]);
  });
});

test('what is wrong in a form is said at its field, which stays open with what was typed', async () => {
  const asked = await asking(
    'form: { type: object, required: [count], properties: { count: { type: integer, minimum: 1 }, day: { type: string, format: date } } }',
  );
  const { slack, thread, message, button } = asked;
  await slack.click(slack.people.bo, message, button);
  const form = (await slack.form(slack.people.bo))?.id ?? '';
  await slack.submit(slack.people.bo, slack.channel, form, { field_count: '0', field_day: '2026-12-01' });
  const errors = (await slack.form(slack.people.bo))?.errors ?? {};
  expect(Object.keys(errors)).toEqual(['field_count']);
  expect(await answersIn(asked)).toEqual([]);
  expect(await slack.privates(slack.people.bo)).toEqual([]);
  await slack.submit(slack.people.bo, slack.channel, form, { field_count: '2', field_day: '2026-12-01' });
  await onceShown(slack, thread, 'has succeeded');
  expect(await outputOf(asked)).toMatchObject({ values: { count: 2, day: '2026-12-01' } });
  expect(asked.complaints()).toEqual([]);
});
