import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { compile } from '../../src/engine/flow/compile.ts';
import type { Plan } from '../../src/engine/flow/plan.ts';
import type { RunStart } from '../../src/engine/run/event.ts';
import type { RunStatus } from '../../src/engine/run/state.ts';
import {
  createSharedWorkspaces,
  type SharedWorkspaces,
  WORKSPACE_KEPT_MS,
} from '../../src/runner/workspaces.ts';
import { sampleMove, sampleRow, sampleState } from '../contracts/store-samples.ts';
import { createHandClock, type HandClock } from '../fakes/clock.ts';
import { createKeptLog, type KeptLog } from '../fakes/log.ts';
import { createMemoryStore } from '../fakes/store.ts';
import { createFakeWorkspaces, type FakeWorkspaces } from '../fakes/workspaces.ts';

const never = new AbortController().signal;

let store: ReturnType<typeof createMemoryStore>;
let folders: FakeWorkspaces;
let clock: HandClock;
let log: KeptLog;
let workspaces: SharedWorkspaces;

beforeEach(() => {
  store = createMemoryStore();
  folders = createFakeWorkspaces();
  clock = createHandClock();
  log = createKeptLog();
  const plans = { get: async (version: string) => planWith(version) };
  workspaces = createSharedWorkspaces({ workspaces: folders, store, plans, clock, log });
});

/** @param workspace of which kind */
function planWith(workspace: string): Plan {
  const { plan } = compile({ id: 'sample', workspace, steps: { say: { type: 'template', text: 'hi' } } }, '');
  if (!plan) throw new Error(`There is no workspace ${workspace}.`);
  return plan;
}

/** A run as it is stored. @param version names the kind of workspace */
async function run(
  id: string,
  version: 'none' | 'folder' | 'git',
  {
    status = 'running',
    ...more
  }: Partial<Pick<RunStart, 'parent' | 'retryOf'>> & { status?: RunStatus } = {},
): Promise<void> {
  const { start } = sampleState(id);
  await store.commit({
    run: sampleMove(id, 0, {
      row: sampleRow(id, { version, status, updatedAtMs: clock.now() }),
      state: sampleState(id, { status, start: { ...start, ...more } }),
    }),
  });
}

const lane = (workspace?: string) => ({
  run: 'top',
  call: 'c1',
  root: 'top',
  rootFlow: 'f',
  slots: 2,
  depth: 1,
  ...(workspace !== undefined && { workspace }),
});

const retry = (of: string) => ({ run: of, done: {}, posts: {} });

/** Works until it is told to end, and notes both. */
function work(name: string, notes: string[]) {
  const { promise, resolve } = Promise.withResolvers<string>();
  const begin = async (path: string): Promise<string> => {
    notes.push(`${name} in ${path}`);
    await promise;
    notes.push(`${name} ends`);
    return name;
  };
  return { begin, end: () => resolve(name) };
}

async function settle(): Promise<void> {
  for (let turns = 0; turns < 5; turns += 1) await turn();
}

describe('work', () => {
  test('in a workspace is done one after the other over a run and its lanes, and beside that of other runs', async () => {
    await run('top', 'folder');
    await run('lane', 'none', { parent: lane('top') });
    await run('deep', 'git', { parent: lane('lane') });
    await run('other', 'git');
    const notes: string[] = [];
    const works = ['a', 'b', 'c', 'd'].map((name) => work(name, notes));
    const all = ['top', 'deep', 'lane', 'other'].map((id, index) =>
      workspaces.use(id, never, works[index]?.begin ?? (async () => '')),
    );
    await settle();
    expect(notes).toEqual(['a in /workspaces/top', 'd in /workspaces/other']);
    for (const { end } of works) end();
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'].map((result) => ({ kind: 'used', result })));
    const order = notes.map((note) => note.charAt(0)).filter((name) => name !== 'd');
    expect(order.join('')).toMatch(/^aa(bbcc|ccbb)$/);
    expect(folders.done).toEqual(expect.arrayContaining(['open top folder', 'open other git']));
  });

  test('without a workspace gets an empty folder each, at the same time, which goes with it', async () => {
    await run('top', 'none');
    const notes: string[] = [];
    const works = [work('a', notes), work('b', notes)];
    const all = works.map(({ begin }) => workspaces.use('top', never, begin));
    await settle();
    expect(notes.toSorted()).toEqual(['a in /scratch/1', 'b in /scratch/2']);
    for (const { end } of works) end();
    await workspaces.idle();
    expect(folders.scratches.size).toBe(0);
    await Promise.all(all);
    const failing = workspaces.use('top', never, async () => {
      throw new Error('broken');
    });
    await expect(failing).rejects.toThrow('broken');
    expect(folders.scratches.size).toBe(0);
  });

  test('goes on after work that failed', async () => {
    await run('top', 'folder');
    const failing = workspaces.use('top', never, async () => {
      throw new Error('broken');
    });
    const next = workspaces.use('top', never, async () => 'fine');
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toEqual({ kind: 'used', result: 'fine' });
  });

  test('that nobody wants any more when its turn comes is not begun', async () => {
    await run('top', 'folder');
    const notes: string[] = [];
    const first = work('a', notes);
    const running = workspaces.use('top', never, first.begin);
    const giveUp = new AbortController();
    const waiting = workspaces.use('top', giveUp.signal, work('b', notes).begin);
    await settle();
    giveUp.abort();
    first.end();
    await expect(waiting).rejects.toThrow(expect.objectContaining({ name: 'Stopped' }));
    await running;
    await workspaces.idle();
    expect(notes).toEqual(['a in /workspaces/top', 'a ends']);
  });

  test('is not done where there is no workspace, and says why', async () => {
    await run('top', 'git');
    const refusal = { kind: 'failed', message: 'No such branch.' } as const;
    folders.open = async () => refusal;
    expect(await workspaces.use('top', never, async () => 'done')).toEqual(refusal);
  });

  test('of a retry goes on in the workspace of the run before', async () => {
    await run('r1', 'git', { status: 'failed' });
    await run('r2', 'git', { status: 'failed', retryOf: retry('r1') });
    await run('r3', 'git', { retryOf: retry('r2') });
    await workspaces.use('r3', never, async () => 'done');
    expect(folders.done).toEqual(['open r3 git r2 r1']);
  });

  test('of a retry waits for what the run before has under way', async () => {
    await run('r1', 'folder', { status: 'failed' });
    await run('r2', 'folder', { retryOf: retry('r1') });
    const notes: string[] = [];
    const dying = work('a', notes);
    const before = workspaces.use('r1', never, dying.begin);
    await settle();
    const next = workspaces.use('r2', never, async () => notes.push('b'));
    await settle();
    dying.end();
    await Promise.all([before, next]);
    expect(notes).toEqual(['a in /workspaces/r1', 'a ends', 'b']);
    expect(folders.done).toEqual(['open r1 folder', 'open r2 folder r1']);
  });
});

describe('when a run has ended', () => {
  test.each<[RunStatus, boolean]>([
    ['succeeded', true],
    ['cancelled', true],
    ['failed', false],
    ['rejected', false],
  ])('%s: its workspace is removed: %s', async (status, isRemoved) => {
    await run('top', 'folder');
    await workspaces.use('top', never, async () => 'done');
    await workspaces.ended('top', status);
    expect(await folders.runs()).toEqual(isRemoved ? [] : ['top']);
  });

  test('that of the run above it stays', async () => {
    await run('top', 'folder');
    await run('lane', 'folder', { parent: lane('top') });
    await workspaces.use('lane', never, async () => 'done');
    await workspaces.ended('lane', 'succeeded');
    expect(await folders.runs()).toEqual(['top']);
  });

  test('it is removed only after the work in it has ended', async () => {
    await run('top', 'folder');
    const notes: string[] = [];
    const last = work('a', notes);
    const running = workspaces.use('top', never, last.begin);
    const removed = workspaces.ended('top', 'cancelled');
    await settle();
    expect(folders.done).toEqual(['open top folder']);
    last.end();
    await Promise.all([running, removed]);
    expect(folders.done).toEqual(['open top folder', 'remove top']);
  });

  test('what can not be removed is logged, and hinders nobody', async () => {
    await run('top', 'folder');
    folders.remove = async () => {
      throw new Error('in use');
    };
    await workspaces.ended('top', 'succeeded');
    await workspaces.ended('nobody', 'succeeded');
    expect(log.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'error: A workspace could not be removed.',
      'error: The workspace of a run could not be found.',
    ]);
  });
});

test('at the start, what nobody needs any more is removed', async () => {
  const statuses: readonly RunStatus[] = [
    'succeeded',
    'cancelled',
    'failed',
    'rejected',
    'waiting',
    'running',
  ];
  for (const status of statuses) {
    await run(`old${status}`, 'folder', { status });
    await workspaces.use(`old${status}`, never, async () => 'done');
  }
  clock.pass(WORKSPACE_KEPT_MS);
  for (const status of statuses) {
    await run(`new${status}`, 'folder', { status });
    await workspaces.use(`new${status}`, never, async () => 'done');
  }
  await folders.open('stranger', 'folder', [], never);
  await workspaces.sweep();
  expect(await folders.runs()).toEqual([
    'oldwaiting',
    'oldrunning',
    'newfailed',
    'newrejected',
    'newwaiting',
    'newrunning',
    'stranger',
  ]);
  folders.runs = async () => {
    throw new Error('no disk');
  };
  await workspaces.sweep();
  expect(log.lines.map(({ message }) => message)).toEqual(['Old workspaces could not be removed.']);
});
