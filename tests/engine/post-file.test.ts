import { describe, expect, test } from 'vitest';
import type { PostFile } from '../../src/engine/post.ts';
import { fileBytes, fileFault, filesFault, isOnlyFiles, isPicture } from '../../src/engine/post-file.ts';
import { md } from '../../src/engine/prose.ts';

const notes: PostFile = { name: 'notes.md', mediaType: 'text/markdown', alt: '', data: 'aGk=' };
const bytes = (count: number) => Buffer.alloc(count).toString('base64');

describe('a file for people', () => {
  test.each<Partial<PostFile>>([
    {},
    { name: '_' },
    { name: 'a'.repeat(80) },
    { name: 'Release-1.2.tar.gz', mediaType: 'application/gzip' },
    { data: bytes(5_000_000) },
    { mediaType: 'image/svg+xml' },
    { mediaType: 'image/png', alt: 'A chart' },
  ])('%o can be posted', (more) => expect(fileFault({ ...notes, ...more })).toBeUndefined());

  test.each<[Partial<PostFile>, string]>([
    [{ name: '' }, '“” can’t be the name of a file'],
    [{ name: '-rf' }, '“-rf” can’t be the name'],
    [{ name: '.env' }, '“.env” can’t be the name'],
    [{ name: 'a/b' }, '“a/b” can’t be the name'],
    [{ name: 'a\nb' }, 'can’t be the name'],
    [{ name: 'a.md\n' }, 'can’t be the name'],
    [{ name: 'größe.md' }, '“größe.md” can’t be the name'],
    [{ name: 'a'.repeat(81) }, 'at most 80 letters'],
    [{ mediaType: '' }, 'has no proper media type: write one such as text/plain.'],
    [{ mediaType: 'text/plain\r\nx: y' }, 'has no proper media type'],
    [{ data: '' }, 'The file “notes.md” is empty.'],
    [{ data: 'a' }, 'is not in base64.'],
    [{ data: 'a===' }, 'is not in base64.'],
    [{ data: 'a-_b' }, 'is not in base64.'],
    [
      { data: bytes(5_000_001) },
      'The file “notes.md” is too large: it has 5,000,001 bytes, and a post takes at most 5,000,000.',
    ],
    [{ mediaType: 'image/gif' }, 'needs words that say what it shows'],
    [{ alt: 'x'.repeat(1_001) }, 'at most 1000 characters.'],
  ])('%o can not', (more, sentence) => expect(fileFault({ ...notes, ...more })).toContain(sentence));

  test.each(['', 'f', 'fo', 'foo', 'foob'])('%j is counted in bytes', (text) => {
    expect(fileBytes({ data: Buffer.from(text).toString('base64') })).toBe(text.length);
  });

  test.each(['png', 'jpeg', 'gif'])('image/%s is a picture', (type) =>
    expect(isPicture({ mediaType: `image/${type}` })).toBe(true),
  );
  test('an SVG is none: it can hold scripts', () =>
    expect(isPicture({ mediaType: 'image/svg+xml' })).toBe(false));
});

describe('the files of a post', () => {
  test('are at most five, each as it must be', () => {
    expect(filesFault(Array(5).fill(notes))).toBeUndefined();
    expect(filesFault(Array(6).fill(notes))).toBe('A post carries at most 5 files, and this one has 6.');
    expect(filesFault([notes, { ...notes, data: '' }])).toBe('The file “notes.md” is empty.');
  });

  test('need no words beside them when there are none', () => {
    const post = { prose: [], buttons: [], notify: [], files: [notes] };
    expect(isOnlyFiles(post)).toBe(true);
    expect(isOnlyFiles({ ...post, prose: [md(' \n')] })).toBe(true);
    expect(isOnlyFiles({ ...post, prose: [md('a')] })).toBe(false);
    expect(isOnlyFiles({ ...post, notify: ['U0ANA'] })).toBe(false);
    expect(isOnlyFiles({ ...post, files: [] })).toBe(false);
  });
});
