import type { MessageRef, Place } from '../../engine/people.ts';

/** The word before the colon in addresses. */
export const platform = 'discord';

/** Ids of people, channels, messages and all else: numbers that grow with time. */
export const snowflakePattern = /^\d{17,20}$/;

/** The first millisecond of Discord's ids. @see https://docs.discord.com/developers/reference#snowflakes */
const epochMs = 1_420_070_400_000n;

/** When something with this id was made (epoch ms). */
export function madeAtMs(snowflake: string): number {
  return Number((BigInt(snowflake) >> 22n) + epochMs);
}

/** The least id of what is made at this time (epoch ms) or later. */
export function snowflakeAt(ms: number): string {
  const since = BigInt(Math.max(0, Math.floor(ms))) - epochMs;
  return String((since < 0n ? 0n : since) << 22n);
}

/** Whether one of these ids was made later than the other; none was never made. */
export function isNewer(id: string | null | undefined, than: string): boolean {
  if (id === null || id === undefined) return false;
  return id.length === than.length ? id > than : id.length > than.length;
}

/**
 * A conversation is a channel that is no thread, by its id; a thread is a channel of its own, and the thread that was
 * opened from a message has that message's id.
 */
export function placeOf(channel: string, thread?: string): Place {
  return { platform, conversation: channel, ...(thread !== undefined && { thread }) };
}

/** A message of a channel, or of a thread in it. */
export function messageRef(channel: string, id: string, thread?: string): MessageRef {
  return { ...placeOf(channel, thread), id };
}

/** The address under which people open a message. */
export function linkTo(guild: string | undefined, { conversation, thread, id }: MessageRef): string {
  return `https://discord.com/channels/${guild ?? '@me'}/${thread ?? conversation}/${id}`;
}
