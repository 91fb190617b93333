import { z } from 'zod';
import type { Standing } from '../../engine/people.ts';
import { ChatUnavailable } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import { createCache } from '../chat/cache.ts';
import { userIdPattern } from './addresses.ts';
import type { Calls } from './calls.ts';
import type { Identity } from './identity.ts';

/** What accounts are at present, for deciding what they may do: at most a minute old, and never guessed. */
export interface Standings {
  /** Rejects with `ChatUnavailable` when nobody can tell now. */
  of(user: string): Promise<Standing>;
}

const ttlMs = 60_000;
/** Slack's own helper, which it does not call a bot. */
const slackbot = 'USLACKBOT';
/** What Slack says of an account that is not there, or not for us to see. */
const absent = ['user_not_found', 'user_not_visible'];

const userShape = z.object({
  id: z.string(),
  team_id: z.string().optional(),
  deleted: z.boolean().default(false),
  is_bot: z.boolean().default(false),
  is_workflow_bot: z.boolean().default(false),
  is_connector_bot: z.boolean().default(false),
  is_restricted: z.boolean().default(false),
  is_ultra_restricted: z.boolean().default(false),
  is_stranger: z.boolean().default(false),
  enterprise_user: z.object({ teams: z.array(z.string()).default([]) }).optional(),
});
type User = z.infer<typeof userShape>;

/** Makes it for one workspace. */
export function createStandings(options: {
  readonly calls: Calls;
  readonly clock: Clock;
  readonly whoAmI: () => Promise<Identity>;
}): Standings {
  const { calls, whoAmI } = options;
  const known = createCache<Standing>(options.clock, ttlMs, 0, false);

  async function lookUp(user: string): Promise<Standing> {
    const { team } = await whoAmI();
    const asked = await calls.read('users.info', { user }, z.object({ user: userShape }));
    switch (asked.kind) {
      case 'ok':
        return standingIn(team, asked.data.user);
      case 'later':
        throw new ChatUnavailable('Slack asks to wait.');
      case 'unknown':
        throw new ChatUnavailable(asked.message);
      case 'refused':
        if (absent.includes(asked.code)) return 'gone';
        throw new ChatUnavailable(asked.message);
    }
  }

  return {
    async of(user) {
      if (!userIdPattern.test(user)) return 'gone';
      return (await known.get(user, () => lookUp(user))) ?? 'gone';
    },
  };
}

function standingIn(team: string, user: User): Standing {
  if (user.deleted) return 'gone';
  if (user.id === slackbot || user.is_bot || user.is_workflow_bot || user.is_connector_bot) return 'bot';
  // In an organisation of several workspaces somebody may be a member of ours whose first one is another.
  const isOurs = user.team_id === team || user.enterprise_user?.teams.includes(team) === true;
  return !isOurs || user.is_restricted || user.is_ultra_restricted || user.is_stranger ? 'guest' : 'member';
}
