import type { PhrasingContent, RootContent, TableCell } from 'mdast';
import { parseMarkdown } from '../../render/markdown/index.ts';
import { type Content, type Html, html } from './html.ts';
import { code, moment } from './parts.ts';

/** Markdown from anybody as markup: known nodes only, HTML in it is text, pictures are links. */
export function prose(markdown: string): Html {
  return html`<div class="prose">${parseMarkdown(markdown).children.map(block)}</div>`;
}

function block(node: RootContent): Content {
  switch (node.type) {
    case 'paragraph':
      return html`<p>${node.children.map(inline)}</p>`;
    case 'heading':
      // Headings of pages come before.
      return html`<p class="heading"><strong>${node.children.map(inline)}</strong></p>`;
    case 'blockquote':
      return html`<blockquote>${node.children.map(block)}</blockquote>`;
    case 'list': {
      const items = node.children.map(
        ({ checked, children }) =>
          html`<li>${typeof checked === 'boolean' && (checked ? '☑ ' : '☐ ')}${children.map(block)}</li>`,
      );
      return node.ordered ? html`<ol start="${node.start ?? 1}">${items}</ol>` : html`<ul>${items}</ul>`;
    }
    case 'code':
      return code(node.value);
    case 'thematicBreak':
      return html`<hr>`;
    case 'table': {
      const [head, ...rows] = node.children;
      const cells = (row: readonly TableCell[], tag: 'th' | 'td') =>
        row.map(({ children }) =>
          tag === 'th'
            ? html`<th scope="col">${children.map(inline)}</th>`
            : html`<td>${children.map(inline)}</td>`,
        );
      return html`<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead><tr>${cells(head?.children ?? [], 'th')}</tr></thead><tbody>${rows.map((row) => html`<tr>${cells(row.children, 'td')}</tr>`)}</tbody></table></div>`;
    }
    default:
      return '';
  }
}

function inline(node: PhrasingContent): Content {
  switch (node.type) {
    case 'text':
      return node.value;
    case 'emphasis':
      return html`<em>${node.children.map(inline)}</em>`;
    case 'strong':
      return html`<strong>${node.children.map(inline)}</strong>`;
    case 'delete':
      return html`<del>${node.children.map(inline)}</del>`;
    case 'inlineCode':
      return html`<code>${node.value}</code>`;
    case 'time':
      return moment(node.atS * 1_000);
    case 'break':
      return html`<br>`;
    case 'link':
      return html`<a href="${node.url}" rel="noopener noreferrer">${node.children.map(inline)}</a>`;
    default:
      return 'value' in node ? node.value : '';
  }
}
