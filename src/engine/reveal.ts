import { foreignLetters, writtenIn } from './foreign-letters.ts';
import { beginningOf } from './prose.ts';
import { numberSigns, pictograph, shaping } from './shaping.ts';

/** A text that people are asked to approve, with everything in it that deceives the eye made visible. */
export interface Revealed {
  /** The text with labels: `⟦U+202E⟧` instead of what can't be seen, `⟦а U+0430⟧` behind a word with such a letter. */
  readonly text: string;
  /** What was found, as plain sentences, each once; at most `MARKS_MAX`. They quote the text: show them as literals. */
  readonly marks: readonly string[];
}

/** Most sentences about one text. */
export const MARKS_MAX = 10;
/** Most letters, or kinds of hidden characters, that one label or sentence names. */
const NAMED_MAX = 5;
/** Most characters of a word that a sentence quotes. */
const WORD_MAX_CHARS = 40;

const keycap = String.raw`[0-9#*]\uFE0F\u20E3`;

/** Hidden characters where they belong. */
const rightful = [
  String.raw`^\uFEFF`,
  String.raw`\r\n`,
  // England, Scotland and Wales: the only flags that are spelt with tags.
  String.raw`\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}`,
  String.raw`${pictograph}(?:\u200D${pictograph})*`,
  keycap,
].join('|');

/** Controls, format characters, fillers, variation selectors, tags, halves of characters; and the sign of a label. */
const hidden = String.raw`[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u27E6]--[\t\n${numberSigns}]]`;
const letter = String.raw`(?!${keycap})[[\p{L}\p{M}\p{N}]--[\p{Default_Ignorable_Code_Point}\p{Extended_Pictographic}]]`;

const token = new RegExp(
  `(?<rightful>${rightful})|(?<word>(?:${letter}|${shaping})+)|(?<hidden>(?<sign>${hidden})\\k<sign>*)`,
  'gv',
);

/**
 * Makes visible what hides in a text: characters that can't be seen or turn the text around, and words with letters that
 * look like others. What has its place stays as it is: joiners of emoji and of scripts that need them, flags, words of
 * any one script. Every `⟦` of the result begins a label: one in the text is labelled itself. Takes linear time.
 */
export function reveal(text: string): Revealed {
  const written = writtenIn(wordsOf(text));
  const found = new Map<Kind, Set<string>>();
  const words = new Set<string>();
  let shown = '';
  let word = '';
  let at = 0;
  const endWord = (): void => {
    const foreign = foreignLetters(word, written);
    if (foreign.length > 0) {
      shown += `⟦${list(foreign.map((letter) => `${letter} ${codeOf(letter)}`))}⟧`;
      words.add(wordMark(word, foreign));
    }
    word = '';
  };
  for (const { 0: match, index, groups } of text.matchAll(token)) {
    if (index > at || groups?.rightful !== undefined) endWord();
    shown += text.slice(at, index);
    at = index + match.length;
    const sign = groups?.sign;
    if (sign === undefined) {
      shown += match;
      if (groups?.word !== undefined) word += match;
      continue;
    }
    // A word goes on behind it: what can't be seen does not part letters for the eye.
    const times = match.length / sign.length;
    shown += `⟦${codeOf(sign)}${times === 1 ? '' : ` ×${times}`}⟧`;
    const kind = kindOf(sign);
    found.set(kind, (found.get(kind) ?? new Set()).add(codeOf(sign)));
  }
  endWord();
  return { text: shown + text.slice(at), marks: firstMarks([...hiddenMarks(found), ...words]) };
}

/** What a hidden character does, as a sentence says it. */
const kinds = {
  direction: 'Characters that change the order in which text is shown',
  invisible: 'Invisible characters',
  control: 'Control characters',
  bracket: 'Signs with which labels begin',
} as const;
type Kind = keyof typeof kinds;

function kindOf(sign: string): Kind {
  if (/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/.test(sign)) return 'direction';
  if (/\p{Cc}/u.test(sign)) return 'control';
  return sign === '\u27E6' ? 'bracket' : 'invisible';
}

function* wordsOf(text: string): Generator<string> {
  for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) yield word;
}

function hiddenMarks(found: ReadonlyMap<Kind, ReadonlySet<string>>): readonly string[] {
  return [...found].map(([kind, codes]) => `${kinds[kind]} are in it: ${list([...codes])}.`);
}

function wordMark(word: string, foreign: readonly string[]): string {
  const named = foreign.map((letter) => `${letter} (${codeOf(letter)})`);
  return `“${beginningOf(word, WORD_MAX_CHARS)}” has letters that look like others: ${list(named)}.`;
}

function firstMarks(marks: readonly string[]): readonly string[] {
  if (marks.length <= MARKS_MAX) return marks;
  const shown = marks.slice(0, MARKS_MAX - 1);
  return [...shown, `And ${marks.length - shown.length} more words like that.`];
}

function list(names: readonly string[]): string {
  return [...names.slice(0, NAMED_MAX), ...(names.length > NAMED_MAX ? ['and more'] : [])].join(', ');
}

function codeOf(sign: string): string {
  return `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
