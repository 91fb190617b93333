import { expect, onTestFinished } from 'vitest';
import type { MessageRef, Place } from '../../../src/engine/people.ts';
import type { PostContent } from '../../../src/engine/post.ts';
import { md } from '../../../src/engine/prose.ts';
import type { Part } from '../../../src/ports/chat.ts';
import type { ApiCall } from '../../fakes/discord/rest.ts';
import { type DiscordHarness, type DiscordHarnessOptions, openDiscord } from './harness.ts';

/** Routes of messages. */
export const routes = {
  post: 'POST /channels/:channel/messages',
  edit: 'PATCH /channels/:channel/messages/:message',
  history: 'GET /channels/:channel/messages',
  read: 'GET /channels/:channel/messages/:message',
  open: 'POST /channels/:channel/messages/:message/threads',
  forumPost: 'POST /channels/:channel/threads',
} as const;

/** Connects an adapter to a new Discord, which must have nothing against its requests when the test ends. */
export async function openJudged(options: DiscordHarnessOptions = {}): Promise<DiscordHarness> {
  const h = await openDiscord(options);
  onTestFinished(() => expect(h.faults()).toEqual([]));
  return h;
}

/** The only or first message of a post. */
export function partOf(h: DiscordHarness, text: string, more: Partial<PostContent> = {}): Part {
  const [part = null] = h.chat.render({ prose: [md(text)], buttons: [], notify: [], ...more });
  return part;
}

/** Posts, and gives the message. Throws when it is not posted. */
export async function posted(
  h: DiscordHarness,
  place: Place,
  part: Part = partOf(h, 'Hello'),
  key = 'key-1',
): Promise<MessageRef> {
  const outcome = await h.chat.post(place, part, key);
  if (outcome.kind !== 'posted') throw new Error(JSON.stringify(outcome));
  return outcome.message;
}

/** What the bot asked of a route. */
export function callsOf(h: Pick<DiscordHarness, 'calls'>, route: string): readonly ApiCall[] {
  return h.calls().filter((call) => call.route === route);
}

/** The texts of a place. */
export async function textsIn(h: DiscordHarness, place: Place): Promise<readonly string[]> {
  return (await h.messages(place)).map(({ text }) => text);
}

/** A sentence with this in it. */
export function saying(words: string): unknown {
  return expect.stringMatching(new RegExp(`^\\p{Lu}.*${RegExp.escape(words)}.*\\.$`, 'su'));
}
