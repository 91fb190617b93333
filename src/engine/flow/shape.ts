import type { Fault } from '../fault.ts';
import { isJsonObject, type Json } from '../json.ts';
import type { Path } from './issues.ts';

/** Most levels of objects and lists inside each other in a flow. */
const depthMax = 64;

/** What no part of a flow may be: nested without end, or named so that code would trip over it. */
export function shapeFaults(data: Json, path: Path = []): readonly Fault[] {
  if (typeof data !== 'object' || data === null) return [];
  if (path.length >= depthMax) {
    const message = `The flow is nested more than ${depthMax} levels deep.`;
    return [{ severity: 'error', rule: 'too-deep', path, message, fix: 'Use fewer levels.' }];
  }
  if (!isJsonObject(data)) return data.flatMap((item, index) => shapeFaults(item, [...path, index]));
  return Object.entries(data).flatMap(([key, value]) =>
    key === '__proto__' ? [protoFault([...path, key])] : shapeFaults(value, [...path, key]),
  );
}

function protoFault(path: Path): Fault {
  const message = '"__proto__" can\'t be a key.';
  return { severity: 'error', rule: 'unknown-key', path, message, fix: 'Give it another name.' };
}
