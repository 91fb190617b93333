import { expect, test } from 'vitest';
import type { DiscordStandIn } from '../../fakes/discord/index.ts';
import { release } from './asking.ts';
import { onceAsked, onceShown, openLive } from './live.ts';

const items = Array.from({ length: 100 }, (_, index) => `item${index}`);

/** A run that shows how far it has come, a hundred times in a hundred seconds. */
const long = `
name: Long
triggers: [{ type: command, command: long }]
steps:
${items.map((id) => `  ${id}: { type: wait, for: 1s }`).join('\n')}
edges:
${items
  .slice(1)
  .map((id, index) => `  - ${items[index]} -> ${id}`)
  .join('\n')}
`;

/** When each message was changed, in platform time. */
function editsOf(discord: DiscordStandIn): ReadonlyMap<string, readonly number[]> {
  const edits = discord.calls().filter(({ route }) => route === 'PATCH /channels/:channel/messages/:message');
  const byMessage = Map.groupBy(edits, ({ params }) => params.message ?? '');
  return new Map([...byMessage].map(([message, calls]) => [message, calls.map(({ atMs }) => atMs)]));
}

test('C25, trap 19: five runs that show how far they are keep to the allowance, and nothing that matters waits for them', async () => {
  const { discord, live } = await openLive({ long, release: release() }, { editGapMs: 2_000 });
  const { ana, bo } = discord.people;
  const cards = await discord.burst(
    Array.from({ length: 5 }, () => ({ person: ana, place: discord.channel, text: '!long' })),
  );
  await discord.until(() => editsOf(discord).size === 5);

  // In the middle of it somebody asks for something else.
  const asked = await discord.say(bo, discord.channel, '!release');
  const thread = { ...discord.channel, thread: asked.id };
  const { message, button } = await onceAsked(discord, thread, 'Approve');
  await discord.click(ana, message, button);
  await onceShown(discord, discord.otherChannel, 'Published');
  for (const card of cards) {
    const texts = (await discord.messages({ ...discord.channel, thread: card.id })).map(({ text }) => text);
    expect(texts.join('\n')).not.toMatch(/has succeeded/);
  }

  for (const card of cards) {
    const place = { ...discord.channel, thread: card.id };
    expect((await onceShown(discord, place, 'has succeeded')).join('\n')).toMatch(/has succeeded/);
  }
  const edits = [...editsOf(discord).values()];
  for (const atMs of edits) {
    const gaps = atMs.slice(1).map((at, index) => at - (atMs[index] ?? 0));
    expect(Math.min(...gaps, 2_000)).toBeGreaterThanOrEqual(2_000);
  }
  const progress = edits.filter(({ length }) => length > 2);
  expect(progress).toHaveLength(5);
  expect(discord.calls().filter(({ status }) => status === 429)).toEqual([]);
  expect(live.log.lines.filter(({ level }) => level !== 'info')).toEqual([]);
  expect(discord.faults()).toEqual([]);
}, 60_000);
