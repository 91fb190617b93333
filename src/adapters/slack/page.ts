import type { types } from '@slack/bolt';
import { type InlineElement, joined, textElement } from './inline.ts';

/** A list element with the field that the SDK's types lack: how much its first number is above 1. */
export type RichTextList = types.RichTextList & { offset?: number };

/** A part of a rich_text block. */
export type RichPart =
  | { type: 'rich_text_section'; elements: InlineElement[] }
  | { type: 'rich_text_quote'; elements: InlineElement[] }
  | { type: 'rich_text_preformatted'; elements: types.RichTextText[]; border?: 1 }
  | RichTextList;

/**
 * Blocks as they are written, top-down. Neighbouring rich text is one block, in which every part begins a line of its
 * own; line ends are added where parts would look like one.
 */
export class Page {
  readonly blocks: types.KnownBlock[] = [];
  #parts: RichPart[] = [];

  /** Adds a block that is no rich text. */
  block(block: types.KnownBlock): void {
    this.#parts = [];
    this.blocks.push(block);
  }

  /** Adds a part of rich text; `apart` = it belongs to nothing that stands before it. */
  part(part: RichPart, apart: boolean): void {
    const before = this.#parts.at(-1);
    if (before === undefined) this.#begin(part);
    else if (before.type === 'rich_text_section') {
      if (part.type === 'rich_text_section') append(before, '\n\n', part.elements);
      else {
        append(before, '\n', []);
        this.#parts.push(part);
      }
    } else if (part.type === 'rich_text_section') {
      this.#parts.push({ ...part, elements: joined([textElement('\n'), ...part.elements]) });
    } else if (apart) {
      this.#parts.push({ type: 'rich_text_section', elements: [textElement('\n')] }, part);
    } else if (before.type === 'rich_text_quote' && part.type === 'rich_text_quote') {
      append(before, '\n\n', part.elements);
    } else this.#parts.push(part);
  }

  /** Whether a part is the last thing on the page. */
  endsWith(part: RichPart): boolean {
    return this.#parts.at(-1) === part;
  }

  #begin(part: RichPart): void {
    this.#parts = [part];
    this.blocks.push({ type: 'rich_text', elements: this.#parts });
  }
}

function append(
  part: { elements: InlineElement[] },
  between: string,
  elements: readonly InlineElement[],
): void {
  part.elements = joined([...part.elements, textElement(between), ...elements]);
}
