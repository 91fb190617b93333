import type { Completion } from '../ports/chat.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import { firstWord, words } from './typed.ts';

/** Longest text that is completed: nobody types more and looks for what comes next. */
const TYPED_MAX_CHARS = 1_000;

/** A word that was typed whole. */
interface WholeWord {
  /** As `firstWord` reads it. */
  readonly word: string;
  /** What follows it so far, its spaces at the end included. */
  readonly rest: string;
  /** All that stands before the rest, as it was typed. */
  readonly before: string;
}

/** The first word of a text that is still being typed; undefined while that word may go on. */
export function wholeWord(typed: string): WholeWord | undefined {
  if (typed.length > TYPED_MAX_CHARS) return undefined;
  // What is typed next would be a word of its own.
  const next = firstWord(`${typed}x`);
  if (next.rest === '') return undefined;
  const rest = next.rest.slice(0, -1);
  return { word: next.word, rest, before: typed.slice(0, typed.length - rest.length) };
}

/**
 * Of what can stand next, what fits: that which goes on as was typed, then that which shows all words that were typed.
 * Case does not count. Nothing, when one of them stands there already.
 */
export function matching(typed: string, candidates: readonly Completion[]): readonly Completion[] {
  if (typed.length > TYPED_MAX_CHARS) return [];
  const whole = wholeWord(typed);
  const isThere = (one: Completion) => one.typed.toLowerCase() === whole?.word;
  if (whole?.rest === '' && candidates.some(isThere)) return [];
  const begun = typed.trimStart().toLowerCase();
  const wanted = [...new Set(words(typed))];
  const goesOn = (one: Completion) => one.typed.toLowerCase().startsWith(begun);
  const show = candidates.filter((one) => {
    if (goesOn(one)) return false;
    const shown = one.shown.normalize('NFC').toLowerCase();
    // What follows a choice that stands there already is something else, unless its name goes on like that.
    return isThere(one) ? shown.includes(begun) : wanted.every((word) => shown.includes(word));
  });
  return [...candidates.filter(goesOn), ...show];
}

/** Completions as they are after a text that stays in front of them. */
export function after(before: string, completions: readonly Completion[]): readonly Completion[] {
  return completions.map(({ typed, shown }) => ({ typed: before + typed, shown }));
}

/** A flow to choose: `Release notes (release)`. */
export function flowCompletion({ id, plan }: LoadedFlow): Completion {
  return { typed: id, shown: plan.name === id ? id : `${plan.name} (${id})` };
}

/** A word to choose that says enough by itself. */
export function wordCompletion(word: string): Completion {
  return { typed: word, shown: word };
}
