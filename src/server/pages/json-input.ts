import { isJsonObject, type JsonObject } from '../../engine/json.ts';

/** Deepest nesting of an input that is read. */
const DEPTH_MAX = 200;

/** An input that was written as JSON; a sentence = what is wrong with it. */
export function readInput(text: string): JsonObject | string {
  if (depthOf(text) > DEPTH_MAX)
    return `The input is nested too deeply: at most ${DEPTH_MAX} levels are read.`;
  try {
    const read: unknown = JSON.parse(text);
    return isJsonObject(read) ? read : 'The input has to be a JSON object, such as {"version": "1.2"}.';
  } catch (error) {
    return `The input is not valid JSON: ${error instanceof Error ? error.message : 'it can’t be read'}.`;
  }
}

/** How deeply brackets are nested; those in texts count, too. */
function depthOf(text: string): number {
  let [depth, most] = [0, 0];
  for (const sign of text) {
    if (sign === '[' || sign === '{') depth += 1;
    else if (sign === ']' || sign === '}') depth -= 1;
    most = Math.max(most, depth);
  }
  return most;
}
