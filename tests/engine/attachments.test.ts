import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Attachment,
  type AttachmentLimits,
  attachmentFaults,
  defaultAttachmentLimits,
  readAttachment,
  readAttachments,
  sizeFault,
  sizeInWords,
} from '../../src/engine/attachments.ts';

const plan: Attachment = {
  id: 'F1',
  name: 'plan.pdf',
  type: 'application/pdf',
  sizeBytes: 1_000,
  url: 'https://files.example/plan.pdf',
};
const megabyte = 1024 * 1024;

describe('the list of a field', () => {
  test.each<[string, string, readonly Attachment[]]>([
    ['nothing', '', []],
    ['an empty list', '[]', []],
    ['a file', JSON.stringify([plan]), [plan]],
    ['ten files', JSON.stringify(Array(10).fill(plan)), Array(10).fill(plan)],
    [
      'a file of which little is known',
      JSON.stringify([{ ...plan, sizeBytes: null, url: null }]),
      [{ ...plan, sizeBytes: null, url: null }],
    ],
  ])('holds %s', (_, text, files) => expect(readAttachments(text)).toEqual(files));

  test.each<[string, unknown]>([
    ['no list', plan],
    ['null', null],
    ['eleven files', Array(11).fill(plan)],
    ['something else among the files', [plan, 'plan.pdf']],
    ['an unknown property', [{ ...plan, token: 'x' }]],
    ['no id', [{ ...plan, id: '' }]],
    ['a long id', [{ ...plan, id: 'F'.repeat(101) }]],
    ['no name', [{ ...plan, name: undefined }]],
    ['a size below nothing', [{ ...plan, sizeBytes: -1 }]],
    ['half a byte', [{ ...plan, sizeBytes: 0.5 }]],
    ['a size as text', [{ ...plan, sizeBytes: '1000' }]],
    ['an address of this machine', [{ ...plan, url: 'file:///etc/passwd' }]],
    ['a script as address', [{ ...plan, url: 'javascript:alert(1)' }]],
  ])('is refused with %s', (_, list) => expect(readAttachments(JSON.stringify(list))).toBeUndefined());

  test.each(['[', 'plan.pdf', `[${' '.repeat(100_000)}]`, '\0'])(
    'is refused when it is no JSON, or endless',
    (text) => expect(readAttachments(text)).toBeUndefined(),
  );

  test('is read or refused, whatever it is', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void readAttachments(text)));
  });
});

describe('the name of a file', () => {
  test.each([
    ['plan.pdf', 'plan.pdf'],
    ['Plan für “Q4”.pdf', 'Plan für “Q4”.pdf'],
    ['👩‍👧.png', '👩_👧.png'],
    ['../../etc/passwd', '.._.._etc_passwd'],
    ['C:\\plan.pdf', 'C:_plan.pdf'],
    ['a\r\nb\t\0.txt', 'a__b__.txt'],
    ['a\u202egnp.exe', 'a_gnp.exe'],
    ['a\u2028b\ufeff.md', 'a_b_.md'],
    ['half \ud800.md', 'half \ufffd.md'],
    ['', 'file'],
    [' \u3000', 'file'],
    ['.', 'file'],
    ['..', 'file'],
    ['.env', '.env'],
    [`${'n'.repeat(200)}.tar.gz`, `${'n'.repeat(116)}….gz`],
    [`a.${'n'.repeat(200)}`, `a.${'n'.repeat(117)}…`],
    ['𝕏'.repeat(121), `${'𝕏'.repeat(119)}…`],
  ])('%j is shown as %j', (name, shown) => expect(readAttachment({ ...plan, name })?.name).toBe(shown));

  test('is always one line of at most 120 characters, and no path', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (name) => {
        const shown = readAttachment({ ...plan, name })?.name ?? '';
        expect([...shown].length).toBeGreaterThan(0);
        expect([...shown].length).toBeLessThanOrEqual(120);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\\/]/u);
      }),
    );
  });
});

test.each([
  ['image/png', 'image/png'],
  ['Text/HTML; charset=utf-8', 'text/html'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', undefined],
  ['', 'application/octet-stream'],
  ['png', 'application/octet-stream'],
  ['*/*', 'application/octet-stream'],
  ['image/png\r\nx: y', 'application/octet-stream'],
  ['a'.repeat(900), 'application/octet-stream'],
])('the type %j is read as %j', (type, read = type) =>
  expect(readAttachment({ ...plan, type })?.type).toBe(read),
);

describe('files within the limits', () => {
  const limits: AttachmentLimits = { ...defaultAttachmentLimits, types: ['image/*', '.PDF', 'text/csv'] };

  test.each<[string, Partial<Attachment>]>([
    ['by their ending', { type: 'application/octet-stream' }],
    ['by their ending in capitals', { name: 'PLAN.PDF', type: 'application/octet-stream' }],
    ['by a kind of types', { name: 'plan', type: 'image/webp' }],
    ['by their type', { name: 'plan', type: 'text/csv' }],
    ['as large as is allowed', { sizeBytes: 10 * megabyte }],
    ['of a size that nobody knows yet', { sizeBytes: null }],
  ])('are taken %s', (_, more) => expect(attachmentFaults([{ ...plan, ...more }], limits)).toEqual([]));

  test('of any kind are taken where none is named', () => {
    const files = Array(5).fill({ ...plan, name: 'plan.exe', type: 'application/octet-stream' });
    expect(attachmentFaults(files, defaultAttachmentLimits)).toEqual([]);
    expect(attachmentFaults([], limits)).toEqual([]);
  });

  test.each<[Partial<Attachment>, Partial<AttachmentLimits>, string]>([
    [
      { name: 'plan.exe', type: 'application/octet-stream' },
      { types: ['image/*', '.pdf'] },
      '“plan.exe” is not of an accepted kind: image/*, .pdf.',
    ],
    [
      { name: 'planpdf', type: 'imagery/png' },
      {},
      '“planpdf” is not of an accepted kind: image/*, .PDF, text/csv.',
    ],
    [{ name: 'pdf', type: 'text/csvx' }, {}, '“pdf” is not of an accepted kind: image/*, .PDF, text/csv.'],
    [{ sizeBytes: 12 * megabyte }, {}, '“plan.pdf” has 12 MB; 10 MB are allowed.'],
    [{ sizeBytes: 10 * megabyte + 1 }, {}, '“plan.pdf” has 10.1 MB; 10 MB are allowed.'],
    [{ sizeBytes: 2_048 }, { maxBytes: 1_536 }, '“plan.pdf” has 2 kB; 1.5 kB are allowed.'],
    [{ sizeBytes: 11 }, { maxBytes: 10 }, '“plan.pdf” has 11 bytes; 10 bytes are allowed.'],
    [{}, { maxFiles: 0 }, '1 file was sent; no files are allowed.'],
  ])('are not taken: %o for %o', (more, less, sentence) =>
    expect(attachmentFaults([{ ...plan, ...more }], { ...limits, ...less })).toEqual([sentence]),
  );

  test('hear of every fault', () => {
    const exe = { ...plan, name: 'plan.exe', type: 'application/octet-stream', sizeBytes: 20 * megabyte };
    expect(attachmentFaults([plan, exe], { ...limits, maxFiles: 1 })).toEqual([
      '2 files were sent; 1 file is allowed.',
      '“plan.exe” is not of an accepted kind: image/*, .PDF, text/csv.',
      '“plan.exe” has 20 MB; 10 MB are allowed.',
    ]);
  });
});

test('a file that is too large never seems to fit', () => {
  const size = fc.integer({ min: 0, max: 100 * megabyte });
  fc.assert(
    fc.property(size, size, (sizeBytes, maxBytes) => {
      const sentence = sizeFault({ name: 'a', sizeBytes }, maxBytes);
      expect(sentence !== undefined).toBe(sizeBytes > maxBytes);
      const [, has, allowed] = /has ([\d.]+) \w+; ([\d.]+) \w+ are/.exec(sentence ?? '') ?? [];
      if (sentence !== undefined) expect(Number(has)).toBeGreaterThan(Number(allowed));
    }),
  );
});

test.each([
  [0, '0 bytes'],
  [1_023, '1023 bytes'],
  [1_024, '1 kB'],
  [1_590, '1.5 kB'],
  [10 * megabyte, '10 MB'],
])('%i bytes are %s', (sizeBytes, words) => expect(sizeInWords(sizeBytes)).toBe(words));
