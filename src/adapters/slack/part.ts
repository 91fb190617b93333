import type { types } from '@slack/bolt';
import { z } from 'zod';
import type { JsonObject } from '../../engine/json.ts';
import type { PostFile } from '../../engine/post.ts';
import type { Part } from '../../ports/chat.ts';
import { shorten } from '../../render/markdown/index.ts';
import { limits } from './limits.ts';
import { escapeText } from './typed.ts';
import { blocksText } from './words.ts';

/** One Slack message as it is kept: plain JSON, complete but for what is decided when it is sent. */
export interface SlackPart {
  /** What notifications and screen readers get, escaped. */
  readonly text: string;
  readonly blocks: types.KnownBlock[];
  /** Whom it notifies: ids of people, and user groups as `@name` or `@id`. */
  readonly notify: string[];
  /** It only shows how far something is: it may be sent late, or never when newer content follows. */
  readonly progress?: true;
}

/** A message that shows a file. */
export interface SlackFilePart {
  readonly file: PostFile;
}

const filePartSchema: z.ZodType<SlackFilePart> = z.object({
  file: z.object({ name: z.string(), mediaType: z.string(), alt: z.string(), data: z.string() }),
});
const partSchema: z.ZodType<SlackPart> = z.object({
  text: z.string(),
  // We wrote them ourselves: only what would make us stumble is looked at.
  blocks: z.array(
    z.custom<types.KnownBlock>((block) => z.looseObject({ type: z.string() }).safeParse(block).success),
  ),
  notify: z.array(z.string()),
  progress: z.literal(true).exactOptional(),
});

/** A part as it was rendered, read back from where it was kept. Throws when it is none. */
export function readPart(part: Part): SlackPart | SlackFilePart {
  const file = filePartSchema.safeParse(part);
  return file.success ? file.data : partSchema.parse(part);
}

/** Whether a part is a file; else it is words. */
export function isFilePart(part: SlackPart | SlackFilePart): part is SlackFilePart {
  return 'file' in part;
}

/** A part as it is kept. */
export function asPart(part: SlackPart): SlackPart & JsonObject {
  // The types of Slack's blocks do not say that they are JSON.
  return JSON.parse(JSON.stringify(part));
}

/** The words of blocks for a message's `text`: escaped, shortened to what `text` holds, never empty. */
export function fallbackText(blocks: readonly types.KnownBlock[]): string {
  const words = blocksText(blocks).trim() || labelsText(blocks) || '…';
  const whole = escapeText(words);
  if (whole.length <= limits.text) return whole;
  let fits = 0;
  let tooLong = limits.text + 1;
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (escapeText(shorten(words, middle)).length <= limits.text) fits = middle;
    else tooLong = middle;
  }
  return escapeText(shorten(words, fits));
}

function labelsText(blocks: readonly types.KnownBlock[]): string {
  return blocks
    .flatMap((block) => (block.type === 'actions' ? block.elements : []))
    .map((element) => (element.type === 'button' ? element.text.text : ''))
    .join(' · ');
}

/**
 * The same words and buttons in the plainest blocks there are, for when Slack refuses the blocks of a part. Undefined
 * when they do not fit in one message.
 */
export function simplified(part: SlackPart): SlackPart | undefined {
  const sections = sectionTexts(blocksText(part.blocks)).map(
    (text): types.KnownBlock => ({ type: 'section', text: { type: 'plain_text', text, emoji: false } }),
  );
  const blocks = [...sections, ...part.blocks.filter(({ type }) => type === 'actions')];
  return isMessage(blocks, roomForMentions(part.notify)) ? { ...part, blocks } : undefined;
}

/** How much of a message is kept for something else. */
export interface Room {
  readonly blocks: number;
  /** UTF-16 units of JSON. */
  readonly json: number;
}

/** Room for the block that notifies these, which is added when the part is sent; more than enough for real ids. */
export function roomForMentions(notify: readonly string[]): Room {
  return notify.length === 0 ? { blocks: 0, json: 0 } : { blocks: 1, json: 100 * (notify.length + 1) };
}

/** Whether Slack takes these blocks as one message, as far as number and size go. */
export function isMessage(blocks: readonly types.KnownBlock[], room: Room): boolean {
  return (
    blocks.length + room.blocks <= limits.blocks &&
    JSON.stringify(blocks).length + room.json <= limits.blocksJson
  );
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A text in pieces that a section holds, cut behind a line end if there is one, else between visible characters. */
function sectionTexts(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > limits.textObject) {
    const line = rest.lastIndexOf('\n', limits.textObject - 1) + 1;
    const character = segmenter.segment(rest).containing(limits.textObject)?.index ?? 0;
    const end = [line, character].find((place) => rest.slice(0, place).trim() !== '') ?? limits.textObject;
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...pieces, rest].filter((piece) => piece.trim() !== '');
}
