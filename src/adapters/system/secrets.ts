import { isJsonObject, type JsonObject } from '../../engine/json.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { patternsOf, startsOf } from './spellings.ts';

/** What stands where a secret was. */
const redacted = '[secret]';
/** Shorter values occur by chance; replacing them would garble texts without hiding anything. */
export const redactedMinChars = 4;

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Secrets held in memory. @param values by name. @param own values that nobody may name, hidden like the others. */
export function createSecrets(values: ReadonlyMap<string, string>, own: readonly string[] = []): Secrets {
  const hidden = [...new Set([...values.values(), ...own])].filter(
    (value) => value.length >= redactedMinChars,
  );
  const guards = hidden.map((secret) => ({ starts: startsOf([secret]), patterns: patternsOf(secret) }));
  // One look at a text tells that it holds the beginning of no secret, which is so for nearly every text.
  const anyStarts = startsOf(hidden);

  function redactText(text: string): string {
    if (!anyStarts.test(text)) return text;
    const spans = guards
      .flatMap(({ starts, patterns }) => (starts.test(text) ? patterns : []))
      .flatMap((pattern) => occurrences(text, pattern))
      .toSorted((one, other) => one.from - other.from);
    if (spans.length === 0) return text;
    const parts: string[] = [];
    let at = 0;
    for (const { from, to } of spans) {
      // What overlaps the secret before it is hidden by the same replacement.
      if (from >= at) parts.push(text.slice(at, from), redacted);
      at = Math.max(at, to);
    }
    return parts.join('') + text.slice(at);
  }

  /** The data itself where there is nothing to hide: large answers are not copied. */
  function redact(data: unknown): unknown {
    if (typeof data === 'string') return redactText(data);
    if (Array.isArray(data)) {
      const items = data.map(redact);
      return items.every((item, index) => item === data[index]) ? data : items;
    }
    return isJsonObject(data) ? redactObject(data) : data;
  }

  function redactObject(data: JsonObject): object {
    const changed = new Map<string, readonly [string, unknown]>();
    for (const key of Object.keys(data)) {
      const entry = [redactText(key), redact(data[key])] as const;
      if (entry[0] !== key || entry[1] !== data[key]) changed.set(key, entry);
    }
    if (changed.size === 0 && isPlain(data)) return data;
    return Object.fromEntries(Object.entries(data).map((entry) => changed.get(entry[0]) ?? entry));
  }

  return {
    get: (name) => values.get(name),
    names: () => [...values.keys()].toSorted(),
    redact<T>(data: T): T {
      // The same shape comes out; only texts differ.
      return hidden.length === 0 ? data : (redact(data) as T);
    },
  };
}

/** Anything else, such as an error, may show more of itself than its entries. */
function isPlain(data: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(data);
  return prototype === Object.prototype || prototype === null;
}

function occurrences(text: string, pattern: RegExp): readonly Span[] {
  const found: Span[] = [];
  let last = { from: 0, to: -1 };
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    const from = match.index;
    const to = from + match[0].length;
    if (from < last.to) last.to = Math.max(last.to, to);
    else {
      last = { from, to };
      found.push(last);
    }
    pattern.lastIndex = from + 1; // a secret can overlap itself
  }
  return found;
}
