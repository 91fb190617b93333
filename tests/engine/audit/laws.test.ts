import fc from 'fast-check';
import { expect, test } from 'vitest';
import { auditOf } from '../../../src/engine/audit/audit-of.ts';
import type { AuditEntry } from '../../../src/engine/audit/entry.ts';
import { isFinal, type RunState } from '../../../src/engine/run/state.ts';
import { begin, transition } from '../../../src/engine/run/transition.ts';
import { arbitraryReviews } from '../run/arbitrary-flow.ts';
import { type Driven, drive } from '../run/drive.ts';

/** Something that a run waits for happens; `luck` says what, and how it ends. */
function goOn(run: Driven, luck: number): void {
  run.atMs += 1_000;
  const [step] = run.calls.keys();
  const open = Object.values(run.state.questions).filter(({ state }) => state.status === 'open');
  const question = open[luck % Math.max(1, open.length)];
  const [timer] = run.timers.keys();
  if (luck % 23 === 0) run.cancel();
  else if (step !== undefined && luck % 7 === 0) run.lose(step);
  else if (step !== undefined) run.done(step, `output ${luck}`);
  else if (question) run.answer(question.step, question.actions[luck % question.actions.length]?.id ?? '');
  else if (timer !== undefined) run.fire(timer);
}

/** What the audit has of a run, from its journal. */
function auditOfJournal({ plan, journal }: Driven): readonly AuditEntry[] {
  const of = { flow: plan.id, version: 'v1' };
  let state: RunState | undefined;
  return journal.flatMap((event) => {
    const before = state;
    if (before) state = transition(plan, before, event).state;
    else if (event.type === 'run.started') state = begin(plan, 'r1', event).state;
    return state ? auditOf(before, event, state, of) : [];
  });
}

test('of any run the audit has its start, each question with its end, each answer, and its end', () => {
  fc.assert(
    fc.property(arbitraryReviews, fc.array(fc.nat(), { maxLength: 40 }), (flow, lucks) => {
      const run = drive(flow);
      for (const luck of lucks) if (!isFinal(run.state.status)) goOn(run, luck);
      const entries = auditOfJournal(run);
      const ofQuestion = (type: AuditEntry['type'], id: string) =>
        entries.filter((entry) => entry.type === type && 'question' in entry && entry.question === id);
      expect(entries[0]?.type).toBe('run.started');
      for (const { id, state, answers, covers } of Object.values(run.state.questions)) {
        expect(ofQuestion('question.asked', id)).toMatchObject([{ covers }]);
        const decisions = ofQuestion('question.answered', id).filter(
          (entry) => entry.type === 'question.answered' && entry.decided,
        );
        expect(decisions).toHaveLength(state.status === 'answered' ? 1 : 0);
        expect(ofQuestion('question.answered', id).length).toBeGreaterThanOrEqual(answers.length);
        const isClosed = state.status !== 'open' && state.status !== 'answered';
        expect(ofQuestion('question.closed', id)).toHaveLength(isClosed ? 1 : 0);
      }
      const { status } = run.state;
      const ends = entries.filter(({ type }) => type === 'run.ended');
      expect(ends).toMatchObject(isFinal(status) ? [{ status }] : []);
    }),
  );
});
