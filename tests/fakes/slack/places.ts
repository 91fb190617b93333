import type { Place } from '../../../src/engine/people.ts';
import type { Channel, Workspace } from './workspace.ts';

/** Conversations by the places that the bot uses for them. */
export interface Places {
  /** Throws when there is no such conversation. */
  channelOf(place: Place): Channel;
  placeOf(channelId: string): Place;
}

/** Makes them. @param conversationId how a place names a channel of a team; what follows its last `/` is the channel */
export function createPlaces(
  { teamId, channels }: Workspace,
  conversationId: (team: string, channel: string) => string,
): Places {
  return {
    channelOf({ conversation }) {
      const channel = channels.get(conversation.split('/').at(-1) ?? '');
      if (channel === undefined) throw new Error(`there is no conversation ${conversation}`);
      return channel;
    },
    placeOf: (channelId) => ({ platform: 'slack', conversation: conversationId(teamId, channelId) }),
  };
}
