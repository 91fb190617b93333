import { MessageType, Routes } from 'discord.js';
import { z } from 'zod';
import { snowflakeAt } from './addresses.ts';
import type { Called, Calls } from './calls.ts';
import { isMark } from './mark.ts';

const componentShape = z.object({ id: z.number().optional(), type: z.number() });
/** A message as a look-up reads it. */
const readShape = z.object({
  id: z.string(),
  type: z.number(),
  author: z.object({ id: z.string() }),
  components: z.array(componentShape).default([]).catch([]),
});
type ReadMessage = z.infer<typeof readShape>;

/** Reads channels back, for our own messages in them. */
export interface LookUp {
  /**
   * Our message with this mark, made at `sinceMs` (epoch) or later; undefined = there is none. `refused` also when
   * nobody could tell: there are too many messages, or Discord shows one of ours without its mark.
   *
   * @param channel a channel or thread whose history the bot may read
   */
  marked(channel: string, mark: number, sinceMs: number): Promise<Called<ReadMessage | undefined>>;
  /** One message. */
  message(channel: string, id: string): Promise<Called<ReadMessage>>;
}

/** Most messages on a page, and most pages that are looked through: fewer than Discord takes requests in a second. */
const pageSize = 100;
const pagesMax = 40;

/** Makes it. @param user the bot's own id */
export function createLookUp(calls: Calls, user: () => Promise<string>): LookUp {
  return {
    async marked(channel, mark, sinceMs) {
      const me = await user();
      let after = snowflakeAt(sinceMs);
      let isWhole = true;
      for (let page = 0; page < pagesMax; page += 1) {
        const asked = await calls.read(
          { method: 'GET', route: Routes.channelMessages(channel), query: { after, limit: `${pageSize}` } },
          z.array(readShape),
        );
        if (asked.kind !== 'ok') return asked;
        const own = asked.data.filter(({ author, type }) => author.id === me && wasSent(type));
        const found = own.find((message) => marksOf(message)[0] === mark);
        if (found) return { kind: 'ok', data: found };
        isWhole &&= own.every((message) => marksOf(message).length > 0);
        if (asked.data.length < pageSize) return isWhole ? { kind: 'ok', data: undefined } : unmarked;
        after = asked.data.reduce((newest, { id }) => (BigInt(id) > BigInt(newest) ? id : newest), after);
      }
      return tooMany;
    },
    message: (channel, id) =>
      calls.read({ method: 'GET', route: Routes.channelMessage(channel, id) }, readShape),
  };
}

/** The marks of a message: whose post it is first, then of what it shows. */
export function marksOf({ components }: Pick<ReadMessage, 'components'>): readonly number[] {
  return components.flatMap(({ id }) => (id !== undefined && isMark(id) ? [id] : []));
}

/** Not told by Discord itself, as "the bot has opened a thread". */
function wasSent(type: number): boolean {
  return type === MessageType.Default || type === MessageType.Reply;
}

const unmarked = {
  kind: 'refused',
  code: 0,
  refusal: 'no',
  message: 'There is a message of this bot without the mark by which it would be known.',
} as const;

const tooMany = {
  kind: 'refused',
  code: 0,
  refusal: 'no',
  message: 'There are too many newer messages to look through.',
} as const;
