/**
 * Text as Discord Markdown that reads exactly like it: nothing in it formats, and it holds no mention, command, time,
 * emoji or address. Each of its lines may begin a line of a message.
 */
export function escapeText(text: string): string {
  return inert(text)
    .replace(/[\\*_~`|<[]|(?<=\])\(|:(?=\/\/)/g, '\\$&')
    .replace(/^([^\S\n]*)([-+>#])/gm, '$1\\$2')
    .replace(/^([^\S\n]*\d+)\.(?=\s|$)/gm, '$1\\.');
}

/** Keeps characters apart that mean something together; nobody sees it. */
export const gap = '\u200b';

/** What `<` begins: `<@1>`, `<#1>`, `</flow:1>`, `<t:1>`, `<id:guide>`, `<:a:1>`, `<a:b:1>`, `<https://…>`. */
const TOKEN = /<(?=\p{Cf}*(?:[@#/:\d]|[a-z]+:))/giu;
const AT = /@(?=\p{Cf}*[eh])/gu;
/** How far behind an `@` a word is looked for, with invisible characters between its letters. */
const REACH = 100;

/**
 * A text with a gap in each thing that Discord would read as more than text. A backslash alone is taken away by who
 * copies or quotes the text. Discord drops some invisible characters before it looks for mentions.
 */
function inert(text: string): string {
  return text
    .replace(TOKEN, `<${gap}`)
    .replace(AT, (at, offset: number, whole: string) =>
      /^(?:everyone|here)/.test(whole.slice(offset + 1, offset + REACH).replace(/\p{Cf}/gu, ''))
        ? at + gap
        : at,
    );
}
