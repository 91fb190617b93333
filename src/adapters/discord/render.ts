import type { JsonObject } from '../../engine/json.ts';
import type { PostContent } from '../../engine/post.ts';
import { isOnlyFiles } from '../../engine/post-file.ts';
import type { Part } from '../../ports/chat.ts';
import { compose, parseMarkdown, plainText, splitMarkdown } from '../../render/markdown/index.ts';
import { snowflakePattern } from './addresses.ts';
import { buttonRows, type Row } from './buttons.ts';
import { limits } from './limits.ts';
import { asPart, type DiscordPart } from './part.ts';
import { plainText as labelText, visible } from './plain-text.ts';
import { messageText } from './text.ts';

/** Shown for content without any words, so that its buttons have a message to stand under. */
const nothingToSay = '*(empty)*';
/** Shown over buttons that stand under no words any more. */
const goesOn = '…';

/**
 * The words of content as the messages they take, in order: people are notified by the first, buttons stand under the
 * last. Nothing is cut, and no words can mention anybody. Pure.
 */
export function renderPost(content: PostContent): readonly (DiscordPart & JsonObject)[] {
  const notify = calledBy(content.notify);
  const [under = [], ...further] = messagesOfRows(buttonRows(content.buttons));
  const { texts, first } = wordsOf(compose(content.prose), limits.text - notify.length * limits.mention);
  const title = labelText(content.title ?? lineIn(first), limits.title, goesOn);
  const messages = [
    ...texts.map((text, index) => ({ text, rows: index === texts.length - 1 ? under : [] })),
    ...further.map((rows) => ({ text: goesOn, rows })),
  ];
  return messages.map((message, index) =>
    asPart({
      ...message,
      title,
      notify: index === 0 ? notify : [],
      ...(content.progress === true ? { progress: true } : {}),
    }),
  );
}

/** Content as all the messages it takes: those of its words, then one for each file. Pure. */
export function renderParts(content: PostContent): readonly Part[] {
  const files = (content.files ?? []).map((file) => ({ file: { ...file } }));
  return isOnlyFiles(content) ? files : [...renderPost(content), ...files];
}

/** Those of a list who can be notified, each once: whatever else stands in it must not reach Discord as an id. */
function calledBy(notify: readonly string[]): string[] {
  const called = notify.filter((one) => snowflakePattern.test(one) || /^@\S/.test(one));
  return [...new Set(called)].slice(0, limits.notify);
}

/** The words of a post as those of each message, and the Markdown of the first. */
function wordsOf(
  markdown: string,
  room: number,
): { readonly texts: readonly string[]; readonly first: string } {
  const known = new Map<string, string>();
  const textOf = (part: string) => {
    const text = known.get(part) ?? messageText(parseMarkdown(part));
    known.set(part, text);
    return text;
  };
  // Little of a text that is twice as long can be invisible: it is not worth reading.
  const fits = (part: string) => part.length <= 2 * limits.text && textOf(part).length <= room;
  const parts = splitMarkdown(markdown, fits).filter((part) => visible(textOf(part)) !== undefined);
  const [first = nothingToSay, ...others] = parts;
  return { texts: [first, ...others].map(textOf), first };
}

/** The first line that says something, without the marks of quotes and lists. */
function lineIn(markdown: string): string {
  const line = plainText(markdown)
    .split('\n')
    .map((one) => one.replace(/^(?:[->] )+/, ''))
    .find((one) => visible(one) !== undefined);
  return line ?? '';
}

function messagesOfRows(rows: readonly Row[]): Row[][] {
  return Array.from({ length: Math.ceil(rows.length / limits.rows) }, (_, index) =>
    rows.slice(index * limits.rows, (index + 1) * limits.rows),
  );
}
