import { isJsonObject, type Json } from '../json.ts';
import type { CelOperator } from './cel-tree.ts';
import { asList, asNumber, type Charge, finite, kindOf, ownValue, Undecided } from './cel-values.ts';

/** Works out an operator. Throws `Undecided`. */
export function combine(operator: CelOperator, left: Json, right: Json, charge: Charge): Json {
  switch (operator) {
    case '==':
      return isEqual(left, right, charge);
    case '!=':
      return !isEqual(left, right, charge);
    case 'in':
      return isIn(left, right, charge);
    case '<':
      return order(left, right, charge) < 0;
    case '<=':
      return order(left, right, charge) <= 0;
    case '>':
      return order(left, right, charge) > 0;
    case '>=':
      return order(left, right, charge) >= 0;
    case '+':
      return sum(left, right, charge);
    case '-':
      return finite(asNumber(left) - asNumber(right));
    case '*':
      return finite(asNumber(left) * asNumber(right));
    case '/':
      return finite(asNumber(left) / asNumber(right));
    case '%':
      return finite(asNumber(left) % asNumber(right));
  }
}

function isEqual(left: Json, right: Json, charge: Charge): boolean {
  charge(0);
  if (typeof left === 'string' && typeof right === 'string') {
    charge(left.length === right.length ? left.length / 100 : 0);
    return left === right;
  }
  const [one, other] = [asList(left), asList(right)];
  if (one && other) {
    return (
      one.length === other.length && one.every((item, index) => isEqual(item, other[index] ?? null, charge))
    );
  }
  if (isJsonObject(left) && isJsonObject(right)) {
    const keys = Object.keys(left);
    charge(keys.length);
    return (
      keys.length === Object.keys(right).length &&
      keys.every((key) => {
        const [mine, yours] = [ownValue(left, key), ownValue(right, key)];
        return mine !== undefined && yours !== undefined && isEqual(mine, yours, charge);
      })
    );
  }
  return left === right;
}

function isIn(item: Json, of: Json, charge: Charge): boolean {
  const list = asList(of);
  if (list) return list.some((one) => isEqual(item, one, charge));
  if (isJsonObject(of)) return typeof item === 'string' && Object.hasOwn(of, item);
  throw new Undecided(`in looks into a list or an object, not ${kindOf(of)}`);
}

/** Below 0: the left one comes first. */
function order(left: Json, right: Json, charge: Charge): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'string' && typeof right === 'string') {
    charge(Math.min(left.length, right.length) / 100);
    return left < right ? -1 : left > right ? 1 : 0;
  }
  throw new Undecided(`${kindOf(left)} and ${kindOf(right)} can't be compared`);
}

function sum(left: Json, right: Json, charge: Charge): Json {
  if (typeof left === 'string' && typeof right === 'string') {
    charge((left.length + right.length) / 100);
    return left + right;
  }
  const [one, other] = [asList(left), asList(right)];
  if (!one || !other) return finite(asNumber(left) + asNumber(right));
  charge(one.length + other.length);
  return [...one, ...other];
}
