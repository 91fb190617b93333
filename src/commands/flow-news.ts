import { destinationsOf, readsOf, typesNeedingHome } from '../engine/flow/destinations.ts';
import type { Plan } from '../engine/flow/plan.ts';
import { isJsonObject } from '../engine/json.ts';
import { literal, md, type ProsePiece } from '../engine/prose.ts';
import { ChatUnavailable, type Conversation } from '../ports/chat.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import { eventKey } from './action-ids.ts';
import { type Bot, say } from './bot.ts';
import { rememberFlowVersions } from './flow-versions.ts';
import { conversationAt } from './start-flow.ts';

/** What was told last. */
const noteKey = 'flow-news';
/** Most lines of a message to admins; `/flow reload` shows more. */
const LINES_MAX = 20;

/**
 * Tells admins, each in their direct conversation, what is wrong with the flow files, and which flows carry words out of
 * private conversations. The same news is told once, also over restarts, until it is other news. What can't be told is in the
 * log. The audit hears which versions have come into force.
 */
export async function tellFlowNews(bot: Bot): Promise<void> {
  await rememberFlowVersions(bot);
  const leaks = (await Promise.all(bot.catalog.flows.map((flow) => leaksOf(bot, flow)))).flat();
  for (const leak of leaks) bot.log.warn('A flow carries words out of a private conversation.', { leak });
  const faults = bot.catalog.broken.flatMap((file) => file.faults);
  const lines = [...faults, ...leaks];
  const news = await eventKey(JSON.stringify(lines));
  const told = await toldLast(bot);
  if (told.news === news || (lines.length === 0 && told.nth === 0)) return;
  const nth = told.nth + 1;
  if (lines.length > 0) await tellAdmins(bot, nth, lines, faults.length > 0);
  await bot.store.setNote(noteKey, { news, nth });
}

/** What was told last; `nth` counts the news. */
async function toldLast({ store }: Bot): Promise<{ readonly news: string; readonly nth: number }> {
  const note = await store.note(noteKey);
  return isJsonObject(note) && typeof note.news === 'string' && typeof note.nth === 'number'
    ? { news: note.news, nth: note.nth }
    : { news: '', nth: 0 };
}

/** @param nth a repeat of the same news has the same number */
async function tellAdmins(
  bot: Bot,
  nth: number,
  lines: readonly string[],
  areFaults: boolean,
): Promise<void> {
  const shown = lines
    .slice(0, LINES_MAX)
    .flatMap((line): ProsePiece[] => [md('- '), literal(line), md('\n')]);
  const rest = lines.length > LINES_MAX ? [md(`- … and ${lines.length - LINES_MAX} more\n`)] : [];
  const title = areFaults ? 'These flow files could not be loaded:' : 'Look at these flows:';
  const content = say(literal(title), md('\n\n'), ...shown, ...rest);
  for (const admin of bot.settings.admins) {
    try {
      const direct = await conversationAt(bot, admin);
      if (!direct) continue;
      const key = `flow-news/${nth}/${admin}`;
      const target = { platform: direct.platform, conversation: direct.id };
      await bot.store.commit({ posts: [{ key, target, content }] });
      bot.outbox.wake(key);
    } catch (error) {
      // The others are told all the same.
      bot.log.error('An admin could not be told about flow files.', error, { admin });
    }
  }
}

/** Sentences about conversations that a flow reads although more people can read where it posts. */
async function leaksOf(bot: Bot, { file, plan }: LoadedFlow): Promise<readonly string[]> {
  const read = readsOf(plan);
  if (read.length === 0) return [];
  const found = async (address: string): Promise<Conversation | undefined> => {
    try {
      return await conversationAt(bot, address);
    } catch (error) {
      if (error instanceof ChatUnavailable) return undefined;
      throw error;
    }
  };
  const leaks: string[] = [];
  for (const { address } of read) {
    const from = await found(address);
    if (!from?.isPrivate) continue;
    if (isAnywhere(plan)) {
      leaks.push(
        `${file} reads ${address}, which is private, and posts wherever somebody starts it: what is said there may be read by others. Write to: at its messages, or conversations under in:.`,
      );
    }
    for (const destination of destinationsOf(plan)) {
      const to = await found(destination.address);
      if (!to || to.isPrivate || to.id === from.id) continue;
      leaks.push(
        `${file} reads ${address}, which is private, and posts to ${destination.address}, which is not: what is said there may be read by others.`,
      );
    }
  }
  return leaks;
}

/** Whether people can start it in any conversation, and it posts there. */
function isAnywhere(plan: Plan): boolean {
  const startsAnywhere = plan.triggers.some(
    (trigger) => trigger.type === 'manual' || (trigger.type === 'command' && !trigger.in),
  );
  return startsAnywhere && typesNeedingHome(plan).length > 0;
}
