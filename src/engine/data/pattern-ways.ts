/** The pieces of a regular expression: atoms, beginnings and ends of groups, repetitions. */
export function tokensOf(pattern: string): readonly string[] {
  return pattern.match(token) ?? [];
}

/** A repetition other than `?`. */
export const repeat = /^(?:[*+]|\{\d+,?\d*\})$/;

const token =
  /\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|\\c[A-Za-z]|\\.|\(\?(?:[:=!]|<[=!]|<[^>]*>)|\{\d+,?\d*\}|./gsu;

/**
 * In how many ways, at most, a text of `textChars` can be split among the parts of a regular expression before it
 * is clear that it does not match. Each way costs time in proportion to the text. Always on the safe side; infinite
 * when it grows with the power of the text.
 */
export function countWays(pattern: string, textChars: number): number {
  const choices = parseChoices(tokensOf(pattern), { at: 0 });
  const isAnchored = choices.length === 1 && choices[0]?.[0]?.kind === 'start';
  return (isAnchored ? 1 : textChars) * waysOfChoices(choices, [], false, textChars);
}

interface Times {
  readonly min: number;
  readonly max: number;
}

type Part =
  | { readonly kind: 'atom'; readonly atom: string; readonly times: Times }
  | { readonly kind: 'group'; readonly choices: Choices; readonly times: Times }
  | { readonly kind: 'look'; readonly choices: Choices; readonly times: Times }
  | { readonly kind: 'start' | 'end' | 'boundary' };
type Choices = readonly (readonly Part[])[];

/** The atoms of which one comes next, if anything; undefined when that can't be said. */
type Next = readonly string[] | undefined;

function parseChoices(tokens: readonly string[], cursor: { at: number }): Choices {
  const choices: Part[][] = [[]];
  while (cursor.at < tokens.length) {
    const one = tokens[cursor.at++] ?? '';
    if (one === ')') break;
    if (one === '|') choices.push([]);
    else choices.at(-1)?.push(parsePart(one, tokens, cursor));
  }
  return choices;
}

function parsePart(one: string, tokens: readonly string[], cursor: { at: number }): Part {
  if (one === '^') return { kind: 'start' };
  if (one === '$') return { kind: 'end' };
  if (one === '\\b' || one === '\\B') return { kind: 'boundary' };
  if (!one.startsWith('(')) return { kind: 'atom', atom: one, times: parseTimes(tokens, cursor) };
  const kind = one === '(?=' || one === '(?!' ? 'look' : 'group';
  const choices = parseChoices(tokens, cursor);
  return { kind, choices, times: parseTimes(tokens, cursor) };
}

function parseTimes(tokens: readonly string[], cursor: { at: number }): Times {
  const one = tokens[cursor.at] ?? '';
  if (one !== '?' && !repeat.test(one)) return { min: 1, max: 1 };
  cursor.at += tokens[cursor.at + 1] === '?' ? 2 : 1;
  if (one === '?') return { min: 0, max: 1 };
  if (one === '*' || one === '+') return { min: one === '*' ? 0 : 1, max: Number.POSITIVE_INFINITY };
  const [, min = '', comma = '', max = ''] = /^\{(\d+)(,?)(\d*)\}$/.exec(one) ?? [];
  const most = max === '' ? Number.POSITIVE_INFINITY : Number(max);
  return { min: Number(min), max: comma === '' ? Number(min) : most };
}

function waysOfChoices(choices: Choices, next: Next, isRepeated: boolean, textChars: number): number {
  if (isRepeated && choices.length > 1) return Number.POSITIVE_INFINITY;
  return choices
    .map((parts) => waysOfParts(parts, next, isRepeated, textChars))
    .reduce((sum, ways) => sum + ways, 0);
}

function waysOfParts(parts: readonly Part[], after: Next, isRepeated: boolean, textChars: number): number {
  let ways = 1;
  let next = after;
  for (const part of parts.toReversed()) {
    ways *= waysOfPart(part, next, isRepeated, textChars);
    next = before(part, next);
  }
  return ways;
}

function waysOfPart(part: Part, next: Next, isRepeated: boolean, textChars: number): number {
  switch (part.kind) {
    case 'start':
    case 'end':
    case 'boundary':
      return 1;
    case 'atom':
      return waysToEnd(part.times, [part.atom], next, isRepeated, textChars);
    case 'look':
      return waysOfChoices(part.choices, [], isRepeated || part.times.max > 1, textChars);
    case 'group': {
      const { choices, times } = part;
      const again = times.max > 1;
      const inner = again ? either([next, firstOf(choices, next)]) : next;
      const own = waysToEnd(times, atomsOf(choices), next, isRepeated, textChars);
      return own * waysOfChoices(choices, inner, isRepeated || again, textChars);
    }
  }
}

/** A repetition ends in one place only when nothing that comes next could have been a part of it. */
function waysToEnd(
  { min, max }: Times,
  own: readonly string[],
  next: Next,
  isRepeated: boolean,
  textChars: number,
): number {
  if (min === max) return 1;
  if (next?.every((follower) => own.every((atom) => !canShare(atom, follower)))) return 1;
  return isRepeated ? Number.POSITIVE_INFINITY : Math.min(max - min + 1, textChars);
}

/** What comes next in front of a part. */
function before(part: Part, next: Next): Next {
  switch (part.kind) {
    case 'end':
      return [];
    case 'start':
    case 'boundary':
    case 'look':
      return undefined;
    case 'atom':
      return part.times.min > 0 ? [part.atom] : either([[part.atom], next]);
    case 'group': {
      const first = firstOf(part.choices, next);
      return part.times.min > 0 ? first : either([first, next]);
    }
  }
}

function firstOf(choices: Choices, next: Next): Next {
  return either(choices.map((parts) => parts.reduceRight<Next>((after, part) => before(part, after), next)));
}

function either(nexts: readonly Next[]): Next {
  const known = nexts.filter((next) => next !== undefined);
  return known.length === nexts.length ? [...new Set(known.flat())] : undefined;
}

function atomsOf(choices: Choices): readonly string[] {
  const atoms = choices.flat().flatMap((part) => {
    if (part.kind === 'atom') return [part.atom];
    return part.kind === 'group' ? atomsOf(part.choices) : [];
  });
  return [...new Set(atoms)];
}

/** Characters that stand for all: what is written in ASCII can tell the others apart by white space only. */
const samples = [...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)), '\u00a0', 'é'];

/** Whether some character matches both atoms; yes when in doubt. */
function canShare(one: string, other: string): boolean {
  const sign = signOf(one);
  if (sign !== undefined) return matches(other, sign);
  const otherSign = signOf(other);
  if (otherSign !== undefined) return matches(one, otherSign);
  if (/\\[pPux]|[^\0-\x7f]/.test(one + other)) return true;
  return samples.some((char) => matches(one, char) && matches(other, char));
}

/** The character that an atom stands for when it is no more than that. */
function signOf(atom: string): string | undefined {
  if (/^\\[^\w]$/.test(atom)) return atom.slice(1);
  return /^[^\\[.]$/u.test(atom) ? atom : undefined;
}

function matches(atom: string, char: string): boolean {
  return new RegExp(`^(?:${atom})$`, 'su').test(char);
}
