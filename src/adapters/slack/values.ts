import { z } from 'zod';
import type { Place } from '../../engine/people.ts';
import { attachmentsOf } from './attachments.ts';
import { FIELD_ACTION } from './field.ts';
import { type FormMemory, readMemory } from './form-memory.ts';
import { limits } from './limits.ts';

/**
 * What was filled in, as the texts that `FormField` describes. Every field that the form shows has an entry, "" when it
 * was left empty. What is no form of ours gives no entries; anything may be handed in, nothing throws.
 */
export function readValues(view: unknown): Readonly<Record<string, string>> {
  const read = viewSchema.safeParse(view).data;
  if (read === undefined) return {};
  const memory = readMemory(read.private_metadata);
  const shown = read.blocks.flatMap((block) => inputSchema.safeParse(block).data?.block_id ?? []);
  const fields = new Set([...shown, ...Object.keys(read.state.values)]);
  const entries = [...fields].map((field) => {
    const states = Object.hasOwn(read.state.values, field) ? read.state.values[field] : undefined;
    const state = stateSchema.safeParse(states?.[FIELD_ACTION]).data;
    return [field, state === undefined ? '' : textOf(state, optionsOf(memory, field))];
  });
  return Object.fromEntries(entries);
}

/** Where an open form belongs, from its `private_metadata`; undefined when that is none of ours. */
export function readPlace(privateMetadata: unknown): Pick<Place, 'conversation' | 'thread'> | undefined {
  const memory = readMemory(privateMetadata);
  if (memory === undefined) return undefined;
  return { conversation: memory.c, ...(memory.t === undefined ? {} : { thread: memory.t }) };
}

const viewSchema = z.object({
  private_metadata: z.unknown().optional(),
  blocks: z.array(z.unknown()).default([]).catch([]),
  state: z.object({ values: z.record(z.string(), z.record(z.string(), z.unknown())) }),
});

const inputSchema = z.object({ type: z.literal('input'), block_id: z.string() });

const optionSchema = z.object({ value: z.string() });

const stateSchema = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['plain_text_input', 'number_input']), value: z.string().nullish() }),
  z.object({ type: z.enum(['static_select', 'radio_buttons']), selected_option: optionSchema.nullish() }),
  z.object({ type: z.literal('multi_static_select'), selected_options: z.array(optionSchema).nullish() }),
  z.object({ type: z.literal('datepicker'), selected_date: z.string().nullish() }),
  z.object({ type: z.literal('timepicker'), selected_time: z.string().nullish() }),
  z.object({
    type: z.literal('datetimepicker'),
    selected_date_time: z.int().nonnegative().max(9_999_999_999).nullish(),
  }),
  z.object({ type: z.literal('users_select'), selected_user: z.string().nullish() }),
  z.object({ type: z.literal('conversations_select'), selected_conversation: z.string().nullish() }),
  z.object({ type: z.literal('file_input'), files: z.array(z.unknown()).nullish() }),
]);

type FieldState = z.infer<typeof stateSchema>;

function textOf(state: FieldState, options: readonly string[] | undefined): string {
  switch (state.type) {
    case 'plain_text_input':
    case 'number_input':
      return state.value ?? '';
    case 'static_select':
    case 'radio_buttons':
      return state.selected_option ? optionOf(state.selected_option.value, options) : '';
    case 'multi_static_select': {
      const chosen = state.selected_options ?? [];
      return chosen.length === 0 ? '' : JSON.stringify(chosen.map(({ value }) => optionOf(value, options)));
    }
    case 'datepicker':
      return state.selected_date ?? '';
    case 'timepicker':
      return state.selected_time ?? '';
    case 'datetimepicker': {
      const seconds = state.selected_date_time;
      return typeof seconds === 'number' ? new Date(seconds * 1000).toISOString().replace('.000Z', 'Z') : '';
    }
    case 'users_select':
      return state.selected_user ?? '';
    case 'conversations_select':
      return state.selected_conversation ?? '';
    case 'file_input': {
      const files = attachmentsOf(state.files ?? []).slice(0, limits.files);
      return files.length === 0 ? '' : JSON.stringify(files);
    }
  }
}

function optionsOf(memory: FormMemory | undefined, field: string): readonly string[] | undefined {
  return memory?.o !== undefined && Object.hasOwn(memory.o, field) ? memory.o[field] : undefined;
}

/** A chosen option: kept options come back as places in their list. */
function optionOf(value: string, options: readonly string[] | undefined): string {
  return options === undefined ? value : (options[Number(value)] ?? '');
}
