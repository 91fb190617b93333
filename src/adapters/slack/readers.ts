import { z } from 'zod';
import { ChatUnavailable } from '../../ports/chat.ts';
import type { Clock } from '../../ports/clock.ts';
import { createCache } from '../chat/cache.ts';
import { readConversationId, userIdPattern } from './addresses.ts';
import { type Calls, pageShape } from './calls.ts';
import type { Directory } from './directory.ts';
import type { Identity } from './identity.ts';
import type { Standings } from './standing.ts';

/** Who can read which conversations: at most a minute old, and never guessed. */
export interface Readers {
  /** Rejects with `ChatUnavailable` when nobody can tell now. */
  canRead(user: string, conversation: string): Promise<boolean>;
}

const ttlMs = 60_000;
/** Most pages of a conversation's members that are read; of more people nobody can tell. */
const pagesMax = 50;
const membersPage = z.object({ members: z.array(z.string()), ...pageShape });

/** Makes it for one workspace. */
export function createReaders(options: {
  readonly calls: Calls;
  readonly clock: Clock;
  readonly whoAmI: () => Promise<Identity>;
  readonly directory: Directory;
  readonly standings: Standings;
}): Readers {
  const { calls, whoAmI, directory, standings } = options;
  const members = createCache<ReadonlySet<string>>(options.clock, ttlMs, 0, false);

  async function membersOf(channel: string): Promise<ReadonlySet<string>> {
    const found = await members.get(channel, async () => {
      const all = new Set<string>();
      for await (const page of calls.pages('conversations.members', { channel }, membersPage, pagesMax)) {
        if (page.kind === 'refused') return all;
        if (page.kind !== 'ok') throw new ChatUnavailable('Slack gives no answer at the moment.');
        for (const member of page.data.members) all.add(member);
      }
      return all;
    });
    return found ?? new Set();
  }

  return {
    async canRead(user, conversation) {
      const id = readConversationId(conversation);
      if (!id || id.team !== (await whoAmI()).team || !userIdPattern.test(user)) return false;
      const standing = await standings.of(user);
      if (standing === 'gone' || standing === 'bot') return false;
      const channel = await directory.channel(id.channel);
      if (!channel) return false;
      // Whoever is a member of the workspace can open every public channel.
      return (channel.isPublic && standing === 'member') || (await membersOf(channel.id)).has(user);
    },
  };
}
