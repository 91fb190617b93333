import { expect, test } from 'vitest';
import { plainText } from '../../../src/render/markdown/index.ts';

test.each([
  ['formatting goes', '# A **b** *c* ~~d~~ `e`', 'A b c d e'],
  ['blocks are apart', 'a\n\nb\n\n---\n\nc', 'a\n\nb\n\n---\n\nc'],
  ['lists keep their marks', '- a\n- b\n  1. c\n  2. d', '- a\n- b\n  1. c\n  2. d'],
  ['tasks keep their boxes', '- [ ] a\n- [x] b', '- [ ] a\n- [x] b'],
  ['a list begins where it begins', '7. a\n8. b', '7. a\n8. b'],
  ['quotes keep their marks', '> a\n>\n> b', '> a\n>\n> b'],
  ['code is as it was', '```py\n  x *y*\n```', '  x *y*'],
  ['cells are apart', '| a | b |\n|---|---|\n| c | d |', 'a | b\nc | d'],
  ['links show where they lead', '[a](https://b.c) <https://d.e> x@y.z', 'a (https://b.c) https://d.e x@y.z'],
  ['escapes and references are read', '\\*a\\* &amp; &lt;b&gt;', '*a* & <b>'],
  ['hard breaks are lines', 'a\\\nb', 'a\nb'],
  ['nothing is nothing', ' \n', ''],
])('%s', (_, markdown, text) => expect(plainText(markdown)).toBe(text));
