import type { Fault } from '../engine/fault.ts';
import { compile } from '../engine/flow/compile.ts';
import { envelopeKeys, isEnvelope, unwrap } from '../engine/flow/envelope.ts';
import type { Plan } from '../engine/flow/plan.ts';
import { isJsonObject, type Json, type JsonObject } from '../engine/json.ts';
import { byPosition, type LocatedFault, type Position } from './located-fault.ts';
import { type ParsedText, parseText } from './parse.ts';
import { versionOf } from './versions.ts';

/** A flow file, read and compiled. */
export interface LoadedFlow {
  /** The flow, unless one of the faults is an error. */
  readonly flow?: {
    readonly plan: Plan;
    /** The plain data it was compiled from, with its id and without envelope: what a run is pinned to. */
    readonly definition: JsonObject;
    readonly version: string;
    /** Where a part of the flow stands in the file. */
    readonly locate: (path: Fault['path']) => Position;
  };
  /** Errors and warnings as they stand in the file. */
  readonly faults: readonly LocatedFault[];
}

/**
 * Loads one flow.
 * @param file the file's path as people know it; its name gives the id of a flow that has none
 */
export function loadFlowFile(file: string, text: string): LoadedFlow {
  const name = file.replace(/^.*[/\\]/, '');
  if (name.endsWith('.flow.ts')) return { faults: [moduleFault(file)] };
  const parsed = parseText(text, name.endsWith('.json') ? 'json' : 'yaml');
  if (parsed.data === undefined) return { faults: parsed.faults.map((fault) => ({ ...fault, file })) };

  const fallbackId = name.replace(/\.flow\.(?:ya?ml|json)$/, '');
  const compiled = compile(parsed.data, fallbackId);
  const faults = compiled.faults.map((fault) => locate(fault, file, parsed)).toSorted(byPosition);
  const { plan } = compiled;
  if (!plan) return { faults };
  const definition = ownContent(parsed.data, plan.id);
  const locateInFile = (path: Fault['path']): Position => parsed.locate(pathInFile(path, parsed.data));
  return { flow: { plan, definition, version: versionOf(definition), locate: locateInFile }, faults };
}

function moduleFault(file: string): LocatedFault {
  const message = 'Flows written as modules are not available yet in this version.';
  return {
    severity: 'error',
    rule: 'not-available',
    path: [],
    message,
    fix: 'Write a .flow.yaml or .flow.json file.',
    file,
    line: 1,
    column: 1,
  };
}

function ownContent(data: Json, id: string): JsonObject {
  const { flow, description } = unwrap(data);
  return { ...(description === undefined ? {} : { description }), ...(isJsonObject(flow) ? flow : {}), id };
}

function locate(fault: Fault, file: string, parsed: ParsedText): LocatedFault {
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
