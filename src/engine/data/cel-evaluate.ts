import { isJsonObject, type Json } from '../json.ts';
import type { Expression } from './cel.ts';
import { call } from './cel-functions.ts';
import { combine } from './cel-operators.ts';
import type { CelLoop, CelNode } from './cel-tree.ts';
import {
  asBoolean,
  asList,
  asNumber,
  asText,
  type Charge,
  kindOf,
  ownValue,
  Undecided,
} from './cel-values.ts';
import { patternTextMaxChars } from './pattern.ts';
import type { Lookup } from './scope.ts';

/** Whether an expression holds, or why that can't be told. */
export type Decision =
  | { readonly ok: true; readonly holds: boolean }
  | { readonly ok: false; readonly why: string };

/** Most work for one expression; one unit is a value looked at, or some hundred characters. */
const workMax = 200_000;

/**
 * Works an expression out. Unlike a rule it is strict: a value that is missing or of the wrong kind, a result other than
 * true or false, or too much work leave it undecided; `has(draft.json.notes)` asks whether a value is there. The right
 * side of `&&` and `||` is looked at only where the left one leaves it open. The same data always gives the same result.
 */
export function evaluateExpression(
  { tree }: Expression,
  lookup: (path: readonly string[]) => Lookup,
): Decision {
  let work = 0;
  const charge = (units: number) => {
    work += 1 + units;
    if (work > workMax) throw new Undecided('that is too much work over so much data');
  };
  try {
    const value = evaluate(tree, { lookup, charge });
    if (typeof value === 'boolean') return { ok: true, holds: value };
    return { ok: false, why: `it gives ${kindOf(value)}, not true or false` };
  } catch (error) {
    if (error instanceof Undecided) return { ok: false, why: error.message };
    throw error;
  }
}

interface Surroundings {
  readonly lookup: (path: readonly string[]) => Lookup;
  readonly charge: Charge;
  /** The items of the loops around, the innermost first. */
  readonly items?: Items;
}

interface Items {
  readonly name: string;
  readonly value: Json;
  readonly outer?: Items;
}

function evaluate(node: CelNode, around: Surroundings): Json {
  around.charge(0);
  const inner = (one: CelNode) => evaluate(one, around);
  switch (node.kind) {
    case 'value':
      return node.value;
    case 'path':
    case 'field': {
      const found = find(node, around);
      if (!found.found) throw new Undecided(found.why);
      return found.value;
    }
    case 'item':
      return itemOf(around.items, node.name);
    case 'has':
      return find(node.of, around).found;
    case 'index':
      return itemAt(inner(node.of), inner(node.at));
    case 'list':
      return node.items.map(inner);
    case 'map':
      return Object.fromEntries(
        node.entries.map(([key, value]) => [asText(inner(key), 'a key'), inner(value)]),
      );
    case 'if':
      return asBoolean(inner(node.test)) ? inner(node.yes) : inner(node.no);
    case 'and':
      return asBoolean(inner(node.left)) && asBoolean(inner(node.right));
    case 'or':
      return asBoolean(inner(node.left)) || asBoolean(inner(node.right));
    case 'not':
      return !asBoolean(inner(node.of));
    case 'minus':
      return -asNumber(inner(node.of));
    case 'binary':
      return combine(node.operator, inner(node.left), inner(node.right), around.charge);
    case 'call':
      return call(node.name, node.args.map(inner), around.charge);
    case 'matches': {
      const text = asText(inner(node.of), 'what matches looks at');
      if (text.length > patternTextMaxChars) {
        throw new Undecided(`matches looks at texts of up to ${patternTextMaxChars} characters`);
      }
      around.charge(text.length);
      return new RegExp(node.pattern, 'u').test(text);
    }
    case 'loop':
      return loop(node, around);
  }
}

type Found = { readonly found: true; readonly value: Json } | { readonly found: false; readonly why: string };

const causes = {
  unknown: 'there is no such step',
  skipped: 'that step was skipped',
  'not-run': 'that step has not run',
  missing: 'there is no such value',
};

/** A value that may be missing. */
function find(node: CelNode, around: Surroundings): Found {
  if (node.kind === 'path') {
    const found = around.lookup(node.path);
    if (found.found) return found;
    if (found.cause === 'null') return { found: true, value: null };
    return { found: false, why: `${node.path.join('.')}: ${causes[found.cause]}` };
  }
  if (node.kind !== 'field') return { found: true, value: evaluate(node, around) };
  around.charge(0);
  const of = find(node.of, around);
  if (!of.found) return of;
  const value = isJsonObject(of.value) ? ownValue(of.value, node.name) : undefined;
  return value === undefined
    ? { found: false, why: `there is no field ${node.name}` }
    : { found: true, value };
}

function itemOf(items: Items | undefined, name: string): Json {
  for (let at = items; at; at = at.outer) if (at.name === name) return at.value;
  throw new Error(`An expression names the item ${name} outside of its loop.`);
}

function itemAt(of: Json, at: Json): Json {
  const list = asList(of);
  const found = list
    ? typeof at === 'number'
      ? list[at]
      : undefined
    : isJsonObject(of) && typeof at === 'string'
      ? ownValue(of, at)
      : undefined;
  if (found !== undefined) return found;
  throw new Undecided(`${kindOf(of)} has nothing at ${JSON.stringify(at).slice(0, 60)}`);
}

function loop(node: Extract<CelNode, { kind: 'loop' }>, around: Surroundings): Json {
  const of = evaluate(node.over, around);
  const list = asList(of) ?? (isJsonObject(of) ? Object.keys(of) : undefined);
  if (!list) throw new Undecided(`${node.name} looks at a list or an object, not ${kindOf(of)}`);
  around.charge(list.length);
  const inside = (value: Json): Surroundings => ({
    ...around,
    items: { name: node.item, value, ...(around.items && { outer: around.items }) },
  });
  const body = (item: Json) => evaluate(node.body, inside(item));
  const holds = (item: Json) => asBoolean(body(item));
  const { test } = node;
  return walk(node.name, list, holds, (items) =>
    items.filter((item) => !test || asBoolean(evaluate(test, inside(item)))).map(body),
  );
}

function walk(
  name: CelLoop,
  list: readonly Json[],
  holds: (item: Json) => boolean,
  map: (list: readonly Json[]) => Json,
): Json {
  switch (name) {
    case 'all':
      return list.every(holds);
    case 'exists':
      return list.some(holds);
    case 'exists_one':
      return list.filter(holds).length === 1;
    case 'filter':
      return list.filter(holds);
    case 'map':
      return map(list);
  }
}
