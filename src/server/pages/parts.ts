import type { Json } from '../../engine/json.ts';
import { type Person, personAddress } from '../../engine/people.ts';
import type { RunStatus } from '../../engine/run/state.ts';
import { utcMinute } from '../../engine/utc.ts';
import { type Content, exact, type Html, html } from './html.ts';

/** Each status with a sign, so that colour alone says nothing. */
const SIGNS: Readonly<Record<RunStatus, string>> = {
  queued: '…',
  running: '▶',
  waiting: '?',
  attention: '!',
  succeeded: '✓',
  failed: '✗',
  rejected: '↩',
  cancelled: '■',
};

/** Where a run is. */
export function statusBadge(status: RunStatus): Html {
  return html`<span class="badge ${status}"><span aria-hidden="true">${SIGNS[status]}</span> ${status}</span>`;
}

/** A moment; the page shows it as the reader has it. */
export function moment(atMs: number): Html {
  return html`<time datetime="${new Date(atMs).toISOString()}">${utcMinute(atMs)}</time>`;
}

/** Somebody, as people know them. */
export function personName(person: Person | undefined): Content {
  return person ? html`<span title="${personAddress(person)}">${person.name}</span>` : 'nobody in person';
}

/** A link to a page of ours. */
export function to(path: string, content: Content): Html {
  return html`<a href="${path}">${content}</a>`;
}

/** The path of a page about something. */
export function pathOf(kind: 'runs' | 'flows' | 'questions' | 'agents', id: string): string {
  return `/${kind}/${encodeURIComponent(id)}`;
}

/** A table, or what is said when nothing is in it. Wide ones scroll by themselves. */
export function table(
  caption: string,
  heads: readonly string[],
  rows: readonly (readonly Content[])[],
  empty: string,
): Html {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}"><table>
<caption class="hidden">${caption}</caption>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

/** A part of a page under a heading. */
export function section(title: string, content: Content): Html {
  return html`<section><h2>${title}</h2>${content}</section>`;
}

/** Names with what they stand for; what is false or missing is left out. */
export function facts(of: readonly (readonly [name: string, value: Content])[]): Html {
  const there = of.filter(
    ([, value]) => value !== false && value !== undefined && value !== null && value !== '',
  );
  return html`<dl class="facts">${there.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Text with its line breaks, in letters of one width. */
export function code(text: string, name = 'Text'): Html {
  return html`<pre tabindex="0" role="group" aria-label="${name}"><code>${text}</code></pre>`;
}

/** Longest text that a page shows of one value, in UTF-16 units: what is longer can be got from the API. */
const SHOWN_MAX_CHARS = 20_000;

/** A value as it is, in letters of one width. */
export function jsonText(value: Json | undefined, name: string): Html {
  return longText(JSON.stringify(value ?? null, undefined, 2), name);
}

/** A text as it is, cut where it is too long for a page. */
export function longText(text: string, name: string): Html {
  const left = text.length - SHOWN_MAX_CHARS;
  if (left <= 0) return code(text, name);
  const beginning = text.slice(0, SHOWN_MAX_CHARS).toWellFormed();
  return html`${code(beginning, name)}<p class="empty">… and ${left.toLocaleString('en')} characters more, which the API has.</p>`;
}

/** Something that opens. */
export function details(summary: Content, content: Content, isOpen = false): Html {
  return html`<details${isOpen && html` open`}><summary>${summary}</summary>${content}</details>`;
}

/** A form that does something. @param key new for each form: sent twice, it counts once */
export function form(action: string, key: string, content: Content): Html {
  return html`<form method="post" action="${action}"><input type="hidden" name="key" value="${key}">${content}</form>`;
}

/** A text area with a value, every character of it. */
export function textArea(of: {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly rows: number;
}): Html {
  return html`<label for="${of.id}">${of.label}</label><textarea id="${of.id}" name="${of.name}" rows="${of.rows}" spellcheck="false">
${exact(of.value)}</textarea>`;
}

/** What went wrong with a form, at the top of it. */
export function alert(sentence: string | undefined): Content {
  return sentence !== undefined && html`<p class="alert" role="alert">${sentence}</p>`;
}
