import type { types } from '@slack/bolt';
import type { JsonObject } from '../../engine/json.ts';
import type { PostContent } from '../../engine/post.ts';
import { isOnlyFiles } from '../../engine/post-file.ts';
import type { Part } from '../../ports/chat.ts';
import { compose, parseMarkdown, splitMarkdown } from '../../render/markdown/index.ts';
import { buttonBlocks } from './buttons.ts';
import { limits } from './limits.ts';
import { asPart, fallbackText, isMessage, type Room, roomForMentions, type SlackPart } from './part.ts';
import { messageBlocks } from './rich-text.ts';

/** Shown for content without any words, so that its buttons have a message to stand under. */
const nothingToSay = '*(empty)*';

/**
 * The words of content as the messages they take, in order: people are notified by the first, buttons stand under the last. Nothing
 * is cut, and no words can mention anybody. Pure.
 */
export function renderPost(content: PostContent): readonly (SlackPart & JsonObject)[] {
  const notify = calledBy(content.notify);
  const { under, further } = placeButtons(buttonBlocks(content.buttons));
  const mentions = roomForMentions(notify);
  const room: Room = {
    blocks: mentions.blocks + under.length,
    json: mentions.json + JSON.stringify(under).length,
  };
  const texts = wordBlocks(compose(content.prose), room);
  const messages = [...texts.slice(0, -1), [...(texts.at(-1) ?? []), ...under], ...further];
  return messages.map((blocks, index) =>
    asPart({
      text: fallbackText(blocks),
      blocks,
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

/** The block that notifies: it stands first in a message and holds nothing but mentions with spaces between them. */
export function mentionBlock(userIds: readonly string[], groupIds: readonly string[]): types.RichTextBlock {
  const people = userIds.map((id): types.RichTextElement => ({ type: 'user', user_id: id }));
  const groups = groupIds.map((id): types.RichTextElement => ({ type: 'usergroup', usergroup_id: id }));
  const spaced = [...people, ...groups].flatMap((mention, index): types.RichTextElement[] =>
    index === 0 ? [mention] : [{ type: 'text', text: ' ' }, mention],
  );
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: spaced }] };
}

/** Those of a list who can be notified, each once: whatever else stands in it must not reach Slack as an id. */
function calledBy(notify: readonly string[]): string[] {
  const called = notify.filter((one) => /^[UW][A-Z0-9]{2,}$/.test(one) || /^@\S/.test(one));
  return [...new Set(called)].slice(0, limits.notify);
}

/** The words of a post as the blocks of each message, with room for what else a message may hold. */
function wordBlocks(markdown: string, room: Room): types.KnownBlock[][] {
  const known = new Map<string, types.KnownBlock[]>();
  const blocksOf = (text: string) => {
    const blocks = known.get(text) ?? messageBlocks(parseMarkdown(text));
    known.set(text, blocks);
    return blocks;
  };
  const fits = (text: string) => text.length <= limits.blocksJson && isMessage(blocksOf(text), room);
  const messages = splitMarkdown(markdown, fits)
    .map(blocksOf)
    .filter((blocks) => blocks.length > 0);
  return messages.length > 0 ? messages : [blocksOf(nothingToSay)];
}

/** Blocks of buttons that stand under the last words, and those that need messages of their own. */
function placeButtons(blocks: readonly types.ActionsBlock[]): {
  readonly under: readonly types.ActionsBlock[];
  readonly further: readonly types.ActionsBlock[][];
} {
  let room: number = limits.buttonsJson;
  const first = blocks.findIndex((block) => {
    room -= JSON.stringify(block).length;
    return room < 0;
  });
  if (first < 0) return { under: blocks, further: [] };
  return { under: blocks.slice(0, first), further: blocks.slice(first).map((block) => [block]) };
}
