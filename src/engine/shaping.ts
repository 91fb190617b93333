/** Pieces of patterns, for the flag `v`: characters that can't be seen by themselves, where they belong. */

/** A picture, with what colours it. */
export const pictograph = String.raw`\p{Extended_Pictographic}(?:\uFE0F?\p{Emoji_Modifier}|[\uFE0E\uFE0F])?`;

/** Scripts in which joiners decide how letters are drawn. */
const joining = 'Arab Syrc Mong Nkoo Deva Beng Guru Gujr Orya Taml Telu Knda Mlym Sinh Khmr Mymr Tibt Thaa'
  .split(' ')
  .map((script) => `\\p{scx=${script}}`)
  .join('');

/** Joiners and selectors that shape the letter before them. Marks such as that of ä belong to many scripts at once. */
export const shaping = String.raw`(?<=[[${joining}]--[\p{Default_Ignorable_Code_Point}\p{scx=Latn}\p{scx=Cyrl}\p{scx=Grek}]])[\u200C\u200D]|(?<=[\p{scx=Mong}--\p{Default_Ignorable_Code_Point}])[\u180B-\u180D\u180F]`;

/** Format characters that are drawn: those before numbers. */
export const numberSigns = String.raw`\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}`;
