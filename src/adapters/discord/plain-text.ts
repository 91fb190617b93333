import { shorten } from '../../render/markdown/index.ts';

/** Text of a label or title: of at most `maxLength` units, cut between visible characters, and never blank. */
export function plainText(text: string, maxLength: number, otherwise: string): string {
  // Discord refuses a whole form or command for one blank text.
  return shorten(visible(text) ?? otherwise, maxLength);
}

/** A text without the space around it; undefined when there is nothing to see in it. */
export function visible(text: string | undefined): string | undefined {
  return text !== undefined && /[^\p{Cc}\p{Cf}\p{Cs}\p{Z}]/u.test(text) ? text.trim() : undefined;
}

/** Labels for things that people choose from; numbered when two would read alike. */
export function distinctLabels(texts: readonly string[], maxLength: number): readonly string[] {
  const labels = texts.map((text) => plainText(text, maxLength, '(empty)'));
  const isDistinct = new Set(labels.map((label) => label.toLowerCase())).size === labels.length;
  return isDistinct
    ? labels
    : labels.map((label, index) => plainText(`${index + 1}. ${label}`, maxLength, label));
}
