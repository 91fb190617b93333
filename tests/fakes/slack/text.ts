import type { Block } from './blocks.ts';
import type { RichInline, RichPart } from './rich-text.ts';
import type { Workspace } from './workspace.ts';

/** What people see of a message: its text, formatting gone. */
export function visibleText(workspace: Workspace, blocks: readonly Block[], text: string): string {
  if (blocks.length === 0) return readMrkdwn(workspace, text);
  const [first, ...rest] = blocks;
  const shown = first && isOnlyMentions(first) ? rest : blocks;
  return shown.flatMap((block) => blockText(workspace, block) ?? []).join('\n');
}

/** The buttons of a message, in order. */
export function visibleButtons(blocks: readonly Block[]): readonly {
  readonly id: string;
  readonly label: string;
  readonly blockId: string;
  readonly value: string | undefined;
}[] {
  return blocks.flatMap((block) => {
    const elements =
      block.type === 'actions'
        ? block.elements
        : block.type === 'section' && block.accessory
          ? [block.accessory]
          : [];
    return elements.flatMap((element) =>
      element.type === 'button'
        ? [
            {
              id: element.action_id ?? '',
              label: element.text.text,
              blockId: block.block_id ?? '',
              value: element.value,
            },
          ]
        : [],
    );
  });
}

/** The block in front that only names those who are to be notified. */
function isOnlyMentions(block: Block): boolean {
  if (block.type !== 'rich_text') return false;
  const inlines = block.elements.flatMap((part) =>
    part.type === 'rich_text_section' ? part.elements : [undefined],
  );
  const isMention = (each: RichInline | undefined) => each?.type === 'user' || each?.type === 'usergroup';
  const isSpace = (each: RichInline | undefined) => each?.type === 'text' && each.text.trim() === '';
  return inlines.some(isMention) && inlines.every((each) => isMention(each) || isSpace(each));
}

/** Undefined: nothing to read. */
function blockText(workspace: Workspace, block: Block): string | undefined {
  const textOf = (text: { readonly type: 'plain_text' | 'mrkdwn'; readonly text: string }) =>
    text.type === 'mrkdwn' ? readMrkdwn(workspace, text.text) : text.text;
  switch (block.type) {
    case 'rich_text':
      return richText(workspace, block.elements);
    case 'header':
      return block.text.text;
    case 'section':
      return [...(block.text ? [block.text] : []), ...(block.fields ?? [])].map(textOf).join('\n');
    case 'context':
      return block.elements.map((each) => (each.type === 'image' ? each.alt_text : textOf(each))).join(' ');
    case 'markdown':
      return readMrkdwn(workspace, block.text);
    case 'image':
      return block.title?.text ?? block.alt_text;
    case 'table':
      return block.rows.map((row) => row.map((cell) => cellText(workspace, cell)).join(' | ')).join('\n');
    case 'input':
      return block.label.text;
    case 'actions':
    case 'divider':
      return undefined;
  }
}

type Cell = Extract<Block, { type: 'table' }>['rows'][number][number];
function cellText(workspace: Workspace, cell: Cell): string {
  return cell.type === 'rich_text' ? richText(workspace, cell.elements) : cell.text;
}

function richText(workspace: Workspace, parts: readonly RichPart[]): string {
  const line = (inlines: readonly RichInline[]) =>
    inlines.map((each) => inlineText(workspace, each)).join('');
  return parts
    .map((part) => {
      if (part.type !== 'rich_text_list') return line(part.elements);
      const start = (part.offset ?? 0) + 1;
      return part.elements
        .map((item, index) => (part.style === 'ordered' ? `${start + index}. ` : '') + line(item.elements))
        .join('\n');
    })
    .join('\n');
}

function inlineText({ users, groups, channels }: Workspace, inline: RichInline): string {
  switch (inline.type) {
    case 'text':
      return inline.text;
    case 'link':
      return inline.text ?? inline.url;
    case 'emoji':
      return `:${inline.name}:`;
    case 'user':
      return `@${users.get(inline.user_id)?.name ?? inline.user_id}`;
    case 'usergroup':
      return `@${groups.get(inline.usergroup_id)?.handle ?? inline.usergroup_id}`;
    case 'channel':
      return `#${channels.get(inline.channel_id)?.name ?? inline.channel_id}`;
    case 'broadcast':
      return `@${inline.range}`;
    case 'team':
      return inline.team_id;
    case 'color':
      return inline.value;
    case 'date':
      return inline.fallback ?? new Date(inline.timestamp * 1000).toISOString();
  }
}

/** Text in Slack's own encoding as it is shown: sequences become words, then entities are decoded once. */
function readMrkdwn({ users, groups, channels }: Workspace, text: string): string {
  const words = text.replaceAll(
    /<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>/g,
    (_, sign: string, id: string, label?: string) => {
      if (sign === '@') return `@${users.get(id)?.name ?? id}`;
      if (sign === '#') return `#${channels.get(id)?.name ?? label ?? id}`;
      if (sign === '') return label ?? id;
      const group = /^subteam\^(\w+)$/.exec(id)?.[1];
      return group === undefined ? (label ?? `@${id}`) : `@${groups.get(group)?.handle ?? group}`;
    },
  );
  return words.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
