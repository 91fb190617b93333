import { describe, expect, test } from 'vitest';
import { answersIn, oncePrivate, outputOf, releaseTo, runOf } from './approvals.ts';
import { type Both, openBoth } from './both.ts';
import { onceAsked, onceShown } from './waiting.ts';

const slackAna = 'slack:U0ANA';
const slackBo = 'slack:U0BO';
const slackCy = 'slack:U0CY';
const discordAna = 'discord:400000000000000001';
const discordBo = 'discord:400000000000000002';
const discordCy = 'discord:400000000000000003';

const release = (...keys: readonly string[]) => ({ release: releaseTo('slack:#releases', keys) });
const named = (...addresses: readonly string[]) => `approvers: { users: ["${addresses.join('", "')}"] }`;

/** Ana starts it on Slack, where it asks. */
async function asked({ slack }: Both) {
  const root = await slack.say(slack.people.ana, slack.channel, '!release');
  const thread = { ...slack.channel, thread: root.id };
  const { message, button } = await onceAsked(slack, thread, 'Approve');
  await slack.quiet();
  const card = async () => {
    const found = (await slack.messages(thread)).find(({ ref }) => ref.id === message.id);
    if (!found) throw new Error('the card is not there');
    return found;
  };
  return { thread, message, button, card };
}

/** Nobody was left without an answer, and the platforms took all that was sent. */
function expectCalm({ slack, discord, live }: Both): void {
  expect(discord.faults()).toEqual([]);
  for (const person of Object.values(slack.people)) expect(slack.troubles(person)).toEqual([]);
  for (const person of Object.values(discord.people)) expect(discord.troubles(person)).toEqual([]);
  expect(live.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
}

describe('one Flowbot on Slack and Discord', () => {
  test('a question of a run on Slack is answered on Discord by whoever it names there', async () => {
    const both = await openBoth(release(named(discordBo)));
    const { slack, discord } = both;
    const { thread, message, button, card } = await asked(both);
    expect(await slack.notified(message)).toEqual([]);
    await slack.click(slack.people.bo, message, button);
    expect((await oncePrivate(slack, slack.people.bo)).text).toMatch(/^Only .* may answer this\.$/);
    const run = (await runOf(both)).id;
    await discord.command(discord.people.bo, discord.channel, 'approvals');
    expect((await oncePrivate(discord, discord.people.bo)).text).toContain('Publish?');
    await discord.command(discord.people.bo, discord.channel, `approve ${run}`);
    await onceShown(slack, thread, 'has succeeded');
    expect((await card()).text).toContain('✅ Approved by Bo');
    expect((await card()).buttons).toEqual([]);
    expectCalm(both);
  });

  test('a question that is asked on Discord, of a run on Slack: its card stands there, and both tell how it ended', async () => {
    const both = await openBoth(release('to: "discord:#general"', 'remindAfter: 12h', named(discordBo)));
    const { slack, discord, live } = both;
    const root = await slack.say(slack.people.ana, slack.channel, '!release');
    const { message, button } = await onceAsked(discord, discord.channel, 'Approve');
    await discord.quiet();
    expect(await discord.notified(message)).toEqual(['400000000000000002']);
    await live.stop();
    discord.pass(12 * 3_600_000 + 1);
    await live.start();
    await onceShown(discord, discord.channel, 'Still waiting for');
    await discord.click(discord.people.cy, message, button);
    expect((await oncePrivate(discord, discord.people.cy)).text).toMatch(/^Only @?Bo may answer this\.$/);
    await discord.click(discord.people.bo, message, button);
    await onceShown(slack, { ...slack.channel, thread: root.id }, 'has succeeded');
    await onceShown(discord, discord.channel, '✅ Approved by Bo');
    const left = (await discord.messages(discord.channel)).flatMap(({ buttons }) => buttons);
    expect(left.map(({ label }) => label)).not.toContain('Approve');
    expect(await slack.messages(slack.otherChannel)).toHaveLength(1);
    expectCalm(both);
  });

  test('C19: Approve on Slack and Reject on Discord at the same instant: one of them counts', async () => {
    const both = await openBoth(release(named(slackBo, discordCy)));
    const { slack, discord } = both;
    const { message, button, card } = await asked(both);
    const run = (await runOf(both)).id;
    await Promise.all([
      slack.click(slack.people.bo, message, button),
      discord.command(discord.people.cy, discord.channel, `reject ${run}`),
    ]);
    await slack.until(async () => (await card()).buttons.length === 0);
    const [answer, ...more] = await answersIn(both);
    expect(more).toEqual([]);
    expect((await card()).text).toContain(`by ${answer?.by.name}`);
    const told =
      answer?.by.platform === 'slack'
        ? await oncePrivate(discord, discord.people.cy)
        : await oncePrivate(slack, slack.people.bo);
    expect(told.text).toContain(`${answer?.by.name} has already answered`);
    expectCalm(both);
  });
});

describe('a person with an account on each', () => {
  const bo = [slackBo, discordBo];
  const keys = [named(slackBo, discordBo, slackCy), 'quorum: 2'];

  test('counts once when the configuration links the accounts', async () => {
    const both = await openBoth(release(...keys), [bo]);
    const { slack, discord } = both;
    const { thread, message, button, card } = await asked(both);
    const run = (await runOf(both)).id;
    await slack.click(slack.people.bo, message, button);
    await onceShown(slack, thread, 'Bo: Approve');
    await discord.command(discord.people.bo, discord.channel, `approve ${run}`);
    expect((await oncePrivate(discord, discord.people.bo)).text).toBe(
      'You have answered “Approve” already; others have to answer, too.',
    );
    expect((await runOf(both)).status).toBe('waiting');
    await slack.click(slack.people.cy, message, button);
    await onceShown(slack, thread, 'has succeeded');
    expect((await card()).text).toContain('✅ Approved by Bo and Cy');
    expect(await outputOf(both)).toMatchObject({ by: 'Bo, Cy' });
    expectCalm(both);
  });

  test('is two people when nothing links them', async () => {
    const both = await openBoth(release(...keys));
    const { slack, discord } = both;
    const { thread, message, button } = await asked(both);
    await slack.click(slack.people.bo, message, button);
    await onceShown(slack, thread, 'Bo: Approve');
    await discord.command(discord.people.bo, discord.channel, `approve ${(await runOf(both)).id}`);
    await onceShown(slack, thread, 'has succeeded');
    expect(await answersIn(both)).toHaveLength(2);
    expectCalm(both);
  });

  test('may not approve their own run from the other account', async () => {
    const both = await openBoth(release(named(discordAna, slackBo)), [[slackAna, discordAna]]);
    const { discord } = both;
    await asked(both);
    await discord.command(discord.people.ana, discord.channel, `approve ${(await runOf(both)).id}`);
    expect((await oncePrivate(discord, discord.people.ana)).text).toBe(
      'You started this run, so somebody else has to answer.',
    );
    expect(await answersIn(both)).toEqual([]);
    expectCalm(both);
  });

  test('has the user group of the one account when they answer from the other', async () => {
    const both = await openBoth(release('approvers: { roles: ["slack:maintainers"] }'), [bo]);
    const { slack, discord } = both;
    slack.createGroup({ id: 'S0MAINT', handle: 'maintainers', users: ['U0BO'] });
    const { thread } = await asked(both);
    const run = (await runOf(both)).id;
    await discord.command(discord.people.cy, discord.channel, `approve ${run}`);
    expect((await oncePrivate(discord, discord.people.cy)).text).toMatch(/^Only .* may answer this\.$/);
    await discord.command(discord.people.bo, discord.channel, `approve ${run}`);
    await onceShown(slack, thread, '✅ Approved by Bo');
    expectCalm(both);
  });
});
