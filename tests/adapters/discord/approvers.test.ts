import { describe, expect, test } from 'vitest';
import type { DiscordStandIn } from '../../fakes/discord/index.ts';
import {
  asking,
  decisions,
  expectCalm,
  lastPrivate,
  logged,
  oncePrivates,
  release,
  runOf,
} from './asking.ts';
import { onceAsked, onceShown, openLive } from './live.ts';

const bo = 'discord:400000000000000002';

/** A role for Bo. */
async function maintainers(discord: DiscordStandIn, name = 'maintainers'): Promise<string> {
  const role = await discord.createRole(name, { isMentionable: true });
  await discord.giveRole(discord.people.bo, role);
  return role;
}

/** A run whose question only Bo's role may answer. */
async function askingMaintainers(more = '') {
  let role = '';
  const asked = await asking(`, approvers: { roles: [maintainers] }${more}`, async (discord) => {
    role = await maintainers(discord);
  });
  return { ...asked, role };
}

const heard = async (discord: DiscordStandIn, person = discord.people.bo) =>
  (await lastPrivate(discord, person))?.text;

describe('who may answer', () => {
  test('outsiders hear, and only they, who may', async () => {
    const { discord, live, thread, message, approve } = await asking(`, approvers: { users: [${bo}] }`);
    expect(await discord.notified(message)).toEqual([discord.people.bo.id]);
    await discord.click(discord.people.cy, message, approve);
    expect(await heard(discord, discord.people.cy)).toContain('may answer this');
    expect(await discord.privates(discord.people.ana)).toEqual([]);
    expect(await decisions(live)).toBe(0);
    await discord.click(discord.people.bo, message, approve);
    await onceShown(discord, thread, 'has succeeded');
    expectCalm(discord);
  });

  test.each(['name', 'id'])('people with a role, called by its %s, may, others may not', async (how) => {
    let role = '';
    const { discord, live } = await openLive({});
    role = await maintainers(discord);
    live.write(
      'release',
      release(`, approvers: { roles: ["${how === 'id' ? `discord:${role}` : 'maintainers'}"] }`),
    );
    await live.restart();
    const asked = await discord.say(discord.people.ana, discord.channel, '!release');
    const thread = { ...discord.channel, thread: asked.id };
    const { message, button } = await onceAsked(discord, thread, 'Approve');
    expect(await discord.notified(message)).toContain(`@&${role}`);
    await discord.click(discord.people.cy, message, button);
    expect(await heard(discord, discord.people.cy)).toMatch(/^Only .* may answer this\.$/);
    await discord.click(discord.people.bo, message, button);
    await onceShown(discord, thread, 'has succeeded');
    expectCalm(discord);
  });

  test('trap 10: a role that was taken a moment ago does not count any more', async () => {
    const { discord, live, message, approve, role } = await askingMaintainers();
    await discord.takeRole(discord.people.bo, role);
    await discord.click(discord.people.bo, message, approve);
    expect(await heard(discord)).toBe('Only @maintainers may answer this.');
    expect(await decisions(live)).toBe(0);
    expectCalm(discord);
  });

  test('trap 10: a role that was taken while the comment was written does not count, and the text comes back', async () => {
    const { discord, live, message, reject, role } = await askingMaintainers();
    await discord.click(discord.people.bo, message, reject);
    await discord.takeRole(discord.people.bo, role);
    await discord.submit(discord.people.bo, discord.channel, '', { feedback: 'Not like this' });
    expect(await heard(discord)).toContain('Only @maintainers may answer this.');
    expect(await heard(discord)).toContain('Not like this');
    expect(await decisions(live)).toBe(0);
    expectCalm(discord);
  });

  test('a role that was given a moment ago counts', async () => {
    const { discord, thread, message, approve, role } = await askingMaintainers();
    await discord.click(discord.people.cy, message, approve);
    await discord.giveRole(discord.people.cy, role);
    await discord.click(discord.people.cy, message, approve);
    await onceShown(discord, thread, 'has succeeded');
    expectCalm(discord);
  });

  test('an administrator, and the owner of the server, are no approvers by that', async () => {
    const { discord, live, message, approve } = await askingMaintainers();
    const admin = await discord.createRole('admin', { permissions: ['ADMINISTRATOR'] });
    await discord.giveRole(discord.people.cy, admin);
    for (const person of [discord.people.cy, discord.people.owner]) {
      await discord.click(person, message, approve);
      expect(await heard(discord, person)).toBe('Only @maintainers may answer this.');
    }
    expect(await decisions(live)).toBe(0);
    expectCalm(discord);
  });

  test('a role that was deleted is nobody’s', async () => {
    const { discord, live, message, approve, role } = await askingMaintainers();
    await discord.deleteRole(role);
    await discord.click(discord.people.bo, message, approve);
    expect(await heard(discord)).toBe('Only @maintainers may answer this.');
    expect(await decisions(live)).toBe(0);
    expectCalm(discord);
  });

  test('a role that was renamed is not the one that the flow names; by its id it still is', async () => {
    const { discord, live, message, approve, role } = await askingMaintainers();
    await discord.renameRole(role, 'keepers');
    await discord.click(discord.people.bo, message, approve);
    expect(await heard(discord)).toBe('Only @maintainers may answer this.');
    live.write(
      'by-id',
      release(`, approvers: { roles: ["discord:${role}"] }`).replace('command: release', 'command: by-id'),
    );
    await live.restart();
    await discord.command(discord.people.ana, discord.channel, 'run by-id');
    const run = (await runOf(live)).id;
    await discord.command(discord.people.bo, discord.channel, `approve ${run}`);
    await onceShown(discord, discord.otherChannel, 'Published');
    expectCalm(discord);
  });

  test('of two roles of one name nobody knows which is meant: nobody may, and a sentence says so', async () => {
    const { discord, live, message, approve } = await askingMaintainers();
    await discord.createRole('Maintainers');
    await discord.click(discord.people.bo, message, approve);
    expect(await heard(discord)).toBe(
      'Only @maintainers may answer this, and I could not find out whether you are one of them.',
    );
    expect(await decisions(live)).toBe(0);
    expectCalm(discord);
  });

  test.each(['@everyone', '200000000000000001'])('%s names nobody', async (role) => {
    const { discord, live } = await openLive({ release: release(`, approvers: { roles: ["${role}"] }`) });
    const asked = await discord.say(discord.people.ana, discord.channel, '!release');
    await discord.quiet();
    const [run] = await live.flowbot.bot.store.runs({ limit: 1 });
    if (run === undefined) {
      // Refused when the flow was loaded, which is better still.
      expect(logged(live, 'warn')).toHaveLength(1);
      return;
    }
    const thread = { ...discord.channel, thread: asked.id };
    const { message, button } = await onceAsked(discord, thread, 'Approve');
    expect(await discord.notified(message)).toEqual([]);
    await discord.click(discord.people.bo, message, button);
    expect(await heard(discord)).toContain('may answer this');
    expect(await decisions(live)).toBe(0);
    expectCalm(discord);
  });

  test('roles are asked for when somebody answers in their direct messages', async () => {
    const { discord, live } = await askingMaintainers();
    const run = (await runOf(live)).id;
    const { bo, cy } = discord.people;
    await discord.command(cy, discord.directPlace(cy), `approve ${run}`);
    expect(await heard(discord, cy)).toBe('Only @maintainers may answer this.');
    await discord.command(bo, discord.directPlace(bo), 'approvals');
    expect(await heard(discord, bo)).toContain('Publish?');
    await discord.command(bo, discord.directPlace(bo), `approve ${run}`);
    await onceShown(discord, discord.otherChannel, 'Published');
    expectCalm(discord);
  });

  test('when Discord fails to tell the roles nobody may, whatever was known before, and a sentence says so', async () => {
    const { discord, live } = await askingMaintainers();
    const run = (await runOf(live)).id;
    const { bo } = discord.people;
    await discord.command(bo, discord.channel, 'whoami');
    discord.pass(10 * 60_000);
    discord.failRequest('GET /guilds/:guild/members/:user', { kind: 'status', status: 500 }, 4);
    await discord.command(bo, discord.directPlace(bo), `approve ${run}`);
    await oncePrivates(discord, bo, 2);
    expect(await heard(discord)).toBe(
      'Only @maintainers may answer this, and I could not find out whether you are one of them.',
    );
    expect(await decisions(live)).toBe(0);
    await discord.command(bo, discord.directPlace(bo), `approve ${run}`);
    await onceShown(discord, discord.otherChannel, 'Published');
    expectCalm(discord);
  });

  test('`allow` with a role keeps others from starting the flow at every entrance', async () => {
    const { discord, live } = await openLive({
      release: `${release().replace('command: release }', 'command: release, slash: true }')}allow: { roles: [maintainers] }\n`,
    });
    await maintainers(discord);
    const { bo, cy } = discord.people;
    const refused = await discord.say(cy, discord.channel, '!release');
    const thread = { ...discord.channel, thread: refused.id };
    expect((await onceShown(discord, thread, 'may start Release')).join()).toContain('maintainers');
    await discord.command(cy, discord.channel, 'run release');
    expect(await heard(discord, cy)).toBe('Only @maintainers may start Release.');
    await discord.slash(cy, discord.channel, 'release');
    expect(await oncePrivates(discord, cy, 2)).toHaveLength(2);
    await discord.useMessage(cy, refused);
    await discord.submit(cy, discord.channel, '', { flow: 'release' });
    await oncePrivates(discord, cy, 3);
    expect(await heard(discord, cy)).toBe('Only @maintainers may start Release.');
    expect(await live.flowbot.bot.store.runs({ limit: 10 })).toEqual([]);
    expect(await discord.autocomplete(cy, discord.channel, 'run ')).toEqual([]);
    expect(await discord.autocomplete(bo, discord.channel, 'run ')).toMatchObject([{ value: 'release' }]);
    await discord.slash(bo, discord.channel, 'release');
    await discord.quiet();
    expect(await live.flowbot.bot.store.runs({ limit: 10 })).toHaveLength(1);
    expectCalm(discord);
  });
});

describe('what people outside a channel get to know of it', () => {
  /** A run in a channel that Cy does not see. */
  async function hidden(approvers = '') {
    const { discord, live } = await openLive({ release: release(approvers) });
    const { ana, cy } = discord.people;
    const place = await discord.createChannel({ name: 'board' });
    await discord.denyPerson(cy, place, 'VIEW_CHANNEL');
    const asked = await discord.say(ana, place, '!release');
    await onceAsked(discord, { ...place, thread: asked.id }, 'Approve');
    await discord.quiet();
    return { discord, live, run: (await runOf(live)).id, cy, place };
  }

  test.each(['status', 'cancel', 'retry', 'approve', 'reject', 'answer'])(
    '/flow %s of a run there tells nothing and does nothing',
    async (word) => {
      const { discord, live, run, cy } = await hidden();
      await discord.command(cy, discord.channel, `${word} ${run}${word === 'answer' ? ' approve' : ''}`);
      const text = await heard(discord, cy);
      expect(text).not.toMatch(/Publish|Release|board|Ana/);
      expect(await decisions(live)).toBe(0);
      expect(await runOf(live)).toMatchObject({ status: 'waiting' });
      expectCalm(discord);
    },
  );

  test.each(['status', 'runs', 'approvals', 'runs open'])(
    '/flow %s does not list it elsewhere',
    async (typed) => {
      const { discord, run, cy, live } = await hidden();
      await discord.command(cy, discord.channel, typed);
      expect(await heard(discord, cy)).not.toContain(run);
      expect(await heard(discord, cy)).not.toContain('Publish');
      const offered = ['status', 'approve', 'cancel'].map((word) =>
        discord.autocomplete(cy, discord.channel, `${word} `),
      );
      expect((await Promise.all(offered)).flat()).toEqual([]);
      expect(await runOf(live)).toMatchObject({ status: 'waiting' });
      expectCalm(discord);
    },
  );

  test('who is named by a question there may answer it from elsewhere', async () => {
    const { discord, run, live } = await hidden(`, approvers: { users: [${bo}] }`);
    await discord.command(discord.people.bo, discord.channel, `approve ${run}`);
    await onceShown(discord, discord.otherChannel, 'Published');
    expect(await decisions(live)).toBe(1);
    expectCalm(discord);
  });
});
