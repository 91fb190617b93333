import type { PhrasingContent, RootContent } from 'mdast';
import type { Body } from './people.ts';

/** How text is made to stand out; each leaves it as it is where there are no colours. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
}

/** No colours, for files, pipes and tests. */
export const plainStyle: Style = { bold: (text) => text, dim: (text) => text };

/** For terminals. */
export const colourStyle: Style = {
  bold: (text) => `\u001b[1m${text}\u001b[22m`,
  dim: (text) => `\u001b[2m${text}\u001b[22m`,
};

/** A message as text, with its buttons below. */
export function bodyText(body: Body, style: Style = plainStyle): string {
  if (body.kind === 'typed') return body.text;
  if (body.kind === 'file') return body.name;
  const buttons = body.buttons.map(({ label }) => style.bold(`[ ${label} ]`)).join(' ');
  return [...body.tree.children.map((node) => block(node, style)), buttons]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Puts a mark before the first line of a text, and room before the others. */
export function hang(text: string, first: string, others = ' '.repeat(first.length)): string {
  return text
    .split('\n')
    .map((line, index) => `${index === 0 ? first : others}${line}`.trimEnd())
    .join('\n');
}

function block(node: RootContent, style: Style): string {
  switch (node.type) {
    case 'paragraph':
      return inline(node.children, style);
    case 'heading':
      return style.bold(inline(node.children, style));
    case 'list':
      return node.children
        .map((item) => hang(item.children.map((child) => block(child, style)).join('\n'), '• '))
        .join('\n');
    case 'blockquote':
      return hang(node.children.map((child) => block(child, style)).join('\n\n'), '│ ', '│ ');
    case 'code':
      return style.dim(node.value);
    default:
      return '';
  }
}

function inline(nodes: readonly PhrasingContent[], style: Style): string {
  return nodes
    .map((node) => {
      switch (node.type) {
        case 'text':
          return node.value;
        case 'strong':
          return style.bold(inline(node.children, style));
        case 'inlineCode':
          return style.dim(node.value);
        case 'break':
          return '\n';
        case 'time':
          return node.value;
        case 'emphasis':
        case 'delete':
        case 'link':
          return inline(node.children, style);
        default:
          return '';
      }
    })
    .join('');
}
