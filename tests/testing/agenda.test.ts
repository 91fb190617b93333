import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAgenda } from '../../src/testing/agenda.ts';

describe('the agenda of a test', () => {
  it('lets everything happen in the order of its times, of those at once what drives first, then as planned', () => {
    const planned = fc.array(fc.record({ atMs: fc.nat(20), drives: fc.boolean() }), { maxLength: 40 });
    fc.assert(
      fc.property(planned, (entries) => {
        const agenda = createAgenda(0);
        const happened: { atMs: number; drives: boolean; nth: number; nowMs: number }[] = [];
        for (const [nth, { atMs, drives }] of entries.entries()) {
          agenda.add({
            atMs,
            drives,
            happen: () => happened.push({ atMs, drives, nth, nowMs: agenda.nowMs }),
          });
        }
        while (agenda.stepUntil(100));
        const sorted = entries
          .map((entry, nth) => ({ ...entry, nth, nowMs: entry.atMs }))
          .toSorted(
            (one, other) =>
              one.atMs - other.atMs || Number(other.drives) - Number(one.drives) || one.nth - other.nth,
          );
        expect(happened).toEqual(sorted);
      }),
    );
  });

  it('lets time go by only for what drives; what is due before that happens on the way', () => {
    const agenda = createAgenda(0);
    const happened: string[] = [];
    agenda.add({ atMs: 5, drives: false, happen: () => happened.push('limit') });
    agenda.add({ atMs: 10, drives: true, happen: () => happened.push('result') });
    agenda.add({ atMs: 20, drives: false, happen: () => happened.push('reminder') });
    while (agenda.step());
    expect([happened, agenda.nowMs]).toEqual([['limit', 'result'], 10]);
    while (agenda.stepUntil(19));
    agenda.passTo(19);
    expect([happened.length, agenda.nowMs]).toEqual([2, 19]);
    agenda.passTo(3);
    expect(agenda.nowMs).toBe(19);
  });

  it('forgets what is dropped', () => {
    const agenda = createAgenda(0);
    agenda.add({ atMs: 1, drives: true, key: 'a', happen: () => expect.unreachable() });
    agenda.drop('a');
    agenda.drop('b');
    expect(agenda.step()).toBe(false);
  });
});
