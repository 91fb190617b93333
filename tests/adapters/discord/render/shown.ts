import { expect } from 'vitest';
import type { DiscordPart } from '../../../../src/adapters/discord/part.ts';
import { renderPost } from '../../../../src/adapters/discord/render.ts';
import type { PostContent } from '../../../../src/engine/post.ts';
import type { Prose } from '../../../../src/engine/prose.ts';
import { mentionNodes, visibleText } from '../../../fakes/discord/reading.ts';

/** The messages of a post; all of them are what Discord takes, and none mentions anybody, or shows a time that is not in it. */
export function render(prose: Prose, more: Partial<PostContent> = {}): readonly DiscordPart[] {
  const content: PostContent = { prose, buttons: [], notify: [], ...more };
  const parts = renderPost(content);
  const isTime = (mention: string) =>
    prose.some(({ kind }) => kind === 'time') && mention.startsWith('timestamp:');
  for (const { text, title, notify } of parts) {
    expect(text.length + notify.length * 30).toBeLessThanOrEqual(4_000);
    expect(text.trim()).not.toBe('');
    expect(title.trim()).not.toBe('');
    expect(text.isWellFormed()).toBe(true);
    expect((text.match(/^(?:> )?```/gm)?.length ?? 0) % 2).toBe(0);
    expect(mentionNodes(text).filter((mention) => !isTime(mention))).toEqual([]);
  }
  return parts;
}

/** The text of the only message of a post. */
export function textOf(prose: Prose): string {
  const [part, ...others] = render(prose);
  expect(others).toEqual([]);
  return part?.text ?? '';
}

/** What a person reads in all messages of a post. */
export function wordsOf(prose: Prose): string {
  return render(prose)
    .map(({ text }) => visibleText(text))
    .join('\n');
}
