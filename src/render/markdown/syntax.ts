import type { Link, PhrasingContent, Root } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown, gfmToMarkdown } from 'mdast-util-gfm';
import { defaultHandlers, type Handle, type Options, toMarkdown } from 'mdast-util-to-markdown';
import { attention, labelStartImage, labelStartLink, setextUnderline } from 'micromark-core-commonmark';
import { gfm } from 'micromark-extension-gfm';
import { type Time, writtenTime } from './time.ts';

type Construct = typeof attention;
type Extension = ReturnType<typeof gfm>;

// Beyond these limits a mark is plain text. Pairing and nesting take quadratic time, which only hostile text uses up.
/** Quotes and lists that may open on one line, and the column behind which none may. */
const NESTING_MAX = 32;
const INDENT_MAX = 80;
/** Lines of a text with quotes or lists, and lines of it that may begin with their marks; beyond, it has neither. */
const LINES_MAX = 4_000;
const NESTED_LINES_MAX = 1_000;
/** Bars of a text; beyond, it has no tables. */
const BARS_MAX = 4_000;
/** Underlined headings of a text. */
const UNDERLINES_MAX = 200;
/** `*`, `_` and `~` runs of a paragraph that may format, and brackets that may begin a label. */
const MARKS_PER_PARAGRAPH_MAX = 300;
/** Marks in one run that may format. */
const RUN_MAX = 12;
const IMAGES_PER_PARAGRAPH_MAX = 100;

/**
 * The syntax tree of a text, as CommonMark with tables, task lists, strikethrough and bare addresses has it; every
 * node has its position. There are no footnotes, because no platform has them: `[^1]` is text. Never throws.
 */
export function syntaxTree(markdown: string): Root {
  const masked = maskExcessMarkers(markdown);
  try {
    const tree = fromMarkdown(masked, { extensions, mdastExtensions });
    if (masked !== markdown) unmask(tree);
    return tree;
  } catch {
    // Whatever hostile text makes of the parser, such as a stack too deep, it must not stop the bot.
    return literalTree(markdown);
  }
}

/** A text as one paragraph, all of it as it is. */
function literalTree(text: string): Root {
  const children = Array.from(text.matchAll(/(\r\n|\r|\n)|[^\r\n]+/g), (match): PhrasingContent => {
    const position = positionOf(match.index, match.index + match[0].length);
    if (match[1] !== undefined) return { type: 'break', position };
    return { type: 'text', value: match[0].replaceAll('\0', '\uFFFD'), position };
  });
  const position = positionOf(0, text.length);
  return { type: 'root', children: [{ type: 'paragraph', children, position }], position };
}

/** Lines and columns say nothing here: only places of quotes and lists are looked up by them. */
function positionOf(start: number, end: number): NonNullable<Root['position']> {
  return { start: { line: 1, column: 1, offset: start }, end: { line: 1, column: 1, offset: end } };
}

/** A tree as Markdown text, without a final line end. */
export function toText(tree: Root): string {
  return toMarkdown(tree, toTextOptions)
    .replace(/\n$/, '')
    .replace(/^\uFEFF/, '&#xFEFF;')
    .replace(HALF_ENCODED, wholeCharacter)
    .toWellFormed();
}

/** Next to bold text and the like, one half of a character may have been encoded. */
const HALF_ENCODED = /&#x(D[89AB]..);([\uDC00-\uDFFF])|([\uD800-\uDBFF])&#x(D[C-F]..);/g;

function wholeCharacter(_: string, ...[high, lowHalf, highHalf, low]: (string | undefined)[]): string {
  const decode = (code = '') => String.fromCharCode(Number.parseInt(code, 16));
  const character = (highHalf ?? decode(high)) + (lowHalf ?? decode(low));
  return `&#x${character.codePointAt(0)?.toString(16).toUpperCase()};`;
}

const toTextOptions: Options = {
  bullet: '-',
  bulletOther: '*',
  rule: '-',
  handlers: { link: linkHandler, time: (node: Time) => writtenTime(node) },
  // The pattern of the extension misses the second of two neighbours, as in `a@b@c.d`.
  unsafe: [
    {
      character: '@',
      before: '[+\\-.\\w]',
      inConstruct: 'phrasing',
      notInConstruct: ['autolink', 'link', 'image', 'label'],
    },
  ],
  // Padded columns would make a table with one long cell enormous.
  extensions: [gfmToMarkdown({ tablePipeAlign: false })],
};

/** As by default, but mail addresses are never put as `<a@b>`: that syntax takes fewer than bare addresses do. */
function linkHandler(...[node, parent, state, info]: Parameters<Handle>): string {
  return defaultHandlers.link(node, parent, stateForLink(node, state), info);
}

/** The first character of a link, on which the text before it depends. */
linkHandler.peek = (...[node, parent, state]: Parameters<Handle>): string =>
  defaultHandlers.link.peek(node, parent, stateForLink(node, state));

function stateForLink(node: Link, state: Parameters<Handle>[2]): Parameters<Handle>[2] {
  return { ...state, options: { ...state.options, resourceLink: node.url.startsWith('mailto:') } };
}

// Without the transforms, which look for addresses again with slow expressions: the tokenizer has found them.
const mdastExtensions = gfmFromMarkdown().map(({ transforms: _, ...rest }) => rest);

const FOOTNOTES = ['gfmFootnoteCall', 'gfmPotentialFootnoteCall', 'gfmFootnoteDefinition'];
const COSTLY = ['attention', 'labelStartLink', 'labelStartImage', 'strikethrough', 'setextUnderline'];
/** What begins a task begins as a label does: it must be looked for first. */
const TASK_BOX = 'tasklistCheck';
const AUTOLINKS = ['wwwAutolink', 'protocolAutolink', 'emailAutolink'];

/** What GFM adds, with its marks made few and its address syntax made cheap, and the same for the marks of Markdown. */
const sparing: Extension = {
  disable: { null: [...FOOTNOTES, ...COSTLY, ...AUTOLINKS] },
  flow: { 45: atMostUnderlines(), 61: atMostUnderlines() },
  text: mapConstructs(
    withConstructs(gfm().text ?? {}, {
      33: labelStartImage,
      42: attention,
      91: labelStartLink,
      95: attention,
    }),
    (construct) => {
      const name = construct.name ?? '';
      if (AUTOLINKS.includes(name)) return outsideLabels(construct);
      if (name === TASK_BOX) return construct;
      if (!COSTLY.includes(name)) return undefined;
      return atMost(
        construct === labelStartImage ? IMAGES_PER_PARAGRAPH_MAX : MARKS_PER_PARAGRAPH_MAX,
        construct,
      );
    },
  ),
};

const extensions = [gfm(), sparing];

type Constructs = NonNullable<Extension['text']>;

function withConstructs(constructs: Constructs, more: Readonly<Record<number, Construct>>): Constructs {
  const added = Object.entries(more).map(([code, construct]) => {
    const known = [constructs[Number(code)] ?? []].flat();
    const boxes = known.filter(({ name }) => name === TASK_BOX);
    return [code, [...boxes, construct, ...known.filter((one) => !boxes.includes(one))]];
  });
  return { ...constructs, ...Object.fromEntries(added) };
}

function mapConstructs(
  constructs: Constructs,
  map: (construct: Construct) => Construct | undefined,
): Constructs {
  return Object.fromEntries(
    Object.entries(constructs).map(([code, list]) => [
      code,
      [list ?? []].flat().flatMap((construct) => map(construct) ?? []),
    ]),
  );
}

/**
 * The same construct, which matches only where no label is open. It knows that by itself, but to find out it walks
 * back through the paragraph at every word.
 */
function outsideLabels(construct: Construct): Construct {
  return {
    ...construct,
    name: `${construct.name}OutsideLabels`,
    tokenize(effects, ok, nok) {
      const labels: unknown = Reflect.get(this, '_labelStarts');
      const isOpen =
        Array.isArray(labels) && labels.some((label: { readonly _balanced?: boolean }) => !label._balanced);
      return isOpen ? nok : construct.tokenize.call(this, effects, ok, nok);
    },
  };
}

/** The same construct; when it has matched `max` times in a paragraph, the rest of each line is plain text. */
function atMost(max: number, construct: Construct): Construct {
  const matches = new WeakMap<object, number>();
  return {
    ...construct,
    name: `${construct.name}AtMost${max}`,
    tokenize(effects, ok, nok) {
      const before = matches.get(this) ?? 0;
      if (before >= max) return plainLine(effects, ok, nok);
      const matched: typeof ok = (code) => {
        const token = this.events.at(-1)?.[1];
        if (token !== undefined && token.end.offset - token.start.offset > RUN_MAX) {
          token._open = false;
          token._close = false;
        }
        // A run inside a word, as in `snake_case`, can do nothing and costs nothing.
        const idle = token?._open === false && token._close === false;
        if (!idle) matches.set(this, before + 1);
        return ok(code);
      };
      return construct.tokenize.call(this, effects, matched, nok);
    },
  };
}

/** Underlines that make headings; when there are enough in a text, the others are rules or text. */
function atMostUnderlines(): Construct {
  const headings = new WeakMap<object, number>();
  return {
    ...setextUnderline,
    name: `setextUnderlineAtMost${UNDERLINES_MAX}`,
    tokenize(effects, ok, nok) {
      const before = headings.get(this.parser) ?? 0;
      if (before >= UNDERLINES_MAX) return nok;
      const matched: typeof ok = (code) => {
        headings.set(this.parser, before + 1);
        return ok(code);
      };
      return setextUnderline.tokenize.call(this, effects, matched, nok);
    },
  };
}

function plainLine(...[effects, ok]: Parameters<Construct['tokenize']>): ReturnType<Construct['tokenize']> {
  const inside: typeof ok = (code) => {
    // Line ends are negative, the end of the paragraph is null.
    if (code === null || code < -2) {
      effects.exit('data');
      return ok(code);
    }
    effects.consume(code);
    return inside;
  };
  return (code) => {
    effects.enter('data');
    return inside(code);
  };
}

const MARKER = /[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$))/g;
const MARKERS_OF_LINE = new RegExp(`^(?:${MARKER.source})+`, 'gm');

/** Private-use characters, which no syntax knows, stand for ASCII ones: as long, so that positions stay right. */
const MASK_BASE = 0xe000;

function maskExcessMarkers(markdown: string): string {
  const marked = markdown.match(MARKERS_OF_LINE)?.length ?? 0;
  const tooMany =
    marked > NESTED_LINES_MAX || (marked > 0 && (markdown.match(/\n/g)?.length ?? 0) > LINES_MAX);
  const few = markdown.replace(MARKERS_OF_LINE, (markers) =>
    maskFrom(markers, tooMany ? 0 : nestingOf(markers)),
  );
  const bars = markdown.match(/\|/g)?.length ?? 0;
  return bars > BARS_MAX ? few.replace(/\|/g, mask) : few;
}

/** The length of the marks at the beginning of a line that count. */
function nestingOf(markers: string): number {
  const ends = Array.from(markers.matchAll(MARKER), (marker) => marker.index + marker[0].length);
  return ends.slice(0, NESTING_MAX).findLast((end) => end <= INDENT_MAX) ?? 0;
}

function maskFrom(text: string, start: number): string {
  return start === text.length ? text : text.slice(0, start) + mask(text.slice(start));
}

function mask(text: string): string {
  return text.replace(/[!-~]/g, (character) => String.fromCharCode(MASK_BASE + character.charCodeAt(0)));
}

function unmask(node: object): void {
  for (const [key, value] of Object.entries(node)) {
    if (typeof value === 'string') {
      const plain = value.replace(/[\uE021-\uE07E]/g, (c) =>
        String.fromCharCode(c.charCodeAt(0) - MASK_BASE),
      );
      Object.assign(node, { [key]: plain });
    } else if (typeof value === 'object' && value !== null) unmask(value);
  }
}
