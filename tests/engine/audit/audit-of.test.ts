import { describe, expect, test } from 'vitest';
import { auditOf } from '../../../src/engine/audit/audit-of.ts';
import type { RunEvent, RunStart } from '../../../src/engine/run/event.ts';
import type { Question, QuestionAnswer, RunState } from '../../../src/engine/run/state.ts';

const of = { flow: 'release', version: 'f00d' };
const ana = { platform: 'slack', id: 'U0ANA', name: 'Ana' };
const bo = { platform: 'slack', id: 'U0BO', name: 'Bo' };
const home = { platform: 'slack', conversation: 'C1' };

const start: RunStart = { trigger: 'manual', text: '', prompt: '', input: { token: 'secret' }, files: [] };

function run(more: Partial<RunState> = {}): RunState {
  return {
    id: 'r1',
    status: 'waiting',
    start,
    startedAtMs: 1,
    steps: {},
    fates: {},
    outputs: {},
    feedback: {},
    sentBack: {},
    draining: [],
    questions: {},
    review: {},
    httpRequests: 0,
    agentSteps: 0,
    spentMs: 0,
    ...more,
  };
}

function question(more: Partial<Question> = {}): Question {
  return {
    id: 'r1.1',
    kind: 'approval',
    step: 'review',
    round: 2,
    openedAtMs: 1,
    title: 'Publish?',
    actions: [],
    allowRequester: false,
    quorum: 1,
    covers: 'c0ffee',
    answers: [],
    state: { status: 'open' },
    ...more,
  };
}

const asking = (...questions: readonly Question[]) =>
  run({ questions: Object.fromEntries(questions.map((one) => [one.id, one])) });

const answer: QuestionAnswer = { action: 'approve', feedback: 'Good.', by: bo, atMs: 9, as: ['slack:U0BO'] };

function answered(more: Partial<Extract<RunEvent, { type: 'question.answered' }>> = {}): RunEvent {
  return { type: 'question.answered', question: 'r1.1', ...answer, ...more };
}

const tick: RunEvent = { type: 'timer.fired', atMs: 9, timer: 't' };

describe('the audit of a run', () => {
  test('tells who started it, where, and what it is pinned to; not with which input', () => {
    const schedule = { id: 'nightly', dueAtMs: 1, timezone: 'UTC' };
    const retryOf = { run: 'r0', done: {}, posts: {} };
    const after = run({ start: { ...start, person: ana, requesters: [bo], home, schedule, retryOf } });
    expect(auditOf(undefined, { type: 'run.started', atMs: 5, start: after.start }, after, of)).toEqual([
      {
        type: 'run.started',
        atMs: 5,
        run: 'r1',
        flow: 'release',
        version: 'f00d',
        trigger: 'manual',
        by: ana,
        requesters: [bo],
        place: home,
        schedule: 'nightly',
        retryOf: 'r0',
      },
    ]);
    expect(auditOf(undefined, { type: 'run.started', atMs: 5, start }, run(), of)).toEqual([
      { type: 'run.started', atMs: 5, run: 'r1', flow: 'release', version: 'f00d', trigger: 'manual' },
    ]);
  });

  test('has nothing about an event that changed nothing', () => {
    const state = asking(question());
    expect(auditOf(state, answered(), state, of)).toEqual([]);
    expect(auditOf(state, { type: 'run.cancelled', atMs: 9, by: ana }, state, of)).toEqual([]);
  });

  test('tells what was asked of whom, and until when', () => {
    const asked = question({
      approvers: ['slack:U0BO'],
      quorum: 'each',
      expiry: { atMs: 99, exit: 'expired', values: {} },
    });
    expect(auditOf(run(), tick, asking(asked), of)).toEqual([
      {
        type: 'question.asked',
        atMs: 9,
        run: 'r1',
        question: 'r1.1',
        kind: 'approval',
        step: 'review',
        round: 2,
        title: 'Publish?',
        covers: 'c0ffee',
        quorum: 'each',
        allowRequester: false,
        approvers: ['slack:U0BO'],
        deadlineMs: 99,
      },
    ]);
  });

  test.each([
    ['that decides', { status: 'answered', action: 'approve', feedback: 'Good.', by: bo, atMs: 9 }, true],
    ['of several that are needed', { status: 'open' }, false],
  ] as const)('tells an answer %s, with what came along', (_, state, decided) => {
    const more = {
      also: ['discord:4'],
      values: { version: '1.2' },
      files: [{ id: 'f1', name: 'notes.txt', type: 'text/plain', sizeBytes: 3 }],
    };
    const after = asking(question({ state, answers: [{ ...answer, ...more }] }));
    expect(auditOf(asking(question()), answered(more), after, of)).toEqual([
      {
        type: 'question.answered',
        atMs: 9,
        run: 'r1',
        question: 'r1.1',
        by: bo,
        action: 'approve',
        feedback: 'Good.',
        as: ['slack:U0BO'],
        ...more,
        decided,
      },
    ]);
  });

  test.each([
    [
      { status: 'superseded', why: 'It was sent back.' },
      { how: 'superseded', why: 'It was sent back.' },
    ],
    [{ status: 'expired', atMs: 9 }, { how: 'expired' }],
    [{ status: 'void' }, { how: 'void' }],
  ] as const)('tells that a question was closed: %j', (state, closed) => {
    expect(auditOf(asking(question()), tick, asking(question({ state })), of)).toEqual([
      { type: 'question.closed', atMs: 9, run: 'r1', question: 'r1.1', ...closed },
    ]);
  });

  test('tells an answer that found the question changed as no answer', () => {
    const after = asking(question({ state: { status: 'void' } }), question({ id: 'r1.2' }));
    const types = auditOf(asking(question()), answered(), after, of).map(({ type }) => type);
    expect(types).toEqual(['question.closed', 'question.asked']);
  });

  test('tells once to whom a question came, and nothing more of a closed one', () => {
    const escalation = { to: ['slack:U0ADA'], atMs: 9 };
    const before = question({ escalation });
    const after = question({ escalation: { ...escalation, sinceMs: 9 } });
    expect(auditOf(asking(before), tick, asking(after), of)).toEqual([
      { type: 'question.escalated', atMs: 9, run: 'r1', question: 'r1.1', to: ['slack:U0ADA'] },
    ]);
    expect(auditOf(asking(after), tick, asking({ ...after, title: 'Publish now?' }), of)).toEqual([]);
    const closed = question({ state: { status: 'void' } });
    expect(auditOf(asking(closed), tick, asking({ ...closed }), of)).toEqual([]);
  });

  test('tells what people did before what followed from it', () => {
    const after = run({
      status: 'cancelled',
      reason: 'Ana cancelled it.',
      questions: { 'r1.1': question({ state: { status: 'superseded', why: 'The run was cancelled.' } }) },
    });
    expect(auditOf(asking(question()), { type: 'run.cancelled', atMs: 9, by: ana }, after, of)).toEqual([
      { type: 'run.cancelled', atMs: 9, run: 'r1', by: ana },
      {
        type: 'question.closed',
        atMs: 9,
        run: 'r1',
        question: 'r1.1',
        how: 'superseded',
        why: 'The run was cancelled.',
      },
      { type: 'run.ended', atMs: 9, run: 'r1', status: 'cancelled', reason: 'Ana cancelled it.' },
    ]);
  });

  test('tells the end of a run once', () => {
    const ended = run({ status: 'succeeded' });
    expect(auditOf(run(), tick, ended, of)).toMatchObject([{ type: 'run.ended', status: 'succeeded' }]);
    expect(auditOf(ended, tick, { ...ended }, of)).toEqual([]);
  });
});
