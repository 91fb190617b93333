import { z } from 'zod';
import type { Place } from '../../engine/people.ts';
import { limits } from './limits.ts';

/** What an open form carries in `private_metadata`, as JSON. */
const memorySchema = z.object({
  /** The conversation it belongs to, and the thread in it. */
  c: z.string().min(1),
  t: z.string().min(1).exactOptional(),
  /** By field: options that Slack cannot carry as values; their values are places in the list. */
  o: z.record(z.string(), z.array(z.string())).exactOptional(),
});

/** What an open form carries. */
export type FormMemory = z.infer<typeof memorySchema>;

/** The memory of a form of this conversation, still without options. */
export function memoryOf({ conversation, thread }: Pick<Place, 'conversation' | 'thread'>): FormMemory {
  return { c: conversation, ...(thread === undefined ? {} : { t: thread }) };
}

/** The memory with the options of one more field; undefined when there is no room for them. */
export function withOptions(
  memory: FormMemory,
  field: string,
  options: readonly string[],
): FormMemory | undefined {
  const larger: FormMemory = { ...memory, o: { ...memory.o, [field]: [...options] } };
  return writeMemory(larger).length <= limits.privateMetadata ? larger : undefined;
}

/** Memory as text. */
export function writeMemory(memory: FormMemory): string {
  return JSON.stringify(memory);
}

/** Memory read back; undefined when the text is none of ours. */
export function readMemory(privateMetadata: unknown): FormMemory | undefined {
  if (typeof privateMetadata !== 'string') return undefined;
  try {
    return memorySchema.safeParse(JSON.parse(privateMetadata)).data;
  } catch {
    return undefined;
  }
}
