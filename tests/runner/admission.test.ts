import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunStatus } from '../../src/engine/run/state.ts';
import { type Candidate, createAdmission } from '../../src/runner/admission.ts';

function flow(id: string, more: Partial<Candidate['plan']> = {}): Candidate {
  return { plan: { id, name: id, whenFull: 'queue', priority: 'normal', ...more } };
}

describe('a run that is to start', () => {
  test('begins at once where nothing is in its way', () => {
    const admission = createAdmission(1);
    expect(admission.place('r1', flow('a'))).toEqual({ kind: 'now' });
    expect(admission.why('r1')).toBeUndefined();
  });

  test('waits while too many runs of its flow are open, also for people', () => {
    const admission = createAdmission(10);
    const one = flow('deploy', { maxRuns: 1 });
    admission.place('r1', one);
    admission.moved('r1', one, 'waiting');
    expect(admission.place('r2', one)).toEqual({
      kind: 'queued',
      why: 'It waits until run r1 of deploy has ended.',
    });
    expect(admission.place('r3', one)).toMatchObject({
      kind: 'queued',
      why: expect.stringContaining('behind 2 runs'),
    });
    expect(admission.place('other', flow('other'))).toEqual({ kind: 'now' });
    expect(admission.next()).toEqual([]);
    admission.moved('r1', one, 'succeeded');
    expect(admission.next()).toEqual(['r2']);
    expect(admission.why('r3')).toBe('It waits until run r2 of deploy has ended.');
  });

  test('is refused instead, where its flow says so', () => {
    const admission = createAdmission(10);
    const one = flow('deploy', { maxRuns: 1, whenFull: 'refuse' });
    admission.place('r1', one);
    expect(admission.place('r2', one)).toEqual({
      kind: 'refused',
      why: 'deploy can’t start now: a run of it has not ended.',
    });
    admission.moved('r1', one, 'failed');
    expect(admission.place('r3', one)).toEqual({ kind: 'now' });
  });

  test('waits for the run before it, where runs of a schedule follow each other', () => {
    const admission = createAdmission(10);
    const one = { ...flow('digest'), schedule: 'digest' };
    admission.place('r1', one);
    expect(admission.place('r2', one)).toMatchObject({ kind: 'queued' });
    expect(admission.place('r3', flow('digest'))).toEqual({ kind: 'now' });
    admission.moved('r1', one, 'cancelled');
    expect(admission.next()).toEqual(['r2']);
  });

  test('waits while as many runs are at work as may be; those that wait for people are not at work', () => {
    const admission = createAdmission(2);
    for (const run of ['r1', 'r2', 'r3']) admission.place(run, flow('a'));
    expect(admission.why('r3')).toBe('It waits for its turn: 2 runs are at work.');
    admission.moved('r1', flow('a'), 'waiting');
    expect(admission.next()).toEqual(['r3']);
  });

  test('that never came to be, or could not begin, is in nobody’s way', () => {
    const admission = createAdmission(1);
    admission.place('r1', flow('a'));
    admission.place('r2', flow('a'));
    admission.forget('r1');
    expect(admission.next()).toEqual(['r2']);
    admission.again('r2');
    expect(admission.next()).toEqual(['r2']);
  });
});

test('a run that could not begin lets those go first that wait already', () => {
  const admission = createAdmission(1);
  for (const run of ['r1', 'r2', 'r3']) admission.place(run, flow('a'));
  admission.moved('r1', flow('a'), 'succeeded');
  expect(admission.next()).toEqual(['r2']);
  admission.again('r2');
  expect(admission.next()).toEqual(['r3']);
  expect(admission.why('r2')).toBe('It waits for its turn: 1 runs are at work.');
});

test.each([
  ['of one flow', { ...flow('a', { maxRuns: 1 }) }],
  ['of one schedule', { ...flow('a'), schedule: 'a' }],
])('with 10,000 runs %s that wait, each begins within a few milliseconds', (_, candidate) => {
  const admission = createAdmission(100);
  for (let n = 0; n < 10_000; n += 1) admission.moved(`r${n}`, candidate, n === 0 ? 'running' : 'queued');
  const startMs = performance.now();
  for (let n = 0; n < 50; n += 1) {
    admission.moved(`r${n}`, candidate, 'succeeded');
    expect(admission.next()).toEqual([`r${n + 1}`]);
  }
  expect((performance.now() - startMs) / 50).toBeLessThan(10);
});

test('flows take turns, and what matters more comes first', () => {
  const admission = createAdmission(1);
  admission.place('now', flow('busy'));
  for (let n = 1; n <= 3; n += 1) admission.place(`busy-${n}`, flow('busy'));
  admission.place('calm-1', flow('calm'));
  admission.place('low-1', flow('low', { priority: 'low' }));
  admission.place('high-1', flow('high', { priority: 'high' }));
  const order: string[] = [];
  let last = 'now';
  for (;;) {
    admission.moved(last, flow(last.split('-')[0] ?? ''), 'succeeded');
    const [next] = admission.next();
    if (next === undefined) break;
    order.push(next);
    last = next;
  }
  expect(order).toEqual(['high-1', 'busy-1', 'calm-1', 'busy-2', 'busy-3', 'low-1']);
});

test('whatever happens, limits hold, and nothing waits without something in its way', () => {
  const candidates: readonly Candidate[] = [
    flow('a'),
    flow('b', { maxRuns: 2, priority: 'high' }),
    flow('c', { maxRuns: 1, whenFull: 'refuse' }),
    { ...flow('d', { priority: 'low' }), schedule: 'd' },
  ];
  const statuses: readonly RunStatus[] = [
    'running',
    'waiting',
    'attention',
    'succeeded',
    'failed',
    'cancelled',
  ];
  const act = fc.oneof(
    fc.record({ kind: fc.constant('place' as const), which: fc.nat(3) }),
    fc.record({
      kind: fc.constant('move' as const),
      which: fc.nat(30),
      status: fc.constantFrom(...statuses),
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3 }), fc.array(act, { maxLength: 80 }), (atWorkMax, acts) => {
      const admission = createAdmission(atWorkMax);
      const open = new Map<string, { readonly candidate: Candidate; status: RunStatus }>();
      let made = 0;
      for (const one of acts) {
        if (one.kind === 'place') {
          const candidate = candidates[one.which] ?? flow('a');
          made += 1;
          const placed = admission.place(`r${made}`, candidate);
          if (placed.kind !== 'refused')
            open.set(`r${made}`, { candidate, status: placed.kind === 'now' ? 'running' : 'queued' });
        } else {
          const begun = [...open].filter(([, { status }]) => status !== 'queued');
          const [run, known] = begun[one.which % Math.max(1, begun.length)] ?? [];
          if (run === undefined || !known) continue;
          admission.moved(run, known.candidate, one.status);
          known.status = one.status;
          if (['succeeded', 'failed', 'cancelled'].includes(one.status)) open.delete(run);
          const atWorkBefore = [...open.values()].filter(({ status }) => status === 'running').length;
          for (const next of admission.next()) {
            const begins = open.get(next);
            expect(begins?.status).toBe('queued');
            if (begins) begins.status = 'running';
          }
          // Runs that people have answered go on, however many are at work: only none begins beside them.
          const atWork = [...open.values()].filter(({ status }) => status === 'running').length;
          expect(atWork).toBeLessThanOrEqual(Math.max(atWorkMax, atWorkBefore));
          for (const [waits, { status }] of open)
            expect(admission.why(waits) !== undefined).toBe(status === 'queued');
        }
        const begunOf = (id: string) =>
          [...open.values()].filter(
            ({ candidate, status }) => candidate.plan.id === id && status !== 'queued',
          ).length;
        expect(begunOf('b')).toBeLessThanOrEqual(2);
        expect(begunOf('c')).toBeLessThanOrEqual(1);
        expect(begunOf('d')).toBeLessThanOrEqual(1);
      }
    }),
  );
});
