import { z } from 'zod';
import {
  confirm,
  imageSource,
  oneSource,
  oneSourceRule,
  option,
  ownId,
  plainText,
  richOption,
  webUrl,
} from './objects.ts';

/** Buttons, menus and inputs. */

const placeholder = plainText(150).optional();
const focus = { focus_on_load: z.boolean().optional() };
const dispatch = {
  dispatch_action_config: z
    .strictObject({
      trigger_actions_on: z.array(z.enum(['on_enter_pressed', 'on_character_entered'])).min(1),
    })
    .optional(),
};
const most = { max_selected_items: z.int().min(1).optional() };
const date = z.iso.date();
const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);
const numeral = z.string().regex(/^-?\d+(\.\d+)?$/);

const button = z.strictObject({
  type: z.literal('button'),
  action_id: ownId,
  text: plainText(75),
  value: z.string().max(2000).optional(),
  url: webUrl.optional(),
  style: z.enum(['primary', 'danger']).optional(),
  confirm,
  accessibility_label: z.string().max(75).optional(),
});

const image = z
  .strictObject({ type: z.literal('image'), alt_text: z.string().min(1).max(2000), ...imageSource })
  .refine(oneSource, oneSourceRule);

type Options = {
  readonly options?: readonly unknown[] | undefined;
  readonly option_groups?: readonly { readonly options: readonly unknown[] }[] | undefined;
  readonly initial_option?: unknown;
  readonly initial_options?: readonly unknown[] | undefined;
};
/** What is chosen at first must be one of the options, word for word. */
function initialIsOffered({ options, option_groups, initial_option, initial_options }: Options): boolean {
  const offered = [...(options ?? []), ...(option_groups ?? []).flatMap((group) => group.options)].map(
    (each) => JSON.stringify(each),
  );
  const chosen = [...(initial_option === undefined ? [] : [initial_option]), ...(initial_options ?? [])];
  return chosen.every((each) => offered.includes(JSON.stringify(each)));
}
const initialRule = 'the initial option must match exactly one of the options';
const eitherOptions = ({ options, option_groups }: Options) =>
  (options === undefined) !== (option_groups === undefined);
const eitherRule = 'must have either options or option_groups';

const offered = {
  options: z.array(option).min(1).max(100).optional(),
  option_groups: z
    .array(z.strictObject({ label: plainText(75), options: z.array(option).min(1).max(100) }))
    .min(1)
    .max(100)
    .optional(),
};
const staticSelect = z
  .strictObject({
    type: z.literal('static_select'),
    action_id: ownId,
    ...offered,
    initial_option: option.optional(),
    placeholder,
    confirm,
    ...focus,
  })
  .refine(eitherOptions, eitherRule)
  .refine(initialIsOffered, initialRule);
const multiStaticSelect = z
  .strictObject({
    type: z.literal('multi_static_select'),
    action_id: ownId,
    ...offered,
    initial_options: z.array(option).min(1).optional(),
    placeholder,
    confirm,
    ...focus,
    ...most,
  })
  .refine(eitherOptions, eitherRule)
  .refine(initialIsOffered, initialRule);
const checkboxes = z
  .strictObject({
    type: z.literal('checkboxes'),
    action_id: ownId,
    options: z.array(richOption).min(1).max(10),
    initial_options: z.array(richOption).min(1).optional(),
    confirm,
    ...focus,
  })
  .refine(initialIsOffered, initialRule);
const radioButtons = z
  .strictObject({
    type: z.literal('radio_buttons'),
    action_id: ownId,
    options: z.array(richOption).min(1).max(10),
    initial_option: richOption.optional(),
    confirm,
    ...focus,
  })
  .refine(initialIsOffered, initialRule);
const overflow = z.strictObject({
  type: z.literal('overflow'),
  action_id: ownId,
  options: z
    .array(option.extend({ url: webUrl.optional() }))
    .min(1)
    .max(5),
  confirm,
});

const select = { action_id: ownId, placeholder, confirm, ...focus };
const usersSelect = z.strictObject({
  type: z.literal('users_select'),
  ...select,
  initial_user: z.string().optional(),
});
const conversationsSelect = z.strictObject({
  type: z.literal('conversations_select'),
  ...select,
  initial_conversation: z.string().optional(),
  default_to_current_conversation: z.boolean().optional(),
  response_url_enabled: z.boolean().optional(),
  filter: z
    .strictObject({
      include: z
        .array(z.enum(['im', 'mpim', 'private', 'public']))
        .min(1)
        .optional(),
      exclude_external_shared_channels: z.boolean().optional(),
      exclude_bot_users: z.boolean().optional(),
    })
    .refine((filter) => Object.keys(filter).length > 0, 'must have at least one key')
    .optional(),
});
const channelsSelect = z.strictObject({
  type: z.literal('channels_select'),
  ...select,
  initial_channel: z.string().optional(),
  response_url_enabled: z.boolean().optional(),
});
const datepicker = z.strictObject({
  type: z.literal('datepicker'),
  ...select,
  initial_date: date.optional(),
});
const timepicker = z.strictObject({
  type: z.literal('timepicker'),
  ...select,
  initial_time: time.optional(),
  timezone: z.string().optional(),
});
const datetimepicker = z.strictObject({
  type: z.literal('datetimepicker'),
  action_id: ownId,
  initial_date_time: z.int().min(1_000_000_000).max(9_999_999_999).optional(),
  confirm,
  ...focus,
});

const input = { action_id: ownId, placeholder, ...focus, ...dispatch };
const plainTextInput = z
  .strictObject({
    type: z.literal('plain_text_input'),
    ...input,
    initial_value: z.string().max(3000).optional(),
    multiline: z.boolean().optional(),
    min_length: z.int().min(0).max(3000).optional(),
    max_length: z.int().min(1).max(3000).optional(),
  })
  .refine(
    ({ min_length = 0, max_length = 3000 }) => min_length <= max_length,
    'min_length must not be greater than max_length',
  );
const numberInput = z
  .strictObject({
    type: z.literal('number_input'),
    ...input,
    is_decimal_allowed: z.boolean(),
    initial_value: numeral.optional(),
    min_value: numeral.optional(),
    max_value: numeral.optional(),
  })
  .refine(
    ({ min_value, max_value, initial_value }) =>
      Number(min_value ?? -Infinity) <= Number(initial_value ?? min_value ?? -Infinity) &&
      Number(initial_value ?? max_value ?? Infinity) <= Number(max_value ?? Infinity) &&
      Number(min_value ?? -Infinity) <= Number(max_value ?? Infinity),
    'min_value, initial_value and max_value must be in order',
  );
const emailInput = z.strictObject({
  type: z.literal('email_text_input'),
  ...input,
  initial_value: z.string().optional(),
});
const urlInput = z.strictObject({
  type: z.literal('url_text_input'),
  ...input,
  initial_value: z.string().optional(),
});
const fileInput = z.strictObject({
  type: z.literal('file_input'),
  action_id: ownId,
  filetypes: z.array(z.string()).optional(),
  max_files: z.int().min(1).max(10).optional(),
});

const pickers = [
  staticSelect,
  multiStaticSelect,
  checkboxes,
  radioButtons,
  usersSelect,
  conversationsSelect,
  channelsSelect,
  datepicker,
  timepicker,
  datetimepicker,
] as const;

export const contextElement = image;
export const actionElement = z.discriminatedUnion('type', [button, overflow, ...pickers]);
export const accessoryElement = z.discriminatedUnion('type', [button, image, overflow, ...pickers]);
export const inputElement = z.discriminatedUnion('type', [
  plainTextInput,
  numberInput,
  emailInput,
  urlInput,
  fileInput,
  ...pickers,
]);

/** What an `input` block holds. */
export type InputElement = z.infer<typeof inputElement>;
