import type { MessageRef, Place } from '../../engine/people.ts';

/** Word before the colon in addresses. */
export const platform = 'slack';

/** A conversation with the workspace it was reached through. Ids of channels alone don't say which installation. */
export interface ChannelRef {
  readonly team: string;
  readonly channel: string;
}

/** How a conversation is kept in places: `T0TEAM/C0GENERAL`. */
export function conversationId({ team, channel }: ChannelRef): string {
  return `${team}/${channel}`;
}

/** Reads what `conversationId` wrote; undefined for anything else. */
export function readConversationId(id: string): ChannelRef | undefined {
  const [, team, channel] = /^([TE][A-Z0-9]+)\/([CGDUW][A-Z0-9]+)$/.exec(id) ?? [];
  return team === undefined || channel === undefined ? undefined : { team, channel };
}

/** A place by Slack's own ids. @param thread `ts` of the message that began the thread. */
export function placeOf(at: ChannelRef, thread?: string): Place {
  const place = { platform, conversation: conversationId(at) };
  return thread === undefined ? place : { ...place, thread };
}

/** A message by Slack's own ids. */
export function messageRef(at: ChannelRef, ts: string, thread?: string): MessageRef {
  // The first message of a thread stands in the conversation itself.
  return { ...placeOf(at, thread === ts ? undefined : thread), id: ts };
}

/** The address under which people open a message. @param workspace its address, with a slash at the end */
export function messageLink(workspace: string, channel: string, { id, thread }: MessageRef): string {
  const link = new URL(`archives/${channel}/p${id.replace('.', '')}`, workspace);
  if (thread !== undefined) {
    link.searchParams.set('thread_ts', thread);
    link.searchParams.set('cid', channel);
  }
  return link.href;
}

/** Id of a person, also of another organisation. */
export const userIdPattern = /^[UW][A-Z0-9]{2,}$/;
/** Id of a channel, group conversation or direct conversation. */
export const channelIdPattern = /^[CGD][A-Z0-9]{2,}$/;
