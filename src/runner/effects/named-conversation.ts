import { parseAddress } from '../../engine/flow/address.ts';
import type { Place } from '../../engine/people.ts';
import type { Chat, Conversation } from '../../ports/chat.ts';

/** A conversation that a step names, and its chat. */
export interface NamedConversation {
  readonly chat: Chat;
  readonly found: Conversation;
}

/**
 * The conversation of an address, or a sentence why there is none. Rejects with `ChatUnavailable` when nobody can tell now.
 * @param home where the run lives: an address without a platform is on the same one
 */
export async function namedConversation(
  chats: ReadonlyMap<string, Chat>,
  text: string,
  home: Place | undefined,
): Promise<NamedConversation | string> {
  const address = parseAddress(text);
  if (!address) return `“${text}” is not the address of a conversation.`;
  const [first] = chats.keys();
  const platform = address.platform ?? home?.platform ?? (chats.size === 1 ? first : undefined);
  if (platform === undefined) {
    return `“${text}” does not say on which platform: write for example ${first}:${text}.`;
  }
  const chat = chats.get(platform);
  if (!chat) return `Flowbot is not connected to ${platform}, so it can't reach ${text}.`;
  const found = await chat.conversation(address.rest);
  return found ? { chat, found } : `there is no conversation ${text}, or Flowbot is not a member of it.`;
}
