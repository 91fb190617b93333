import { describe, expect, test } from 'vitest';
import { contentMark, editedMark, isMark, markOf } from '../../../src/adapters/discord/mark.ts';

const file = { name: 'a.png', mediaType: 'image/png', alt: 'A cat', data: 'AA==' };

describe('marks', () => {
  test('are numbers that Discord takes and never gives itself', () => {
    const marks = Array.from({ length: 10_000 }, (_, index) => markOf(`run/step/${index}`));
    for (const mark of [...marks, editedMark, contentMark(file)]) {
      expect(mark).toBeGreaterThanOrEqual(2 ** 30);
      expect(mark).toBeLessThan(2 ** 31);
      expect(isMark(mark)).toBe(true);
    }
    expect(new Set(marks).size).toBeGreaterThan(9_990);
    expect(marks).not.toContain(editedMark);
  });

  test.each([0, 1, 40, 2 ** 30 - 1, 2 ** 31, 2 ** 30 + 0.5, -1, Number.NaN, '1073741825', null, undefined])(
    '%s is none',
    (id) => expect(isMark(id)).toBe(false),
  );

  test('are the same for the same key or file, and others for others', () => {
    expect(markOf('a')).toBe(markOf('a'));
    expect(contentMark(file)).toBe(contentMark({ ...file }));
    const others = [
      { ...file, name: 'b.png' },
      { ...file, mediaType: 'image/gif' },
      { ...file, alt: 'A dog' },
      { ...file, data: 'AAA=' },
    ];
    const marks = [markOf('a'), markOf('b'), contentMark(file), ...others.map(contentMark)];
    expect(new Set(marks).size).toBe(marks.length);
  });
});
