import type { InputElement } from './elements.ts';
import type { Wire } from './wire.ts';
import type { OpenView } from './workspace.ts';

/** What a person gives at the fields of a form, as text: see `FieldType`. */
export type Values = Readonly<Record<string, string>>;

/** Uploaded files as Slack shows them, by field. */
export type FieldWires = Readonly<Record<string, readonly Wire[]>>;

/** What Slack sends of a filled-in form, or what it tells the person before it sends anything. */
export type FilledIn =
  | { readonly kind: 'filled'; readonly values: Wire }
  | { readonly kind: 'incomplete'; readonly errors: Readonly<Record<string, string>> };

/**
 * Fills in a view. Throws for a field that the view has not, and for an option that isn't offered: a person can't
 * give them.
 *
 * @param files what was added, by field
 */
export function fillIn({ view }: OpenView, values: Values, files: FieldWires): FilledIn {
  const inputs = view.blocks.flatMap((block) => (block.type === 'input' ? [block] : []));
  const strangers = [...Object.keys(values), ...Object.keys(files)].filter(
    (id) => !inputs.some(({ block_id }) => block_id === id),
  );
  if (strangers.length > 0) throw new Error(`the form has no field ${strangers.join(', ')}`);
  const filled = inputs.map(({ block_id = '', element, optional }) => {
    const given = values[block_id];
    const added = files[block_id];
    const state = added
      ? withFiles(element, added)
      : given === undefined
        ? untouched(element)
        : stateOf(element, given);
    const isMissing = !optional && isEmpty(state);
    return {
      block_id,
      actionId: element.action_id ?? 'a',
      state: { type: element.type, ...state },
      isMissing,
    };
  });
  const missing = filled.filter(({ isMissing }) => isMissing);
  if (missing.length > 0) {
    const sentence = 'Please complete this required field.';
    return {
      kind: 'incomplete',
      errors: Object.fromEntries(missing.map(({ block_id }) => [block_id, sentence])),
    };
  }
  return {
    kind: 'filled',
    values: Object.fromEntries(
      filled.map(({ block_id, actionId, state }) => [block_id, { [actionId]: state }]),
    ),
  };
}

/** A form that isn't open: every value is a line of text. */
export function madeUpState(values: Values): Wire {
  return Object.fromEntries(
    Object.entries(values).map(([id, value]) => [id, { value: { type: 'plain_text_input', value } }]),
  );
}

function withFiles(element: InputElement, added: readonly Wire[]): Wire {
  if (element.type !== 'file_input') throw new Error(`${element.type} takes no files`);
  const { max_files = 10 } = element;
  if (added.length > max_files) throw new Error(`at most ${max_files} files can be added`);
  return { files: added };
}

function isEmpty(state: Wire): boolean {
  return Object.values(state).every(
    (value) => value === null || (Array.isArray(value) && value.length === 0),
  );
}

function stateOf(element: InputElement, given: string): Wire {
  switch (element.type) {
    case 'plain_text_input':
    case 'number_input':
    case 'email_text_input':
    case 'url_text_input':
      return { value: given === '' ? null : given };
    case 'static_select':
    case 'radio_buttons':
      return { selected_option: given === '' ? null : offered(element, given) };
    case 'multi_static_select':
      return { selected_options: listed(given).map((each) => offered(element, each)) };
    case 'checkboxes':
      return { selected_options: checked(element, given) };
    case 'datepicker':
      return { selected_date: given || null };
    case 'timepicker':
      return { selected_time: given || null };
    case 'datetimepicker':
      return { selected_date_time: given === '' ? null : Math.floor(Date.parse(given) / 1000) };
    case 'users_select':
      return { selected_user: given || null };
    case 'conversations_select':
      return { selected_conversation: given || null };
    case 'channels_select':
      return { selected_channel: given || null };
    case 'file_input':
      throw new Error('files are added, not typed');
  }
}

/** What an element gives that nobody touched. */
function untouched(element: InputElement): Wire {
  switch (element.type) {
    case 'plain_text_input':
    case 'number_input':
    case 'email_text_input':
    case 'url_text_input':
      return { value: element.initial_value || null };
    case 'static_select':
    case 'radio_buttons':
      return { selected_option: element.initial_option ?? null };
    case 'multi_static_select':
    case 'checkboxes':
      return { selected_options: element.initial_options ?? [] };
    case 'datepicker':
      return { selected_date: element.initial_date ?? null };
    case 'timepicker':
      return { selected_time: element.initial_time ?? null };
    case 'datetimepicker':
      return { selected_date_time: element.initial_date_time ?? null };
    case 'users_select':
      return { selected_user: element.initial_user ?? null };
    case 'conversations_select':
      return { selected_conversation: element.initial_conversation ?? null };
    case 'channels_select':
      return { selected_channel: element.initial_channel ?? null };
    case 'file_input':
      return { files: [] };
  }
}

interface Offering {
  readonly options?: readonly Offer[] | undefined;
  readonly option_groups?: readonly { readonly options: readonly Offer[] }[] | undefined;
}
interface Offer {
  readonly text: { readonly text: string };
  readonly value: string;
}

/** An option by its value or its words. */
function offered({ options, option_groups }: Offering, wanted: string): Offer {
  const all = [...(options ?? []), ...(option_groups ?? []).flatMap((group) => group.options)];
  const found = all.find(({ value }) => value === wanted) ?? all.find(({ text }) => text.text === wanted);
  if (found === undefined) throw new Error(`the form does not offer ${JSON.stringify(wanted)}`);
  return found;
}

/** Boxes that are ticked: a JSON list, or `true` and `false` for a single box. */
function checked(element: Offering, given: string): readonly Offer[] {
  if (given === 'false' || given === '') return [];
  if (given !== 'true') return listed(given).map((each) => offered(element, each));
  const single = element.options?.length === 1 ? element.options : undefined;
  return single ?? [offered(element, given)];
}

function listed(given: string): readonly string[] {
  if (given === '') return [];
  const read: unknown = JSON.parse(given);
  if (!Array.isArray(read)) throw new Error(`a list is wanted, not ${given}`);
  return read.map(String);
}
