import { expect, test, vi } from 'vitest';
import { md, value } from '../../../src/engine/prose.ts';
import { compose, plainText, splitMarkdown } from '../../../src/render/markdown/index.ts';

vi.mock('mdast-util-from-markdown', () => ({
  fromMarkdown: () => {
    throw new RangeError('Maximum call stack size exceeded');
  },
}));

test('a text that the parser fails at is text as it is', () => {
  expect(compose([md('*a* '), value('_b_'), md('\n# c')])).toBe('\\*a\\* \\_b\\_\\\n\\# c');
  expect(plainText('*a*\r\n# b')).toBe('*a*\n# b');
  expect(splitMarkdown('aa *bb*\ncc', (part) => part.length <= 8)).toEqual(['aa *bb*', 'cc']);
});
