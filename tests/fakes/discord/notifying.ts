import { type MarkdownNode, parseMarkdown } from './markdown.ts';
import { list, loose, textsOf } from './tree.ts';

/** A message, or the body that makes one. */
export interface NotifyingMessage {
  readonly content?: string | null | undefined;
  readonly components?: unknown;
  readonly allowed_mentions?: unknown;
}

/** What counts besides the message. */
export interface NotifyingRules {
  /** The author may mention everyone, here and every role (MENTION_EVERYONE). */
  readonly mayMentionEveryone: boolean;
  /** Roles that anybody may mention; absent = all. */
  readonly mentionableRoles?: readonly string[] | undefined;
  /** Author of the message that is replied to. */
  readonly repliedUser?: string | undefined;
  /** What a message without `allowed_mentions` notifies: `all` it mentions (default), or `users`, as interactions do. */
  readonly byDefault?: 'all' | 'users' | undefined;
}

/**
 * Whom Discord notifies when a message is created: ids of people, `@&id` of roles, `@everyone`, `@here`. Where it is
 * open whether something mentions (after a backslash, with invisible characters in between, in the address of a
 * link), it does: only `allowed_mentions` and code keep a mention quiet for certain.
 */
export function notifiedBy(message: NotifyingMessage, rules: NotifyingRules): readonly string[] {
  const mentioned = textsOf(message).flatMap(mentionsOf);
  const isAllowed = allowance(message.allowed_mentions, rules);
  const { replied_user } = loose(message.allowed_mentions);
  const answersAll = message.allowed_mentions === undefined && rules.byDefault !== 'users';
  const replied = rules.repliedUser !== undefined && (replied_user === true || answersAll);
  const found = [
    ...(replied && rules.repliedUser ? [rules.repliedUser] : []),
    ...mentioned.filter(isAllowed),
  ];
  return [...new Set(found)];
}

/** An id of a person, `@&id`, `@everyone` or `@here`. */
type Mentioned = string;

function mentionsOf(text: string): readonly Mentioned[] {
  const found = withoutCode(parseMarkdown(text, 'no links')).replaceAll(invisible, '');
  return [
    ...found.matchAll(/<@(?:!?(?<user>\d{17,20})|&(?<role>\d{17,20}))>|(?<group>@everyone|@here)/g),
  ].map(({ groups: { user, role, group } = {} }) => user ?? (role ? `@&${role}` : (group ?? '')));
}

/** Marks of direction are dropped before Discord looks for mentions; whether others are, nobody promises. */
const invisible = /\p{Cf}/gu;

/** A text as it was typed, code left out; what was apart because of formatting stays apart. */
function withoutCode(nodes: readonly MarkdownNode[]): string {
  return nodes
    .map((node) => {
      if (node.kind === 'code' || node.kind === 'codeBlock') return ' ';
      return node.kind !== 'link' && 'inner' in node ? ` ${withoutCode(node.inner)} ` : node.source;
    })
    .join('');
}

function allowance(allowed: unknown, rules: NotifyingRules): (mentioned: Mentioned) => boolean {
  const everything = rules.byDefault === 'users' ? ['users'] : ['users', 'roles', 'everyone'];
  const { parse, users, roles } = loose(allowed ?? { parse: everything });
  const isParsed = (kind: string) => list(parse).includes(kind);
  const mayMention = (role: string) =>
    rules.mayMentionEveryone || (rules.mentionableRoles?.includes(role) ?? true);
  return (mentioned) => {
    if (mentioned === '@everyone' || mentioned === '@here')
      return rules.mayMentionEveryone && isParsed('everyone');
    if (!mentioned.startsWith('@&')) return isParsed('users') || list(users).includes(mentioned);
    const role = mentioned.slice(2);
    return mayMention(role) && (isParsed('roles') || list(roles).includes(role));
  };
}
