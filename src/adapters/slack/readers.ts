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
const infoShape = z.object({
  channel: z.object({
    id: z.string(),
    is_im: z.boolean().default(false),
    is_private: z.boolean().default(true),
  }),
});

/** A conversation that the bot sees. */
interface Seen {
  readonly id: string;
  readonly isPublic: boolean;
}

/** Makes it for one workspace. */
export function createReaders(options: {
  readonly calls: Calls;
  readonly clock: Clock;
  readonly whoAmI: () => Promise<Identity>;
  readonly directory: Pick<Directory, 'currentId'>;
  readonly standings: Standings;
}): Readers {
  const { calls, whoAmI, directory, standings } = options;
  const seen = createCache<Seen>(options.clock, ttlMs, 0, false);
  const members = createCache<ReadonlySet<string>>(options.clock, ttlMs, 0, false);

  /** Not from the directory, which believes longer what lets nobody read anything. Undefined = the bot sees no such one. */
  async function channelOf(id: string): Promise<Seen | undefined> {
    return seen.get(id, async () => {
      const asked = await calls.read('conversations.info', { channel: id }, infoShape);
      if (asked.kind === 'refused') return undefined;
      if (asked.kind !== 'ok') throw new ChatUnavailable('Slack gives no answer at the moment.');
      const { id: channel, is_im: isDirect, is_private: isPrivate } = asked.data.channel;
      return { id: channel, isPublic: !isDirect && !isPrivate };
    });
  }

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
      const channel = await channelOf(directory.currentId(id.channel));
      if (!channel) return false;
      // Whoever is a member of the workspace can open every public channel.
      return (channel.isPublic && standing === 'member') || (await membersOf(channel.id)).has(user);
    },
  };
}
