import { parseExact } from '../data/exact-json.ts';
import { isJsonObject, type JsonObject } from '../json.ts';

/** Deeper data could overflow the stack of whatever walks it later. */
const DEPTH_MAX = 200;

/**
 * The one JSON object that a reply is about; undefined when there is none, or no telling which it is.
 *
 * - A code block counts when it is marked `json`, or is not marked and begins like an object. The last one is the reply:
 *   those before it are drafts. It need not be closed, but its object must be whole, with nothing else in the block.
 * - Without such a block, it is the first whole object outside of code blocks and lists. Other brackets around it are prose;
 *   a second object makes it unclear which is meant.
 * - It is strict JSON: no trailing commas, single quotes or comments, whatever the provider. Numbers that would not be
 *   exact become text.
 *
 * Takes linear time.
 */
export function readObject(reply: string): JsonObject | undefined {
  const { blocks, prose } = partsOf(reply);
  const last = blocks.at(-1);
  if (last) return last.json === undefined ? undefined : parseObject(last.json);
  const found: (JsonObject | undefined)[] = [];
  for (const text of prose) {
    for (const json of objectsIn(text)) {
      if (found.length > 0) return undefined;
      found.push(json === undefined ? undefined : parseObject(json));
    }
  }
  return found[0];
}

/** A code block that is the reply, with the text of its object if that is whole and alone. */
interface Block {
  readonly json: string | undefined;
}

// What may repeat is followed by what it can't be itself: a long line without an end must not be gone through again and again.
const opening = /^[ \t]*(`{3,}(?=[^`\n]*$)|~{3,}(?!~))([^\n]*)\n/gm;

/** The code blocks that count, and the text outside of all code blocks. */
function partsOf(reply: string): { readonly blocks: readonly Block[]; readonly prose: readonly string[] } {
  const blocks: Block[] = [];
  const prose: string[] = [];
  let at = 0;
  while (true) {
    opening.lastIndex = at;
    const open = opening.exec(reply);
    if (!open) break;
    const [line, fence = '', info = ''] = open;
    const mark = info.trimStart();
    prose.push(reply.slice(at, open.index));
    const start = open.index + line.length;
    const isMarked = /^json/i.test(mark);
    const counts = isMarked || (!/^[\w+-]/.test(mark) && beginsObject(reply, endOfSpace(reply, start)));
    const block = counts ? readBlock(reply, start) : undefined;
    if (block) blocks.push(block);
    at = endOfBlock(reply, block?.end ?? start, fence);
  }
  prose.push(reply.slice(at));
  return { blocks, prose };
}

/** What a block holds, and where its object ends: a fence inside of that closes nothing. */
function readBlock(reply: string, start: number): Block & { readonly end: number } {
  const from = endOfSpace(reply, start);
  if (reply[from] !== '{') return { json: undefined, end: start };
  const end = endOfBrackets(reply, from);
  if (end === undefined) return { json: undefined, end: reply.length };
  const next = endOfSpace(reply, end);
  const isAlone = next === reply.length || /^(?:`{3}|~{3})/.test(reply.slice(next, next + 3));
  return { json: isAlone ? reply.slice(from, end) : undefined, end };
}

/** Where the text goes on behind the fence that closes a block: at the end of a line, on its own or behind the object. */
function endOfBlock(reply: string, from: number, fence: string): number {
  const mark = `[ \\t]*${fence[0] === '~' ? '~' : '`'}{${fence.length},}[ \\t\\r]*$`;
  for (const closing of [new RegExp(mark, 'my'), new RegExp(`^${mark}`, 'gm')]) {
    closing.lastIndex = from;
    if (closing.test(reply)) return closing.lastIndex;
  }
  return reply.length;
}

/** What looks like an object at the top of a text; undefined for one that is cut off. */
function* objectsIn(text: string): Generator<string | undefined> {
  const bracket = /[{[]/g;
  for (let open = bracket.exec(text); open; open = bracket.exec(text)) {
    const end = endOfBrackets(text, open.index);
    if (beginsObject(text, open.index)) yield end === undefined ? undefined : text.slice(open.index, end);
    if (end === undefined) return;
    bracket.lastIndex = end;
  }
}

/** Where what opens at a place is closed again; undefined = nowhere, or it is nested too deeply. Strings are skipped. */
function endOfBrackets(text: string, start: number): number | undefined {
  const sign = /["{}[\]]/g;
  sign.lastIndex = start;
  let depth = 0;
  for (let found = sign.exec(text); found; found = sign.exec(text)) {
    if (found[0] === '"') {
      const end = endOfString(text, found.index);
      if (end === undefined) return undefined;
      sign.lastIndex = end;
    } else if (found[0] === '{' || found[0] === '[') depth += 1;
    else depth -= 1;
    if (depth > DEPTH_MAX) return undefined;
    if (depth === 0) return sign.lastIndex;
  }
  return undefined;
}

function endOfString(text: string, start: number): number | undefined {
  const sign = /["\\]/g;
  sign.lastIndex = start + 1;
  for (let found = sign.exec(text); found; found = sign.exec(text)) {
    if (found[0] === '"') return sign.lastIndex;
    sign.lastIndex += 1;
  }
  return undefined;
}

/** Brackets of prose are not followed by a key. */
function beginsObject(text: string, at: number): boolean {
  if (text[at] !== '{') return false;
  const next = endOfSpace(text, at + 1);
  return next === text.length || text[next] === '"' || text[next] === '}';
}

function endOfSpace(text: string, start: number): number {
  const space = /\s*/y;
  space.lastIndex = start;
  space.exec(text);
  return space.lastIndex;
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const data = parseExact(text);
    return isJsonObject(data) ? data : undefined;
  } catch {
    return undefined;
  }
}
