import type { types } from '@slack/bolt';
import type { Link, PhrasingContent } from 'mdast';
import { isMisleading } from '../../render/markdown/index.ts';
import { limits } from './limits.ts';
import { elementsText } from './words.ts';

/** The elements that people's text becomes: none of them can mention anybody. */
export type InlineElement = types.RichTextText | types.RichTextLink | types.RichTextDate;

/** How text looks. Only what is true is there. */
export type Style = NonNullable<types.RichTextText['style']>;

/** Day and time of day in the reader's time zone; the day is `today` and the like when it is near. */
const dateFormat = '{date_short_pretty} {time}';

/** Inline nodes as elements of a section. No element is empty; equal neighbours are one. */
export function inlineElements(nodes: readonly PhrasingContent[], style: Style = {}): InlineElement[] {
  return joined(nodes.flatMap((node) => elementsOf(node, style)));
}

/** A text element; `style` may be empty. */
export function textElement(text: string, style: Style = {}): types.RichTextText {
  return { type: 'text', text, ...styled(style) };
}

/** Elements with neighbouring texts of one style made one, and without empty texts. */
export function joined(elements: readonly InlineElement[]): InlineElement[] {
  const all: InlineElement[] = [];
  for (const element of elements) {
    const before = all.at(-1);
    if (element.type === 'text' && element.text === '') continue;
    if (element.type === 'text' && before?.type === 'text' && isSameStyle(before.style, element.style)) {
      all[all.length - 1] = { ...before, text: before.text + element.text };
    } else all.push(element);
  }
  return all;
}

function elementsOf(node: PhrasingContent, style: Style): InlineElement[] {
  switch (node.type) {
    case 'text':
      return [textElement(node.value, style)];
    case 'break':
      return [textElement('\n', style)];
    case 'inlineCode':
      return [textElement(node.value, { ...style, code: true })];
    case 'strong':
      return inlineElements(node.children, { ...style, bold: true });
    case 'emphasis':
      return inlineElements(node.children, { ...style, italic: true });
    case 'delete':
      return inlineElements(node.children, { ...style, strike: true });
    case 'link':
      return linkElements(node, style);
    case 'time':
      return [
        { type: 'date', timestamp: node.atS, format: dateFormat, fallback: node.value, ...styled(style) },
      ];
    default:
      // The neutral tree holds nothing else.
      return [];
  }
}

function linkElements({ url, children }: Link, style: Style): InlineElement[] {
  const label = inlineElements(children, style);
  const text = label.map(wordsOf).join('');
  const isLinkable = url.length <= limits.url && URL.canParse(url);
  if (text === url && isLinkable) return [{ type: 'link', url, ...styled(style) }];
  if (text === url) return label;
  if (!isLinkable) return [...label, textElement(` (${url})`, style)];
  if (isMisleading(text, url)) {
    const address: InlineElement = { type: 'link', url, ...styled(style) };
    return [...label, textElement(' (', style), address, textElement(')', style)];
  }
  // Each run of one style is a link of its own: a link has one style.
  return label.map((element) => ({
    type: 'link',
    url,
    text: wordsOf(element).replace(/\s*\n\s*/g, ' ') || ' ',
    ...styled(element.style ?? {}),
  }));
}

function wordsOf(element: InlineElement): string {
  return elementsText([element]);
}

function styled(style: Style): { readonly style?: Style } {
  return Object.keys(style).length === 0 ? {} : { style };
}

function isSameStyle(one: Style = {}, other: Style = {}): boolean {
  return (
    one.bold === other.bold &&
    one.italic === other.italic &&
    one.strike === other.strike &&
    one.code === other.code
  );
}
