import { hasTwinIn, isNeverMixed, type Looks, looksOf } from './lookalikes.ts';

/** Most letters of a word that is but a short one of its own script where that script is written around it. */
const shortMax = 3;

/**
 * The letters of a word that only look as if they belonged to it, each once, in order: those of another script in a
 * word of Latin letters, Latin ones in a word of another script, and all letters of a word that looks Latin and is not.
 * Short words such as Cyrillic `а` or Greek `για` are ordinary in a text that is written in their script.
 * @param written scripts of the text, as `writtenIn` finds them
 */
export function foreignLetters(word: string, written: ReadonlySet<string>): readonly string[] {
  // All but a few words are plain: looking at their letters would be in vain.
  if (/^[\0-\x7F]*$/.test(word)) return [];
  const letters = lettersOf(word);
  const latin = letters.filter(({ looks }) => looks.kind === 'latin');
  const others = letters.filter(({ looks }) => looks.kind !== 'latin');
  const own = scriptsOf(others, 'own');
  if (latin.length === 0 && isOrdinary(others, own, written)) return [];
  if (latin.length >= others.length || latin.length === 0 || own.size === 0) {
    return once(others.filter(({ looks }) => isForeign(looks)));
  }
  const around = [...own, ...scriptsOf(others, 'alike')];
  return once(latin.filter(({ letter }) => around.some((script) => hasTwinIn(script, letter))));
}

/** Whether a word without Latin letters can't be taken for one that has them, or is a short word where it belongs. */
function isOrdinary(
  letters: readonly Letter[],
  own: ReadonlySet<string>,
  written: ReadonlySet<string>,
): boolean {
  const alike = scriptsOf(letters, 'alike');
  // A word of full width or mathematical letters alone is seen for what it is.
  if (alike.size === 0) return true;
  const count = letters.filter(({ looks }) => looks.kind === 'alike').length;
  // One letter spells nothing: α線.
  if (own.size > 0 && count === 1) return true;
  const isShort = letters.length <= shortMax && count === letters.length;
  return [...alike].every((script) => own.has(script) || (isShort && written.has(script)));
}

function scriptsOf(letters: readonly Letter[], kind: 'own' | 'alike'): ReadonlySet<string> {
  return new Set(letters.flatMap(({ looks }) => (looks.kind === kind ? [looks.script] : [])));
}

/** The scripts of words that can't be taken for Latin ones. */
export function writtenIn(words: Iterable<string>): ReadonlySet<string> {
  const scripts = new Set<string>();
  for (const word of words) {
    if (/^[\0-\x7F]*$/.test(word)) continue;
    const letters = lettersOf(word);
    if (letters.some(({ looks }) => looks.kind === 'latin')) continue;
    for (const script of scriptsOf(letters, 'own')) scripts.add(script);
  }
  return scripts;
}

interface Letter {
  readonly letter: string;
  readonly looks: Looks;
}

function lettersOf(word: string): readonly Letter[] {
  return [...word]
    .filter((sign) => /[\p{L}\p{Nl}]/u.test(sign))
    .map((letter) => ({ letter, looks: looksOf(letter) }))
    .filter(({ looks }) => looks.kind !== 'neutral');
}

/** Whether a letter is out of place in a word that reads as Latin. */
function isForeign(looks: Looks): boolean {
  switch (looks.kind) {
    case 'latin':
    case 'neutral':
      return false;
    case 'alike':
    case 'styled':
      return true;
    case 'own':
      return isNeverMixed(looks.script);
    default:
      return looks satisfies never;
  }
}

function once(letters: readonly Letter[]): readonly string[] {
  return [...new Set(letters.map(({ letter }) => letter))];
}
