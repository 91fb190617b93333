import { isJsonObject, type Json } from '../../../src/engine/json.ts';

/** What a person reads in a tree that the page was sent: blocks on lines of their own. */
export function treeText(node: Json): string {
  if (!isJsonObject(node)) return '';
  if (typeof node.value === 'string') return node.value;
  if (node.type === 'break') return '\n';
  const children = Array.isArray(node.children) ? node.children : [];
  const texts = children.map(treeText);
  return inlineParents.includes(String(node.type)) ? texts.join('') : texts.join('\n\n');
}

const inlineParents = ['paragraph', 'heading', 'emphasis', 'strong', 'delete', 'link', 'tableCell'];
