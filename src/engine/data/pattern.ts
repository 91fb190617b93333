import { withFix } from './issue.ts';
import { countWays, repeat, tokensOf } from './pattern-ways.ts';

/** Longest regular expression of an input, and longest text that is held against one. */
const patternMaxChars = 200;
/** A longer text never matches: even harmless patterns take time that grows with the square of the text. */
export const patternTextMaxChars = 1000;
/** One part whose end is open, and a choice or two besides. */
const waysMax = 4 * patternTextMaxChars;

/** Why a regular expression is not taken, as `withFix` writes it: it is none, or some text could keep it busy for ever. */
export function patternFault(pattern: string): string | undefined {
  if (pattern.length > patternMaxChars) {
    return withFix(
      `The pattern has ${pattern.length} characters; at most ${patternMaxChars} are allowed.`,
      'Shorten it.',
    );
  }
  if (!isRegExp(pattern))
    return withFix(`"${pattern}" is not a regular expression.`, 'Mend it, or remove pattern.');
  if (/\\(?:[1-9]|k<)/.test(pattern))
    return withFix(`"${pattern}" looks back at a group.`, 'Write it without \\1.');
  if (/\(\?(?:<[=!]|[a-z-])/.test(pattern)) {
    return withFix(
      `"${pattern}" looks behind, or changes its flags on the way.`,
      'Write it without (?<=, (?<! and (?i:.',
    );
  }
  if (!repeatedGroups(pattern).every(isSafeRepeat)) {
    return withFix(
      `"${pattern}" repeats a group that itself can match in several ways; some texts would take for ever.`,
      'Begin the repeated part with a sign that stands nowhere else in it, such as (-[a-z]+)*.',
    );
  }
  if (countWays(pattern, patternTextMaxChars) > waysMax) {
    return withFix(
      `"${pattern}" can divide a text among its parts in too many ways; some texts would take for ever.`,
      'Begin it with ^, and let each repeated part be followed by a sign that it can not match itself, such as ^[a-z]+-[0-9]+$.',
    );
  }
  return undefined;
}

function isRegExp(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

/** The tokens inside each group that is followed by a repetition. */
function repeatedGroups(pattern: string): readonly (readonly string[])[] {
  const tokens = tokensOf(pattern);
  const open: number[] = [];
  const groups: string[][] = [];
  for (const [index, one] of tokens.entries()) {
    if (one.startsWith('(')) open.push(index);
    if (one !== ')') continue;
    const from = open.pop() ?? 0;
    if (repeat.test(tokens[index + 1] ?? '')) groups.push(tokens.slice(from + 1, index));
  }
  return groups;
}

/**
 * A repeated group is harmless when there is one way only to tell where each of its turns begins: it has no
 * choices inside, or it begins with one plain sign that nothing else in it can match.
 */
function isSafeRepeat(inside: readonly string[]): boolean {
  const [first = '', second = '', ...rest] = inside;
  if (!inside.some((one) => one === '|' || one === '?' || repeat.test(one))) return true;
  const sign = first.startsWith('\\') ? first.slice(1) : first;
  const plainSign =
    /^[^\w\s[\](){}*+?.|^$\\]$/.test(sign) || (first.startsWith('\\') && /^[^\w\s]$/.test(sign));
  if (!plainSign || second === '?' || repeat.test(second) || inside.includes('|')) return false;
  return [second, ...rest].every((one) => !isAtom(one) || !new RegExp(`^(?:${one})$`, 'su').test(sign));
}

function isAtom(one: string): boolean {
  return (
    one !== '' && !/^[()?*+^$|]/.test(one) && !/^\{\d+,?\d*\}$/.test(one) && one !== '\\b' && one !== '\\B'
  );
}
