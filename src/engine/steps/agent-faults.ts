import type { ReplyFormat } from '../agents/call.ts';
import { requiredOf, typesOf } from '../data/input-fields.ts';
import { errorAt, type Fault } from '../fault.ts';
import type { JsonObject } from '../json.ts';

/** What can't be where the agent says in its reply what comes next; paths are from the top of the step. */
export function choiceFaults(reply: ReplyFormat, writes: string | undefined): readonly Fault[] {
  if (reply.format === 'text') {
    if (writes === undefined) return [];
    const message = 'A text that comes with a pick can not match a schema.';
    return [errorAt('choice', ['writes'], message, 'Write reply: { format: json }.')];
  }
  if (!Object.hasOwn(reply.fields, 'choice')) return [];
  const message = '"choice" is where the agent says what it picked.';
  return [errorAt('choice', ['reply', 'fields', 'choice'], message, 'Give the field another name.')];
}

/** Why no reply could ever match the schema under `writes`; likewise. @param schemas by name */
export function replyFaults(
  reply: ReplyFormat,
  writes: string | undefined,
  schemas: ReadonlyMap<string, JsonObject>,
): readonly Fault[] {
  const schema = schemas.get(writes ?? '');
  if (!schema) return [];
  const [possible, words] =
    reply.format === 'json'
      ? [['object'], 'the reply is an object']
      : [['object', 'string'], 'a reply is text, or an object in it'];
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => possible.includes(type))) {
    const message = `No reply can match the schema ${writes}: ${words}.`;
    return [errorAt('writes', ['writes'], message, 'Name another schema.')];
  }
  const names = reply.format === 'json' ? Object.keys(reply.fields) : [];
  const missing = requiredOf(schema).filter((name) => !names.includes(name));
  if (names.length === 0 || missing.length === 0) return [];
  const message = `The schema ${writes} needs ${missing.join(', ')}, which the reply has no field for.`;
  return [errorAt('writes', ['writes'], message, 'Add it to the fields, or remove fields:.')];
}
