import { isRole } from '../engine/flow/address.ts';
import { accountOf } from '../engine/people.ts';
import type { PostFile } from '../engine/post.ts';
import { askedOf } from '../engine/run/answer.ts';
import type { RunState } from '../engine/run/state.ts';
import type { Drawing, Drawings } from '../ports/drawings.ts';
import type { Bot, Caller } from './bot.ts';

/**
 * The picture that comes with an answer, for those who ask in a chat. One that can't be made is left out: the words say
 * what matters.
 * @param about ids of the flow that it shows, and of the run
 */
export async function drawn(
  bot: Bot,
  caller: Caller,
  about: { readonly flow: string; readonly run?: string },
  draw: (drawings: Drawings) => Promise<Drawing>,
): Promise<readonly PostFile[]> {
  const isInChat = caller.place !== undefined && caller.access === undefined;
  if (!isInChat) return [];
  try {
    const { alt, png } = await draw(bot.drawings);
    const data = Buffer.from(png).toString('base64');
    return [{ name: `${about.flow}.png`, mediaType: 'image/png', alt, data }];
  } catch (error) {
    bot.log.error('A picture could not be made.', error, about);
    return [];
  }
}

/** Names of the people that open questions of a run wait for, by their addresses. */
export async function awaitedNames(bot: Bot, { questions }: RunState): Promise<ReadonlyMap<string, string>> {
  const open = Object.values(questions).filter(({ state }) => state.status === 'open');
  const addresses = [...new Set(open.flatMap(askedOf))].filter((address) => !isRole(address));
  const named = await Promise.all(
    addresses.map(async (address) => {
      const { platform, id } = accountOf(address);
      return [address, (await bot.chats.get(platform)?.nameOf(id)) ?? address] as const;
    }),
  );
  return new Map(named);
}
