/** Secrets of this length don't occur by chance, so they are found in any case: servers and addresses lower it. */
const anyCaseMinChars = 8;
/** Shorter pieces of base64 occur by chance. */
const base64MinChars = 8;
const pieceMaxChars = 256;
/** How much of each spelling tells that a closer look is needed. */
const startChars = 4;
const base64StartChars = 6;

/**
 * Finds a secret in all the ways in which a server can echo it or an error quote it. All are global. A long secret
 * is found piece by piece.
 */
export function patternsOf(secret: string): readonly RegExp[] {
  const flags = secret.length >= anyCaseMinChars ? 'gi' : 'g';
  const sources = [
    ...pieces(secret).map(spelled),
    ...base64Forms(secret).flatMap((form) => pieces(form).map((piece) => base64Spelled(piece) + padding)),
  ];
  return sources.map((source) => new RegExp(source, flags));
}

/** A long text in pieces of about the same length: as one pattern it would be more than the engine can run. */
function pieces(text: string): readonly string[] {
  const chars = [...text];
  const size = Math.ceil(chars.length / Math.ceil(chars.length / pieceMaxChars));
  const count = Math.ceil(chars.length / size);
  return Array.from({ length: count }, (_, at) => chars.slice(at * size, (at + 1) * size).join(''));
}

/** Finds the beginnings of what the patterns of these secrets find: one quick look for all of them. */
export function startsOf(secrets: readonly string[]): RegExp {
  const sources = secrets.flatMap((secret) => [
    spelled([...secret].slice(0, startChars).join('')),
    ...base64Forms(secret).map((form) => base64Spelled(form.slice(0, base64StartChars))),
  ]);
  return new RegExp([...new Set(sources)].join('|'), 'i');
}

/**
 * A text in which each character may be plain, escaped for JSON (once or twice), for an address or for HTML.
 * Backslashes are counted together with those that escape what follows them: apart, there would be many ways to
 * divide a row of them, and a pattern that tries them all never ends.
 */
function spelled(text: string): string {
  let pattern = '';
  let backslashes = 0;
  for (const char of text) {
    if (char === '\\') backslashes += 1;
    else {
      // At the start one will do, or a long row of them would be looked at over and over.
      const escaping = pattern === '' && backslashes === 0 ? '\\\\?' : backslashesSpelled(backslashes);
      pattern += escaping + charSpelled(char);
      backslashes = 0;
    }
  }
  return backslashes === 0 ? pattern : pattern + backslashesSpelled(backslashes);
}

function backslashesSpelled(count: number): string {
  const escaping = '\\\\{0,3}';
  if (count === 0) return escaping;
  const encoded = `(?:${escaping}u005[cC]|${percentEncoded('\\')}|${htmlEncoded('\\')})`;
  return `(?:${encoded}{${count}}${escaping}|\\\\{${count},${4 * count + 3}})`;
}

/** What may follow the backslashes. */
function charSpelled(char: string): string {
  const units = char.split('').map((unit) => `u${anyCaseHex(unit.charCodeAt(0), 4)}`);
  const forms = [units.join('\\\\{1,3}'), percentEncoded(char), htmlEncoded(char)];
  const short = shortEscapes.get(char);
  if (short !== undefined) forms.push(short);
  // The plain one comes last: for `u`, `%` and `&` it is the beginning of another.
  return `(?:${forms.join('|')}|${plain(char)})`;
}

const shortEscapes: ReadonlyMap<string, string> = new Map([
  ['\n', 'n'],
  ['\r', 'r'],
  ['\t', 't'],
  ['\b', 'b'],
  ['\f', 'f'],
  [' ', '\\+'], // in forms
]);

function plain(char: string): string {
  if (/^[a-z0-9]$/i.test(char)) return char;
  return char
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}

function percentEncoded(char: string): string {
  return [...Buffer.from(char)].map((byte) => `%(?:25)?${anyCaseHex(byte, 2)}`).join('');
}

const htmlNames: ReadonlyMap<string, string> = new Map([
  ['&', 'amp'],
  ['<', 'lt'],
  ['>', 'gt'],
  ['"', 'quot'],
  ["'", 'apos'],
]);

function htmlEncoded(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const name = htmlNames.get(char);
  const names = name === undefined ? '' : `|${name}`;
  return `&(?:#0{0,5}${code}|#[xX]0{0,5}${anyCaseHex(code, 1)}${names});`;
}

function anyCaseHex(code: number, digits: number): string {
  return code
    .toString(16)
    .padStart(digits, '0')
    .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

/** Lines of base64 break anywhere, also inside JSON and addresses. No end to the space could exhaust the stack. */
const lineBreak = '(?:\\s|\\\\{1,3}[rn]|%0[aAdD]){0,16}';
const padding = '(?:=|%3[dD]){0,2}';

function base64Spelled(form: string): string {
  return form
    .split('')
    .map((char) => {
      if (char === '+') return '(?:[+-]|%2[bB]|\\\\{1,3}u002[bB])';
      if (char === '/') return '(?:\\\\{0,3}/|_|%2[fF]|\\\\{1,3}u002[fF])';
      return char;
    })
    .join(lineBreak);
}

/** As base64 by itself, and as it looks inside the base64 of a longer text, by where in a group of three it begins. */
function base64Forms(secret: string): readonly string[] {
  const whole = Buffer.from(secret).toString('base64').replace(/=+$/, '');
  const inside = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    const text = bytes.toString('base64');
    // Characters that also hold bits of what stands before or after can't be known.
    return text.slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
  });
  return [...new Set([whole, ...inside.filter((form) => form.length >= base64MinChars)])];
}
