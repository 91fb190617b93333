import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import type { Json } from '../json.ts';
import {
  type CelFunction,
  type CelLoop,
  type CelNode,
  type CelOperator,
  celFunctions,
  celLoops,
  celOperators,
} from './cel-tree.ts';
import { withFix } from './issue.ts';
import { patternFault } from './pattern.ts';

/** A condition of an edge that is written as one CEL expression. Plain data. */
export interface Expression {
  readonly source: string;
  readonly tree: CelNode;
  /** The data it reads (`['draft', 'json', 'notes']`), each once. */
  readonly reads: readonly (readonly string[])[];
}

/** An expression that was read, or what is wrong with it and what to write, as `withFix` joins them. */
export type ParsedExpression =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly message: string };

/** Longest expression. */
export const celMaxChars = 2_000;

const options = {
  homogeneousAggregateLiterals: false,
  limits: {
    maxAstNodes: 400,
    maxDepth: 32,
    maxListElements: 100,
    maxMapEntries: 100,
    maxCallArguments: 3,
  },
};

const parser = new Environment(options);

/**
 * Reads a CEL expression of at most 2,000 characters that says true or false: `input`, `start`, `run` and steps by
 * their ids are its data. It has CEL's operators, `has`, `size`, `string`, `int`, `double`, `contains`, `startsWith`,
 * `endsWith`, `lowerAscii`, `upperAscii`, `trim`, `matches` with a fixed pattern, and the loops `all`, `exists`,
 * `exists_one`, `filter` and `map`: nothing that knows a clock or chance. All numbers are decimals, as in JSON.
 */
export function parseExpression(source: string): ParsedExpression {
  if (source.length > celMaxChars) {
    return refused(
      `The expression has ${source.length.toLocaleString('en')} characters; at most ${celMaxChars.toLocaleString('en')} are allowed.`,
      'Split it, or let a condition step decide.',
    );
  }
  try {
    const reads = new Map<string, readonly string[]>();
    const tree = readNode(parser.parse(source).ast, {
      items: [],
      read: (path) => reads.set(path.join('.'), path),
    });
    if (tree.kind === 'path' && tree.path[1] === 'text' && tree.path[0] !== 'input')
      throw noBoolean('string');
    checkTypes(source, new Set([...reads.values()].flatMap(([root]) => root ?? [])));
    return { ok: true, expression: { source, tree, reads: [...reads.values()] } };
  } catch (error) {
    if (error instanceof Unfit) return { ok: false, message: error.message };
    return refused(
      `The expression can't be read: ${summaryOf(error)}.`,
      'Write CEL, such as draft.json.score > 3 && has(input.version).',
    );
  }
}

/** Never leaves this file: a deep tree is left at once when a part of it is no good. */
class Unfit extends Error {
  constructor(message: string, fix: string) {
    super(withFix(message, fix));
  }
}

function refused(message: string, fix: string): ParsedExpression {
  return { ok: false, message: withFix(message, fix) };
}

function summaryOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split('\n')[0] ?? '').slice(0, 200).replace(/\.$/, '');
}

/** What can be seen of its types without data: it must be able to say true or false. */
function checkTypes(source: string, roots: ReadonlySet<string>): void {
  const environment = new Environment({ ...options });
  for (const left of ['int', 'double'] as const) {
    const right = left === 'int' ? 'double' : 'int';
    environment.registerOperator(`${left} + ${right}`, mixed);
    environment.registerOperator(`${left} - ${right}`, mixed);
    environment.registerOperator(`${left} * ${right}`, mixed);
    environment.registerOperator(`${left} / ${right}`, mixed);
  }
  for (const root of roots) {
    if (!environment.hasVariable(root)) environment.registerVariable(root, 'dyn');
  }
  const { valid, type, error } = environment.check(source);
  if (!valid) {
    throw new Unfit(
      `The expression can never be worked out: ${summaryOf(error)}.`,
      'Compare values of one kind.',
    );
  }
  if (type !== 'bool' && type !== 'dyn') {
    throw noBoolean(type ?? 'another');
  }
}

function noBoolean(type: string): Unfit {
  return new Unfit(
    `The expression gives a value of type ${type}, not true or false.`,
    'Compare it with something, such as size(draft.text) > 0.',
  );
}

/** Types are checked only: nothing is worked out by the library. */
function mixed(): number {
  return 0;
}

interface Reader {
  /** Names of the items of the loops around. */
  readonly items: readonly string[];
  read(path: readonly string[]): void;
}

const operators: ReadonlySet<string> = new Set(celOperators);
const loops: ReadonlySet<string> = new Set(celLoops);

function readNode(node: ASTNode, reader: Reader): CelNode {
  const inner = (one: ASTNode) => readNode(one, reader);
  switch (node.op) {
    case 'value':
      return { kind: 'value', value: literal(node.args) };
    case 'id':
    case '.':
      return readPath(node, reader);
    case '[]':
      return { kind: 'index', of: inner(node.args[0]), at: inner(node.args[1]) };
    case 'list':
      return { kind: 'list', items: node.args.map(inner) };
    case 'map':
      return { kind: 'map', entries: node.args.map(([key, value]) => [inner(key), inner(value)] as const) };
    case '?:':
      return { kind: 'if', test: inner(node.args[0]), yes: inner(node.args[1]), no: inner(node.args[2]) };
    case '&&':
      return { kind: 'and', left: inner(node.args[0]), right: inner(node.args[1]) };
    case '||':
      return { kind: 'or', left: inner(node.args[0]), right: inner(node.args[1]) };
    case '!_':
      return { kind: 'not', of: inner(node.args) };
    case '-_':
      return { kind: 'minus', of: inner(node.args) };
    case 'call':
      return readCall(node.args[0], node.args[1], reader);
    case 'rcall':
      return readMethod(node.args[0], node.args[1], node.args[2], reader);
    case '.?':
    case '[?]':
      throw new Unfit('Optional fields (.?) are not read here.', 'Ask with has(…) first.');
    default:
      if (!isOperator(node.op)) throw unknown(node.op);
      return {
        kind: 'binary',
        operator: node.op,
        left: inner(node.args[0]),
        right: inner(node.args[1]),
      };
  }
}

function isOperator(op: string): op is CelOperator {
  return operators.has(op);
}

function literal(value: unknown): Json {
  if (typeof value === 'bigint') {
    if (value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER)
      throw new Unfit(`${value.toString().slice(0, 40)} is too large a number.`, 'Write a smaller one.');
    return Number(value);
  }
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return value;
  throw new Unfit('Bytes and unsigned numbers are not known here.', 'Write a text or a plain number.');
}

/** `draft.json.notes` as one path; behind the item of a loop, or a value that is worked out, field by field. */
function readPath(node: ASTNode, reader: Reader): CelNode {
  if (node.op === 'id') {
    if (reader.items.includes(node.args)) return { kind: 'item', name: node.args };
    reader.read([node.args]);
    return { kind: 'path', path: [node.args] };
  }
  const fields: string[] = [];
  let at: ASTNode = node;
  while (at.op === '.') {
    fields.unshift(at.args[1]);
    at = at.args[0];
  }
  if (at.op === 'id' && !reader.items.includes(at.args)) {
    const path = [at.args, ...fields];
    reader.read(path);
    return { kind: 'path', path };
  }
  return fields.reduce<CelNode>((of, name) => ({ kind: 'field', of, name }), readNode(at, reader));
}

function readCall(name: string, args: readonly ASTNode[], reader: Reader): CelNode {
  const [first] = args;
  if (name === 'has' && first?.op === '.' && args.length === 1) {
    return { kind: 'has', of: readPath(first, reader) };
  }
  return readFunction(name, args, reader);
}

function readMethod(name: string, of: ASTNode, args: readonly ASTNode[], reader: Reader): CelNode {
  if (isLoop(name)) return readLoop(name, of, args, reader);
  if (name === 'matches') return readMatches(of, args, reader);
  return readFunction(name, [of, ...args], reader);
}

function isLoop(name: string): name is CelLoop {
  return loops.has(name);
}

function readFunction(name: string, args: readonly ASTNode[], reader: Reader): CelNode {
  if (!isFunction(name) || celFunctions[name] !== args.length) throw unknown(name);
  return { kind: 'call', name, args: args.map((one) => readNode(one, reader)) };
}

function isFunction(name: string): name is CelFunction {
  return Object.hasOwn(celFunctions, name);
}

function readLoop(name: CelLoop, of: ASTNode, args: readonly ASTNode[], reader: Reader): CelNode {
  const [variable, ...rest] = args;
  const [body, mapped] = rest;
  if (variable?.op !== 'id' || !body || rest.length > (name === 'map' ? 2 : 1)) throw unknown(name);
  const item = variable.args;
  const inside: Reader = { ...reader, items: [...reader.items, item] };
  const over = readNode(of, reader);
  const first = readNode(body, inside);
  if (!mapped) return { kind: 'loop', name, over, item, body: first };
  return { kind: 'loop', name, over, item, test: first, body: readNode(mapped, inside) };
}

function readMatches(of: ASTNode, args: readonly ASTNode[], reader: Reader): CelNode {
  const [pattern] = args;
  if (args.length !== 1 || pattern?.op !== 'value' || typeof pattern.args !== 'string') {
    throw new Unfit('The pattern of matches is not fixed.', 'Write it in quotes.');
  }
  const [message, fix = ''] = (patternFault(pattern.args) ?? '').split('\n');
  if (message) throw new Unfit(message, fix);
  return { kind: 'matches', of: readNode(of, reader), pattern: pattern.args };
}

function unknown(name: string): Unfit {
  const known = ['has', 'matches', ...celLoops, ...Object.keys(celFunctions)];
  return new Unfit(
    `Expressions have no ${JSON.stringify(name.slice(0, 60))} of this form.`,
    `Use one of: ${known.join(', ')}.`,
  );
}
