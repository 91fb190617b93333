import type { Fault } from '../fault.ts';
import { isJsonObject, type Json, type JsonObject } from '../json.ts';
import type { Path } from './issues.ts';

/** Triggers that the format has and this version does not run. */
const laterTriggers: ReadonlySet<Json | undefined> = new Set(['mcp']);

/** What a flow, as written, uses of the format that this version does not run yet. */
export function availabilityFaults(flow: JsonObject): readonly Fault[] {
  const triggers = Array.isArray(flow.triggers) ? flow.triggers : [];
  return [
    ...(flow.mcp === true ? [notAvailable(['mcp'], 'MCP is')] : []),
    ...triggers.flatMap((trigger: Json, index) =>
      isJsonObject(trigger) && laterTriggers.has(trigger.type)
        ? [notAvailable(['triggers', index, 'type'], `Triggers of type "${trigger.type}" are`)]
        : [],
    ),
  ];
}

function notAvailable(path: Path, what: string): Fault {
  return {
    severity: 'error',
    rule: 'not-available',
    path,
    message: `${what} not available yet in this version.`,
  };
}
