import { isJsonObject, type Json } from '../json.ts';
import type { Failure } from '../steps/step-type.ts';

/** Most characters of what a template or join step makes: its text, or its data as JSON. */
export const OUTPUT_MAX_CHARS = 1_000_000;
/** Most characters of any text that is made from placeholders, such as the body of a request. */
export const TEXT_MAX_CHARS = 12_000_000;
/** Deepest data that is copied: what nests deeper can't be written as JSON safely. */
const DEPTH_MAX = 500;

/** How much room is left for what is being made; used up piece by piece, before the pieces are joined. */
export interface Room {
  readonly maxChars: number;
  used: number;
}

/** Room for so many characters. */
export function roomFor(maxChars: number): Room {
  return { maxChars, used: 0 };
}

/** Takes room for some characters; the failure `output-too-large` when there is not enough. */
export function takeRoom(room: Room, chars: number): Failure | undefined {
  room.used += chars;
  return room.used > room.maxChars ? tooLarge(room.maxChars) : undefined;
}

/** Takes room for data as JSON. Looks at no more of it than fits. */
export function takeRoomForData(room: Room, data: Json): Failure | undefined {
  room.used = countJson(data, room.used, room.maxChars, 0);
  return room.used > room.maxChars ? tooLarge(room.maxChars) : undefined;
}

/** The failure of a step that would make more than is allowed. */
function tooLarge(maxChars: number): Failure {
  const message = `This would make more than ${maxChars.toLocaleString('en')} characters, or data nested more than ${DEPTH_MAX} levels deep; that is the limit.`;
  return { code: 'output-too-large', message, retry: 'never' };
}

/** The length of data as JSON on top of `used`; stops soon after `max`. */
function countJson(data: Json, used: number, max: number, depth: number): number {
  if (depth > DEPTH_MAX) return Number.POSITIVE_INFINITY;
  if (typeof data === 'string') return used + textChars(data, max - used);
  if (typeof data !== 'object' || data === null) return used + String(data).length;
  let sum = used + 2;
  const comma = () => (sum > used + 2 ? 1 : 0);
  if (!isJsonObject(data)) {
    for (const item of data) {
      if (sum > max) return sum;
      sum = countJson(item, sum + comma(), max, depth + 1);
    }
  } else {
    for (const [key, inner] of Object.entries(data)) {
      if (sum > max) return sum;
      sum = countJson(inner, sum + comma() + textChars(key, max - sum) + 1, max, depth + 1);
    }
  }
  return sum;
}

function textChars(text: string, room: number): number {
  return text.length > room ? text.length : JSON.stringify(text).length;
}
