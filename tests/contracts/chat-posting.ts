import { expect } from 'vitest';
import type { MessageRef, Place } from '../../src/engine/people.ts';
import type { Button, PostContent } from '../../src/engine/post.ts';
import type { Prose } from '../../src/engine/prose.ts';
import type { EditOutcome, Part, PostOutcome } from '../../src/ports/chat.ts';
import type { ChatHarness } from './chat-harness.ts';

/** Content with what a test is not about left out. */
export function content(
  prose: Prose,
  buttons: readonly Button[] = [],
  notify: readonly string[] = [],
): PostContent {
  return { prose, buttons, notify };
}

/** Posts all messages of a content in order, and returns them. */
export async function postAll(
  h: ChatHarness,
  place: Place,
  post: PostContent,
  key: string,
): Promise<readonly MessageRef[]> {
  const messages: MessageRef[] = [];
  for (const [index, part] of h.chat.render(post).entries()) {
    const outcome = await postInTime(h, place, part, `${key}:${index}`);
    expect(outcome).toMatchObject({ kind: 'posted' });
    if (outcome.kind === 'posted') messages.push(outcome.message);
  }
  return messages;
}

/** Posts content that takes one message. */
export async function postOne(
  h: ChatHarness,
  place: Place,
  post: PostContent,
  key: string,
): Promise<MessageRef> {
  const parts = h.chat.render(post);
  expect(parts).toHaveLength(1);
  const outcome = await postInTime(h, place, parts[0] ?? null, key);
  if (outcome.kind !== 'posted') throw new Error(`not posted: ${JSON.stringify(outcome)}`);
  return outcome.message;
}

/** Posts when the platform lets it: whoever is told to wait waits. */
async function postInTime(h: ChatHarness, place: Place, part: Part, key: string): Promise<PostOutcome> {
  for (;;) {
    const outcome = await h.chat.post(place, part, key);
    if (outcome.kind !== 'later') return outcome;
    h.pass(outcome.afterMs);
  }
}

/** Edits when the platform lets it. */
export async function editInTime(h: ChatHarness, message: MessageRef, part: Part): Promise<EditOutcome> {
  for (;;) {
    const outcome = await h.chat.edit(message, part);
    if (outcome.kind !== 'later') return outcome;
    h.pass(outcome.afterMs);
  }
}
