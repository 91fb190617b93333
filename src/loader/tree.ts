import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import type { Json } from '../engine/json.ts';
import type { Complaint } from './yaml-errors.ts';

/** Data with the place of each of its parts. */
export interface Tree {
  readonly data: Json;
  /** Where it begins in the text: its key, or for list items the item itself. */
  readonly offset: number;
  /** A number, true, false or null as written. */
  readonly source?: string;
  /** By key or list position. */
  readonly children: ReadonlyMap<string, Tree>;
}

/** Something in the text that can't be data, with its place. */
export interface Found extends Complaint {
  readonly offset: number;
}

/** Most values in a file, what aliases stand for counted each time. */
const nodesMax = 50_000;
const depthMax = 100;

const plainTags: ReadonlySet<string> = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
);

/** Turns the nodes of a YAML text into plain data, and says what in them is no plain data. */
export function readTree(root: Node | null): { readonly tree: Tree; readonly complaints: readonly Found[] } {
  const complaints: Found[] = [];
  const anchors = new Map<string, Node>();
  let nodes = 0;
  const complain = (offset: number, rule: string, message: string, fix: string) => {
    complaints.push({ offset, rule, message, fix });
  };

  const read = (node: unknown, at: number, depth: number): Tree => {
    nodes += 1;
    const offset = at < 0 ? offsetOf(node) : at;
    if (nodes > nodesMax) {
      if (nodes === nodesMax + 1) {
        complain(
          offset,
          'limit',
          `The file holds more than ${nodesMax.toLocaleString('en')} values.`,
          'Use fewer aliases (*name).',
        );
      }
      return leaf(null, offset);
    }
    if (depth > depthMax) {
      complain(
        offset,
        'too-deep',
        `Values are nested more than ${depthMax} levels deep.`,
        'Use fewer levels.',
      );
      return leaf(null, offset);
    }
    if (isAlias(node)) {
      const target = anchors.get(node.source);
      if (target) return read(target, offset, depth + 1);
      complain(
        offset,
        'syntax',
        `There is no anchor &${node.source} before this alias.`,
        'Put the whole value in quotes.',
      );
      return leaf(null, offset);
    }
    if ((isMap(node) || isSeq(node) || isScalar(node)) && node.anchor !== undefined)
      anchors.set(node.anchor, node);
    if (
      (isMap(node) || isSeq(node) || isScalar(node)) &&
      node.tag !== undefined &&
      !plainTags.has(node.tag)
    ) {
      complain(offset, 'tag', 'Tags (!name) are not read.', 'Remove the tag.');
    }
    if (isMap(node)) return readMap(node, offset, depth);
    if (isSeq(node)) {
      const items = node.items.map((item) => read(item, -1, depth + 1));
      return {
        data: items.map((item) => item.data),
        offset,
        children: new Map(items.map((item, index) => [String(index), item])),
      };
    }
    return isScalar(node) ? readScalar(node.value, node.source, offset) : leaf(null, offset);
  };

  const readMap = (map: YAMLMap, offset: number, depth: number): Tree => {
    const children = new Map<string, Tree>();
    for (const pair of map.items) {
      const key = keyOf(pair);
      const keyOffset = offsetOf(pair.key);
      if (children.has(key))
        complain(
          keyOffset,
          'duplicate-key',
          `The key ${JSON.stringify(key)} stands twice in the same object.`,
          'Keep one of them.',
        );
      if (key === '<<') complain(keyOffset, 'syntax', 'Merge keys (<<) are not read.', 'Write the keys out.');
      children.set(key, read(pair.value, keyOffset, depth + 1));
    }
    const data = Object.fromEntries([...children].map(([key, child]) => [key, child.data]));
    return { data, offset, children };
  };

  const readScalar = (value: unknown, source: string | undefined, offset: number): Tree => {
    if (typeof value === 'string') return leaf(value, offset);
    if (value === null || typeof value === 'boolean') return leaf(value, offset, source);
    if (typeof value === 'bigint' && Number.isSafeInteger(Number(value)))
      return leaf(Number(value), offset, source);
    if (typeof value === 'number' && Number.isFinite(value)) return leaf(value, offset, source);
    // Anything else was made by a tag, about which there is a complaint already.
    if (typeof value !== 'number' && typeof value !== 'bigint') return leaf(null, offset);
    complain(
      offset,
      'number',
      `The number ${source ?? String(value)} can't be kept exactly.`,
      `Put it in quotes: "${source ?? String(value)}".`,
    );
    return leaf(null, offset);
  };

  return { tree: read(root, -1, 0), complaints };
}

function leaf(data: Json, offset: number, source?: string): Tree {
  return { data, offset, children: new Map(), ...(source === undefined ? {} : { source }) };
}

function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : '';
}

function offsetOf(node: unknown): number {
  const ranged = isMap(node) || isSeq(node) || isScalar(node) || isAlias(node) ? node.range : undefined;
  return ranged?.[0] ?? 0;
}
