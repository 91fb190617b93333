import { dataReferences, dataTemplateSchema, resolveData } from '../engine/data/data-template.ts';
import { collect, type Resolved, resolved, resolveText } from '../engine/data/resolve.ts';
import type { Scope } from '../engine/data/scope.ts';
import { type Template, templateReferences, templateSchema } from '../engine/data/template.ts';
import type { OutputTemplate } from '../engine/flow/plan.ts';
import { isPlainObject, type Json } from '../engine/json.ts';
import type { Reference } from '../engine/steps/step-type.ts';

/**
 * A text with placeholders, as it stands in a parsed config. The code of the step gets the text that comes of it.
 * @public types of plugins name it
 */
export class TextField {
  readonly template: Template;
  constructor(template: Template) {
    this.template = template;
  }
}

/**
 * Data with placeholders in its texts, as it stands in a parsed config. The code of the step gets the data.
 * @public types of plugins name it
 */
export class DataField {
  readonly template: OutputTemplate;
  constructor(template: OutputTemplate) {
    this.template = template;
  }
}

/** A config as the code of a step gets it: its fields are filled. */
export type Filled<C> = C extends TextField
  ? string
  : C extends DataField
    ? Json
    : C extends readonly (infer Item)[]
      ? readonly Filled<Item>[]
      : C extends object
        ? { readonly [K in keyof C]: Filled<C[K]> }
        : C;

/** A field that is a text with placeholders. @param maxLength most characters as written: 20,000 */
export function template(maxLength = 20_000) {
  return templateSchema(maxLength).transform((parsed) => new TextField(parsed));
}

/** A field that is any JSON with placeholders in its texts; a text that is just one keeps the type of its value. */
export function data() {
  return dataTemplateSchema.transform((parsed) => new DataField(parsed));
}

/** Where the fields of a config read data. */
export function fieldReferences(
  config: unknown,
  at: readonly (string | number)[] = [],
): readonly Reference[] {
  if (config instanceof TextField) return templateReferences(config.template, at);
  if (config instanceof DataField) return dataReferences(config.template, at);
  if (Array.isArray(config)) return config.flatMap((item, index) => fieldReferences(item, [...at, index]));
  if (typeof config !== 'object' || config === null) return [];
  return Object.entries(config).flatMap(([key, inner]) => fieldReferences(inner, [...at, key]));
}

/** A config with its fields filled, as JSON. Fails with `missing-value`, `output-too-large` or `plugin-config`. */
export function fill(config: unknown, scope: Scope): Resolved<Json> {
  if (config instanceof TextField) return resolveText(config.template, scope);
  if (config instanceof DataField) return resolveData(config.template, scope);
  if (config === null || typeof config === 'boolean' || typeof config === 'string') return resolved(config);
  if (typeof config === 'number' && Number.isFinite(config)) return resolved(config);
  if (Array.isArray(config)) return collect(config, (item: unknown) => fill(item, scope));
  if (!isPlainObject(config)) {
    const message = `The schema of this step type makes something that is no JSON (${typeof config}).`;
    return { ok: false, failure: { code: 'plugin-config', message, retry: 'never' } };
  }
  const present = Object.entries(config).filter(([, inner]) => inner !== undefined);
  const entries = collect(present, ([key, inner]): Resolved<readonly [string, Json]> => {
    const filled = fill(inner, scope);
    return filled.ok ? resolved([key, filled.value]) : filled;
  });
  return entries.ok ? resolved(Object.fromEntries(entries.value)) : entries;
}
