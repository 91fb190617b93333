import { h } from './dom.js';

/**
 * Shows a Markdown tree. Every node is built by hand from a known list: raw HTML in a tree would be shown as text,
 * pictures are links, and an address that is not http, https or mailto is not a link.
 */
export function showTree(tree) {
  return h('div', { className: 'prose' }, children(tree));
}

function children(node) {
  return (node.children ?? []).map(show);
}

const nodes = {
  paragraph: (node) => h('p', {}, children(node)),
  heading: (node) => h(`h${Math.min(node.depth + 2, 6)}`, {}, children(node)),
  text: (node) => node.value,
  emphasis: (node) => h('em', {}, children(node)),
  strong: (node) => h('strong', {}, children(node)),
  delete: (node) => h('del', {}, children(node)),
  inlineCode: (node) => h('code', {}, node.value),
  code: (node) => h('pre', { tabIndex: 0 }, h('code', {}, node.value)),
  break: () => h('br'),
  time: (node) => time(node),
  thematicBreak: () => h('hr'),
  blockquote: (node) => h('blockquote', {}, children(node)),
  link: (node) => link(node.url, children(node)),
  image: (node) => link(node.url, [node.alt || node.url]),
  list: (node) => {
    if (!node.ordered) return h('ul', {}, children(node));
    return h('ol', { start: node.start ?? 1 }, children(node));
  },
  listItem: (node) => {
    if (typeof node.checked !== 'boolean') return h('li', {}, children(node));
    const box = h('input', { type: 'checkbox', checked: node.checked, disabled: true, 'aria-label': 'done' });
    return h('li', { className: 'task' }, box, h('div', {}, children(node)));
  },
  table: (node) => {
    const [head, ...rows] = node.children;
    const row = (line, tag) =>
      h(
        'tr',
        {},
        line.children.map((cell, column) => {
          return h(tag, { className: `align-${node.align?.[column] ?? 'left'}` }, children(cell));
        }),
      );
    return h(
      'div',
      { className: 'table', tabIndex: 0 },
      h(
        'table',
        {},
        h('thead', {}, row(head, 'th')),
        h(
          'tbody',
          {},
          rows.map((line) => row(line, 'td')),
        ),
      ),
    );
  },
  definition: () => undefined,
};

function show(node) {
  const make = Object.hasOwn(nodes, node.type) ? nodes[node.type] : undefined;
  if (make) return make(node);
  return node.children ? h('span', {}, children(node)) : (node.value ?? node.alt ?? '');
}

/** In the time zone of whoever looks; what others read is told when they point at it. */
function time({ atS, value }) {
  const at = new Date(atS * 1000);
  const local = at.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' });
  return h('time', { dateTime: at.toISOString(), title: value }, local);
}

function link(address, content) {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !['http:', 'https:', 'mailto:'].includes(url.protocol)) return h('span', {}, content);
  return h('a', { href: url.href, title: url.href, target: '_blank', rel: 'noopener noreferrer' }, content);
}
