import { expect } from 'vitest';
import { z } from 'zod';

/** What Slack takes, written down again from its reference: what is not here is refused. */

const plainText = (max: number) =>
  z.strictObject({
    type: z.literal('plain_text'),
    text: z
      .string()
      .min(1)
      .max(max)
      .refine((text) => text.trim() !== '' && text.isWellFormed()),
    emoji: z.boolean().optional(),
  });

const style = z
  .strictObject({
    bold: z.literal(true).optional(),
    italic: z.literal(true).optional(),
    strike: z.literal(true).optional(),
    code: z.literal(true).optional(),
  })
  .refine((all) => Object.keys(all).length > 0);

const text = z.strictObject({
  type: z.literal('text'),
  text: z
    .string()
    .min(1)
    .refine((all) => all.isWellFormed()),
  style: style.optional(),
});
const link = z.strictObject({
  type: z.literal('link'),
  url: z
    .string()
    .max(3000)
    .refine((url) => URL.canParse(url)),
  text: z.string().min(1).optional(),
  style: style.optional(),
});
const words = z.array(z.discriminatedUnion('type', [text, link])).min(1);

const border = z.union([z.literal(0), z.literal(1)]).optional();
const section = z.strictObject({ type: z.literal('rich_text_section'), elements: words });
const richText = z.strictObject({
  type: z.literal('rich_text'),
  elements: z
    .array(
      z.discriminatedUnion('type', [
        section,
        z.strictObject({ type: z.literal('rich_text_quote'), elements: words, border }),
        z.strictObject({ type: z.literal('rich_text_preformatted'), elements: words, border }),
        z.strictObject({
          type: z.literal('rich_text_list'),
          style: z.enum(['bullet', 'ordered']),
          elements: z.array(section).min(1),
          indent: z.int().min(0).max(8).optional(),
          offset: z.int().min(1).optional(),
          border,
        }),
      ]),
    )
    .min(1),
});

const button = z.strictObject({
  type: z.literal('button'),
  action_id: z.string().min(1).max(255),
  value: z.string().min(1).max(2000),
  text: plainText(75),
  style: z.enum(['primary', 'danger']).optional(),
});
const actions = z
  .strictObject({ type: z.literal('actions'), elements: z.array(button).min(1).max(25) })
  .refine(({ elements }) => new Set(elements.map((one) => one.action_id)).size === elements.length)
  .refine(({ elements }) => elements.filter((one) => one.style === 'primary').length <= 1);

const header = z.strictObject({ type: z.literal('header'), text: plainText(150) });
const table = z
  .strictObject({
    type: z.literal('table'),
    rows: z.array(z.array(richText).min(1).max(20)).min(1).max(100),
    column_settings: z
      .array(z.strictObject({ align: z.enum(['left', 'center', 'right']) }))
      .max(20)
      .optional(),
  })
  .refine(({ rows }) => new Set(rows.map((row) => row.length)).size === 1);
const plainSection = z.strictObject({ type: z.literal('section'), text: plainText(3000) });
const divider = z.strictObject({ type: z.literal('divider') });

const message = z
  .array(z.discriminatedUnion('type', [richText, actions, header, table, plainSection, divider]))
  .min(1)
  .max(50)
  .refine((blocks) => blocks.filter(({ type }) => type === 'table').length <= 1, 'one table a message')
  .refine((blocks) => JSON.stringify(blocks).length <= 12_000, 'too many characters in all');

const part = z.strictObject({
  text: z
    .string()
    .min(1)
    .max(4000)
    .refine((all) => all.isWellFormed() && !/[<>]|&(?!(?:amp|lt|gt);)/.test(all), 'not escaped'),
  blocks: message,
  notify: z.array(z.string()),
  progress: z.literal(true).optional(),
});

/** Fails unless Slack takes the part, and nothing in its words mentions anybody. */
export function expectTaken(value: unknown): void {
  const { error } = part.safeParse(value);
  expect(error?.issues ?? []).toEqual([]);
}

const option = z.strictObject({ text: plainText(75), value: z.string().min(1).max(75) });
const list = z.array(option).min(1).max(100);
const groups = z.array(z.strictObject({ label: plainText(75), options: list })).max(100);
const action_id = z.literal('value');
const element = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z.literal('plain_text_input'),
      action_id,
      multiline: z.boolean(),
      min_length: z.int().min(0).max(3000).optional(),
      max_length: z.int().min(1).max(3000),
      initial_value: z.string().max(3000).optional(),
    })
    .refine(({ initial_value: all = '', max_length }) => all.length <= max_length),
  z.strictObject({
    type: z.literal('number_input'),
    action_id,
    is_decimal_allowed: z.boolean(),
    min_value: z
      .string()
      .regex(/^-?[\d.]+$/)
      .optional(),
    max_value: z
      .string()
      .regex(/^-?[\d.]+$/)
      .optional(),
    initial_value: z
      .string()
      .regex(/^-?[\d.]+$/)
      .optional(),
  }),
  z.strictObject({
    type: z.literal('radio_buttons'),
    action_id,
    options: z.array(option).max(10),
    initial_option: option.optional(),
  }),
  z
    .strictObject({
      type: z.literal('static_select'),
      action_id,
      options: list.optional(),
      option_groups: groups.optional(),
      initial_option: option.optional(),
    })
    .refine((one) => (one.options === undefined) !== (one.option_groups === undefined)),
  z
    .strictObject({
      type: z.literal('multi_static_select'),
      action_id,
      options: list.optional(),
      option_groups: groups.optional(),
      initial_options: z.array(option).min(1).optional(),
    })
    .refine((one) => (one.options === undefined) !== (one.option_groups === undefined)),
  z.strictObject({
    type: z.literal('datepicker'),
    action_id,
    initial_date: z
      .string()
      .regex(/^\d{4}-\d\d-\d\d$/)
      .optional(),
  }),
  z.strictObject({
    type: z.literal('timepicker'),
    action_id,
    initial_time: z
      .string()
      .regex(/^\d\d:\d\d$/)
      .optional(),
  }),
  z.strictObject({
    type: z.literal('datetimepicker'),
    action_id,
    initial_date_time: z.int().min(1_000_000_000).max(9_999_999_999).optional(),
  }),
  z.strictObject({ type: z.literal('users_select'), action_id, initial_user: z.string().optional() }),
  z.strictObject({
    type: z.literal('conversations_select'),
    action_id,
    filter: z.strictObject({ include: z.array(z.enum(['public', 'private'])).min(1) }),
    initial_conversation: z.string().optional(),
  }),
  z.strictObject({ type: z.literal('file_input'), action_id, max_files: z.int().min(1).max(10) }),
]);
const input = z.strictObject({
  type: z.literal('input'),
  block_id: z.string().min(1).max(255),
  label: plainText(2000),
  hint: plainText(2000).optional(),
  optional: z.boolean(),
  element,
});
const modal = z
  .strictObject({
    type: z.literal('modal'),
    callback_id: z.string().min(1).max(255),
    title: plainText(24),
    close: plainText(24),
    submit: plainText(24).optional(),
    private_metadata: z.string().max(3000),
    blocks: z
      .array(z.discriminatedUnion('type', [input, richText]))
      .min(1)
      .max(100),
  })
  .refine((view) => view.submit !== undefined || !view.blocks.some(({ type }) => type === 'input'));
const home = z.strictObject({
  type: z.literal('home'),
  blocks: z.array(z.discriminatedUnion('type', [richText, actions, header])).max(100),
});

/** Fails unless Slack takes the view. */
export function expectView(value: unknown): void {
  const { error } = z.discriminatedUnion('type', [modal, home]).safeParse(value);
  expect(error?.issues ?? []).toEqual([]);
}
