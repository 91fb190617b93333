import { parseRole, platformOf } from '../../engine/flow/address.ts';
import { accountOf, COMMAND_LINE, type Place } from '../../engine/people.ts';
import type { CallEffect } from '../../engine/run/effect.ts';
import type { Chat } from '../../ports/chat.ts';
import type { Store } from '../../ports/store.ts';
import type { CallHandler } from '../call-handler.ts';
import { namedConversation } from './named-conversation.ts';

type CheckEffect = Extract<CallEffect, { kind: 'check' }>;

/**
 * Looks whether those asked by a question are there: accounts that have left can't answer, and roles that do not exist
 * have nobody. Finds the conversation of a question that has one of its own. What can't be told now is tried again later.
 */
export function checkHandler(deps: {
  readonly store: Store;
  readonly chats: ReadonlyMap<string, Chat>;
}): CallHandler<CheckEffect> {
  const { store, chats } = deps;

  /** On platforms that are not connected nobody can be asked. */
  async function isMissing(address: string, at: Place | undefined): Promise<boolean> {
    const role = parseRole(address);
    const platform = role ? (role.platform ?? at?.platform) : platformOf(address);
    // Whoever sits at the host is no account that could leave.
    if (platform === COMMAND_LINE) return false;
    const chat = platform === undefined ? undefined : chats.get(platform);
    if (!chat) return true;
    const place = at?.platform === platform ? at : undefined;
    if (role) return !(await chat.knowsRole(role.role, place));
    const standing = await chat.standing(accountOf(address), place);
    return standing === 'gone' || standing === 'bot';
  }

  return async (run, { named, to }) => {
    const home = (await store.run(run))?.row.home;
    const found = to === undefined ? undefined : await namedConversation(chats, to, home);
    if (typeof found === 'string') return { kind: 'checked', missing: [], place: found };
    const place = found && { platform: found.chat.platform, conversation: found.found.id };
    const looked = await Promise.all(
      named.map(async (address) => ({ address, missing: await isMissing(address, place ?? home) })),
    );
    return {
      kind: 'checked',
      missing: looked.filter(({ missing }) => missing).map(({ address }) => address),
      ...(place && { place }),
    };
  };
}
