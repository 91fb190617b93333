export { compose } from './compose.ts';
export { parseMarkdown } from './parse.ts';
export { plainText } from './plain.ts';
export { shorten } from './shorten.ts';
export { splitMarkdown } from './split.ts';
