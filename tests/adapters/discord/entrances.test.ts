import { describe, expect, test } from 'vitest';
import type { DiscordStandIn } from '../../fakes/discord/index.ts';
import { expectCalm, lastPrivate, logged, oncePrivates, release, runsOf } from './asking.ts';
import { note } from './flows.ts';
import { onceAsked, onceShown, openLive } from './live.ts';

describe('/flow', () => {
  test('starts a flow, and only who typed it hears so; everybody sees the run', async () => {
    const { discord } = await openLive({ note });
    const { ana } = discord.people;
    await discord.command(ana, discord.channel, 'run note for the team');
    await onceShown(discord, discord.otherChannel, 'Noted: for the team');
    expect((await oncePrivates(discord, ana, 1)).map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Started run \w+\.$/),
    ]);
    expect((await onceShown(discord, discord.channel, 'Note has succeeded')).length).toBe(1);
    expectCalm(discord);
  });

  test('reads whom somebody mentions as people read it', async () => {
    const { discord } = await openLive({ note });
    const { ana, bo } = discord.people;
    await discord.command(ana, discord.channel, 'run note ask @Bo in #releases, not `@everyone`');
    const [text] = await onceShown(discord, discord.otherChannel, 'Noted');
    expect(text).toContain('ask @Bo in #releases');
    expect(text).not.toContain(bo.id);
    expectCalm(discord);
  });

  test('takes a mention for a person', async () => {
    const { discord } = await openLive({
      hand: `
name: Hand
triggers: [{ type: manual }, { type: command, command: hand, slash: true }]
input: { type: object, required: [owner], properties: { owner: { type: string, format: discord-user }, why: { type: string } } }
steps:
  done: { type: message, to: "#releases", text: "Owner {{input.owner}} {{input.why}}" }
`,
    });
    const { ana, bo } = discord.people;
    await discord.command(ana, discord.channel, 'run hand owner=@Bo why=x');
    await onceShown(discord, discord.otherChannel, `Owner ${bo.id} x`);
    await discord.slash(ana, discord.channel, 'hand', { owner: bo.id, why: `for <@${bo.id}>` });
    await onceShown(discord, discord.otherChannel, `Owner ${bo.id} for @Bo`);
    expectCalm(discord);
  });

  test('C13, C17: told twice, and once more after a restart, starts one run', async () => {
    const { discord, live } = await openLive({ note });
    await discord.command(discord.people.ana, discord.channel, 'run note x');
    await onceShown(discord, discord.otherChannel, 'Noted');
    await discord.redeliver();
    await live.restart();
    await discord.redeliver();
    expect(await runsOf(live)).toHaveLength(1);
    expect(await discord.messages(discord.otherChannel)).toHaveLength(1);
    expect(await discord.privates(discord.people.ana)).toHaveLength(1);
    expect(logged(live, 'error')).toEqual([]);
    expectCalm(discord);
  });

  test('trap 1: an answer that takes long is announced in time and replaces that', async () => {
    const { discord, live } = await openLive({ note });
    const { ana } = discord.people;
    const { store } = live.flowbot.bot;
    const { receive } = store;
    const kept = Promise.withResolvers<void>();
    store.receive = async (delivery) => {
      await kept.promise;
      return receive(delivery);
    };
    const asked = discord.command(ana, discord.channel, 'list');
    await discord.until(() => discord.answersOf(ana).some(({ type }) => type === 5));
    kept.resolve();
    await asked;
    await discord.until(async () => (await discord.privates(ana)).some(({ text }) => text.includes('Note')));
    expect(await discord.privates(ana)).toHaveLength(1);
    expectCalm(discord);
  });

  test('C23: an answer that comes after the quarter of an hour that Discord gives breaks nothing', async () => {
    const { discord, live } = await openLive({ note });
    const { ana } = discord.people;
    const { store } = live.flowbot.bot;
    const { receive } = store;
    const kept = Promise.withResolvers<void>();
    store.receive = async (delivery) => {
      await kept.promise;
      return receive(delivery);
    };
    await discord.command(ana, discord.channel, 'run note late');
    discord.pass(16 * 60_000);
    kept.resolve();
    store.receive = receive;
    await onceShown(discord, discord.otherChannel, 'Noted: late');
    await onceShown(discord, discord.channel, 'Note has succeeded');
    expect(logged(live, 'error')).toEqual([]);
    expect(discord.faults()).toEqual([]);
  });

  test('C23: a run that ends after 20 minutes tells so in the channel of the command', async () => {
    const { discord, live } = await openLive({ release: release() });
    const { ana, bo } = discord.people;
    await discord.command(ana, discord.channel, 'run release');
    await discord.quiet();
    discord.pass(20 * 60_000);
    const [card] = await discord.messages(discord.channel);
    const question = await onceAsked(discord, { ...discord.channel, thread: card?.ref.id ?? '' }, 'Approve');
    await discord.click(bo, question.message, question.button);
    expect(await onceShown(discord, discord.otherChannel, 'Published')).toEqual(['Published']);
    await onceShown(discord, discord.channel, 'has succeeded');
    expect(logged(live, 'warn')).toEqual([]);
    expectCalm(discord);
  });

  test('an old command that a client still shows is explained', async () => {
    const { discord } = await openLive({ note });
    const { ana } = discord.people;
    const known = discord.commands();
    await discord.sendCommand(ana, discord.channel, {
      name: 'flow',
      type: 1,
      options: [{ type: 1, name: 'old' }],
    });
    await discord.sendCommand(ana, discord.channel, { name: 'deploy', type: 1 });
    await discord.sendCommand(ana, discord.channel, { name: 'flow', type: 1 });
    expect((await oncePrivates(discord, ana, 3)).map(({ text }) => text)).toEqual([
      expect.stringContaining('There is no command /flow old.'),
      'This command is not in use any more. Wait a minute and type it again: Discord may still show an old one.',
      expect.stringContaining('What I can do:'),
    ]);
    expect(discord.commands()).toEqual(known);
    expectCalm(discord);
  });
});

describe('“Use this message”', () => {
  test('starts a flow with the text of a message, in its thread', async () => {
    const { discord } = await openLive({ note });
    const { ana, bo } = discord.people;
    const message = await discord.say(bo, discord.channel, 'ask @Ana about a < b');
    await discord.useMessage(ana, message);
    expect(await discord.form(ana)).toMatchObject({ title: 'Use this message', fields: [{ id: 'flow' }] });
    await discord.submit(ana, discord.channel, '', { flow: 'note' });
    expect(await onceShown(discord, discord.otherChannel, 'Noted')).toEqual(['Noted: ask @Ana about a < b']);
    await onceShown(discord, { ...discord.channel, thread: message.id }, 'has succeeded');
    expectCalm(discord);
  });

  test('says so when there is no flow to start', async () => {
    const { discord } = await openLive({});
    const message = await discord.say(discord.people.bo, discord.channel, 'hello');
    await discord.useMessage(discord.people.ana, message);
    expect((await lastPrivate(discord, discord.people.ana))?.text).toBe(
      'There is no flow that you may start here.',
    );
    expectCalm(discord);
  });
});

describe('trap 18: what is not typed by a person starts nothing', () => {
  const cases: readonly [string, (discord: DiscordStandIn) => Promise<unknown>][] = [
    ['another bot', (discord) => discord.sayAsBot(discord.channel, '!note x')],
    ['a webhook', (discord) => discord.sayAsWebhook(discord.channel, '!note x')],
    ['Discord itself', (discord) => discord.system(discord.people.ana, discord.channel, 7)],
    [
      'an edit',
      async (discord) => {
        const message = await discord.say(discord.people.ana, discord.channel, 'hello');
        await discord.editAs(discord.people.ana, message, '!note x');
      },
    ],
    [
      'a preview that Discord adds',
      async (discord) => {
        const message = await discord.say(discord.people.ana, discord.channel, 'see https://example.com');
        await discord.addPreview(message);
      },
    ],
  ];
  test.each(cases)('%s', async (_, happen) => {
    const { discord, live } = await openLive({ note });
    await happen(discord);
    await discord.quiet();
    expect(await runsOf(live)).toEqual([]);
    expectCalm(discord);
  });
});

describe('where a run would be seen', () => {
  test('in a thread the run stays in the thread', async () => {
    const { discord } = await openLive({ note });
    const { ana } = discord.people;
    const message = await discord.say(ana, discord.channel, 'A topic');
    const thread = await discord.openThread(ana, message, 'A topic');
    await discord.command(ana, thread, 'run note here');
    await onceShown(discord, thread, 'Note has succeeded');
    expect(await discord.messages(discord.channel)).toHaveLength(1);
    expectCalm(discord);
  });

  test.each(['VIEW_CHANNEL', 'SEND_MESSAGES'] as const)(
    'without %s there nothing is started, although Discord lets the bot answer',
    async (permission) => {
      const { discord, live } = await openLive({ note });
      const { ana } = discord.people;
      await discord.deny(discord.channel, permission);
      await discord.command(ana, discord.channel, 'run note x');
      expect((await lastPrivate(discord, ana))?.text).toContain('give it access to the channel');
      expect(await runsOf(live)).toEqual([]);
      expectCalm(discord);
    },
  );
});
