import { containersOf, contentStart, fenceOf, lineStartOf, type Outline } from './outline.ts';

/**
 * Whether a cut between two visible characters is harmless: it leaves `words` if it is in plain text or code, and
 * `characters` if it is at least in text that people see, perhaps of a link, of inline code, or of HTML.
 */
export function isWhole(outline: Outline, offset: number, whole: 'words' | 'characters'): boolean {
  const { text } = outline;
  const nodes = outline.nodesAt(offset);
  const node = nodes.at(-1);
  switch (node?.type) {
    case 'text': {
      if (isInsideEscape(text, offset)) return false;
      if (whole === 'characters') return true;
      return (
        !nodes.some(({ type }) => type === 'link' || type === 'linkReference') && !isInsideToken(text, offset)
      );
    }
    case 'code': {
      const containers = containersOf(nodes);
      const fence = fenceOf(text, node, containers);
      const lines = fence === undefined || (offset > fence.start && offset < fence.end);
      return lines && offset > contentStart(text, lineStartOf(text, offset), containers);
    }
    case 'inlineCode':
    case 'html':
      return whole === 'characters' && text[offset - 1] !== '`' && text[offset] !== '`';
    default:
      return false;
  }
}

/** Inside `\*` or `&amp;`. */
function isInsideEscape(text: string, offset: number): boolean {
  const before = text.slice(Math.max(0, offset - 40), offset);
  const after = text.slice(offset, offset + 40);
  if (/&#?\w*$/.test(before) && /^#?\w*;/.test(after)) return true;
  return /(?:^|[^\\])(?:\\\\)*\\$/.test(before) && /^[!-/:-@[-`{-~]/.test(after);
}

/** Inside `<…>`. */
function isInsideToken(text: string, offset: number): boolean {
  const before = text.slice(Math.max(0, offset - 200), offset);
  return /<[^<>\s]?[^<>\r\n]*$/.test(before) && /^[^<>\r\n]{0,200}>/.test(text.slice(offset, offset + 201));
}
