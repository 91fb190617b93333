import type { types } from '@slack/bolt';
import type { Place } from '../../engine/people.ts';
import type { Form, FormField } from '../../engine/post.ts';
import { shorten } from '../../render/markdown/index.ts';
import { plainText } from './buttons.ts';
import { fieldElement, type OptionValues } from './field.ts';
import { type FormMemory, memoryOf, withOptions, writeMemory } from './form-memory.ts';
import { limits } from './limits.ts';

/** A modal of a form. */
export type FormView = types.ModalView & { blocks: (types.InputBlock | types.RichTextBlock)[] };

/**
 * A form as a modal: `callback_id` is the form's id, each field a block with the field's id. It carries the place it
 * belongs to (`readPlace`). A form of more fields than Slack shows becomes a sentence that says so.
 */
export function renderForm(form: Form, place: Pick<Place, 'conversation' | 'thread'>): FormView {
  const frame = {
    type: 'modal',
    callback_id: form.id,
    title: plainText(form.title, limits.viewTitle, 'Form'),
    close: plainText('Cancel', limits.viewButton, 'Cancel'),
  } as const;
  if (form.fields.length > limits.viewBlocks) {
    const sentence =
      `This form has ${form.fields.length} fields, and Slack shows at most ${limits.viewBlocks}. ` +
      'Give the values as name=value after the command instead.';
    return { ...frame, private_metadata: writeMemory(memoryOf(place)), blocks: [sentenceBlock(sentence)] };
  }
  let memory = memoryOf(place);
  const blocks = form.fields.map((field) => {
    const remembered = needsMemory(field) ? withOptions(memory, field.id, distinct(field)) : memory;
    memory = remembered ?? memory;
    return inputBlock(field, optionsFor(field, remembered));
  });
  return {
    ...frame,
    submit: plainText(form.submitLabel, limits.viewButton, 'Send'),
    private_metadata: writeMemory(memory),
    blocks,
  };
}

/** Sentences for the fields of a form that stays open, as Slack takes them: none is blank. */
export function renderErrors(errors: Readonly<Record<string, string>>): Record<string, string> {
  const sentences = Object.entries(errors).map(([field, sentence]) => [
    field,
    shorten(sentence.trim() || 'This value is not right.', limits.inputHint),
  ]);
  return Object.fromEntries(sentences);
}

function optionsFor(field: FormField, remembered: FormMemory | undefined): OptionValues {
  if (!needsMemory(field)) return 'themselves';
  return remembered === undefined ? 'typed' : 'places';
}

function needsMemory(field: FormField): boolean {
  return distinct(field).some((option) => option.length > limits.optionValue || option.trim() === '');
}

function distinct({ options = [] }: FormField): string[] {
  return [...new Set(options)];
}

function inputBlock(field: FormField, values: OptionValues): types.InputBlock {
  const options = distinct(field);
  const hint = values === 'typed' ? typedHint(field, options) : field.hint;
  return {
    type: 'input',
    block_id: field.id,
    label: plainText(field.label, limits.inputLabel, field.id),
    element: fieldElement(field, options, values),
    optional: !field.required,
    ...(hint === undefined || hint.trim() === '' ? {} : { hint: plainText(hint, limits.inputHint, '…') }),
  };
}

/** Options named in a hint, and how much of each. */
const NAMED = 5;
const NAMED_CHARS = 200;

function typedHint({ type }: FormField, options: readonly string[]): string {
  const named = options.slice(0, NAMED).map((option) => JSON.stringify(shorten(option, NAMED_CHARS)));
  const more = options.length > NAMED ? `, and ${options.length - NAMED} more` : '';
  const how = type === 'multiselect' ? 'Write a list such as ["a", "b"] of these' : 'Write one of these';
  return `${how}: ${named.join(', ')}${more}`;
}

function sentenceBlock(sentence: string): types.RichTextBlock {
  return {
    type: 'rich_text',
    elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: sentence }] }],
  };
}
