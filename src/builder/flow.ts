import { isPlainObject } from '../engine/json.ts';
import type { CheckData, CheckEdges, CheckSteps } from './check.ts';
import type { EdgeKeys, FlowKeys, StepKeys } from './written.ts';

/** A flow as plain data, the same as its file in YAML or JSON would hold. */
export interface FlowData {
  readonly [key: string]: Data;
}

type Data = null | boolean | number | string | readonly Data[] | FlowData;

/** A step as written: its `type` decides what else it has. */
export type StepWritten = StepKeys[keyof StepKeys];

/** A flow as written. */
export interface FlowWritten<Steps, Edges, Input, Output>
  extends Omit<FlowKeys, 'steps' | 'edges' | 'input' | 'output'> {
  readonly input?: Input;
  readonly steps: Steps & CheckSteps<Steps, Input>;
  readonly edges?: Edges & CheckEdges<Edges, Steps>;
  readonly output?: Output & CheckData<Output, Steps, Input>;
}

/**
 * A flow written in TypeScript. The compiler checks the keys of each step, ids and exits in edges, and placeholders as
 * far as what they name is declared; all else is checked when the flow is loaded, as with any file. Keys whose value
 * is undefined are left out.
 * @throws TypeError when something in it is no JSON
 */
export function flow<
  const Steps extends Readonly<Record<string, StepWritten>>,
  const Edges extends readonly (string | EdgeKeys)[] = readonly [],
  const Input extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>,
  const Output = undefined,
>(written: FlowWritten<Steps, Edges, Input, Output>): FlowData {
  return objectOf(written, 'flow');
}

function objectOf(value: object, at: string): FlowData {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([key, inner]) => [key, dataOf(inner, `${at}.${key}`)]),
  );
}

function dataOf(value: unknown, at: string): Data {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (Array.isArray(value)) return value.map((item: unknown, index) => dataOf(item, `${at}[${index}]`));
  if (isPlainObject(value)) return objectOf(value, at);
  throw new TypeError(
    `${at} is no JSON value (${typeof value}). Write text, a number, true, false, null, a list or an object.`,
  );
}
