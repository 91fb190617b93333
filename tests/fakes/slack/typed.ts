import type { Block } from './blocks.ts';
import type { RichInline } from './rich-text.ts';
import type { Workspace } from './workspace.ts';

/** What somebody typed, as Slack stores it. */
export interface Typed {
  /** Escaped, with mentions and addresses as sequences. */
  readonly text: string;
  readonly blocks: readonly Block[];
  /** Ids that are mentioned. */
  readonly mentions: readonly string[];
}

/** Marks around an id in typed text: what the person chose from the list that opens after `@` or `#`. */
const chosen = { open: '\uE000', close: '\uE001' };

/** A real mention to embed in what a person types: of a person, user group or channel by id, or of `here` and the like. */
export function mentionOf(id: string): string {
  return `${chosen.open}${id}${chosen.close}`;
}

/**
 * Encodes what a person typed: `&<>` are escaped; `@` and the bot's name is a mention of it, and so is what
 * `mentionOf` made; `https://` addresses and mail addresses are linked. Everything else stays text.
 */
export function encodeTyped(workspace: Workspace, typed: string): Typed {
  const inlines = inlinesOf(workspace, typed);
  return {
    text: inlines.map((each) => sequence(workspace, each)).join(''),
    blocks:
      inlines.length === 0
        ? []
        : [
            {
              type: 'rich_text',
              block_id: workspace.nextId('b'),
              elements: [{ type: 'rich_text_section', elements: inlines }],
            },
          ],
    mentions: inlines.flatMap((each) => (each.type === 'user' ? [each.user_id] : [])),
  };
}

/** Escapes a text as Slack does. */
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function inlinesOf(workspace: Workspace, typed: string): RichInline[] {
  const { users, botUserId } = workspace;
  const botName = users.get(botUserId)?.handle ?? '';
  const inlines: RichInline[] = [];
  const addText = (text: string) => {
    if (text !== '') inlines.push({ type: 'text', text });
  };
  let end = 0;
  for (const match of typed.matchAll(special)) {
    const inline = inlineOf(workspace, match[0], botName);
    if (inline === undefined) continue;
    addText(typed.slice(end, match.index));
    inlines.push(inline);
    end = match.index + match[0].length;
  }
  addText(typed.slice(end));
  return inlines;
}

/** A chosen mention, a word after `@`, an address, a mail address. */
const special =
  /\uE000[^\uE001]*\uE001|https?:\/\/[^\s<>|"'`]*[\w/&=#%-]|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|(?<![\w@])@[\w-]+/gi;

function inlineOf(
  { users, groups, channels, botUserId }: Workspace,
  found: string,
  botName: string,
): RichInline | undefined {
  if (found.startsWith(chosen.open)) {
    const id = found.slice(1, -1);
    if (users.has(id)) return { type: 'user', user_id: id };
    if (groups.has(id)) return { type: 'usergroup', usergroup_id: id };
    if (channels.has(id)) return { type: 'channel', channel_id: id };
    if (id === 'here' || id === 'channel' || id === 'everyone') return { type: 'broadcast', range: id };
    throw new Error(`nothing is called ${id} here`);
  }
  if (found.startsWith('@')) {
    return found.slice(1).toLowerCase() === botName ? { type: 'user', user_id: botUserId } : undefined;
  }
  if (/^https?:/i.test(found)) return URL.canParse(found) ? { type: 'link', url: found } : undefined;
  return { type: 'link', url: `mailto:${found}`, text: found };
}

function sequence({ channels, groups }: Workspace, inline: RichInline): string {
  switch (inline.type) {
    case 'user':
      return `<@${inline.user_id}>`;
    case 'usergroup':
      return `<!subteam^${inline.usergroup_id}|@${groups.get(inline.usergroup_id)?.handle}>`;
    case 'channel': {
      const channel = channels.get(inline.channel_id);
      return `<#${inline.channel_id}|${channel?.kind === 'channel' ? channel.name : ''}>`;
    }
    case 'broadcast':
      return `<!${inline.range}>`;
    case 'link':
      return `<${escapeText(inline.url)}${inline.text === undefined ? '' : `|${escapeText(inline.text)}`}>`;
    case 'text':
      return escapeText(inline.text);
    default:
      return '';
  }
}
