import { describe, expect, it, test } from 'vitest';
import { NO_USAGE, type Usage } from '../../../src/engine/agents/usage.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import type { Parked } from '../../../src/engine/run/parked.ts';
import { agentLibrary } from './arbitrary-flow.ts';
import { bo, type Driven, drive, eve } from './drive.ts';
import { keepsItsPromises } from './promises.ts';

const work: JsonObject = { type: 'agent', agent: 'helper', task: 'Work.' };
const used: Usage = { ...NO_USAGE, tokens: 10, turns: 1 };
const tool: Parked = {
  kind: 'tool',
  agent: 'helper',
  use: 'u7',
  server: 'files',
  tool: 'write_file',
  arguments: { path: 'a.txt' },
};
const changes: Parked = {
  kind: 'changes',
  agent: 'helper',
  summary: '1 file changed, 1 line added.',
  diff: 'diff --git a/a.txt b/a.txt\n+hello',
};
const midnight = Date.UTC(2027, 1, 1);
const day: Parked = {
  kind: 'day',
  budget: 'flow/flow/2027-01-31',
  why: 'The flow has used up 100 of 100 tokens today.',
  untilMs: midnight,
};

function agents(flow: JsonObject = {}): Driven {
  return drive(
    { humanReminder: null, steps: { a: work, b: { ...work, task: 'More.' } }, ...flow },
    {},
    agentLibrary,
  );
}

/** The call by which an attempt goes on. */
function goesOn(run: Driven, step = 'a') {
  keepsItsPromises(run);
  const call = run.calls.get(step);
  if (call?.kind !== 'agent') throw new Error(`${step} does not go on.`);
  return { key: call.key, attempt: call.attempt, ...call.goesOn };
}

describe('a call of a tool that is set to ask', () => {
  it('asks in the conversation, with everything that the call says, and nothing is under way', () => {
    const run = agents();
    run.park('a', tool, used);
    expect(run.state.status).toBe('waiting');
    expect(run.calls.size).toBe(0);
    const question = run.questionOf(run.question('a'));
    expect(question).toMatchObject({ kind: 'tool', title: 'May helper call write_file of files?' });
    expect(question.actions.map(({ label }) => label)).toEqual(['Allow once', 'Deny']);
    const card = run.card(`question/${question.id}`);
    expect(card).toContain('For the step “a”. It is allowed for this call only.');
    expect(card).toContain('"path": "a.txt"');
  });

  test.each([
    ['allow', '', true],
    ['deny', 'Not that file.', false],
  ])('%s: the same attempt goes on, and hears it', (action, comment, allowed) => {
    const run = agents();
    run.park('a', tool, used);
    run.answer('a', action, comment);
    expect(goesOn(run)).toEqual({
      key: 'a/1/1+1',
      attempt: 1,
      times: 1,
      answer: { use: 'u7', allowed, by: bo.name, comment },
    });
    expect(run.state).toMatchObject({ agentSteps: 1, usage: used, usageOfSteps: { a: used } });
    run.done('a');
    expect(run.steps).toMatchObject({ a: 'done', b: 'running' });
  });

  it('asks anew for each call', () => {
    const run = agents();
    run.park('a', tool);
    run.answer('a', 'allow');
    run.park('a', { ...tool, use: 'u8' });
    expect(run.question('a')).toBe('r1.2');
    run.answer('a', 'allow');
    expect(goesOn(run)).toMatchObject({ key: 'a/1/1+2', times: 2, answer: { use: 'u8' } });
  });

  it('is asked of those who may start the flow', () => {
    const run = agents({ allow: { users: ['slack:U0BO'] } });
    run.park('a', tool);
    expect(run.refusal(run.question('a'), 'allow', { by: eve })).toMatch(/^Only .* may answer this/);
    run.answer('a', 'allow');
  });

  it('is closed with the run, and when its work is sent back', () => {
    const run = agents();
    run.park('a', tool);
    const question = run.question('a');
    run.cancel();
    expect(run.questionOf(question).state.status).toBe('superseded');
    expect(run.state.status).toBe('cancelled');

    const flow = { steps: { a: work, b: work, ok: { type: 'approval' } } };
    const edges = ['a -> b', 'a -> ok', { from: 'ok.rejected', to: 'a', sendBack: true }];
    const other = agents({ ...flow, edges, maxParallel: 5 });
    other.done('a');
    other.park('b', tool);
    other.answer('ok', 'reject');
    expect(other.questionOf('r1.2').state.status).toBe('superseded');
    expect(goesOn(other)).toEqual({ key: 'a/2/1', attempt: 1 });
  });

  it('is not asked when nobody wants to know any more', () => {
    const run = agents({
      steps: { a: work, b: work, end: { type: 'join' } },
      edges: ['start -> a', 'start -> b', 'a -> end', 'b -> end'],
    });
    run.fail('b');
    expect(run.state.stopping?.status).toBe('failed');
    run.park('a', tool);
    expect(run.state).toMatchObject({ status: 'failed', questions: {} });
  });
});

describe('files that an agent has changed', () => {
  it.each([
    ['keep', true],
    ['discard', false],
  ])('%s: the attempt goes on with the answer', (action, allowed) => {
    const run = agents();
    run.park('a', changes, used);
    expect(run.card(`question/${run.question('a')}`)).toContain('1 file changed, 1 line added.');
    run.answer('a', action);
    expect(goesOn(run).answer).toEqual({ allowed, by: bo.name, comment: '' });
  });
});

describe('the budget of the run', () => {
  it('holds a parked attempt until people allow more, and it goes on where it was', () => {
    const run = agents({ budget: { tokens: 10 } });
    run.turn('a', used);
    run.park('a', { kind: 'budget' });
    keepsItsPromises(run);
    expect(run.state.status).toBe('waiting');
    const id = run.state.budget?.question ?? '';
    const verdict = run.judge(id, 'more');
    if (verdict.kind === 'counts') run.send(verdict.event);
    expect(goesOn(run)).toEqual({ key: 'a/1/1+1', attempt: 1, times: 1 });
  });

  it('fails it when more is refused', () => {
    const run = agents({ budget: { tokens: 10 } });
    run.turn('a', used);
    run.park('a', { kind: 'budget' });
    const verdict = run.judge(run.state.budget?.question ?? '', 'stop');
    if (verdict.kind === 'counts') run.send(verdict.event);
    expect(run.state).toMatchObject({ status: 'failed', steps: { a: { failure: { code: 'budget' } } } });
  });
});

describe('the budget of a day', () => {
  it('asks whether this run may go on, for all steps that wait for it', () => {
    const run = agents({ edges: ['start -> a', 'start -> b'] });
    run.park('a', day);
    run.park('b', day);
    expect(run.card(`question/${run.question('a')}`)).toContain('100 of 100 tokens');
    run.answer('a', 'more');
    expect(goesOn(run, 'a')).toMatchObject({ times: 1 });
    expect(goesOn(run, 'b')).toMatchObject({ times: 1 });
    expect(run.questionOf('r1.2').state).toMatchObject({ status: 'superseded', why: 'The run may go on.' });
    // It is not asked about the same day again.
    run.park('a', day);
    expect(goesOn(run, 'a')).toMatchObject({ times: 2 });
  });

  it('lets it go on by itself the next day', () => {
    const run = agents();
    run.park('a', day);
    run.wait(midnight - run.atMs - 1);
    expect(run.steps.a).toBe('asking');
    run.wait(60_000);
    expect(goesOn(run)).toMatchObject({ times: 1 });
  });

  it('keeps what people have said before', () => {
    const run = agents();
    run.park('a', tool);
    run.answer('a', 'allow');
    run.park('a', day);
    run.answer('a', 'more');
    expect(goesOn(run)).toMatchObject({ times: 2, answer: { use: 'u7', allowed: true } });
    run.done('a');
    const other = agents();
    other.park('a', changes);
    other.answer('a', 'keep');
    other.park('a', day);
    other.wait(midnight - other.atMs + 60_000);
    expect(goesOn(other)).toMatchObject({ times: 2, answer: { allowed: true } });
    const third = agents({ budget: { tokens: 1_000 } });
    third.park('a', changes);
    third.answer('a', 'keep');
    third.park('a', { kind: 'budget' });
    expect(goesOn(third)).toMatchObject({ times: 2, answer: { allowed: true } });
  });

  it('fails the step when people refuse', () => {
    const run = agents();
    run.park('a', day);
    run.answer('a', 'stop');
    expect(run.state.reason).toBe('"a" failed: the budget of the day is used up, and more was refused.');
  });

  it('can be asked of others than those of the conversation', () => {
    const run = agents();
    run.park('a', { ...day, approvers: ['slack:U0BO'] });
    expect(run.refusal(run.question('a'), 'more', { by: eve })).toMatch(/may answer this/);
    run.answer('a', 'more');
  });
});
