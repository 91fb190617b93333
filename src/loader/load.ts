import type { Fault } from '../engine/fault.ts';
import { compile } from '../engine/flow/compile.ts';
import { unwrap } from '../engine/flow/envelope.ts';
import type { Plan } from '../engine/flow/plan.ts';
import { isJsonObject, type Json, type JsonObject } from '../engine/json.ts';
import { bareLibrary, type Library } from '../engine/library.ts';
import { type DataFile, nameOfFile, readDataFile } from './data-file.ts';
import { byPosition, type LocatedFault, type Position } from './located-fault.ts';
import { versionOf } from './versions.ts';

/** A flow file, read and compiled. */
export interface LoadedFlow {
  /** What the flow is called, also when it is broken. */
  readonly id: string;
  /** The flow, unless one of the faults is an error. */
  readonly flow?: {
    readonly plan: Plan;
    /** The plain data it was compiled from, with its id and without envelope. */
    readonly definition: JsonObject;
    /** The hash of the definition alone. */
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
export function loadFlowFile(file: string, text: string, library: Library = bareLibrary): LoadedFlow {
  return loadFlow(readDataFile('Flow', file, text), library);
}

/**
 * Loads the flow of a file that was read.
 * @param broken names of schemas that are there but can't be used
 */
export function loadFlow(source: DataFile, library: Library, broken?: ReadonlySet<string>): LoadedFlow {
  const fallbackId = nameOfFile(source.file).replace(/\.flow\.(?:ya?ml|json|ts)$/, '');
  const { data } = source;
  if (data === undefined) return { id: fallbackId, faults: source.faults };
  const compiled = compile(data, fallbackId, library, broken);
  const faults = [...source.faults, ...compiled.faults.map(source.placed)].toSorted(byPosition);
  const { plan } = compiled;
  if (!plan) return { id: idOf(data, fallbackId), faults };
  const definition = ownContent(data, plan.id);
  const flow = { plan, definition, version: versionOf(definition), locate: source.locate };
  return { id: plan.id, flow, faults };
}

function idOf(data: Json, fallbackId: string): string {
  const { flow, name } = unwrap(data);
  const written = isJsonObject(flow) ? flow.id : undefined;
  return typeof written === 'string' ? written : (name ?? fallbackId);
}

function ownContent(data: Json, id: string): JsonObject {
  const { flow, description } = unwrap(data);
  return { ...(description === undefined ? {} : { description }), ...(isJsonObject(flow) ? flow : {}), id };
}
