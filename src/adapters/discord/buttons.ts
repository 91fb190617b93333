import {
  type APIActionRowComponent,
  type APIButtonComponentWithCustomId,
  type APIStringSelectComponent,
  ButtonStyle,
  ComponentType,
} from 'discord.js';
import type { Button } from '../../engine/post.ts';
import { limits } from './limits.ts';
import { plainText } from './plain-text.ts';

/** A row under a message. */
export type Row = APIActionRowComponent<APIButtonComponentWithCustomId | APIStringSelectComponent>;

/** What the `custom_id` of a list to choose a button from begins with; the chosen value is the `Button.id`. */
const choosePrefix = 'choose:';

/** Buttons as the rows they take: few as buttons, more as lists to choose from. Of those with one id the first counts. */
export function buttonRows(buttons: readonly Button[]): Row[] {
  // Discord refuses a whole message for an id that is there twice.
  const different = buttons.filter(({ id }, index) => buttons.findIndex((one) => one.id === id) === index);
  if (different.length === 0) return [];
  if (different.length <= limits.rowButtons) return [row(...different.map(buttonComponent))];
  const lists = Array.from({ length: Math.ceil(different.length / limits.options) }, (_, index) =>
    different.slice(index * limits.options, (index + 1) * limits.options),
  );
  return lists.map((some, index) => row(selectComponent(some, index)));
}

function row(...components: (APIButtonComponentWithCustomId | APIStringSelectComponent)[]): Row {
  return { type: ComponentType.ActionRow, components };
}

const styles = {
  primary: ButtonStyle.Primary,
  danger: ButtonStyle.Danger,
  plain: ButtonStyle.Secondary,
} as const;

function buttonComponent({ id, label, style }: Button): APIButtonComponentWithCustomId {
  return {
    type: ComponentType.Button,
    custom_id: id,
    label: plainText(label, limits.buttonText, '…'),
    style: styles[style],
  };
}

function selectComponent(buttons: readonly Button[], index: number): APIStringSelectComponent {
  return {
    type: ComponentType.StringSelect,
    custom_id: `${choosePrefix}${index}`,
    placeholder: 'Choose …',
    options: buttons.map(({ id, label }) => ({ label: plainText(label, limits.optionText, '…'), value: id })),
  };
}
