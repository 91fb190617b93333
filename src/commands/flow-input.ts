import { formFields, writePair } from '../engine/data/input.ts';
import { readPairs } from '../engine/data/pairs.ts';
import type { FormField } from '../engine/post.ts';
import type { Completion } from '../ports/chat.ts';
import type { LoadedFlow } from '../runner/catalog.ts';
import { after, matching } from './completing.ts';

/**
 * How an input that is being typed as `key=value` pairs can go on: fields that are not given yet, with each of their
 * values where those are few.
 * @param typed what followed the flow so far
 */
export function completeInput({ plan }: LoadedFlow, typed: string, platform: string): readonly Completion[] {
  if (!plan.input) return [];
  const last = typed.search(/\S*$/u);
  const before = typed.slice(0, last);
  const { pairs, problems } = readPairs(before);
  // A value in quotes that is not closed yet, or a text that is none of pairs.
  if (problems.length > 0) return [];
  const given = new Set(pairs.map(({ key }) => key.toLowerCase()));
  const open = formFields(plan.input, {}, platform).filter(({ id }) => !given.has(id.toLowerCase()));
  return after(before, matching(typed.slice(last), open.flatMap(fieldCompletions)));
}

function fieldCompletions({ id, label, type, options }: FormField): readonly Completion[] {
  const values = type === 'select' ? (options ?? []) : type === 'boolean' ? ['true', 'false'] : undefined;
  const pairs = values ? values.map((value) => writePair({ key: id, value })) : [`${id}=`];
  return pairs.map((typed) => ({ typed, shown: label === id ? typed : `${typed} · ${label}` }));
}
