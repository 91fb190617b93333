import type { Link, PhrasingContent } from 'mdast';
import { inlineText, isMisleading } from '../../render/markdown/index.ts';
import { escapeText, gap } from './escape.ts';
import { limits } from './limits.ts';

/** How text looks. */
export type Look = 'strong' | 'emphasis' | 'delete';

const signs: Readonly<Record<Look, string>> = { strong: '**', emphasis: '*', delete: '~~' };

/** Text of one look. `words` are as people read them, `code` is Discord Markdown already: code, links and times. */
interface Run {
  readonly kind: 'words' | 'code';
  readonly text: string;
  readonly looks: readonly Look[];
}

/** Inline nodes as Discord Markdown, with a look besides their own if one is given. It mentions nobody. */
export function inlineMarkdown(nodes: readonly PhrasingContent[], ...looks: readonly Look[]): string {
  return written(runsOf(nodes, looks));
}

function runsOf(nodes: readonly PhrasingContent[], looks: readonly Look[]): Run[] {
  return joined(nodes.flatMap((node) => runsOfNode(node, looks)));
}

function runsOfNode(node: PhrasingContent, looks: readonly Look[]): Run[] {
  switch (node.type) {
    case 'text':
      return [{ kind: 'words', text: node.value, looks }];
    case 'break':
      return [{ kind: 'words', text: '\n', looks }];
    case 'inlineCode':
      return [codeRun(codeSpan(node.value), looks)];
    case 'strong':
    case 'emphasis':
    case 'delete':
      return runsOf(node.children, looks.includes(node.type) ? looks : [...looks, node.type]);
    case 'link':
      return linkRuns(node, looks);
    case 'time':
      return [codeRun(`<t:${node.atS}:f>`, looks)];
    default:
      // The neutral tree holds nothing else.
      return [];
  }
}

/** Discord Markdown in which a look could end too early has none: Discord looks for its end without reading what is in it. */
function codeRun(text: string, looks: readonly Look[]): Run {
  return { kind: 'code', text, looks: /[*~]/.test(text) ? [] : looks };
}

/** Discord knows `…` and ``…``: no more than one backtick may stand beside another. */
function codeSpan(value: string): string {
  const text = value.replace(/`(?=`)/g, `\`${gap}`);
  if (!text.includes('`')) return `\`${text}\``;
  // A space beside a backtick at the edge is not shown.
  return `\`\`${/^ *`/.test(text) ? ' ' : ''}${text}${/` *$/.test(text) ? ' ' : ''}\`\``;
}

function linkRuns({ url, children }: Link, looks: readonly Look[]): Run[] {
  const label = runsOf(children, looks);
  const text = inlineText(children);
  const isLinkable = /^https?:/i.test(url) && url.length <= limits.url && URL.canParse(url);
  // In angle brackets an address gets no preview.
  const address = codeRun(`<${url}>`, looks);
  if (text === url || `mailto:${text}` === url) return isLinkable ? [address] : label;
  if (!isLinkable) return [...label, { kind: 'words', text: ` (${url})`, looks }];
  const masked = maskedLink(label, url, looks);
  // Discord shows no link whose label has an address with its scheme.
  if (masked !== undefined && !isMisleading(text, url) && !text.includes('://')) return [masked];
  return [...label, { kind: 'words', text: ' (', looks }, address, { kind: 'words', text: ')', looks }];
}

/** A link with a label; undefined when Discord would not see where the label ends. */
function maskedLink(label: readonly Run[], url: string, looks: readonly Look[]): Run | undefined {
  const inside = label.map(({ kind, text, looks: all }) => ({
    kind,
    text: text.replace(/\s*\n\s*/g, ' '),
    looks: all.filter((look) => !looks.includes(look)),
  }));
  const text = written(inside);
  if (!/^(?:\[[^[\]]*\]|[^[\]])+$/.test(text)) return undefined;
  const target = url.replace(/[()*~]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const isClear = label.every((run) => run.kind === 'words' || !/[*~]/.test(run.text));
  return { kind: 'code', text: `[${text}](<${target}>)`, looks: isClear ? looks : [] };
}

function joined(runs: readonly Run[]): Run[] {
  const all: Run[] = [];
  for (const run of runs) {
    const before = all.at(-1);
    if (run.kind === 'words' && before?.kind === 'words' && isSameLook(before.looks, run.looks)) {
      all[all.length - 1] = { ...before, text: before.text + run.text };
    } else all.push(run);
  }
  return all;
}

function isSameLook(one: readonly Look[], other: readonly Look[]): boolean {
  return one.length === other.length && one.every((look) => other.includes(look));
}

/** Runs with the signs of their looks. A sign stands beside a word: there is no space inside of it. */
function written(runs: readonly Run[]): string {
  let text = '';
  let open: readonly Look[] = [];
  runs.forEach((run, index) => {
    const words = run.kind === 'words' ? escapeText(run.text) : run.text;
    const ending = open.findIndex((look) => !run.looks.includes(look));
    const kept = ending < 0 ? open : open.slice(0, ending);
    text = closed(text, open.slice(kept.length));
    const isBlank = words.trim() === '';
    const missing = isBlank ? [] : run.looks.filter((look) => !kept.includes(look));
    const opening = longestFirst(missing, runs, index);
    const space = opening.length === 0 ? 0 : words.length - words.trimStart().length;
    text = apart(
      text + words.slice(0, space),
      opening.map((look) => signs[look]).join('') + words.slice(space),
    );
    open = [...kept, ...opening];
  });
  return closed(text, open);
}

/** Looks in the order in which their signs are to open at a run: the one that ends first opens last. */
function longestFirst(looks: readonly Look[], runs: readonly Run[], index: number): Look[] {
  const endOf = (look: Look) => {
    const end = runs.findIndex((run, at) => at > index && !run.looks.includes(look));
    return end < 0 ? runs.length : end;
  };
  return looks.toSorted((one, other) => endOf(other) - endOf(one));
}

function closed(text: string, looks: readonly Look[]): string {
  const words = text.trimEnd();
  const ended = looks.toReversed().reduce((all, look) => {
    // The end of what is struck is looked for without reading backslashes.
    const between = look === 'delete' && all.endsWith('\\~') ? gap : '';
    return all + between + signs[look];
  }, words);
  return looks.length === 0 ? text : ended + text.slice(words.length);
}

/** Two texts one behind the other, kept apart where their signs would be read as one. */
function apart(before: string, after: string): string {
  const meet = (before.at(-1) ?? '') + (after[0] ?? '');
  return before + (/^(?:[*~]{2}|``)$/.test(meet) ? gap : '') + after;
}
