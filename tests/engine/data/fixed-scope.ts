import { lookUp } from '../../../src/engine/data/path.ts';
import type { Scope } from '../../../src/engine/data/scope.ts';
import { parseTemplate, type Template } from '../../../src/engine/data/template.ts';
import type { JsonObject } from '../../../src/engine/json.ts';

/** A scope in which everything is already there: `{ draft: { text: '…', json: {} } }`. */
export function fixedScope(data: JsonObject): Scope {
  return { lookup: (path) => lookUp(data, path) };
}

/** A template that must parse. */
export function templateOf(source: string): Template {
  const parsed = parseTemplate(source);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.template;
}
