import { expect, test } from 'vitest';
import type { StoredPart, StoredPost } from '../../src/ports/store.ts';
import { shownEntries } from '../../src/runner/audit-shown.ts';

const place = { platform: 'slack', conversation: 'C1' };
const message = { ...place, id: '17.1' };
const part: StoredPart = { index: 0, part: {}, intentAtMs: 1, message, url: 'https://example.com/17' };

function post(key: string, run: string | undefined): StoredPost {
  const content = { prose: [], buttons: [], notify: [] };
  return { key, ...(run && { run }), target: place, content, revision: 2, shown: 1, parts: [part] };
}

test.each(['question/r1.1', 'question/r1.1/reminder/2'])(
  'the audit remembers in which message, and as which revision, people see %s',
  (key) => {
    const shown = {
      type: 'question.shown',
      atMs: 9,
      run: 'r1',
      question: 'r1.1',
      post: key,
      revision: 2,
      message,
    };
    expect(shownEntries(post(key, 'r1'), part, 9)).toEqual([{ ...shown, url: 'https://example.com/17' }]);
    const { url: _, ...withoutUrl } = part;
    expect(shownEntries(post(key, 'r1'), withoutUrl, 9)).toEqual([shown]);
  },
);

test.each([
  ['another post of a run', post('run/r1', 'r1'), part],
  ['a post of no run', post('question/r1.1', undefined), part],
  ['a post that is nowhere', post('question/r1.1', 'r1'), { index: 0, part: {}, intentAtMs: 1 }],
  ['a post without messages', post('question/r1.1', 'r1'), undefined],
] as const)('it has nothing about %s', (_, shown, first) => {
  expect(shownEntries(shown, first, 9)).toEqual([]);
});
