import type { Mention } from '../../engine/people.ts';

/** What people typed, as Slack sends it: `&`, `<` and `>` escaped, and everything Slack knows as `<…>`. */

/** Names for the ids in a text. */
export interface Names {
  /** Display name of a person. */
  user(id: string): string | undefined;
  /** Name of a channel, without `#`. */
  channel(id: string): string | undefined;
}

const token = /<([^<>\s][^<>]*)>/g;

/** Ids of the people mentioned in a text. */
export function mentionedUsers(text: string): readonly string[] {
  return [...text.matchAll(/<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>/g)].map(([, id = '']) => id);
}

/** Who and what is mentioned in a text, as `decode` shows it. */
export function mentionsIn(text: string, names: Names): readonly Mention[] {
  const typed = [...text.matchAll(/<(@[UW][A-Z0-9]+|#[CGD][A-Z0-9]+)(?:\|[^<>]*)?>/g)];
  return typed.map(([whole, id = '']) => ({ shown: decode(whole, names), typed: `<${id}>` }));
}

/** Takes a mention of the bot at the beginning off, with what separates it from the rest. */
export function takeMention(text: string, bot: string): { readonly text: string; readonly toBot: boolean } {
  const mention = /^\s*<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>[\s:,]*/.exec(text);
  return mention?.[1] === bot ? { text: text.slice(mention[0].length), toBot: true } : { text, toBot: false };
}

/** A text as it was typed: mentions and links as plain words, and each character that was escaped decoded once. */
export function decode(text: string, names: Names): string {
  let plain = '';
  let end = 0;
  for (const match of text.matchAll(token)) {
    plain += decodeEntities(text.slice(end, match.index)) + plainToken(match[1] ?? '', names);
    end = match.index + match[0].length;
  }
  return plain + decodeEntities(text.slice(end));
}

/** Decodes the three characters that Slack escapes, once. */
export function decodeEntities(text: string): string {
  return text.replace(/&(lt|gt|amp);/g, (_, name: string) =>
    name === 'lt' ? '<' : name === 'gt' ? '>' : '&',
  );
}

/** Escapes the three characters that could begin something in Slack's text. */
export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function plainToken(inside: string, names: Names): string {
  const bar = inside.indexOf('|');
  const target = decodeEntities(bar < 0 ? inside : inside.slice(0, bar));
  const label = bar < 0 ? '' : decodeEntities(inside.slice(bar + 1));
  const id = target.slice(1);
  switch (target[0]) {
    case '@':
      return `@${names.user(id) ?? (label.replace(/^@/, '') || id)}`;
    case '#':
      return `#${label || (names.channel(id) ?? id)}`;
    case '!':
      return special(id, label);
    default:
      return link(target, label);
  }
}

/** `<!here>`, `<!subteam^S0OPS|@ops>`, `<!date^0^{date}|Monday>`. */
function special(target: string, label: string): string {
  const [word = '', id = ''] = target.split('^');
  if (word === 'subteam') return label.startsWith('@') ? label : `@${label || id}`;
  if (word === 'date') return label;
  return `@${word}`;
}

/** An address is shown as it was typed: Slack adds its scheme. */
function link(target: string, label: string): string {
  const address = target.replace(/^(?:mailto|tel):/, '');
  if (label === '' || label === address || label === target) return address;
  const bare = target.replace(/^https?:\/\//, '').replace(/\/$/, '');
  return label === bare || label === `${bare}/` ? label : `${label} (${target})`;
}
