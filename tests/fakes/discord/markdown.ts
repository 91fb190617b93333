import { rules, rulesExtended, SimpleMarkdown } from 'discord-markdown-parser';

/** A piece of a text as Discord's clients read it. */
export type MarkdownNode = Piece & {
  /** As it stands in the text, signs included. */
  readonly source: string;
};

type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'break' }
  | { readonly kind: 'styled'; readonly inner: readonly MarkdownNode[] }
  /** A heading or small print; takes the end of its line with it. */
  | { readonly kind: 'line'; readonly inner: readonly MarkdownNode[] }
  /** Takes the end of its last line with it. */
  | { readonly kind: 'quote'; readonly inner: readonly MarkdownNode[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'codeBlock'; readonly text: string }
  | { readonly kind: 'link'; readonly inner: readonly MarkdownNode[]; readonly url: string }
  /** `id` is empty for `everyone` and `here`; `shown` is what is read without knowing names. */
  | { readonly kind: 'mention'; readonly of: MentionKind; readonly id: string; readonly shown: string };

/** What clients show as something other than text. */
export type MentionKind =
  | 'user'
  | 'role'
  | 'channel'
  | 'everyone'
  | 'here'
  | 'slashCommand'
  | 'timestamp'
  | 'guildNavigation'
  | 'emoji';

/** Reads a text. Without `links`, the signs of masked links are text and what is in them is read, address included. */
export function parseMarkdown(text: string, links: 'links' | 'no links' = 'links'): readonly MarkdownNode[] {
  const parse = links === 'links' ? parseWithLinks : parseWithoutLinks;
  return parse(text, { inline: true }).map(nodeOf);
}

type Rule = (typeof rules)[string];

/** `<id:customize>`, as Discord writes it. */
const navigation: Rule = {
  order: rules.guildNavigation?.order ?? 0,
  match: (source) => /^<id:(customize|browse|guide|linked-roles)(?::\d+)?>/.exec(source),
  parse: (capture) => ({ type: 'guildNavigation', navigation: capture[1] }),
};

/** The rules of the parser, with what it lacks. */
function rulesWithSources(given: Readonly<Record<string, Rule>>): Record<string, Rule> {
  const { link, blockQuote, ...others } = given;
  const amended = {
    ...others,
    ...(link && { link: webLink(link) }),
    ...(blockQuote && { blockQuote: freshQuote(blockQuote) }),
    navigation,
  };
  return Object.fromEntries(Object.entries(amended).map(([type, rule]) => [type, withSource(type, rule)]));
}

const parseWithLinks = SimpleMarkdown.parserFor(rulesWithSources(rulesExtended));
const parseWithoutLinks = SimpleMarkdown.parserFor(rulesWithSources(rules));

/** Nodes remember what they were read from. Some rules give a list: its nodes already do. */
function withSource(type: string, rule: Rule): Rule {
  return {
    ...rule,
    parse(capture, parse, state) {
      const node = rule.parse(capture, parse, state);
      return Array.isArray(node) ? node : { type, ...node, source: capture[0] };
    },
  };
}

/** Only addresses of the web make a link. */
function webLink(rule: Rule): Rule {
  return {
    ...rule,
    match(source, state, before) {
      // The rule itself takes seconds for thousands of brackets.
      if (!/\]\(\s*<?https?:\/\//i.test(source)) return null;
      const capture = rule.match(source, state, before);
      return capture && /^https?:\/\//i.test(capture[2] ?? '') ? capture : null;
    },
  };
}

/** What begins a line begins the first line of a quote too. */
function freshQuote(rule: Rule): Rule {
  return {
    ...rule,
    parse: (capture, parse, state) => rule.parse(capture, parse, { ...state, prevCapture: null }),
  };
}

type OracleNode = ReturnType<typeof parseWithLinks>[number];

function nodeOf(node: OracleNode): MarkdownNode {
  return { ...pieceOf(node), source: textIn(node, 'source') };
}

function pieceOf(node: OracleNode): Piece {
  switch (node.type) {
    case 'text':
      return { kind: 'text', text: textIn(node, 'content') };
    case 'twemoji':
      return { kind: 'text', text: textIn(node, 'name') };
    case 'br':
      return { kind: 'break' };
    case 'em':
    case 'strong':
    case 'underline':
    case 'strikethrough':
    case 'spoiler':
      return { kind: 'styled', inner: innerOf(node) };
    case 'heading':
    case 'subtext':
      return { kind: 'line', inner: innerOf(node) };
    case 'blockQuote':
      return { kind: 'quote', inner: innerOf(node) };
    case 'inlineCode':
      return { kind: 'code', text: textIn(node, 'content') };
    case 'codeBlock':
      return { kind: 'codeBlock', text: textIn(node, 'content') };
    case 'link':
    case 'url':
    case 'autolink':
      return { kind: 'link', inner: innerOf(node), url: textIn(node, 'target') };
    case 'user':
      return mention('user', textIn(node, 'id'), '@');
    case 'role':
      return mention('role', textIn(node, 'id'), '@');
    case 'channel':
      return mention('channel', textIn(node, 'id'), '#');
    case 'everyone':
    case 'here':
      return { kind: 'mention', of: node.type, id: '', shown: `@${node.type}` };
    case 'slashCommand':
      return { ...mention('slashCommand', textIn(node, 'id'), ''), shown: `/${textIn(node, 'fullName')}` };
    case 'timestamp':
      return { ...mention('timestamp', textIn(node, 'timestamp'), ''), shown: dateShown(node) };
    case 'guildNavigation':
      return mention('guildNavigation', textIn(node, 'navigation'), '');
    case 'emoji':
      return { ...mention('emoji', textIn(node, 'id'), ''), shown: `:${textIn(node, 'name')}:` };
    default:
      throw new Error(`markdown.ts does not know the node ${node.type}: give it a kind.`);
  }
}

function mention(of: MentionKind, id: string, sign: string): Extract<Piece, { kind: 'mention' }> {
  return { kind: 'mention', of, id, shown: `${sign}${id}` };
}

function dateShown(node: OracleNode): string {
  const date = new Date(Number(textIn(node, 'timestamp')) * 1000);
  return Number.isNaN(date.getTime()) ? 'Invalid date' : date.toISOString();
}

function textIn(node: OracleNode, key: string): string {
  const value: unknown = node[key];
  return typeof value === 'string' ? value : '';
}

function innerOf(node: OracleNode): readonly MarkdownNode[] {
  return Array.isArray(node.content) ? node.content.map(nodeOf) : [];
}
