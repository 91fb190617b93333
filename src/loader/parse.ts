import { LineCounter, parseDocument } from 'yaml';
import type { Fault } from '../engine/fault.ts';
import type { Json } from '../engine/json.ts';
import { byPosition, type Position } from './located-fault.ts';
import { readTree, type Tree } from './tree.ts';
import { type Complaint, explain } from './yaml-errors.ts';

/** Most bytes of a flow file: 1 MB. */
export const textMaxBytes = 1_000_000;

/** Lists and objects opened in each other 200 times over: the YAML parser takes seconds for such a text. */
const runawayNesting = /(?:[[{][^[\]{}]{0,40}){200}|(?:[-?] +){200}/;

/** A fault of the text itself; its path is empty. */
export type TextFault = Fault & Position;

/** A text, read. */
export interface ParsedText {
  /** Absent when the text could not be read as data. */
  readonly data?: Json;
  readonly faults: readonly TextFault[];
  /** Where a key or list item stands; where there is none, the nearest thing around it. */
  locate(path: Fault['path']): Position;
  /** A number, true, false or null as it is written in the file; undefined for everything else. */
  sourceOf(path: Fault['path']): string | undefined;
  /** The line that holds a place. */
  lineOf(path: Fault['path']): string;
}

/**
 * Reads YAML 1.2 or JSON (no comments or trailing commas in it) as plain data. `no`, `on` and `08:30` are text.
 * Duplicate keys, tabs, tags, several documents, runaway aliases and numbers that would lose digits are faults.
 */
export function parseText(text: string, format: 'yaml' | 'json'): ParsedText {
  const bytes = Buffer.byteLength(text);
  if (bytes > textMaxBytes) return unreadable([tooLarge(bytes)]);
  if (runawayNesting.test(text)) return unreadable([tooDeep()]);
  const notJson = format === 'json' ? jsonFault(text) : undefined;
  if (notJson) return unreadable([notJson]);

  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    // Checked by `readTree`, in linear time.
    uniqueKeys: false,
    stringKeys: true,
    intAsBigInt: true,
    prettyErrors: false,
    lineCounter: lines,
  });
  const positionAt = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const complaints = [...document.errors, ...document.warnings].map((error) =>
    textFault(explain(error, text), positionAt(error.pos[0])),
  );
  if (complaints.length > 0) return unreadable(onePerLine(complaints));

  const { tree, complaints: found } = readTree(document.contents);
  const faults = found.map(({ offset, ...complaint }) => textFault(complaint, positionAt(offset)));
  if (faults.length > 0) return unreadable(faults.toSorted(byPosition));
  const nodeAt = (path: Fault['path']) => deepest(tree, path);
  return {
    data: tree.data,
    faults: [],
    locate: (path) => positionAt(nodeAt(path).node.offset),
    sourceOf: (path) => (nodeAt(path).whole ? nodeAt(path).node.source : undefined),
    lineOf: (path) => text.split(/\r?\n/)[positionAt(nodeAt(path).node.offset).line - 1] ?? '',
  };
}

function unreadable(faults: readonly TextFault[]): ParsedText {
  return { faults, locate: () => ({ line: 1, column: 1 }), sourceOf: () => undefined, lineOf: () => '' };
}

function textFault(complaint: Complaint, position: Position): TextFault {
  return { severity: 'error', path: [], ...complaint, ...position };
}

function tooLarge(bytes: number): TextFault {
  const message = `The file has ${bytes.toLocaleString('en')} bytes; at most ${textMaxBytes.toLocaleString('en')} are read.`;
  return textFault(
    { rule: 'limit', message, fix: 'Move parts of it into flows of their own.' },
    { line: 1, column: 1 },
  );
}

function tooDeep(): TextFault {
  return textFault(
    { rule: 'too-deep', message: 'The file is nested too deep to be read.', fix: 'Use fewer levels.' },
    { line: 1, column: 1 },
  );
}

/** What is not JSON although YAML would take it. */
function jsonFault(text: string): TextFault | undefined {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''));
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    const offset = Number(/at position (\d+)/.exec(reason)?.[1] ?? text.length);
    const before = text.slice(0, offset).split('\n');
    const message = `The file is not JSON: ${reason.replace(/ in JSON at position.*$/s, '').replace(/\.$/, '')}.`;
    return textFault(
      { rule: 'syntax', message },
      { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 },
    );
  }
}

/** Errors that follow from an earlier one on the same line only confuse. */
function onePerLine(faults: readonly TextFault[]): readonly TextFault[] {
  const tooDeep = faults.find((fault) => fault.rule === 'too-deep');
  if (tooDeep) return [tooDeep];
  const lines = new Map<number, TextFault>();
  for (const fault of faults.toSorted(byPosition)) if (!lines.has(fault.line)) lines.set(fault.line, fault);
  return [...lines.values()];
}

function deepest(tree: Tree, path: Fault['path']): { readonly node: Tree; readonly whole: boolean } {
  let node = tree;
  for (const key of path) {
    const inner = node.children.get(String(key));
    if (!inner) return { node, whole: false };
    node = inner;
  }
  return { node, whole: true };
}
