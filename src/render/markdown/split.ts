import { type Cut, findCuts, Rank } from './cuts.ts';
import { graphemeStarts } from './graphemes.ts';
import { type Outline, outlineOf } from './outline.ts';
import { bodyOf, closingAt, openingAt } from './repairs.ts';
import { insideTimes } from './time.ts';
import { isWhole } from './whole.ts';

/** A part of a Markdown text. What is between the `end` of one and the `start` of the next is in neither. */
export interface Piece {
  /** First offset of its text, in UTF-16 units. */
  readonly start: number;
  /** The offset behind its text. */
  readonly end: number;
  /** The part itself: its text, with what it needs to read right on its own. */
  readonly part: string;
}

/**
 * Cuts a Markdown text into parts that each satisfy `fits`, at the best places: between blocks, list items or rows,
 * else lines, sentences, words; only when nothing else fits, between two visible characters. `fits` should accept
 * what is shorter than something it accepts. The same text and `fits` give the same parts. Half characters become
 * U+FFFD.
 *
 * - The texts of the parts, in order, are the whole text but for what stands at the cuts: white space, quote marks
 *   and the backslash of a hard break. No part is blank, so a blank text has none.
 * - A part is measured complete. A cut code block is closed, and opened again with its language; a table gets its
 *   head again unless that would take half the room; so do quotes, bold, italic, struck text, inline code and link
 *   labels. A part that goes on with a list item is not indented.
 * - Where repairs leave no room for text there are none. A visible character that does not fit, as one with thousands
 *   of accents, is cut between its code points; only a code point or time that does not fit is in a part too long.
 */
export function splitMarkdown(markdown: string, fits: (part: string) => boolean): string[] {
  return cutMarkdown(markdown, fits).map(({ part }) => part);
}

/** As `splitMarkdown`, with the place of each part in the text. */
export function cutMarkdown(anyText: string, fits: (part: string) => boolean): Piece[] {
  const markdown = anyText.toWellFormed();
  const end = markdown.trimEnd().length;
  const first = textStart(markdown, 0);
  if (first >= end) return [];
  const whole = markdown.slice(first, end);
  if (fits(whole)) return [{ start: first, end, part: whole }];
  return new Splitter(outlineOf(markdown), end, fits).pieces(first);
}

/** What the first part is guessed to take, in UTF-16 units; the others take what the one before took. */
const FIRST_GUESS = 2_000;
/** How much of what would fit a cut of a rank must take, to be worth more than a cut of a lower rank. */
const SHARES: readonly (readonly [rank: Rank, share: number])[] = [
  [Rank.block, 0.35],
  [Rank.item, 0.4],
  [Rank.nested, 0.5],
  [Rank.line, 0.5],
  [Rank.sentence, 0.6],
];
/** Places tried in vain before the next kind of place. */
const TRIES_MAX = 32;
/** Visible characters in front of the furthest place that are looked at for a better one, and all together for a text. */
const LOOKS_MAX = { cut: 4_000, text: 200_000 };

interface Step {
  readonly piece: Piece;
  /** Where the next piece begins. */
  readonly next: number;
}

class Splitter {
  readonly #outline: Outline;
  readonly #end: number;
  readonly #fits: (part: string) => boolean;
  readonly #cuts: readonly Cut[];
  #graphemes: readonly number[] | undefined;
  #guess = FIRST_GUESS;
  #looksLeft = LOOKS_MAX.text;

  constructor(outline: Outline, end: number, fits: (part: string) => boolean) {
    this.#outline = outline;
    this.#end = end;
    this.#fits = fits;
    const inside = findCuts(outline).filter((cut) => cut.next < end);
    this.#cuts = [...inside, { end, next: end, rank: Rank.end }];
  }

  pieces(first: number): Piece[] {
    const pieces: Piece[] = [];
    let start = first;
    while (start < this.#end) {
      const { piece, next } = this.#repairedPiece(start, first) ?? this.#barePiece(start);
      pieces.push(piece);
      this.#guess = piece.end - piece.start;
      start = next;
    }
    return pieces;
  }

  #repairedPiece(start: number, first: number): Step | undefined {
    const opening = start === first ? '' : openingAt(this.#outline, start, (head) => this.#fits(head + head));
    const partTo = (end: number) =>
      opening + bodyOf(this.#outline, start, end) + closingAt(this.#outline, start, end);
    const cut = this.#softCut(start, partTo) ?? this.#hardCut(start, partTo);
    return cut && { piece: { start, end: cut.end, part: partTo(cut.end) }, next: cut.next };
  }

  #barePiece(indented: number): Step {
    const start = this.#visibleFrom(indented);
    const partTo = (end: number) => this.#outline.text.slice(start, end);
    const { end, next } = this.#bareCut(start, partTo);
    const part = partTo(end);
    if (!this.#fits(part) && this.#loosen(start, end)) return this.#barePiece(indented);
    return { piece: { start, end, part }, next };
  }

  /** Makes one visible character that is too long count as its code points; false when it is one already. */
  #loosen(start: number, end: number): boolean {
    const graphemes = this.#graphemes ?? [];
    const known = new Set(graphemes);
    const character = this.#outline.text.slice(start, end);
    const inside = insideTimes(character);
    const added: number[] = [];
    let at = start;
    for (const codePoint of character) {
      if (!known.has(at) && !inside.has(at - start)) added.push(at);
      at += codePoint.length;
    }
    const before = lowest(graphemes.length, (index) => (graphemes[index] ?? end) > start);
    if (added.length > 0)
      this.#graphemes = [...graphemes.slice(0, before), ...added, ...graphemes.slice(before)];
    return added.length > 0;
  }

  /** The best cut that tears nothing. */
  #softCut(start: number, part: (end: number) => string): Cut | undefined {
    const filled = textStart(this.#outline.text, start, true);
    const first = lowest(this.#cuts.length, (index) => (this.#cuts[index]?.end ?? this.#end) > filled);
    const guess = lowest(
      this.#cuts.length,
      (index) => (this.#cuts[index]?.end ?? this.#end) > start + this.#guess,
    );
    const fitting = (index: number) => this.#fits(part(this.#cuts[index]?.end ?? this.#end));
    const furthest = highest(first, this.#cuts.length - 1, guess - 1, fitting);
    const last = this.#cuts[furthest];
    if (furthest < first || last === undefined) return undefined;
    if (last.rank === Rank.end) return last;
    const reach = last.end - start;
    let tries = 0;
    for (const [rank, share] of SHARES) {
      for (let index = furthest; index >= first && tries < TRIES_MAX; index -= 1) {
        const cut = this.#cuts[index];
        if (cut === undefined || cut.end - start < reach * share) break;
        if (cut.rank !== rank) continue;
        if (index === furthest || fitting(index)) return cut;
        tries += 1;
      }
    }
    return last;
  }

  /** The furthest cut between two visible characters: outside of links and code if that is possible. */
  #hardCut(start: number, part: (end: number) => string): Cut | undefined {
    const { graphemes, first, last } = this.#graphemesFrom(start);
    const fitting = (index: number) => this.#fits(part(graphemes[index] ?? this.#end));
    const furthest = highest(first, last, first + this.#guess, fitting);
    for (const whole of ['words', 'characters'] as const) {
      let tries = 0;
      const nearest = Math.max(first, furthest - Math.min(LOOKS_MAX.cut, this.#looksLeft));
      for (let index = furthest; index >= nearest && tries < TRIES_MAX; index -= 1) {
        const end = graphemes[index] ?? this.#end;
        this.#looksLeft -= 1;
        if (!isWhole(this.#outline, end, whole)) continue;
        if (index === furthest || fitting(index)) return this.#cutAt(start, end);
        tries += 1;
      }
    }
    return undefined;
  }

  /** The furthest cut at all, of a part without repairs. */
  #bareCut(start: number, part: (end: number) => string): Cut {
    const { graphemes, first, last } = this.#graphemesFrom(start);
    const fitting = (index: number) => this.#fits(part(graphemes[index] ?? this.#end));
    const furthest = highest(first, last, first + this.#guess, fitting);
    return this.#cutAt(start, graphemes[Math.max(first, furthest)] ?? this.#end);
  }

  /** The ends of visible characters, from the first that is not white space to where the text could be cut better. */
  #graphemesFrom(start: number): { graphemes: readonly number[]; first: number; last: number } {
    this.#graphemes ??= graphemeStarts(this.#outline.text);
    const graphemes = this.#graphemes;
    const filled = textStart(this.#outline.text, start, true);
    const next = lowest(this.#cuts.length, (index) => (this.#cuts[index]?.end ?? this.#end) > filled);
    const limit = this.#cuts[next]?.end ?? this.#end;
    const first = lowest(graphemes.length, (index) => (graphemes[index] ?? limit) > filled);
    const last = lowest(graphemes.length, (index) => (graphemes[index] ?? limit) > limit) - 1;
    return { graphemes, first, last };
  }

  /** A cut at a place, with the white space around it. */
  #cutAt(start: number, place: number): Cut {
    const { text } = this.#outline;
    const trimmed = start + text.slice(start, place).trimEnd().length;
    const graphemes = this.#graphemes ?? [];
    const end =
      graphemes[lowest(graphemes.length, (index) => (graphemes[index] ?? place) >= trimmed)] ?? place;
    return { end, next: Math.min(this.#visibleFrom(place), this.#end), rank: Rank.space };
  }

  /** The first visible character from an offset on: white space with an accent is one. */
  #visibleFrom(offset: number): number {
    this.#graphemes ??= graphemeStarts(this.#outline.text);
    const graphemes = this.#graphemes;
    const filled = textStart(this.#outline.text, offset, true);
    return (
      graphemes[lowest(graphemes.length, (index) => (graphemes[index] ?? filled) > filled) - 1] ?? filled
    );
  }
}

/** Where a text begins from an offset on: behind blank lines, or also behind the indentation. */
function textStart(text: string, from: number, behindIndentation = false): number {
  const word = /\S/g;
  word.lastIndex = from;
  const filled = word.exec(text)?.index ?? text.length;
  if (behindIndentation) return filled;
  const indentation = /[ \t]*$/.exec(text.slice(from, filled))?.[0].length ?? 0;
  return filled - indentation;
}

/** The lowest index below `length` that is right, when all above it are right too; else `length`. */
function lowest(length: number, isRight: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isRight(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The highest index from `first` to `last` that fits, or `first - 1`; asks few times when `guess` is near it. */
function highest(first: number, last: number, guess: number, fits: (index: number) => boolean): number {
  let good = first - 1;
  let bad = last + 1;
  let step = 1;
  let probe = Math.min(Math.max(guess, first), last);
  while (bad - good > 1) {
    if (fits(probe)) good = probe;
    else bad = probe;
    if (bad > last) probe = Math.min(good + step, last);
    else if (good < first) probe = Math.max(bad - step, first);
    else probe = (good + bad) >> 1;
    step *= 2;
  }
  return good;
}
