import { isAbsolute, relative } from 'node:path';
import type { Json } from '../engine/json.ts';

/** Prints a line of text on standard output. */
export function print(text: string): void {
  process.stdout.write(`${visible(text)}\n`);
}

/** Prints a line of text on standard error. */
export function complain(text: string): void {
  process.stderr.write(`${visible(text)}\n`);
}

/** Prints data as JSON on standard output. */
export function printJson(data: Json): void {
  const text = JSON.stringify(data, undefined, 2);
  process.stdout.write(`${text.replace(/[\x7f-\x9f]/g, unicodeEscape)}\n`);
}

/** A path as people would type it: relative unless it leads out of `cwd`. */
export function shownPath(path: string, cwd: string): string {
  const short = relative(cwd, path);
  if (short === '') return '.';
  return short.startsWith('..') || isAbsolute(short) ? path : short;
}

/** A reader such as `head` that has seen enough closes the pipe: that is no fault of ours. */
export function tolerateClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listenerCount('error', ignoreClosedPipe) === 0) stream.on('error', ignoreClosedPipe);
  }
}

function ignoreClosedPipe(error: Error): void {
  if (!('code' in error) || error.code !== 'EPIPE') throw error;
}

/** Text that came from chats can't move the cursor, recolour the terminal or turn a line around: what would is shown. */
function visible(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    const code = character.charCodeAt(0);
    if (character === '\n' || character === '\t') return character;
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\uFFFD';
  });
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
