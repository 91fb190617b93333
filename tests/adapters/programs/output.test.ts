import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endOfOutput, wholeOutput } from '../../../src/adapters/programs/output.ts';

const chunks = fc.array(fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)));
const maxBytes = fc.integer({ min: 1, max: 60 });

test('the whole is all that came, as long as it fits', () => {
  fc.assert(
    fc.property(chunks, maxBytes, (all, max) => {
      const output = wholeOutput(max);
      const kept: Buffer[] = [];
      for (const chunk of all) {
        const fits = Buffer.concat([...kept, chunk]).length <= max;
        expect(output.add(chunk)).toBe(fits);
        if (fits) kept.push(chunk);
      }
      expect(output.bytes()).toEqual(Buffer.concat(kept));
    }),
  );
});

test('the end is the last of all that came', () => {
  fc.assert(
    fc.property(chunks, maxBytes, (all, max) => {
      const output = endOfOutput(max);
      for (const chunk of all) expect(output.add(chunk)).toBe(true);
      expect(output.bytes()).toEqual(Buffer.concat(all).subarray(-max));
    }),
  );
});
