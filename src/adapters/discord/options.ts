import type { FormField } from '../../engine/post.ts';
import { formLimits } from './form-limits.ts';
import { visible } from './plain-text.ts';

/** An option of a field, and the value that stands for it at Discord. */
export interface CarriedOption {
  readonly option: string;
  /** The option itself, or `#<place in the list>` when Discord could not carry it. */
  readonly value: string;
}

/** The options of a field, each once. */
export function distinctOptions({ options = [] }: FormField): readonly string[] {
  return [...new Set(options)];
}

/** The same with their values, which are distinct. */
export function carriedOptions(field: FormField): readonly CarriedOption[] {
  return distinctOptions(field).map((option, index) => ({
    option,
    value: isCarried(option) ? option : `#${index}`,
  }));
}

/** Whether every option stands for itself: then what was chosen can be read without knowing the field. */
export function isCarriedWhole(field: FormField): boolean {
  return distinctOptions(field).every(isCarried);
}

/** The option that a value stands for; what stands for none is returned as it is. */
export function optionOf(value: string, field: FormField | undefined): string {
  if (field === undefined) return value;
  return carriedOptions(field).find((one) => one.value === value)?.option ?? value;
}

/** A typed list, its words separated by commas, as a JSON list; "" when there are no words. */
export function typedList(text: string): string {
  if (text.trim().startsWith('[')) return text;
  const words = text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
  return words.length === 0 ? '' : JSON.stringify(words);
}

function isCarried(option: string): boolean {
  return (
    option.length <= formLimits.optionValue &&
    // Discord takes the space around a text away.
    visible(option) === option &&
    option.isWellFormed() &&
    !/^#\d+$/.test(option)
  );
}
