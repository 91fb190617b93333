/**
 * Letters of other scripts that look like a Latin one: a small choice from the public data of UTS #39, Unicode Security
 * Mechanisms (https://www.unicode.org/Public/security/latest/confusables.txt), of those that fool people in ordinary
 * fonts. Each word is a Latin letter and its look-alikes.
 */
const lookalikes: Readonly<Record<string, string>> = {
  Cyrillic:
    'a\u0430 b\u042C c\u0441 d\u0501 e\u0435\u04BD h\u04BB i\u0456 j\u0458 l\u04CF\u04C0 o\u043E p\u0440 q\u051B s\u0455 v\u0475 w\u051D\u0461 x\u0445 y\u0443\u04AF ' +
    'A\u0410 B\u0412 C\u0421 E\u0415 G\u050C H\u041D I\u0406 J\u0408 K\u041A M\u041C O\u041E P\u0420 Q\u051A S\u0405 T\u0422 V\u0474 W\u051C X\u0425 Y\u0423\u04AE',
  Greek:
    'a\u03B1 c\u03F2 i\u03B9 j\u03F3 k\u03BA o\u03BF p\u03C1 u\u03C5 v\u03BD y\u03B3 ' +
    'A\u0391 B\u0392 C\u03F9 E\u0395 H\u0397 I\u0399 J\u037F K\u039A M\u039C N\u039D O\u039F P\u03A1 T\u03A4 X\u03A7 Y\u03A5 Z\u0396',
  Armenian: 'g\u0581 h\u0570 j\u0575 n\u0578 o\u0585 q\u0566 u\u057D L\u053C O\u0555 S\u054F U\u054D',
  Cherokee:
    'A\u13AA B\u13F4 C\u13DF D\u13A0 E\u13AC G\u13C0 H\u13BB J\u13AB K\u13E6 L\u13DE M\u13B7 P\u13E2 R\u13A1 S\u13DA T\u13A2 V\u13D9 W\u13B3\u13D4 Y\u13BD Z\u13C3 ' +
    'b\u13CF d\u13E7 h\u13C2 i\u13A5 y\u13A9',
  Coptic:
    'c\u2CA5 o\u2C9F p\u2CA3 C\u2CA4 H\u2C8E I\u2C92 K\u2C94 M\u2C98 N\u2C9A O\u2C9E P\u2CA2 T\u2CA6 X\u2CAC Y\u2CA8',
  Lisu:
    'A\uA4EE B\uA4D0 C\uA4DA D\uA4D3 E\uA4F0 F\uA4DD G\uA4D6 H\uA4E7 I\uA4F2 J\uA4D9 K\uA4D7 L\uA4E1 M\uA4DF N\uA4E0 O\uA4F3 P\uA4D1 R\uA4E3 ' +
    'S\uA4E2 T\uA4D4 U\uA4F4 V\uA4E6 W\uA4EA X\uA4EB Y\uA4EC Z\uA4DC',
  // Letters of phonetic writing.
  Latin: 'a\u0251 g\u0261',
};

/** What a letter is among the letters that people take for each other. */
export type Looks =
  /** A letter of the Latin script. */
  | { readonly kind: 'latin' }
  /** Looks like a Latin letter, and is one of this script. */
  | { readonly kind: 'alike'; readonly script: string }
  /** A Latin letter in another shape, such as full width or mathematical. */
  | { readonly kind: 'styled' }
  /** A letter of this script that looks like no Latin one. */
  | { readonly kind: 'own'; readonly script: string }
  /** A letter of no script, such as a stress mark or a raised sign: it says nothing about its word. */
  | { readonly kind: 'neutral' };

const scriptOf = new Map<string, string>();
const twins = new Map<string, ReadonlySet<string>>();
for (const [script, list] of Object.entries(lookalikes)) {
  const words = list.split(' ');
  for (const word of words) for (const letter of word.slice(1)) scriptOf.set(letter, script);
  twins.set(script, new Set(words.map((word) => word.charAt(0))));
}

/** Full width, mathematical, letter-like and Roman numerals; not raised letters such as those of 1ª and 2ⁿ. */
const styled = /^[\uFF21-\uFF3A\uFF41-\uFF5A\u{1D400}-\u{1D7CB}\u2102-\u214E\u2160-\u217F]$/u;
/** Scripts whose letters stand in no word of Latin letters, unlike those of Greek, which units and formulas need. */
const neverMixed = ['Cyrillic', 'Armenian', 'Cherokee', 'Coptic', 'Lisu'] as const;
const scripts = [...neverMixed, 'Greek'].map((script) => ({
  script,
  letter: new RegExp(`^\\p{Script=${script}}$`, 'u'),
}));

/** Long texts have few different letters. No more are kept than those of a few scripts. */
const known = new Map<string, Looks>();
const knownMax = 4096;

/** @param letter one character; a mark on it does not count */
export function looksOf(letter: string): Looks {
  const before = known.get(letter);
  if (before) return before;
  const looks = lookAt(letter);
  if (known.size < knownMax) known.set(letter, looks);
  return looks;
}

function lookAt(letter: string): Looks {
  if (/^[a-z]$/i.test(letter)) return { kind: 'latin' };
  const base = String.fromCodePoint(letter.normalize('NFD').codePointAt(0) ?? 0);
  const script = scriptOf.get(base);
  if (script !== undefined) return { kind: 'alike', script };
  if (styled.test(letter) && /^[a-z]+$/i.test(letter.normalize('NFKC'))) return { kind: 'styled' };
  if (/^\p{Script=Latin}$/u.test(base)) return { kind: 'latin' };
  if (/^\p{Script=Common}$/u.test(letter)) return { kind: 'neutral' };
  return { kind: 'own', script: scripts.find((one) => one.letter.test(letter))?.script ?? 'other' };
}

/** Whether a Latin letter looks like one of a script. */
export function hasTwinIn(script: string, letter: string): boolean {
  return twins.get(script)?.has(String.fromCodePoint(letter.normalize('NFD').codePointAt(0) ?? 0)) ?? false;
}

/** Whether a letter of a script is out of place in a word of Latin letters even if it looks like none of them. */
export function isNeverMixed(script: string): boolean {
  return neverMixed.some((one) => one === script);
}
