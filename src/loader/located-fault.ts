import type { Fault } from '../engine/fault.ts';

/** A place in a text, counted from 1 as editors do; columns are UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A fault with its place in a file. */
export interface LocatedFault extends Fault, Position {
  /** The file as the person who starts Flowbot names it. */
  readonly file: string;
}

/** A fault on one line: `flows/release.flow.yaml:12:5 error unknown-key: … Did you mean "steps"?` */
export function formatFault(fault: LocatedFault): string {
  const { file, line, column, severity, rule, message, fix } = fault;
  return `${file}:${line}:${column} ${severity} ${rule}: ${message}${fix === undefined ? '' : ` ${fix}`}`;
}

/** Orders faults as they stand in their file. */
export function byPosition(a: Position, b: Position): number {
  return a.line - b.line || a.column - b.column;
}
