import { checkComponents } from './check-components.ts';
import { type BodyFault, faultUnless, inside } from './check-faults.ts';
import { componentTypes, limits } from './limits.ts';
import { componentsIn, type Loose, list, loose } from './tree.ts';

const { label, textDisplay, textInput } = componentTypes;

/** What Discord has against a modal besides its shape. */
export function checkModal(data: unknown, path: string): readonly BodyFault[] {
  const { components, title } = loose(data);
  const at = inside(path, 'components');
  const top = list(components).map(loose);
  return [
    ...faultUnless(
      typeof title !== 'string' || title.trim() !== '',
      inside(path, 'title'),
      'A modal has a title.',
    ),
    ...faultUnless(
      top.length <= limits.modalComponentsMax,
      at,
      `There are ${top.length} components, more than ${limits.modalComponentsMax}.`,
    ),
    ...top.flatMap(({ type }, index) =>
      faultUnless(
        type === label || type === textDisplay,
        `${at}.${index}.type`,
        'A modal consists of labels and texts; action rows are out of date.',
      ),
    ),
    ...checkComponents(components, at),
    ...componentsIn(components, at).flatMap((each) => checkField(each.component, each.path)),
  ];
}

function checkField(field: Loose, path: string): readonly BodyFault[] {
  return [
    ...faultUnless(field.disabled !== true, inside(path, 'disabled'), 'Nothing in a modal can be disabled.'),
    ...faultUnless(
      field.min_values !== 0 || field.required === false,
      inside(path, 'required'),
      'min_values 0 needs required false.',
    ),
    ...(field.type === textInput ? checkTextInput(field, path) : []),
    ...(field.type === textDisplay
      ? faultUnless(String(field.content).trim() !== '', inside(path, 'content'), 'This is blank.')
      : []),
  ];
}

const longest = 4000;

function checkTextInput(input: Loose, path: string): readonly BodyFault[] {
  const max = typeof input.max_length === 'number' ? input.max_length : longest;
  const { min_length, value } = input;
  return [
    ...faultUnless(
      input.label === undefined || input.label === null,
      inside(path, 'label'),
      'The label stands around the input, not in it.',
    ),
    ...faultUnless(
      typeof min_length !== 'number' || min_length <= max,
      inside(path, 'min_length'),
      `This is more than max_length, ${max}.`,
    ),
    ...faultUnless(
      typeof value !== 'string' || value.length <= max,
      inside(path, 'value'),
      `This is longer than max_length, ${max}.`,
    ),
  ];
}
