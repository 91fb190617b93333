import type { Fault } from '../engine/fault.ts';
import { envelopeKeys, type FileKind, isEnvelope, kindFault } from '../engine/flow/envelope.ts';
import { place } from '../engine/flow/issues.ts';
import type { Json } from '../engine/json.ts';
import type { LocatedFault, Position } from './located-fault.ts';
import { type ParsedText, parseText } from './parse.ts';

/** A file, read as plain data, with the place of each of its parts. */
export interface DataFile {
  /** As people know it: `flows/release.flow.yaml`. */
  readonly file: string;
  /** Absent = it can't be used: there are faults. */
  readonly data?: Json;
  readonly faults: readonly LocatedFault[];
  /** Where a part stands; paths begin inside the envelope, if there is one. */
  locate(path: Fault['path']): Position;
  /** A fault with its place in the file. */
  placed(fault: Fault): LocatedFault;
}

/** Reads the text of a file of one kind. */
export function readDataFile(kind: FileKind, file: string, text: string): DataFile {
  const parsed = parseText(text, file.endsWith('.json') ? 'json' : 'yaml');
  const { data } = parsed;
  const read = {
    file,
    locate: (path: Fault['path']) => parsed.locate(pathInFile(path, data)),
    placed: (fault: Fault) => placedInText(fault, file, parsed),
  };
  if (data === undefined) return { ...read, faults: parsed.faults.map((fault) => ({ ...fault, file })) };
  const misplaced = kindFault(kind, data);
  return misplaced ? { ...read, faults: [read.placed(misplaced)] } : { ...read, data, faults: [] };
}

/** Data that stands in no text: its faults are at the top of the file, and name the place in words. */
export function dataFileOf(file: string, data: Json): DataFile {
  const top: Position = { line: 1, column: 1 };
  return {
    file,
    data,
    faults: [],
    locate: () => top,
    placed: (fault) => ({ ...fault, message: withPlace(fault), ...top, file }),
  };
}

/** The name of a file without its folder. */
export function nameOfFile(file: string): string {
  return file.replace(/^.*[/\\]/, '');
}

function withPlace({ path, message }: Fault): string {
  const isPlaced = path.some((_, index) => message.includes(place(path.slice(0, index + 1))));
  return path.length === 0 || isPlaced ? message : `${place(path)}: ${message}`;
}

function placedInText(fault: Fault, file: string, parsed: ParsedText): LocatedFault {
  const path = pathInFile(fault.path, parsed.data);
  const fix = fault.rule === 'type' ? fixFromSource(fault, path, parsed) : undefined;
  return { ...fault, ...(fix === undefined ? {} : { fix }), ...parsed.locate(path), file };
}

function pathInFile(path: Fault['path'], data: Json | undefined): Fault['path'] {
  const [first] = path;
  const isOutside = typeof first === 'string' && envelopeKeys.has(first);
  return data === undefined || !isEnvelope(data) || isOutside ? path : ['spec', ...path];
}

/** What only the text shows: digits that a number has lost, and a `#` that made a comment of the value. */
function fixFromSource(fault: Fault, path: Fault['path'], parsed: ParsedText): string | undefined {
  const source = parsed.sourceOf(path);
  if (source === undefined) return undefined;
  if (source !== '') return fault.fix === 'Put it in quotes.' ? `Put it in quotes: "${source}".` : undefined;
  return /:\s+#/.test(parsed.lineOf(path))
    ? 'What follows # is a comment; put the value in quotes.'
    : undefined;
}
