import { isJsonObject, type Json } from '../json.ts';
import type { CelFunction } from './cel-tree.ts';
import { asList, asText, type Charge, kindOf, toNumber, Undecided } from './cel-values.ts';

/** Works out a function. Throws `Undecided`. */
export function call(
  name: CelFunction,
  [first = null, second = null]: readonly Json[],
  charge: Charge,
): Json {
  const text = () => {
    const value = asText(first, `what ${name} looks at`);
    charge(value.length / 100);
    return value;
  };
  const number = () => {
    if (typeof first === 'string') charge(first.length / 10);
    return toNumber(first);
  };
  const part = () => asText(second, `what ${name} looks for`);
  switch (name) {
    case 'size':
      return sizeOf(first, charge);
    case 'string':
      return first === null || typeof first === 'object' ? text() : String(first);
    case 'int':
      return Math.trunc(number());
    case 'double':
      return number();
    case 'contains': {
      const [whole, wanted] = [text(), part()];
      // At worst every place is compared with all of the part.
      charge((whole.length * wanted.length) / 1000);
      return whole.includes(wanted);
    }
    case 'startsWith':
      return text().startsWith(part());
    case 'endsWith':
      return text().endsWith(part());
    case 'lowerAscii':
      return text().replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    case 'upperAscii':
      return text().replace(/[a-z]/g, (letter) => letter.toUpperCase());
    case 'trim':
      return text().trim();
  }
}

/** Characters of a text, items of a list, keys of an object. */
function sizeOf(of: Json, charge: Charge): number {
  if (typeof of === 'string') {
    charge(of.length / 100);
    let count = 0;
    for (const _ of of) count += 1;
    return count;
  }
  const list = asList(of);
  if (list) return list.length;
  if (!isJsonObject(of)) throw new Undecided(`${kindOf(of)} has no size`);
  const keys = Object.keys(of).length;
  charge(keys);
  return keys;
}
