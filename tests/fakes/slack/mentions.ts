import type { Workspace } from './workspace.ts';

/** How the top-level text of a message is read. */
export interface TextReading {
  readonly text: string;
  readonly linkNames: boolean;
  readonly parse: string | undefined;
  /** Legacy attachments, as they came. */
  readonly attachments: unknown;
}

/**
 * Whom a message notifies: ids of people and groups, and `!here`, `!channel`, `!everyone`. Where Slack's pages leave
 * it open whether something notifies (a fallback text, a bare `@here` in a markdown block), it does.
 */
export function notifiedBy(workspace: Workspace, blocks: unknown, reading: TextReading): readonly string[] {
  const found = [
    ...inTree(blocks),
    ...mentionsIn(reading.text, reading.linkNames || reading.parse === 'full'),
    ...stringsIn(reading.attachments).flatMap((text) => mentionsIn(text, true)),
  ];
  const known = found.flatMap((mention) => resolve(workspace, mention) ?? []);
  return [...new Set(known)];
}

/** `!here`, an id, or `@handle` that people type. */
type Mention = string;

function resolve({ users, groups }: Workspace, mention: Mention): string | undefined {
  if (mention.startsWith('!')) return mention;
  if (users.has(mention) || groups.has(mention)) return mention;
  if (!mention.startsWith('@')) return undefined;
  const handle = mention.slice(1).toLowerCase();
  return [...users.values(), ...groups.values()].find((each) => each.handle === handle)?.id;
}

function inTree(value: unknown): readonly Mention[] {
  if (Array.isArray(value)) return value.flatMap(inTree);
  if (typeof value !== 'object' || value === null) return [];
  const { type, text, verbatim, user_id, usergroup_id, range } = { ...absent, ...value };
  switch (type) {
    case 'user':
      return typeof user_id === 'string' ? [user_id] : [];
    case 'usergroup':
      return typeof usergroup_id === 'string' ? [usergroup_id] : [];
    case 'broadcast':
      return typeof range === 'string' ? [`!${range}`] : [];
    case 'mrkdwn':
      return typeof text === 'string' ? mentionsIn(text, verbatim !== true) : [];
    case 'markdown':
      return typeof text === 'string' ? mentionsIn(text, true) : [];
    case 'plain_text':
    case 'text':
      return [];
    default:
      return Object.values(value).flatMap(inTree);
  }
}

/** Keys that a node may have. */
const absent: Readonly<Record<string, unknown>> = {
  type: undefined,
  text: undefined,
  verbatim: undefined,
  user_id: undefined,
  usergroup_id: undefined,
  range: undefined,
};

/** Live sequences of a text and, where Slack looks for them, bare words such as `@here`. */
function mentionsIn(text: string, withWords: boolean): readonly Mention[] {
  const sequences = [
    ...text.matchAll(/<(?:@([UW]\w+)|!subteam\^(S\w+)|(!(?:here|channel|everyone|group)))(?:\|[^>]*)?>/g),
  ];
  const words = withWords ? [...text.matchAll(/(?<![\w@<.])@([a-z0-9][\w.-]*)/gi)] : [];
  return [
    ...sequences.map(([, user, group, broadcast]) => user ?? group ?? broadcast ?? ''),
    ...words.map(([, word = '']) =>
      /^(here|channel|everyone)$/i.test(word) ? `!${word.toLowerCase()}` : `@${word}`,
    ),
  ];
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}
