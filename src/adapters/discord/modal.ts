import {
  type APILabelComponent,
  type APIModalInteractionResponseCallbackData,
  ComponentType,
} from 'discord.js';
import type { FormField } from '../../engine/post.ts';
import { fieldComponent, fieldDescription } from './field.ts';
import { formLimits } from './form-limits.ts';
import { plainText } from './plain-text.ts';

/** A modal, as the answer to an interaction carries it. */
export type Modal = APIModalInteractionResponseCallbackData;

/**
 * One page of a form as a modal. Discord has no name for its button: `Form.submitLabel` is not shown.
 * @param page at most `formLimits.fields` fields; `customId` of 1 to 100 characters comes back with the submission,
 * `part` is added to the title: `2/3`.
 */
export function renderModal(page: {
  readonly customId: string;
  readonly title: string;
  readonly fields: readonly FormField[];
  readonly part?: string;
}): Modal {
  const { customId, title, fields } = page;
  const part = page.part === undefined ? '' : ` (${page.part})`;
  return {
    custom_id: customId,
    title: `${plainText(title, formLimits.title - part.length, 'Form')}${part}`,
    components:
      fields.length === 0
        ? [{ type: ComponentType.TextDisplay, content: 'There is nothing to fill in: press Submit.' }]
        : fields.map(label),
  };
}

function label(field: FormField): APILabelComponent {
  const description = fieldDescription(field);
  return {
    type: ComponentType.Label,
    label: plainText(field.label, formLimits.label, field.id),
    ...(description !== undefined && { description }),
    component: fieldComponent(field),
  };
}
