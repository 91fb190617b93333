import { z } from 'zod';
import type { Log } from '../../ports/log.ts';
import type { Calls } from './calls.ts';

/** Who the bot is in its workspace. */
export interface Identity {
  readonly team: string;
  /** The bot as a person: `U…`. */
  readonly user: string;
  /** The bot as an author of messages: `B…`. */
  readonly botId: string;
  /** Address of the workspace, with a slash at the end. */
  readonly url: string;
}

const shape = z.object({ team_id: z.string(), user_id: z.string(), bot_id: z.string(), url: z.url() });
const firstWaitMs = 1_000;
const lastWaitMs = 60_000;

/**
 * Asks Slack who the bot is, for as long as Slack can't be reached.
 * @throws Error with a sentence when the token is not accepted, or when the calls are closed meanwhile.
 */
export async function identify(calls: Calls, log: Log): Promise<Identity> {
  for (let waitMs = firstWaitMs; !calls.isClosed; waitMs = Math.min(lastWaitMs, waitMs * 2)) {
    const called = await calls.call('auth.test', {}, shape);
    switch (called.kind) {
      case 'ok': {
        const { team_id: team, user_id: user, bot_id: botId, url } = called.data;
        return { team, user, botId, url };
      }
      case 'refused':
        throw new Error(`Slack does not accept SLACK_BOT_TOKEN. ${called.message}`);
      case 'later':
      case 'unknown':
        if (calls.dead !== undefined) throw new Error(`Slack does not accept SLACK_BOT_TOKEN. ${calls.dead}`);
        log.warn('Slack can’t be reached; trying again.', { afterMs: waitMs });
        await calls.pause(waitMs);
    }
  }
  throw new Error('Flowbot stops.');
}
