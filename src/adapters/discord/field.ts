import {
  type APIComponentInLabel,
  type APIStringSelectComponent,
  type APITextInputComponent,
  ComponentType,
  SelectMenuDefaultValueType,
  TextInputStyle,
} from 'discord.js';
import { z } from 'zod';
import type { FormField } from '../../engine/post.ts';
import { shorten } from '../../render/markdown/index.ts';
import { snowflakePattern } from './addresses.ts';
import { expectation, namedOptions } from './expectation.ts';
import { formLimits } from './form-limits.ts';
import { carriedOptions, distinctOptions } from './options.ts';
import { distinctLabels, visible } from './plain-text.ts';

/**
 * The `custom_id` of a field's component. It says whether many values can be chosen, because what comes back from one
 * choice and from many looks the same, and the form may be forgotten by then.
 */
function fieldCustomId({ id, type }: Pick<FormField, 'id' | 'type'>): string {
  return type === 'multiselect' ? `${id}[]` : id;
}

/** The field of a component. */
export function readFieldId(customId: string): { readonly id: string; readonly isMany: boolean } {
  const isMany = customId.endsWith('[]');
  return { id: isMany ? customId.slice(0, -2) : customId, isMany };
}

/** Whether a field's options are shown to be chosen from: more of them than a list holds are typed. */
function isChosen(field: FormField): boolean {
  const count = distinctOptions(field).length;
  return isSelect(field) && count > 0 && count <= formLimits.options;
}

function isSelect({ type }: FormField): boolean {
  return type === 'select' || type === 'multiselect';
}

/**
 * The component that takes a field's value. A beginning that Discord would refuse, such as a person who is none, is
 * left out: it would refuse the whole form.
 */
export function fieldComponent(field: FormField): APIComponentInLabel {
  const { initial = '', required } = field;
  const custom_id = fieldCustomId(field);
  const chosen = { custom_id, required, min_values: required ? 1 : 0 };
  switch (field.type) {
    case 'multiline':
      return textInput(field, true);
    case 'text':
    case 'number':
    case 'integer':
    case 'date':
    case 'time':
    case 'datetime':
      return textInput(field, false);
    case 'boolean':
      return {
        type: ComponentType.RadioGroup,
        custom_id,
        required,
        options: [
          { label: 'Yes', value: 'true', ...(initial === 'true' && { default: true }) },
          { label: 'No', value: 'false', ...(initial === 'false' && { default: true }) },
        ],
      };
    case 'select':
      return isChosen(field)
        ? { ...chosen, ...stringSelect(field, new Set([initial])), max_values: 1 }
        : textInput(field, false);
    case 'multiselect':
      return isChosen(field)
        ? { ...chosen, ...stringSelect(field, readList(initial)), max_values: distinctOptions(field).length }
        : textInput(field, true);
    case 'user':
      return {
        ...chosen,
        type: ComponentType.UserSelect,
        max_values: 1,
        ...(snowflakePattern.test(initial) && {
          default_values: [{ id: initial, type: SelectMenuDefaultValueType.User }],
        }),
      };
    case 'channel':
      return {
        ...chosen,
        type: ComponentType.ChannelSelect,
        max_values: 1,
        ...(snowflakePattern.test(initial) && {
          default_values: [{ id: initial, type: SelectMenuDefaultValueType.Channel }],
        }),
      };
    case 'role':
      return {
        ...chosen,
        type: ComponentType.RoleSelect,
        max_values: 1,
        ...(snowflakePattern.test(initial) && {
          default_values: [{ id: initial, type: SelectMenuDefaultValueType.Role }],
        }),
      };
    case 'files':
      return { ...chosen, type: ComponentType.FileUpload, max_values: formLimits.files };
  }
}

/** What stands under a field's label: its hint, some of the options that have to be typed, and what can't be begun with. */
export function fieldDescription(field: FormField): string | undefined {
  const isTyped = isSelect(field) && !isChosen(field);
  const isLost = field.type === 'files' && (field.initial ?? '') !== '';
  const said = [
    isTyped ? namedOptions(field) : undefined,
    isLost ? 'Add the files again' : undefined,
    visible(field.hint),
  ];
  const text = said.filter((one) => one !== undefined).join('. ');
  return text === '' ? undefined : shorten(text, formLimits.description);
}

function textInput(field: FormField, isLong: boolean): APITextInputComponent {
  const { minLength = 0, maxLength = formLimits.inputText, initial = '', required } = field;
  const longest = Math.min(Math.max(maxLength, 1), formLimits.inputText);
  // What may be left empty is held to its least length when it is sent.
  const shortest = required ? Math.min(minLength, longest) : 0;
  const begun = shorten(initial, longest);
  const placeholder = expectation(field);
  return {
    type: ComponentType.TextInput,
    custom_id: fieldCustomId(field),
    // A short input has no lines: it would join those of the text that it begins with.
    style: isLong || /[\r\n]/.test(begun) ? TextInputStyle.Paragraph : TextInputStyle.Short,
    required,
    max_length: longest,
    ...(shortest > 0 && { min_length: shortest }),
    ...(begun !== '' && begun.length >= shortest && { value: begun }),
    ...(placeholder !== undefined && { placeholder: shorten(placeholder, formLimits.placeholder) }),
  };
}

function stringSelect(
  field: FormField,
  begun: ReadonlySet<unknown>,
): Pick<APIStringSelectComponent, 'type' | 'options'> {
  const carried = carriedOptions(field);
  const labels = distinctLabels(distinctOptions(field), formLimits.optionText);
  return {
    type: ComponentType.StringSelect,
    options: carried.map(({ option, value }, index) => ({
      label: labels[index] ?? value,
      value,
      ...(begun.has(option) && { default: true }),
    })),
  };
}

function readList(text: string): ReadonlySet<unknown> {
  try {
    return new Set(z.array(z.unknown()).safeParse(JSON.parse(text)).data);
  } catch {
    return new Set();
  }
}
