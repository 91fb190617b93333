import { afterEach, describe, expect, test } from 'vitest';
import type { DiscordStandIn } from '../../fakes/discord/index.ts';
import { asking, decisions } from './asking.ts';
import { callsOf, routes } from './judged.ts';
import { onceAsked, onceShown, openLive } from './live.ts';

let opened: DiscordStandIn | undefined;
afterEach(() => expect(opened?.faults() ?? []).toEqual([]));

const code = Array.from({ length: 265 }, (_, index) => `print("line ${index} of the list")`);
const long = `First line.\nSecond line.\n\n\`\`\`py\n${code.join('\n')}\n\`\`\`\n\nThe end.`;

/** A flow that asks, so that the next post after the approval is that of its step. */
const guarded = `
name: Guarded
triggers: [{ type: command, command: guarded }]
steps:
  ask: { type: approval, title: Publish? }
  publish: { type: message, to: "#releases", text: "{{start.json.prompt}}" }
edges:
  - ask.approved -> publish
`;

/** Runs a guarded flow up to its question. */
async function atTheQuestion(text = 'Published') {
  const { discord, live } = await openLive({ guarded });
  opened = discord;
  const asked = await discord.say(discord.people.ana, discord.channel, `!guarded ${text}`);
  const thread = { ...discord.channel, thread: asked.id };
  const question = await onceAsked(discord, thread, 'Approve');
  await discord.quiet();
  const approve = () => discord.click(discord.people.bo, question.message, question.button);
  return { discord, live, thread, approve };
}

/** What a post in a channel was made of, message by message. */
const textsSent = (discord: DiscordStandIn, channel: string): readonly string[] =>
  callsOf(discord, routes.post)
    .filter(({ params, status }) => params.channel === channel && status === 200)
    .map(({ body }) => Object(body).components[0].content);

describe('C07, trap 3: a long text is sent in parts, each once', () => {
  test.each([
    ['nothing fails', undefined],
    ['the answer to the second is lost', { kind: 'lost' }],
    ['the second never arrives', { kind: 'reset' }],
    ['Discord asks to wait with the second', { kind: '429', retryAfterS: 3 }],
    ['Discord fails at the second', { kind: 'status', status: 502 }],
    ['Discord fails at the second although it is done', { kind: 'status', status: 502, isDone: true }],
  ] as const)('%s', async (_, fault) => {
    const { discord, approve } = await atTheQuestion(long);
    const goesWell = { kind: 'late', release: Promise.resolve() } as const;
    discord.failRequest(routes.post, goesWell);
    if (fault) discord.failRequest(routes.post, fault);
    await approve();
    await onceShown(discord, discord.otherChannel, 'The end.');
    const shown = (await discord.messages(discord.otherChannel)).map(({ text }) => text);
    expect(shown).toHaveLength(2);
    const lines = shown
      .join('\n')
      .split('\n')
      .filter((line) => line.startsWith('print('));
    expect(lines).toEqual(code);
    const sent = textsSent(discord, discord.otherChannel.conversation);
    for (const text of sent) {
      expect(text.length).toBeLessThanOrEqual(4_000);
      expect(text.match(/^```/gm)).toHaveLength(2);
      expect(text).toMatch(/^```py$/m);
    }
  });
});

describe('C28: a thread that Discord archives during an approval of two days', () => {
  test('is opened again, the decision counts, and the card shows it', async () => {
    const { discord, thread, live, message, approve } = await asking();
    opened = discord;
    discord.pass(2 * 86_400_000);
    await discord.archiveThread(thread);
    await discord.click(discord.people.bo, message, approve);
    await onceShown(discord, discord.otherChannel, 'Published');
    await discord.until(async () =>
      (await discord.messages(thread)).some(({ text }) => /Approved/i.test(text)),
    );
    expect(await decisions(live)).toBe(1);
  });

  test.each([
    ['locked', async (discord: DiscordStandIn, thread: typeof discord.channel) => discord.lockThread(thread)],
    [
      'deleted',
      async (discord: DiscordStandIn, thread: typeof discord.channel) => discord.deleteChannel(thread),
    ],
  ])('%s: the result is posted, the decision counts, and nothing loops', async (_, close) => {
    const { discord, thread, live, message, approve } = await asking();
    opened = discord;
    discord.pass(2 * 86_400_000);
    const button = discord.click(discord.people.bo, message, approve);
    await button;
    await close(discord, thread);
    await onceShown(discord, discord.otherChannel, 'Published');
    const before = discord.calls().length;
    discord.pass(3_600_000);
    await discord.quiet();
    expect(discord.calls().length - before).toBeLessThan(20);
    expect(await decisions(live)).toBe(1);
  });
});

describe('a channel that takes no message', () => {
  test('is said to the one who started it, with what to do', async () => {
    const { discord, approve, thread } = await atTheQuestion();
    await discord.deny(discord.otherChannel, 'SEND_MESSAGES');
    await approve();
    const texts = await onceShown(discord, thread, 'no conversation #releases');
    expect(texts.join('\n')).toContain('Guarded');
  });
});
