import { expect, test } from 'vitest';
import { literal } from '../../../src/engine/prose.ts';
import type { Answer, Taken } from '../../../src/ports/chat.ts';
import { expectCalm } from './asking.ts';
import { type DiscordHarness, openDiscord } from './harness.ts';
import { openLive } from './live.ts';

const count = 100;
/** Discord’s time stands still: however busy this machine is, nobody is too late. */
const nowMs = Date.now();
const clock = { now: () => nowMs, pass() {} };
const answer: Answer = {
  kind: 'private',
  content: { prose: [literal('Here it is.')], buttons: [], notify: [] },
};

/** So many commands at one instant; resolves when the bot has heard them. */
function burst({ discord }: Pick<DiscordHarness, 'discord'>): Promise<void> {
  const { ana } = discord.people;
  const typed = Array.from({ length: count }, (_, index) => ({
    person: ana,
    place: discord.channel,
    text: `run echo ${index}`,
  }));
  return discord.commandBurst(typed);
}

/** Types of the first answers that were given. */
const firstWords = ({ discord }: Pick<DiscordHarness, 'discord'>) =>
  discord.answersOf(discord.people.ana).flatMap(({ type }) => (type === undefined ? [] : [type]));

test('trap 1: many at once hear first that it takes longer, and everybody has their answer in the end', async () => {
  const harness = await openDiscord({ clock });
  const { discord, inbox } = harness;
  let keptBack = 0;
  inbox.receive = async (_, calm): Promise<Taken> => ({
    answer: (async () => {
      let isCalm = false;
      const over = calm?.().then(() => {
        isCalm = true;
      });
      await new Promise((resolve) => setImmediate(resolve));
      if (!isCalm) keptBack += 1;
      await over;
      return answer;
    })(),
  });
  await burst(harness);
  const texts = async () => (await discord.privates(discord.people.ana)).map(({ text }) => text);
  await discord.until(async () => (await texts()).filter((text) => text === 'Here it is.').length === count);
  await discord.quiet();
  expect(firstWords(harness)).toHaveLength(count);
  expect(await texts()).toHaveLength(count);
  expect(keptBack).toBeGreaterThan(0);
  expectCalm(discord);
});

test('nobody hears that it takes longer before what they asked for is kept', async () => {
  const harness = await openDiscord({ clock });
  const { discord, inbox } = harness;
  const kept = Promise.withResolvers<void>();
  inbox.receive = async () => {
    await kept.promise;
    return { answer: Promise.resolve(answer) };
  };
  const done = burst(harness);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(firstWords(harness)).toEqual([]);
  kept.resolve();
  await done;
  await discord.until(() => firstWords(harness).length === count);
  await discord.quiet();
  expectCalm(discord);
});

test('what cannot be kept in a rush is said to everybody, and nobody is left waiting', async () => {
  const harness = await openDiscord({ clock });
  const { discord, inbox } = harness;
  inbox.receive = () => Promise.reject(new Error('disk full'));
  await burst(harness);
  await discord.until(() => firstWords(harness).length === count);
  await discord.quiet();
  const texts = (await discord.privates(discord.people.ana)).map(({ text }) => text);
  expect(texts).toHaveLength(count);
  for (const text of texts) expect(text).toMatch(/nothing was done/);
  expectCalm(discord);
});

test('a whole bot runs each of many commands once, and tells each person so', async () => {
  const { discord, live } = await openLive(
    {
      echo: 'name: Echo\ntriggers: [{ type: manual }]\nsteps:\n  say: { type: template, text: "x" }\n',
    },
    { clock },
  );
  await burst({ discord });
  const texts = async () => (await discord.privates(discord.people.ana)).map(({ text }) => text);
  await discord.until(async () => (await texts()).filter((text) => /started/i.test(text)).length === count);
  await discord.quiet();
  expect(firstWords({ discord })).toHaveLength(count);
  expect(live.log.lines.filter(({ level }) => level !== 'info')).toEqual([]);
  expectCalm(discord);
}, 20_000);
