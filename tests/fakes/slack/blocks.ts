import { z } from 'zod';
import { accessoryElement, actionElement, contextElement, inputElement } from './elements.ts';
import { imageSource, mrkdwn, oneSource, oneSourceRule, ownId, plainText, textObject } from './objects.ts';
import { richText } from './rich-text.ts';

/** The blocks that the stand-in knows; every other type is refused as unsupported. */

const unique = (elements: readonly { readonly action_id?: string | undefined }[]) => {
  const ids = elements.flatMap(({ action_id }) => action_id ?? []);
  return new Set(ids).size === ids.length;
};
const onePrimary = (elements: readonly { readonly style?: unknown; readonly type: string }[]) =>
  elements.filter(({ type, style }) => type === 'button' && style === 'primary').length <= 1;

const actions = z.strictObject({
  type: z.literal('actions'),
  block_id: ownId,
  elements: z
    .array(actionElement)
    .min(1)
    .max(25)
    .refine(unique, 'action_id must be unique within its block')
    .refine(onePrimary, 'only one button of a set may be primary'),
});
const context = z.strictObject({
  type: z.literal('context'),
  block_id: ownId,
  elements: z
    .array(z.union([contextElement, plainText(3000), mrkdwn(3000)]))
    .min(1)
    .max(10),
});
const divider = z.strictObject({ type: z.literal('divider'), block_id: ownId });
const header = z.strictObject({ type: z.literal('header'), block_id: ownId, text: plainText(150) });
const image = z
  .strictObject({
    type: z.literal('image'),
    block_id: ownId,
    alt_text: z.string().min(1).max(2000),
    title: plainText(2000).optional(),
    ...imageSource,
  })
  .refine(oneSource, oneSourceRule);
const input = z.strictObject({
  type: z.literal('input'),
  block_id: ownId,
  label: plainText(2000),
  hint: plainText(2000).optional(),
  optional: z.boolean().optional(),
  dispatch_action: z.boolean().optional(),
  element: inputElement,
});
const markdown = z.strictObject({
  type: z.literal('markdown'),
  block_id: ownId,
  text: z.string().min(1).max(12_000),
});
const section = z
  .strictObject({
    type: z.literal('section'),
    block_id: ownId,
    text: textObject(3000).optional(),
    fields: z.array(textObject(2000)).min(1).max(10).optional(),
    accessory: accessoryElement.optional(),
    expand: z.boolean().optional(),
  })
  .refine(({ text, fields }) => text !== undefined || fields !== undefined, 'must have text or fields');
const cell = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('raw_text'), text: z.string().min(1) }),
  z.strictObject({ type: z.literal('raw_number'), value: z.number(), text: z.string().min(1) }),
  richText,
]);
const table = z.strictObject({
  type: z.literal('table'),
  block_id: ownId,
  rows: z.array(z.array(cell).min(1).max(20)).min(1).max(100),
  column_settings: z
    .array(
      z
        .strictObject({
          align: z.enum(['left', 'center', 'right']).optional(),
          is_wrapped: z.boolean().optional(),
        })
        .nullable(),
    )
    .max(20)
    .optional(),
});

const everywhere = [actions, context, divider, header, image, input, richText, section] as const;

export const messageBlock = z.discriminatedUnion('type', [...everywhere, markdown, table]);
export const viewBlock = z.discriminatedUnion('type', [...everywhere]);

/** A checked block of a message or view. */
export type Block = z.infer<typeof messageBlock>;
/** A checked block of a view. */
export type ViewBlock = z.infer<typeof viewBlock>;
