import fc from 'fast-check';
import { expect, test } from 'vitest';
import { entryText, readEntry } from '../../../src/engine/audit/chain.ts';
import type { AuditEntry } from '../../../src/engine/audit/entry.ts';
import { auditLine } from '../../../src/engine/audit/words.ts';

const atMs = Date.UTC(2026, 10, 30, 9, 30, 5);
const ana = { platform: 'slack', id: 'U0ANA', name: 'Ana' };
const place = { platform: 'slack', conversation: 'C1', thread: '17.1' };
const run = 'k3x9p2m4tz';
const question = 'k3x9p2m4tz.1';

const entries: readonly (readonly [AuditEntry, string])[] = [
  [
    {
      type: 'run.started',
      atMs,
      run,
      flow: 'release',
      version: '0123456789abcdef99',
      trigger: 'command',
      by: ana,
      place,
    },
    `${run}  “Ana” (slack:U0ANA) started release (command, version 0123456789abcdef) in slack:C1, thread 17.1`,
  ],
  [
    {
      type: 'run.started',
      atMs,
      run,
      flow: 'release',
      version: 'v',
      trigger: 'schedule',
      schedule: 'release.1',
    },
    `${run}  started release (schedule release.1, version v)`,
  ],
  [
    {
      type: 'run.started',
      atMs,
      run,
      flow: 'release',
      version: 'v',
      trigger: 'retry',
      by: ana,
      retryOf: 'r0',
      requesters: [ana],
    },
    `${run}  “Ana” (slack:U0ANA) started release (retry of r0, as “Ana” (slack:U0ANA) had, version v)`,
  ],
  [
    { type: 'run.refused', atMs, flow: 'release', by: ana, why: 'Only Bo may.' },
    '“Ana” (slack:U0ANA) was not allowed to start release: “Only Bo may.”',
  ],
  [{ type: 'run.cancelled', atMs, run, by: ana }, `${run}  “Ana” (slack:U0ANA) cancelled it`],
  [
    { type: 'run.ended', atMs, run, status: 'failed', reason: 'It broke.' },
    `${run}  ended: failed, “It broke.”`,
  ],
  [
    {
      type: 'question.asked',
      atMs,
      run,
      question,
      kind: 'approval',
      step: 'review',
      round: 1,
      title: 'Publish?',
      covers: 'c0ffee0123456789abc',
      quorum: 2,
      allowRequester: false,
      approvers: ['slack:U0ANA', '@leads'],
      deadlineMs: atMs,
    },
    `${run}  question ${question} (approval of review) “Publish?” asked of slack:U0ANA, @leads, 2 of them, until 2026-11-30T09:30:05.000Z; it covers c0ffee0123456789`,
  ],
  [
    { type: 'question.escalated', atMs, run, question, to: ['@leads'] },
    `${run}  question ${question} came to @leads too`,
  ],
  [
    {
      type: 'question.shown',
      atMs,
      run,
      question,
      post: `question/${question}`,
      revision: 2,
      message: { ...place, id: '18.2' },
      url: 'https://example.com/m',
    },
    `${run}  question ${question} is shown as revision 2 by message 18.2 in slack:C1, thread 17.1 (https://example.com/m)`,
  ],
  [
    {
      type: 'question.answered',
      atMs,
      run,
      question,
      by: ana,
      action: 'approve',
      feedback: 'Fine\n\n12  2026-11-30 09:30:06  forged',
      as: ['@leads'],
      also: ['discord:4'],
      values: { version: '1.2' },
      files: [{ id: 'f', name: 'a.txt', type: 'text/plain', sizeBytes: 1 }],
      decided: true,
    },
    `${run}  “Ana” (slack:U0ANA, discord:4) answered “approve” as @leads to question ${question}: “Fine 12 2026-11-30 09:30:06 forged”, filled in “{"version":"1.2"}”, attached “a.txt”; that decided it`,
  ],
  [
    {
      type: 'question.refused',
      atMs,
      run,
      question,
      by: ana,
      place,
      action: 'approve',
      why: 'You started it.',
    },
    `${run}  “Ana” (slack:U0ANA) could not answer “approve” to question ${question} in slack:C1, thread 17.1: “You started it.”`,
  ],
  [
    { type: 'question.closed', atMs, run, question, how: 'expired' },
    `${run}  question ${question} was closed: expired`,
  ],
  [{ type: 'flow.changed', atMs, flow: 'release', version: 'v2' }, 'flow release is in force as version v2'],
  [{ type: 'flow.changed', atMs, flow: 'release' }, 'flow release is gone'],
  [
    { type: 'switched', atMs, what: { kind: 'everything' }, on: false, by: ana, place, why: 'Holidays' },
    '“Ana” (slack:U0ANA) switched everything off in slack:C1, thread 17.1: “Holidays”',
  ],
  [
    { type: 'switched', atMs, what: { kind: 'schedule', schedule: 'release.1' }, on: true, by: ana },
    '“Ana” (slack:U0ANA) switched schedule release.1 on',
  ],
];

test.each(entries)('%j reads well', (entry, words) => {
  expect(auditLine({ n: 7, entry })).toBe(`7  2026-11-30 09:30:05  ${words}`);
});

test('what can not be read any more says so', () => {
  const unreadable = '7  This entry can not be read: verify the audit.';
  for (const text of ['gone', 'null', '[]', '{}', '{"type":"run.cancelled","atMs":1}', '{"atMs":1e99}']) {
    expect(auditLine({ n: 7, entry: readEntry(text) })).toBe(unreadable);
  }
});

test('an entry of a newer Flowbot is shown as it is', () => {
  const entry = readEntry(`{"type":"moon.rose","atMs":${atMs}}`);
  expect(auditLine({ n: 7, entry })).toBe(`7  2026-11-30 09:30:05  “{"type":"moon.rose","atMs":${atMs}}”`);
});

test('whatever people write, an entry is one line, and its text stays the same when it is read and written again', () => {
  const text = fc.string({ unit: 'binary', maxLength: 400 });
  fc.assert(
    fc.property(text, text, (name, feedback) => {
      const by = { ...ana, name };
      const entry: AuditEntry = {
        type: 'question.answered',
        atMs,
        run,
        question,
        by,
        action: 'approve',
        feedback,
        decided: false,
      };
      const line = auditLine({ n: 1, entry });
      expect(line).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u);
      expect(line).toMatch(/; more answers are needed$/);
      const written = entryText(entry);
      expect(written).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(readEntry(written)).toEqual(entry);
      const again = readEntry(written);
      expect(again && entryText(again)).toBe(written);
    }),
  );
});
