import type { types } from '@slack/bolt';

/** What a reader sees in a message, made without the renderer's help; links show where they lead. */
export function shown(blocks: readonly types.KnownBlock[]): string {
  return blocks.map(block).join('\n');
}

function block(one: types.KnownBlock): string {
  switch (one.type) {
    case 'rich_text':
      return one.elements.map(part).join('\n');
    case 'header':
      return one.text.text;
    case 'section':
      return one.text?.text ?? '';
    case 'divider':
      return '---';
    case 'table':
      return one.rows
        .map((row) => row.map((cell) => (cell.type === 'rich_text' ? block(cell) : cell.text)).join('|'))
        .join('\n');
    case 'actions':
      return '';
    default:
      throw new Error(`No post holds ${one.type}`);
  }
}

function part(one: types.RichTextBlockElement): string {
  if (one.type !== 'rich_text_list') return one.elements.map(word).join('');
  const offset = 'offset' in one ? Number(one.offset) : 0;
  return one.elements
    .map((item, index) => {
      const mark = one.style === 'ordered' ? `${offset + index + 1}. ` : '- ';
      const words = item.elements.map(word).join('');
      return mark + words.replace(/^☑ /, '[x] ').replace(/^☐ /, '[ ] ');
    })
    .join('\n');
}

function word(one: types.RichTextElement): string {
  if (one.type === 'text') return one.text;
  if (one.type !== 'link') throw new Error(`No words hold ${one.type}`);
  if (one.text === undefined) return one.url;
  return `mailto:${one.text}` === one.url ? one.text : `${one.text} (${one.url})`;
}
