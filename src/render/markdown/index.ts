export { compose } from './compose.ts';
export { isMisleading } from './misleading.ts';
export { parseMarkdown } from './parse.ts';
export { inlineText, plainText } from './plain.ts';
export { proseText } from './prose-text.ts';
export { shorten } from './shorten.ts';
export { splitMarkdown } from './split.ts';
export { tableText, textWidth } from './table.ts';
