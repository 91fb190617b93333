import { z } from 'zod';
import { ownId } from './objects.ts';

/** Rich text: the only block in which mentions are elements of their own. */

const style = z
  .strictObject({
    bold: z.boolean().optional(),
    italic: z.boolean().optional(),
    strike: z.boolean().optional(),
    code: z.boolean().optional(),
    underline: z.boolean().optional(),
  })
  .optional();
const border = z.union([z.literal(0), z.literal(1)]).optional();

const linkUrl = z
  .string()
  .min(1)
  .max(3000)
  .refine(
    (url) => URL.canParse(url) && !/^(javascript|data|vbscript|file):/i.test(url),
    'must be a valid URL that a client may open',
  );

const text = z.strictObject({ type: z.literal('text'), text: z.string().min(1), style });
const link = z.strictObject({
  type: z.literal('link'),
  url: linkUrl,
  text: z.string().min(1).optional(),
  unsafe: z.boolean().optional(),
  style,
});

const inline = z.discriminatedUnion('type', [
  text,
  link,
  z.strictObject({
    type: z.literal('emoji'),
    name: z.string().regex(/^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/),
    unicode: z.string().optional(),
    style,
  }),
  z.strictObject({ type: z.literal('user'), user_id: z.string().min(1), style }),
  z.strictObject({ type: z.literal('usergroup'), usergroup_id: z.string().min(1), style }),
  z.strictObject({ type: z.literal('channel'), channel_id: z.string().min(1), style }),
  z.strictObject({ type: z.literal('team'), team_id: z.string().min(1), style }),
  z.strictObject({ type: z.literal('broadcast'), range: z.enum(['here', 'channel', 'everyone']), style }),
  z.strictObject({ type: z.literal('color'), value: z.string().regex(/^#[0-9a-f]{6}$/i), style }),
  z.strictObject({
    type: z.literal('date'),
    timestamp: z.int().nonnegative(),
    format: z.string().regex(/\{[a-z_]+\}/),
    url: linkUrl.optional(),
    fallback: z.string().min(1).optional(),
    style,
  }),
]);

const section = z.strictObject({ type: z.literal('rich_text_section'), elements: z.array(inline) });

const part = z.discriminatedUnion('type', [
  section,
  z.strictObject({
    type: z.literal('rich_text_list'),
    style: z.enum(['bullet', 'ordered']),
    elements: z.array(section).min(1),
    indent: z.int().min(0).max(8).optional(),
    offset: z.int().min(0).optional(),
    border,
  }),
  z.strictObject({ type: z.literal('rich_text_quote'), elements: z.array(inline), border }),
  z.strictObject({
    type: z.literal('rich_text_preformatted'),
    elements: z.array(z.discriminatedUnion('type', [text, link])),
    border,
  }),
]);

export const richText = z.strictObject({
  type: z.literal('rich_text'),
  block_id: ownId,
  elements: z.array(part).min(1),
});

/** A word, link, mention or the like. */
export type RichInline = z.infer<typeof inline>;
/** A paragraph, list, quote or code. */
export type RichPart = z.infer<typeof part>;
/** A block of rich text. */
export type RichText = z.infer<typeof richText>;
