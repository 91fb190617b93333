import type { FormField } from '../../engine/post.ts';
import { shorten } from '../../render/markdown/index.ts';
import { distinctOptions } from './options.ts';

/** How a value has to be typed, in a few words or as an example; undefined when any text will do. */
export function expectation(field: FormField): string | undefined {
  switch (field.type) {
    case 'number':
      return `A number${bounds(field.min, field.max)}`;
    case 'integer':
      return `A whole number${bounds(wholeBound(field.min, Math.ceil), wholeBound(field.max, Math.floor))}`;
    case 'date':
      return '2026-11-30';
    case 'time':
      return '09:30';
    case 'datetime':
      return '2026-11-30T09:30:00Z';
    case 'multiselect':
      return 'Separated by commas';
    case 'text':
    case 'multiline':
    case 'boolean':
    case 'select':
    case 'user':
    case 'channel':
    case 'role':
    case 'files':
      return undefined;
  }
}

/** Options named in a sentence, and how much of each. */
const NAMED = 3;
const NAMED_CHARS = 16;

/** A sentence with some of the options that have to be typed; undefined when there are none. */
export function namedOptions(field: FormField): string | undefined {
  const options = distinctOptions(field);
  if (options.length === 0) return undefined;
  const named = options.slice(0, NAMED).map((option) => shorten(option, NAMED_CHARS));
  const how = field.type === 'multiselect' ? 'Some of' : 'One of';
  return `${how} ${options.length}: ${named.join(', ')}${options.length > NAMED ? ', …' : ''}`;
}

function bounds(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return `, ${min} or more`;
  return max === undefined ? '' : `, ${max} or less`;
}

function wholeBound(bound: number | undefined, round: (bound: number) => number): number | undefined {
  return bound === undefined ? undefined : round(bound);
}
