import { ComponentType } from 'discord.js';
import { z } from 'zod';
import type { FormField } from '../../engine/post.ts';
import { resolvedAttachments } from './attachments.ts';
import { readFieldId } from './field.ts';
import { formLimits } from './form-limits.ts';
import { optionOf, typedList } from './options.ts';

/**
 * What was filled in, as the texts that `FormField` describes. Every field that the modal shows has an entry, "" when
 * it was left empty. What is no modal of ours gives no entries; anything may be handed in, nothing throws.
 *
 * @param components `data.components` of the submission
 * @param resolved `data.resolved` of it: the files
 * @param fields those of the form as far as they are known: without them an option that Discord could not carry
 * (`isCarriedWhole`) stays what stood for it
 */
export function readValues(
  components: unknown,
  resolved: unknown,
  fields: readonly FormField[] = [],
): Readonly<Record<string, string>> {
  const shown = z.array(z.unknown()).safeParse(components).data ?? [];
  const entries = shown.flatMap(inputsOf).map((input) => {
    const { id, isMany } = readFieldId(input.custom_id);
    const field = fields.find((one) => one.id === id);
    return [id, textOf(input, resolved, isMany, field)] as const;
  });
  return Object.fromEntries(entries);
}

/** The texts that somebody typed into a modal, without the empty ones. Anything may be handed in, nothing throws. */
export function typedTexts(components: unknown): readonly string[] {
  const shown = z.array(z.unknown()).safeParse(components).data ?? [];
  return shown
    .flatMap(inputsOf)
    .flatMap(({ type, value }) => (type === ComponentType.TextInput && value?.trim() ? [value] : []));
}

const inputSchema = z.object({
  type: z.number(),
  custom_id: z.string(),
  value: z.string().nullish().catch(null),
  values: z.array(z.string()).nullish().catch(null),
});

type Input = z.infer<typeof inputSchema>;

/** A label holds one input; a row, as older modals had them, several. */
const holderSchema = z.union([
  z.object({ component: z.unknown() }).transform(({ component }) => [component]),
  z.object({ components: z.array(z.unknown()) }).transform(({ components }) => components),
]);

function inputsOf(holder: unknown): readonly Input[] {
  const held = holderSchema.safeParse(holder).data ?? [];
  return held.flatMap((input) => inputSchema.safeParse(input).data ?? []);
}

function textOf(input: Input, resolved: unknown, isMany: boolean, field: FormField | undefined): string {
  const values = input.values ?? [];
  switch (input.type) {
    case ComponentType.StringSelect:
      return isMany
        ? listText(values.map((value) => optionOf(value, field)))
        : optionOf(values[0] ?? '', field);
    case ComponentType.UserSelect:
    case ComponentType.ChannelSelect:
    case ComponentType.RoleSelect:
      return values[0] ?? '';
    case ComponentType.FileUpload:
      return listText(resolvedAttachments(values, resolved).slice(0, formLimits.files));
    case ComponentType.TextInput:
      return isMany ? typedList(input.value ?? '') : (input.value ?? '');
    case ComponentType.RadioGroup:
      return input.value ?? '';
    default:
      return '';
  }
}

function listText(list: readonly unknown[]): string {
  return list.length === 0 ? '' : JSON.stringify(list);
}
