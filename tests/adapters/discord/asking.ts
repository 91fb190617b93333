import { expect } from 'vitest';
import type { Person } from '../../../src/engine/people.ts';
import type { DiscordStandIn } from '../../fakes/discord/index.ts';
import { type Live, onceAsked, openLive } from './live.ts';

/** A flow that asks before it posts. @param approvers further keys of the question */
export const release = (approvers = '') => `
name: Release
triggers: [{ type: command, command: release }, { type: manual }]
steps:
  review: { type: approval, title: Publish?${approvers} }
  publish: { type: message, to: "#releases", text: Published }
edges:
  - review.approved -> publish
`;

/** A run that waits for an answer. @param prepare what is done to the server before */
export async function asking(
  approvers = '',
  prepare: (discord: DiscordStandIn) => unknown = () => {},
  env: Readonly<Record<string, string>> = {},
) {
  const { discord, live } = await openLive({ release: release(approvers) }, { env });
  await prepare(discord);
  const asked = await discord.say(discord.people.ana, discord.channel, '!release');
  const thread = { ...discord.channel, thread: asked.id };
  const { message, button: approve } = await onceAsked(discord, thread, 'Approve');
  const { button: reject } = await onceAsked(discord, thread, 'Reject');
  await discord.quiet();
  return { discord, live, thread, message, approve, reject };
}

/** The newest run. */
export async function runOf(live: Live) {
  const [run] = await live.flowbot.bot.store.runs({ limit: 10 });
  if (!run) throw new Error('there is no run');
  return run;
}

/** All runs. */
export const runsOf = ({ flowbot }: Pick<Live, 'flowbot'>) => flowbot.bot.store.runs({ limit: 10 });

/** How often its questions were answered. */
export async function decisions(live: Live): Promise<number> {
  const journal = await live.flowbot.bot.store.journal((await runOf(live)).id);
  return journal.filter(({ type }) => type === 'question.answered').length;
}

/** All that a person was shown, and only they, oldest first; waits until there is so much. */
export async function oncePrivates(
  discord: Pick<DiscordStandIn, 'privates' | 'until' | 'quiet'>,
  person: Person,
  count: number,
) {
  await discord.until(async () => (await discord.privates(person)).length >= count);
  await discord.quiet();
  return discord.privates(person);
}

/** The last of it. */
export const lastPrivate = async (discord: Parameters<typeof oncePrivates>[0], person: Person) =>
  (await oncePrivates(discord, person, 1)).at(-1);

/** What was logged at a level. */
export const logged = ({ log }: Pick<Live, 'log'>, level: 'warn' | 'error'): readonly unknown[] =>
  log.lines.filter((line) => line.level === level);

/** Discord took all that the bot sent, and nobody was left without an answer. */
export function expectCalm(discord: Pick<DiscordStandIn, 'faults' | 'people' | 'troubles'>): void {
  expect(discord.faults()).toEqual([]);
  for (const person of Object.values(discord.people)) expect(discord.troubles(person)).toEqual([]);
}
