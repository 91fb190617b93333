import { afterEach, describe, expect, test } from 'vitest';
import type { Place } from '../../../src/engine/people.ts';
import type { DiscordStandIn } from '../../fakes/discord/index.ts';
import { logged, runOf } from './asking.ts';
import { onceShown, openLive } from './live.ts';

let opened: DiscordStandIn | undefined;
afterEach(() => expect(opened?.faults() ?? []).toEqual([]));

const flow = (to: string, text = 'Good news for {{input.name}}.') => `
name: News
input: { type: object, properties: { name: { type: string } } }
triggers: [{ type: command, command: news }]
steps:
  tell: { type: message, to: "${to}", text: "${text}" }
output: "{{tell.json.url}}"
`;

/** Where a flow posts: its address, and where people read it. */
type Target = (discord: DiscordStandIn) => Promise<{ readonly to: string; readonly place: Place }>;

const targets: Readonly<Record<string, Target>> = {
  'a channel by its name': async (d) => ({ to: 'discord:#releases', place: d.otherChannel }),
  'a channel by its name, with its server': async (d) => ({
    to: 'discord:Flowbot test/#releases',
    place: d.otherChannel,
  }),
  'a channel by its id': async (d) => ({
    to: `discord:${d.otherChannel.conversation}`,
    place: d.otherChannel,
  }),
  'a thread by its id': async (d) => {
    const topic = await d.say(d.people.cy, d.otherChannel, 'News');
    const place = await d.openThread(d.people.cy, topic, 'News');
    return { to: `discord:${place.thread}`, place };
  },
  'a thread that was archived': async (d) => {
    const topic = await d.say(d.people.cy, d.otherChannel, 'News');
    const place = await d.openThread(d.people.cy, topic, 'News');
    await d.archiveThread(place);
    return { to: `discord:${place.thread}`, place };
  },
  'a person by their id': async (d) => ({
    to: `discord:${d.people.cy.id}`,
    place: d.directPlace(d.people.cy),
  }),
  'a person by their user name': async (d) => ({ to: 'discord:@cy', place: d.directPlace(d.people.cy) }),
};

describe('a message step', () => {
  test.each(Object.entries(targets))('posts to %s, once, and links to it', async (_, target) => {
    const { discord, live } = await openLive({ news: flow('#ops') });
    opened = discord;
    const { to, place } = await target(discord);
    live.write('news', flow(to));
    await live.restart();
    await discord.say(discord.people.ana, discord.channel, '!news Bo');
    await onceShown(discord, place, 'Good news');
    const posts = (await discord.messages(place)).filter(({ text }) => text.includes('Good news'));
    expect(posts.map(({ text }) => text)).toEqual(['Good news for Bo.']);
    const { id } = await runOf(live);
    await discord.until(async () => (await runOf(live)).status === 'succeeded');
    const output = String((await live.flowbot.bot.store.run(id))?.state.output);
    const server =
      place.conversation === discord.directPlace(discord.people.cy).conversation ? '@me' : discord.guildId;
    expect(output).toBe(
      `https://discord.com/channels/${server}/${place.thread ?? place.conversation}/${posts[0]?.ref.id}`,
    );
    expect(logged(live, 'error')).toEqual([]);
  });

  test('posts to a forum as a post of its own', async () => {
    const { discord, live } = await openLive({ news: flow('discord:#board') });
    opened = discord;
    const forum = await discord.createForum({ name: 'board', tags: ['news'], requiresTag: true });
    await discord.say(discord.people.ana, discord.channel, '!news Bo');
    await discord.until(async () => (await runOf(live).catch(() => undefined))?.status === 'succeeded');
    const { id } = await runOf(live);
    const output = String((await live.flowbot.bot.store.run(id))?.state.output);
    const thread = output.split('/').at(-2) ?? '';
    expect((await discord.messages({ ...forum, thread })).map(({ text }) => text)).toEqual([
      'Good news for Bo.',
    ]);
    expect(logged(live, 'error')).toEqual([]);
  });

  test('sends what is too long for messages as a file beside its beginning, once, also over a restart', async () => {
    // The longest that somebody can type, six times.
    const { discord, live } = await openLive({ news: flow('#releases', '{{input.name}} '.repeat(6)) });
    opened = discord;
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index} ${'word '.repeat(8)}`);
    await discord.say(discord.people.ana, discord.channel, `!news ${lines.join('\n').slice(0, 1_900)}`);
    await discord.until(async () => (await runOf(live).catch(() => undefined))?.status === 'succeeded');
    const files = () =>
      discord.calls().filter(({ files: sent, status }) => sent.length > 0 && status === 200);
    expect(files().map((call) => call.files.map(({ name }) => name))).toEqual([['tell.md']]);
    await live.restart();
    await discord.quiet();
    expect(files()).toHaveLength(1);
    expect(logged(live, 'error')).toEqual([]);
  });
});
