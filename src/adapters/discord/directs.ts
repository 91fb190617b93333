import { z } from 'zod';
import type { Inbound } from '../../ports/chat.ts';
import type { Log } from '../../ports/log.ts';
import { platform } from './addresses.ts';

/** The direct conversations in which somebody has written to the bot: Discord does not tell which there are. */
export interface Directs {
  /** Takes up those that earlier processes knew. */
  start(inbound: Inbound): Promise<void>;
  /** Somebody writes in one. */
  add(channel: string): void;
  /** Their channels. */
  readonly all: readonly string[];
}

const note = 'directs';
const noteShape = z.array(z.string()).catch([]);
/** Most of them; the oldest are forgotten. */
const max = 200;

/** Makes the list. */
export function createDirects(log: Log): Directs {
  let bot: Inbound | undefined;
  let all: readonly string[] = [];
  return {
    async start(inbound) {
      bot = inbound;
      all = noteShape.parse(await inbound.note(platform, note));
    },
    add(channel) {
      if (all.includes(channel)) return;
      all = [...all, channel].slice(-max);
      bot
        ?.keepNote(platform, note, [...all])
        .catch((error: unknown) => log.error('A direct conversation could not be noted.', error));
    },
    get all() {
      return all;
    },
  };
}
