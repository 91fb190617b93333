import type { Mention } from '../../engine/people.ts';

/** What people typed, as Discord sends it: plain text but for what Discord knows by an id, in `<…>`. */

/** Names for the ids in a text. */
export interface Names {
  /** Display name of a person. */
  user(id: string): string | undefined;
  /** Name of a role, without `@`. */
  role(id: string): string | undefined;
  /** Name of a channel, without `#`. */
  channel(id: string): string | undefined;
}

/** People, roles, channels, emoji and commands; with a backslash before it a token is only text. */
const token =
  /(?<!\\)<(?:(@!?|@&|#)(\d{17,20})|a?(:\w{2,32}:)\d{17,20}|(\/[^\s:<>][^:<>]{0,100}):\d{17,20})>/g;

/** Ids of the people mentioned in a text. */
export function mentionedUsers(text: string): readonly string[] {
  return [...text.matchAll(token)].flatMap(([, sign, id = '']) => (isUser(sign) ? [id] : []));
}

/** Who and what is mentioned in a text, as `decode` shows it. */
export function mentionsIn(text: string, names: Names): readonly Mention[] {
  return [...text.matchAll(token)].flatMap(([whole, sign, id = '']) => {
    if (sign === undefined) return [];
    return [{ shown: shown(sign, id, names), typed: isUser(sign) ? `<@${id}>` : whole }];
  });
}

/**
 * Takes a mention of the bot at the beginning off, with what separates it from the rest. `ids` are the bot's own and
 * those of the roles that are only the bot's: people choose one for the other.
 */
export function takeMention(
  text: string,
  ids: readonly string[],
): { readonly text: string; readonly toBot: boolean } {
  const mention = /^\s*<@[!&]?(\d{17,20})>[\s:,]*/.exec(text);
  const toBot = mention?.[1] !== undefined && ids.includes(mention[1]);
  return { text: toBot ? text.slice(mention[0].length) : text, toBot };
}

/** A text as people read it while they typed it: names for ids, and the words of emoji and commands. */
export function decode(text: string, names: Names): string {
  return text.replace(token, (whole: string, ...[sign, id, emoji, command]: (string | undefined)[]) =>
    sign !== undefined && id !== undefined ? shown(sign, id, names) : (emoji ?? command ?? whole),
  );
}

function shown(sign: string, id: string, names: Names): string {
  if (sign === '#') return `#${names.channel(id) ?? id}`;
  return `@${(isUser(sign) ? names.user(id) : names.role(id)) ?? id}`;
}

function isUser(sign: string | undefined): boolean {
  return sign === '@' || sign === '@!';
}
