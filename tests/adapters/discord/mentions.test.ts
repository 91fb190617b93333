import { describe, expect, test } from 'vitest';
import { literal, md } from '../../../src/engine/prose.ts';
import { callsOf, openJudged, partOf, posted, routes } from './judged.ts';
import { onceShown, openLive } from './live.ts';

const said = '@everyone deploy done, thanks <@&900000000000000001> and <@400000000000000002>';
const nobody = { parse: [], users: [], roles: [], replied_user: false };

describe('C02, trap 4: text of others notifies nobody, wherever it goes, and reads as it was written', () => {
  async function open() {
    const h = await openJudged();
    // Whatever the bot may.
    await h.permit('bot', ['ADMINISTRATOR', 'MENTION_EVERYONE']);
    return h;
  }

  test.each([
    ['as Markdown', md(said)],
    ['as it was typed', literal(said)],
  ])('a first post, %s', async (_, piece) => {
    const h = await open();
    const message = await posted(h, h.channel, partOf(h, '', { prose: [piece] }));
    expect(await h.notified(message)).toEqual([]);
    expect(await h.messages(h.channel)).toMatchObject([{ text: said }]);
    expect(callsOf(h, routes.post)[0]?.body).toMatchObject({ allowed_mentions: nobody });
  });

  test('an edit of a card', async () => {
    const h = await open();
    const message = await posted(h, h.channel, partOf(h, 'Running', { progress: true }));
    await h.chat.edit(message, partOf(h, said, { progress: true }));
    expect(await h.messages(h.channel)).toMatchObject([{ text: said }]);
    expect(h.raw(message)).toMatchObject({ mentions: [], mention_roles: [], mention_everyone: false });
    expect(callsOf(h, routes.edit)[0]?.body).toMatchObject({ allowed_mentions: nobody });
  });

  test('a reply in a thread, and the name of the thread', async () => {
    const h = await open();
    const root = await h.say(h.people.ana, h.channel, 'a topic');
    const message = await posted(h, { ...h.channel, thread: root.id }, partOf(h, said));
    expect(await h.notified(message)).toEqual([]);
    expect(await h.messages({ ...h.channel, thread: root.id })).toMatchObject([{ text: said }]);
  });

  test('a reply beside the message it answers', async () => {
    const h = await open();
    const direct = h.directPlace(h.people.ana);
    const root = await h.say(h.people.ana, direct, 'a topic');
    expect(await h.notified(await posted(h, { ...direct, thread: root.id }, partOf(h, said)))).toEqual([]);
  });

  test('a post in a forum', async () => {
    const h = await open();
    const forum = await h.createForum({ name: 'ideas' });
    const message = await posted(h, forum, partOf(h, said), 'post#0');
    expect(await h.notified(message)).toEqual([]);
    expect(await h.messages({ ...forum, thread: message.id })).toMatchObject([{ text: said }]);
  });

  test('an answer that one person sees, and what follows it', async () => {
    const h = await open();
    const content = {
      prose: [md(`${said}\n\n${'word '.repeat(900)}`)],
      buttons: [],
      notify: [h.people.bo.id],
    };
    h.inbox.answerNext({ kind: 'private', content });
    await h.command(h.people.ana, h.channel, 'run x');
    const shown = await h.privates(h.people.ana);
    expect(shown.length).toBeGreaterThan(1);
    expect(shown[0]?.text).toContain(said);
    const bodies = h.calls().flatMap(({ route, body }) => {
      if (route === 'POST /interactions/:interaction/:token/callback') return [Object(body).data];
      return route.includes('/webhooks/') ? [body] : [];
    });
    const shows = bodies.filter((body) => Object(body).components);
    expect(shows).toHaveLength(shown.length);
    for (const body of shows) expect(body).toMatchObject({ allowed_mentions: nobody });
  });

  test('a private answer to a click', async () => {
    const h = await open();
    const button = { id: 'go', label: said, style: 'plain' as const };
    const message = await posted(h, h.channel, partOf(h, 'Go?', { buttons: [button] }));
    const content = { prose: [md(said)], buttons: [], notify: [] };
    h.inbox.answerNext({ kind: 'private', content });
    await h.click(h.people.ana, message, 'go');
    expect(await h.privates(h.people.ana)).toMatchObject([{ text: said }]);
  });
});

test('C02: what an agent or a person says in a flow, with a bot that may mention everyone', async () => {
  const flow = `
name: Echo
triggers: [{ type: command, command: echo }]
steps:
  post: { type: message, to: "#releases", text: "{{start.json.prompt}}" }
`;
  const { discord } = await openLive({ echo: flow });
  await discord.permit('bot', ['ADMINISTRATOR', 'MENTION_EVERYONE']);
  await discord.say(
    discord.people.ana,
    discord.channel,
    `!echo @everyone deploy done <@&900000000000000001> @here`,
  );
  const texts = await onceShown(discord, discord.otherChannel, 'deploy done');
  expect(texts).toEqual(['@everyone deploy done @900000000000000001 @here']);
  for (const place of [discord.channel, discord.otherChannel]) {
    for (const { ref, author } of await discord.messages(place)) {
      if (author === 'bot') expect(await discord.notified(ref)).toEqual([]);
    }
  }
  expect(discord.faults()).toEqual([]);
});
