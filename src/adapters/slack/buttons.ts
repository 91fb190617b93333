import type { types } from '@slack/bolt';
import type { Button } from '../../engine/post.ts';
import { shorten } from '../../render/markdown/index.ts';
import { limits } from './limits.ts';

/** Text of a label or title: of at most `maxLength`, cut between visible characters, and never blank. */
export function plainText(text: string, maxLength: number, otherwise: string): types.PlainTextElement {
  // Slack refuses a whole message or form for one blank text. Codes such as `:x:` stay as they are.
  return { type: 'plain_text', text: shorten(text.trim() || otherwise, maxLength), emoji: false };
}

/** Buttons in as few blocks as they take. Their ids come back as `action_id` and as `value`. */
export function buttonBlocks(buttons: readonly Button[]): types.ActionsBlock[] {
  const blocks: types.ActionsBlock[] = [];
  let hasPrimary = false;
  for (const button of buttons) {
    // Slack allows one primary button in a set.
    const style = button.style === 'primary' && hasPrimary ? 'plain' : button.style;
    hasPrimary ||= button.style === 'primary';
    const element = buttonElement({ ...button, style });
    const open = blocks.at(-1);
    if (open !== undefined && hasRoom(open, element)) open.elements.push(element);
    else blocks.push({ type: 'actions', elements: [element] });
  }
  return blocks;
}

function hasRoom({ elements }: types.ActionsBlock, element: types.Button): boolean {
  return (
    elements.length < limits.actions &&
    JSON.stringify([...elements, element]).length + 30 <= limits.buttonsJson
  );
}

function buttonElement({ id, label, style }: Button): types.Button {
  return {
    type: 'button',
    action_id: id,
    value: id,
    text: plainText(label, limits.buttonText, '…'),
    ...(style === 'plain' ? {} : { style }),
  };
}
