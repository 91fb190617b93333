import { numberSigns, pictograph, shaping } from '../shaping.ts';

/** Tags and joiners belong into emoji. */
const emoji = String.raw`\p{RGI_Emoji_Tag_Sequence}|\p{Emoji_Keycap_Sequence}|${pictograph}(?:\u200D${pictograph})*`;

const hidden = String.raw`[[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]--[\t\n${numberSigns}]]`;

const lineEnd = /\r\n?|[\v\f\u0085\u2028\u2029]/g;
const shownOrHidden = new RegExp(`(?<shown>${emoji}|${shaping})|${hidden}`, 'gv');

/**
 * A text as people see it, for models: what can't be seen is left out, such as characters that turn text around, joiners of
 * nothing, tags and controls. Every way to end a line is a `\n`, half a character becomes U+FFFD. What is seen stays as it
 * is, in any script. Doing it again changes nothing.
 */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(lineEnd, '\n')
    .replaceAll(shownOrHidden, (_, shown: string | undefined) => shown ?? '');
}
