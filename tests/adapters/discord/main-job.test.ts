import { afterEach, describe, expect, test } from 'vitest';
import type { Place } from '../../../src/engine/people.ts';
import type { DiscordStandIn } from '../../fakes/discord/index.ts';
import { decisions, logged, runOf } from './asking.ts';
import { type Live, onceAsked, onceShown, openLive } from './live.ts';

let opened: DiscordStandIn | undefined;
afterEach(() => expect(opened?.faults() ?? []).toEqual([]));

const bo = '400000000000000002';

const release = `
name: Release notes
input: { type: object, properties: { version: { type: string } }, required: [version] }
triggers: [{ type: command, command: release }, { type: manual }]
steps:
  draft: { type: template, name: Draft, text: "Release {{input.version}}. {{review.json.feedback}}" }
  review: { type: approval, title: Publish these notes?, show: [draft], allowRequester: true, approvers: { users: ["discord:${bo}"] } }
  publish: { type: message, name: Announcement, to: "#announcements", text: "{{draft.text}}" }
edges:
  - draft -> review
  - review.approved -> publish
  - { from: review.rejected, to: draft, sendBack: true }
`;

/** Where somebody types, and where what follows can be read. */
interface Corner {
  readonly at: Place;
  readonly reads: (root: string) => Place;
}

const corners: Readonly<Record<string, (discord: DiscordStandIn) => Promise<Corner>>> = {
  'a channel': async ({ channel }) => ({ at: channel, reads: (thread) => ({ ...channel, thread }) }),
  'a thread': async (discord) => {
    const topic = await discord.say(discord.people.cy, discord.channel, 'The next release');
    const at = await discord.openThread(discord.people.cy, topic, 'The next release');
    return { at, reads: () => at };
  },
  'a forum post': async (discord) => {
    const forum = await discord.createForum({ name: 'plans' });
    const at = await discord.forumPost(discord.people.cy, forum, 'Next release', 'What is in it?');
    return { at, reads: () => at };
  },
  'a direct message': async (discord) => {
    const at = discord.directPlace(discord.people.bo);
    return { at, reads: () => at };
  },
};

const announcements = (discord: DiscordStandIn) => discord.placeOf('300000000000000003');

/** Brings a release to its first question. Bo types it, so that it works in direct messages too. */
async function begun(open: (discord: DiscordStandIn) => Promise<Corner>) {
  const { discord, live } = await openLive({ release });
  opened = discord;
  const { at, reads } = await open(discord);
  const root = await discord.say(discord.people.bo, at, '!release 1.2');
  const place = reads(root.id);
  await onceAsked(discord, place, 'Reject');
  await discord.quiet();
  return { discord, live, place };
}

async function reject(discord: DiscordStandIn, place: Place, feedback: string): Promise<void> {
  const { message, button } = await onceAsked(discord, place, 'Reject');
  await discord.click(discord.people.bo, message, button);
  const form = await discord.form(discord.people.bo);
  await discord.submit(discord.people.bo, place, form?.id ?? '', { feedback });
}

async function approve(discord: DiscordStandIn, place: Place, text: string): Promise<void> {
  await onceShown(discord, place, text);
  const { message, button } = await onceAsked(discord, place, 'Approve');
  await discord.click(discord.people.bo, message, button);
}

/** The whole of it was done once, and is told as it was. */
async function expectDone(discord: DiscordStandIn, live: Live, place: Place): Promise<void> {
  const texts = await onceShown(discord, place, 'has succeeded');
  expect((await discord.messages(announcements(discord))).map(({ text }) => text)).toEqual([
    'Release 1.2. Say more.',
  ]);
  const asked = texts.filter((text) => text.includes('Publish these notes?'));
  expect(asked).toHaveLength(2);
  expect(asked[0]).toContain('Rejected by Bo');
  expect(asked[0]).toContain('Say more.');
  expect(asked[1]).toContain('Approved by Bo');
  expect(texts.filter((text) => text.includes('Release notes has succeeded'))).toHaveLength(1);
  expect(await decisions(live)).toBe(2);
  expect((await runOf(live)).status).toBe('succeeded');
  expect(logged(live, 'error')).toEqual([]);
}

describe.each(Object.entries(corners))('the main job in %s', (_, corner) => {
  test('is rejected with a comment, written anew, approved and posted', async () => {
    const { discord, live, place } = await begun(corner);
    await reject(discord, place, 'Say more.');
    await approve(discord, place, 'Say more.');
    await expectDone(discord, live, place);
  });

  test('is the same when the bot is started again between all steps, and once with a form open', async () => {
    const { discord, live, place } = await begun(corner);
    await live.restart();
    const { message, button } = await onceAsked(discord, place, 'Reject');
    await discord.click(discord.people.bo, message, button);
    const form = await discord.form(discord.people.bo);
    await live.restart();
    await discord.submit(discord.people.bo, place, form?.id ?? '', { feedback: 'Say more.' });
    await onceShown(discord, place, 'Say more.');
    await live.restart();
    await approve(discord, place, 'Say more.');
    await expectDone(discord, live, place);
  });
});

test('the approver is notified of each question, and nobody of anything else', async () => {
  const { discord, live } = await openLive({ release });
  opened = discord;
  const root = await discord.say(discord.people.ana, discord.channel, '!release @everyone 1.2');
  const place = { ...discord.channel, thread: root.id };
  await reject(discord, place, `Ask @here and <@${bo}>.`);
  await approve(discord, place, 'Ask');
  await onceShown(discord, place, 'has succeeded');
  const all = [...(await discord.messages(place)), ...(await discord.messages(announcements(discord)))];
  for (const { ref, text, author } of all) {
    if (author !== 'bot') continue;
    expect(await discord.notified(ref), text).toEqual(text.includes('Publish these notes?') ? [bo] : []);
  }
  expect(logged(live, 'error')).toEqual([]);
});

test('C23: a run that waits for days ends where it began', async () => {
  const { discord, live } = await openLive({ release });
  opened = discord;
  await discord.command(discord.people.ana, discord.channel, 'run release version=1.2');
  const card = (await discord.messages(discord.channel)).find(({ text }) => text.includes('Release notes'));
  const place = { ...discord.channel, thread: card?.ref.id ?? '' };
  await onceAsked(discord, place, 'Reject');
  discord.pass(2 * 86_400_000);
  await reject(discord, place, 'Say more.');
  discord.pass(86_400_000);
  await approve(discord, place, 'Say more.');
  const texts = await onceShown(discord, discord.channel, 'has succeeded');
  expect(texts.filter((text) => text.includes('Release notes'))).toHaveLength(1);
  expect((await runOf(live)).status).toBe('succeeded');
});

test('the thread of a run is called as its flow, whatever becomes of the run', async () => {
  const { discord } = await begun(corners['a channel'] ?? (() => Promise.reject(new Error('no channel'))));
  expect(discord.threadsOf(discord.channel)).toMatchObject([{ name: 'Release notes' }]);
});
