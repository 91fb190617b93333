import type { FuncKeywordDefinition } from 'ajv';
import { isJsonObject, type Json } from '../json.ts';

/** The keyword `uniqueItems` in time that grows with the list only: that of Ajv compares each item with all others. */
export const uniqueItems: FuncKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  error: { message: 'must NOT have duplicate items' },
  validate: (isAsked: boolean, list: readonly Json[]) =>
    !isAsked || new Set(list.map(keyOf)).size === list.length,
};

/** The same text for all data that is equal, in whatever order its fields are. */
function keyOf(data: Json): string {
  if (Array.isArray(data)) return `[${data.map(keyOf).join()}]`;
  if (!isJsonObject(data)) return JSON.stringify(data);
  const entries = Object.keys(data)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${keyOf(data[key] ?? null)}`);
  return `{${entries.join()}}`;
}
