import type { Json } from '../json.ts';

/** An expression as it is worked out: plain data, what can't be worked out safely left out. */
export type CelNode =
  | { readonly kind: 'value'; readonly value: Json }
  /** Data of the run: `['draft', 'json', 'notes']`. */
  | { readonly kind: 'path'; readonly path: readonly string[] }
  /** The item of a loop around it. */
  | { readonly kind: 'item'; readonly name: string }
  | { readonly kind: 'field'; readonly of: CelNode; readonly name: string }
  | { readonly kind: 'index'; readonly of: CelNode; readonly at: CelNode }
  | { readonly kind: 'has'; readonly of: CelNode }
  | { readonly kind: 'list'; readonly items: readonly CelNode[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [key: CelNode, value: CelNode])[] }
  | { readonly kind: 'if'; readonly test: CelNode; readonly yes: CelNode; readonly no: CelNode }
  | { readonly kind: 'and' | 'or'; readonly left: CelNode; readonly right: CelNode }
  | { readonly kind: 'not' | 'minus'; readonly of: CelNode }
  | {
      readonly kind: 'binary';
      readonly operator: CelOperator;
      readonly left: CelNode;
      readonly right: CelNode;
    }
  | { readonly kind: 'call'; readonly name: CelFunction; readonly args: readonly CelNode[] }
  | { readonly kind: 'matches'; readonly of: CelNode; readonly pattern: string }
  | {
      readonly kind: 'loop';
      readonly name: CelLoop;
      readonly over: CelNode;
      readonly item: string;
      /** With `map` of three arguments: which items are taken. */
      readonly test?: CelNode;
      readonly body: CelNode;
    };

/** Operators that need both of their sides. */
export const celOperators = ['==', '!=', '<', '<=', '>', '>=', '+', '-', '*', '/', '%', 'in'] as const;
/** One of these operators. */
export type CelOperator = (typeof celOperators)[number];

/** Functions, with how many values they take, the one before the dot counted. */
export const celFunctions = {
  size: 1,
  string: 1,
  int: 1,
  double: 1,
  contains: 2,
  startsWith: 2,
  endsWith: 2,
  lowerAscii: 1,
  upperAscii: 1,
  trim: 1,
} as const;
/** The name of one of these functions. */
export type CelFunction = keyof typeof celFunctions;

/** Functions that look at each item of a list, or each key of an object. */
export const celLoops = ['all', 'exists', 'exists_one', 'filter', 'map'] as const;
/** One of these. */
export type CelLoop = (typeof celLoops)[number];
