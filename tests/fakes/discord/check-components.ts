import { type BodyFault, faultUnless, inside, repeats } from './check-faults.ts';
import { componentTypes, limits } from './limits.ts';
import { componentsIn, type Loose, list, loose, type Placed } from './tree.ts';

const { actionRow, button, stringSelect, radioGroup, checkboxGroup } = componentTypes;

/** What Discord has against the components of a message or modal besides their shape. */
export function checkComponents(components: unknown, path: string): readonly BodyFault[] {
  const placed = componentsIn(components, path);
  return [
    ...faultUnless(
      placed.length <= limits.componentsMax,
      path,
      `There are ${placed.length} components, more than ${limits.componentsMax}.`,
    ),
    ...repeats(
      placed,
      ({ component }) => component.custom_id,
      (each) => inside(each.path, 'custom_id'),
      (id) => `Another component has the custom_id ${JSON.stringify(id)} too.`,
    ),
    ...repeats(
      placed,
      // 0 = Discord numbers it
      ({ component }) => (component.id === 0 ? undefined : component.id),
      (each) => inside(each.path, 'id'),
      (id) => `Another component has the id ${id} too.`,
    ),
    ...placed.flatMap(checkComponent),
  ];
}

function checkComponent({ path, component }: Placed): readonly BodyFault[] {
  switch (component.type) {
    case actionRow:
      return checkRow(component, path);
    case button:
      return checkButton(component, path);
    case radioGroup:
      return [...checkOptions(component, path), ...checkDefaults(component, 1, path)];
    case stringSelect:
    case checkboxGroup:
      return [...checkOptions(component, path), ...checkValues(component, path)];
    default:
      return checkValues(component, path);
  }
}

function checkRow(row: Loose, path: string): readonly BodyFault[] {
  const inner = list(row.components).map(loose);
  const isAllButtons = inner.every(({ type }) => type === button);
  return faultUnless(
    isAllButtons ? inner.length <= limits.rowButtonsMax : inner.length === 1,
    inside(path, 'components'),
    `A row holds at most ${limits.rowButtonsMax} buttons, or one select.`,
  );
}

const linkStyle = 5;
const premiumStyle = 6;

function checkButton({ style, custom_id, url, label, emoji }: Loose, path: string): readonly BodyFault[] {
  const isAction = style !== linkStyle && style !== premiumStyle;
  return [
    ...faultUnless(
      isAction === (typeof custom_id === 'string'),
      inside(path, 'custom_id'),
      'A button has a custom_id, but for links.',
    ),
    ...faultUnless(
      (style === linkStyle) === (typeof url === 'string'),
      inside(path, 'url'),
      'A link has a url, and no other button.',
    ),
    ...faultUnless(
      style === premiumStyle || Boolean(emoji) || (typeof label === 'string' && label.trim() !== ''),
      inside(path, 'label'),
      'A button has a label or an emoji.',
    ),
  ];
}

function checkOptions({ options }: Loose, path: string): readonly BodyFault[] {
  return repeats(
    list(options).map(loose),
    ({ value }) => value,
    (_, index) => `${path}.options.${index}.value`,
    (value) => `Another option has the value ${JSON.stringify(value)} too.`,
  );
}

/** How many may be chosen. */
function checkValues(component: Loose, path: string): readonly BodyFault[] {
  const { min_values, max_values, options } = component;
  const max = typeof max_values === 'number' ? max_values : 1;
  const offered = Array.isArray(options) ? options.length : undefined;
  return [
    ...faultUnless(
      typeof min_values !== 'number' || min_values <= max,
      inside(path, 'min_values'),
      `This is more than max_values, ${max}.`,
    ),
    ...faultUnless(
      typeof max_values !== 'number' || offered === undefined || max_values <= offered,
      inside(path, 'max_values'),
      `This is more than there are options, ${offered}.`,
    ),
    ...checkDefaults(component, component.type === checkboxGroup ? (offered ?? 0) : max, path),
  ];
}

function checkDefaults({ options }: Loose, max: number, path: string): readonly BodyFault[] {
  const chosen = list(options).filter((option) => loose(option).default === true);
  return faultUnless(
    chosen.length <= max,
    inside(path, 'options'),
    `${chosen.length} options are chosen, and only ${max} may be.`,
  );
}
