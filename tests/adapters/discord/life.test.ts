import { afterEach, describe, expect, test } from 'vitest';
import type { Place } from '../../../src/engine/people.ts';
import type { DiscordStandIn } from '../../fakes/discord/index.ts';
import { decisions, logged, runOf } from './asking.ts';
import { onceAsked, onceShown, openLive } from './live.ts';

let opened: DiscordStandIn | undefined;
afterEach(() => expect(opened?.faults() ?? []).toEqual([]));

/** Its result belongs where it was started. @param to where else */
const report = (to = '') => `
name: Report
triggers: [{ type: command, command: report }, { type: manual }]
steps:
  ask: { type: approval, title: Finished?, approvers: { users: ["discord:400000000000000002"] } }
  tell: { type: message${to}, text: The numbers are good. }
`;

/** A run in a channel of its own that waits for an answer, two days after it began. @param flow its text */
async function waiting(flow = report()) {
  const { discord, live } = await openLive({ report: flow });
  opened = discord;
  const channel = await discord.createChannel({ name: 'numbers' });
  const root = await discord.say(discord.people.ana, channel, '!report');
  const thread = { ...channel, thread: root.id };
  const { message, button } = await onceAsked(discord, thread, 'Approve');
  await discord.quiet();
  discord.pass(2 * 86_400_000);
  const { id } = await runOf(live);
  return {
    discord,
    live,
    channel,
    root,
    thread,
    /** Presses the button of the card. */
    press: () => discord.click(discord.people.bo, message, button),
    /** Answers without the card. */
    say: (by = discord.people.bo, place: Place = discord.otherChannel) =>
      discord.command(by, place, `approve ${id}`),
    /** Resolves when the run has ended. */
    async ended() {
      await discord.until(async () => !['waiting', 'running'].includes((await runOf(live)).status));
      await discord.quiet();
      return (await runOf(live)).status;
    },
  };
}

const shown = async (discord: DiscordStandIn, ...places: readonly Place[]) => {
  const texts = await Promise.all(places.map((place) => discord.messages(place).catch(() => [])));
  return texts.flat().filter(({ text }) => text.includes('The numbers are good.'));
};

describe('C28: the thread of a run', () => {
  test('is archived: it is opened again, and the result stands in it', async () => {
    const { discord, live, channel, thread, press, ended } = await waiting();
    await discord.archiveThread(thread);
    await press();
    expect(await ended()).toBe('succeeded');
    expect(await shown(discord, thread)).toHaveLength(1);
    expect(await shown(discord, channel)).toEqual([]);
    expect(await decisions(live)).toBe(1);
    await onceShown(discord, thread, 'Approved by Bo');
    await onceShown(discord, thread, 'has succeeded');
    expect(logged(live, 'error')).toEqual([]);
  });

  test('is locked: the decision counts, and the result stands in the channel', async () => {
    const { discord, live, channel, thread, press, ended } = await waiting();
    await discord.lockThread(thread);
    await discord.archiveThread(thread);
    await press();
    expect(await ended()).toBe('succeeded');
    expect(await shown(discord, thread)).toEqual([]);
    expect(await shown(discord, channel)).toHaveLength(1);
    expect(await decisions(live)).toBe(1);
    expect(logged(live, 'error')).toEqual([]);
  });

  test.each([
    ['and the message that began it is there', false],
    ['and so is the message that began it', true],
  ])('is deleted, %s: the result can be read in its channel', async (_, whole) => {
    const { discord, live, channel, root, thread, say, ended } = await waiting();
    await discord.deleteChannel(thread);
    if (whole) await discord.deleteMessage(root);
    await say(discord.people.bo, channel);
    expect(await ended()).toBe('succeeded');
    expect(await shown(discord, thread, channel)).toHaveLength(1);
    expect(await decisions(live)).toBe(1);
    expect(logged(live, 'error')).toEqual([]);
  });

  test('lost its channel: the result comes to who started it, and says why', async () => {
    const { discord, live, channel, thread, say, ended } = await waiting();
    await discord.deleteChannel(thread);
    await discord.deleteChannel(channel);
    await say();
    expect(await ended()).toBe('succeeded');
    const [told, ...more] = await shown(discord, discord.directPlace(discord.people.ana));
    expect(told?.text).toContain('not there any more');
    expect(more).toEqual([]);
    expect(await decisions(live)).toBe(1);
    expect(logged(live, 'error')).toEqual([]);
  });

  test('lost its channel, and who started it takes no messages: the run fails and says so to who asks', async () => {
    const { discord, live, channel, thread, say, ended } = await waiting();
    discord.refuseDms(discord.people.ana);
    await discord.deleteChannel(thread);
    await discord.deleteChannel(channel);
    await say();
    expect(await ended()).toBe('failed');
    const { id } = await runOf(live);
    await discord.command(discord.people.ana, discord.otherChannel, `status ${id}`);
    // The words come first, then the picture of the run.
    const told = (await discord.privates(discord.people.ana)).map(({ text }) => text);
    expect(told.join('\n')).toContain('has failed');
    expect(logged(live, 'error')).toEqual([]);
  });

  test('lost its channel, and a step fails: who started it is told', async () => {
    const { discord, live, channel, thread, say, ended } = await waiting(report(', to: "#nowhere"'));
    await discord.deleteChannel(thread);
    await discord.deleteChannel(channel);
    await say();
    expect(await ended()).toBe('failed');
    const texts = await onceShown(discord, discord.directPlace(discord.people.ana), 'has failed');
    expect(texts.join('\n')).toContain('#nowhere');
    expect(logged(live, 'error')).toEqual([]);
  });
});

describe('C29: a direct message', () => {
  test.each([
    ['who refuses them', (discord: DiscordStandIn) => discord.refuseDms(discord.people.cy)],
    ['who has left the server', (discord: DiscordStandIn) => discord.leave(discord.people.cy)],
  ])('to somebody %s: the step fails with a sentence, and who started it is told', async (_, prepare) => {
    const cy = '400000000000000003';
    const { discord, live, thread, press, ended } = await waiting(report(`, to: "discord:@${cy}"`));
    await prepare(discord);
    await press();
    expect(await ended()).toBe('failed');
    const notice = (await discord.messages(thread)).at(-1);
    expect(notice?.text).toContain('has failed');
    expect(notice && (await discord.notified(notice.ref))).toEqual([discord.people.ana.id]);
    expect(logged(live, 'error')).toEqual([]);
  });

  test('that is refused takes the way that the flow has for it', async () => {
    const flow = `
name: Report
triggers: [{ type: command, command: report }]
steps:
  ask: { type: approval, title: Finished? }
  tell: { type: message, to: "discord:400000000000000003", text: For you. }
  else: { type: message, to: "#ops", text: "Cy could not be told: {{tell.json.error}}" }
edges: [ask.approved -> tell, tell.failed -> else]
`;
    const { discord, press, ended } = await waiting(flow);
    discord.refuseDms(discord.people.cy);
    await press();
    expect(await ended()).toBe('succeeded');
    expect(
      await onceShown(discord, discord.placeOf('300000000000000004'), 'Cy could not be told'),
    ).toHaveLength(1);
  });
});
