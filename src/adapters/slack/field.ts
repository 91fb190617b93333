import type { types } from '@slack/bolt';
import { z } from 'zod';
import type { FormField } from '../../engine/post.ts';
import { shorten } from '../../render/markdown/index.ts';
import { plainText } from './buttons.ts';
import { limits } from './limits.ts';

/** The `action_id` of the element of every field: fields are told apart by their block. */
export const FIELD_ACTION = 'value';

/** How the options of a field come back: as themselves, as their places in a list kept in the form, or typed. */
export type OptionValues = 'themselves' | 'places' | 'typed';

/**
 * The element that takes a field's value. A beginning that Slack would refuse, such as a date that is none, is left
 * out: it would refuse the whole form.
 */
export function fieldElement(
  field: FormField,
  options: readonly string[],
  values: OptionValues,
): types.InputBlockElement {
  const { initial = '' } = field;
  const action_id = FIELD_ACTION;
  switch (field.type) {
    // Slack lets nobody choose a role; a form has such a field only for another platform.
    case 'role':
    case 'text':
      return textInput(field, false);
    case 'multiline':
      return textInput(field, true);
    case 'number':
    case 'integer':
      return numberInput(field);
    case 'boolean': {
      const choices = [choice('Yes', 'true'), choice('No', 'false')];
      const chosen = choices.find(({ value }) => value === initial);
      return {
        type: 'radio_buttons',
        action_id,
        options: choices,
        ...(chosen ? { initial_option: chosen } : {}),
      };
    }
    case 'select': {
      if (values === 'typed' || options.length === 0) return textInput(field, true);
      const choices = choicesOf(options, values);
      const chosen = choices[options.indexOf(initial)];
      return {
        type: 'static_select',
        action_id,
        ...grouped(choices),
        ...(chosen ? { initial_option: chosen } : {}),
      };
    }
    case 'multiselect': {
      if (values === 'typed' || options.length === 0) return textInput(field, true);
      const choices = choicesOf(options, values);
      const known = readList(initial);
      const chosen = choices.filter((_, index) => known.has(options[index]));
      return {
        type: 'multi_static_select',
        action_id,
        ...grouped(choices),
        ...(chosen.length > 0 ? { initial_options: chosen } : {}),
      };
    }
    case 'date':
      return { type: 'datepicker', action_id, ...(isDate(initial) ? { initial_date: initial } : {}) };
    case 'time':
      return { type: 'timepicker', action_id, ...(isTime(initial) ? { initial_time: initial } : {}) };
    case 'datetime': {
      const seconds = Math.floor(Date.parse(initial) / 1000);
      // Slack wants exactly ten digits.
      const isKnown = seconds >= 1e9 && seconds < 1e10;
      return { type: 'datetimepicker', action_id, ...(isKnown ? { initial_date_time: seconds } : {}) };
    }
    case 'user':
      return {
        type: 'users_select',
        action_id,
        ...(/^[UW][A-Z0-9]{2,}$/.test(initial) ? { initial_user: initial } : {}),
      };
    case 'channel':
      return {
        type: 'conversations_select',
        action_id,
        filter: { include: ['public', 'private'] },
        ...(/^[CG][A-Z0-9]{2,}$/.test(initial) ? { initial_conversation: initial } : {}),
      };
    case 'files':
      return { type: 'file_input', action_id, max_files: limits.files };
  }
}

function textInput(field: FormField, multiline: boolean): types.PlainTextInput {
  const { minLength = 0, maxLength = limits.inputText, initial = '' } = field;
  const longest = Math.min(Math.max(maxLength, 1), limits.inputText);
  const shortest = Math.min(minLength, longest);
  const begun = shorten(initial, longest);
  return {
    type: 'plain_text_input',
    action_id: FIELD_ACTION,
    multiline,
    max_length: longest,
    ...(shortest > 0 ? { min_length: shortest } : {}),
    ...(begun !== '' && begun.length >= shortest ? { initial_value: begun } : {}),
  };
}

function numberInput({ type, min, max, initial = '' }: FormField): types.NumberInput {
  const isWhole = type === 'integer';
  const least = decimal(isWhole && min !== undefined ? Math.ceil(min) : min);
  const greatest = decimal(isWhole && max !== undefined ? Math.floor(max) : max);
  const begun = Number(initial);
  const isKnown =
    (isWhole ? /^-?\d+$/ : /^-?\d+(?:\.\d+)?$/).test(initial) &&
    begun >= Number(least ?? begun) &&
    begun <= Number(greatest ?? begun);
  return {
    type: 'number_input',
    action_id: FIELD_ACTION,
    is_decimal_allowed: !isWhole,
    ...(least === undefined ? {} : { min_value: least }),
    ...(greatest === undefined ? {} : { max_value: greatest }),
    ...(isKnown ? { initial_value: initial } : {}),
  };
}

/** A number as Slack reads it; undefined when it can only be written with an exponent. */
function decimal(number: number | undefined): string | undefined {
  const text = String(number);
  return /^-?\d+(?:\.\d+)?$/.test(text) ? text : undefined;
}

function choicesOf(options: readonly string[], values: OptionValues): types.PlainTextOption[] {
  const texts = options.map((option) => plainText(option, limits.optionText, '(empty)').text);
  return options.map((option, index) => {
    const text = texts[index] ?? option;
    const isDouble = texts.indexOf(text) !== texts.lastIndexOf(text);
    const shown = isDouble ? `${index + 1}. ${text}` : text;
    return choice(shown, values === 'places' ? `${index}` : option);
  });
}

function choice(text: string, value: string): types.PlainTextOption {
  return { text: plainText(text, limits.optionText, '(empty)'), value };
}

/** Choices as one list, or in groups when there are more than a list holds. */
function grouped(
  choices: readonly types.PlainTextOption[],
): Pick<types.StaticSelect, 'options'> | Pick<types.StaticSelect, 'option_groups'> {
  if (choices.length <= limits.options) return { options: [...choices] };
  const starts = Array.from(
    { length: Math.ceil(choices.length / limits.options) },
    (_, i) => i * limits.options,
  );
  return {
    option_groups: starts.map((start) => {
      const options = choices.slice(start, start + limits.options);
      return { label: plainText(`${start + 1}–${start + options.length}`, limits.optionText, '…'), options };
    }),
  };
}

function readList(text: string): ReadonlySet<unknown> {
  try {
    return new Set(z.array(z.unknown()).safeParse(JSON.parse(text)).data);
  } catch {
    return new Set();
  }
}

function isDate(text: string): boolean {
  return z.iso.date().safeParse(text).success;
}

function isTime(text: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(text);
}
