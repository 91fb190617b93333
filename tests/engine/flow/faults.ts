import type { Fault } from '../../../src/engine/fault.ts';
import { compile } from '../../../src/engine/flow/compile.ts';
import type { Plan } from '../../../src/engine/flow/plan.ts';
import type { Json, JsonObject } from '../../../src/engine/json.ts';

/** Steps as a flow file has them, for flows that only need something to be there. */
export const post: JsonObject = { type: 'message', to: 'slack:#news', text: 'Hello' };
export const get: JsonObject = { type: 'http', url: 'https://api.example.com/' };
export const ask: JsonObject = { type: 'approval' };
export const join: JsonObject = { type: 'join' };
export const text = (of: string): JsonObject => ({ type: 'template', text: of });
export const check: JsonObject = { type: 'condition', all: [{ step: 'start', path: 'text', is: 'yes' }] };
export const back = (from: string, to: string, more: JsonObject = {}): JsonObject => ({
  from,
  to,
  sendBack: true,
  ...more,
});

/** A fault as people read it: `rule at its.place: message fix`, a warning with its name in front. */
export function read({ severity, rule, path, message, fix }: Fault): string {
  const mark = severity === 'warning' ? 'warning ' : '';
  return `${mark}${rule} at ${path.join('.')}: ${message}${fix === undefined ? '' : ` ${fix}`}`;
}

/** What is wrong with a flow. */
export function faultsOf(flow: Json): readonly string[] {
  return compile(flow, 'flow').faults.map(read);
}

/** The plan of a flow that must be sound; it may have warnings. */
export function planOf(flow: JsonObject, fallbackId = 'flow'): Plan {
  const { plan, faults } = compile(flow, fallbackId);
  if (!plan) throw new Error(faults.map(read).join('\n'));
  return plan;
}
