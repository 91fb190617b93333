import type { types } from '@slack/bolt';

/** What a person reads in blocks, as plain text; buttons are not in it. An address stands behind its label. */
export function blocksText(blocks: readonly types.KnownBlock[]): string {
  return blocks
    .map(blockText)
    .filter((text) => text !== '')
    .join('\n\n');
}

/** What a person reads in inline elements. */
export function elementsText(elements: readonly types.RichTextElement[]): string {
  return elements.map((element, index) => elementText(element, elements[index + 1])).join('');
}

function blockText(block: types.KnownBlock): string {
  switch (block.type) {
    case 'rich_text':
      return richText(block);
    case 'header':
      return block.text.text;
    case 'divider':
      return '———';
    case 'section':
      return block.text?.text ?? '';
    case 'image':
      return block.alt_text;
    case 'table':
      return block.rows.map((row) => row.map(cellText).join(' | ')).join('\n');
    default:
      return '';
  }
}

function cellText(cell: types.TableBlock['rows'][number][number]): string {
  return cell.type === 'rich_text' ? richText(cell) : cell.text;
}

function richText({ elements }: types.RichTextBlock): string {
  return elements
    .map((element, index) => {
      const text = partText(element);
      // Each element begins a line of its own: one line end before the next says nothing.
      return index < elements.length - 1 ? text.replace(/\n$/, '') : text;
    })
    .join('\n');
}

function partText(element: types.RichTextBlockElement): string {
  switch (element.type) {
    case 'rich_text_section':
    case 'rich_text_preformatted':
      return elementsText(element.elements);
    case 'rich_text_quote':
      return indented(elementsText(element.elements), '> ', '> ');
    case 'rich_text_list': {
      const first = 'offset' in element && typeof element.offset === 'number' ? element.offset + 1 : 1;
      const margin = (element.border === 1 ? '> ' : '') + '  '.repeat(element.indent ?? 0);
      return element.elements
        .map((item, index) => {
          const mark = element.style === 'ordered' ? `${first + index}. ` : '• ';
          return indented(elementsText(item.elements), margin + mark, margin + ' '.repeat(mark.length));
        })
        .join('\n');
    }
  }
}

function indented(text: string, first: string, rest: string): string {
  return first + text.replaceAll('\n', `\n${rest}`);
}

function elementText(element: types.RichTextElement, next: types.RichTextElement | undefined): string {
  switch (element.type) {
    case 'text':
      return element.text;
    case 'link': {
      const { text = element.url, url } = element;
      // A label in several styles is several links; the address stands behind the last.
      const goesOn = next?.type === 'link' && next.url === url;
      return goesOn || text === url || `mailto:${text}` === url ? text : `${text} (${url})`;
    }
    case 'date':
      return element.fallback ?? '';
    default:
      // Mentions are made when a message is sent, for those who are to notice it; they are no words.
      return '';
  }
}
