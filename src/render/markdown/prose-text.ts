import type { Prose } from '../../engine/prose.ts';
import { compose } from './compose.ts';
import { plainText } from './plain.ts';

/** Pieces as plain text, for where there is no Markdown. */
export function proseText(prose: Prose): string {
  return plainText(compose(prose)).trim();
}
