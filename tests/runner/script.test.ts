import { expect, test } from 'vitest';
import { createSecrets } from '../../src/adapters/system/secrets.ts';
import type { CallEffect } from '../../src/engine/run/effect.ts';
import { scriptHandler } from '../../src/runner/effects/script.ts';
import type { SharedWorkspaces } from '../../src/runner/workspaces.ts';
import { sampleMove } from '../contracts/store-samples.ts';
import { createFakePrograms, ended, type Running } from '../fakes/programs.ts';
import { createMemoryStore } from '../fakes/store.ts';

const never = new AbortController().signal;

const effect: Extract<CallEffect, { kind: 'script' }> = {
  kind: 'script',
  key: 'make.1.1',
  step: 'make',
  round: 1,
  attempt: 1,
  call: { run: 'make', args: ['all', '--fast'], stdin: { input: {}, steps: {} } },
};

async function stage(running?: Running, use: Pick<SharedWorkspaces, 'use'> = { use: inFolder }) {
  const store = createMemoryStore();
  await store.commit({ run: sampleMove('r1', 0) });
  const programs = createFakePrograms(running);
  const told: string[] = [];
  const workspaces = {
    ...use,
    useScratch: <T>(_run: string, work: (path: string) => Promise<T>) => inScratch(work),
    ended: async () => {},
    sweep: async () => {},
    idle: async () => {},
  };
  const secrets = createSecrets(new Map([['KEY', 'hunter2-hunter2']]));
  const handle = scriptHandler({ store, programs, workspaces, secrets });
  const leaving = async () => void told.push(`leaving after ${programs.begun.length}`);
  return { programs, told, carryOut: (more = {}) => handle('r1', { ...effect, ...more }, never, leaving) };
}

async function inScratch<T>(work: (path: string) => Promise<T>) {
  return { kind: 'used', result: await work('/scratch') } as const;
}

async function inFolder<T>(_run: string, _signal: AbortSignal, work: (path: string) => Promise<T>) {
  return { kind: 'used', result: await work('/workspaces/r1') } as const;
}

test('a script runs in the workspace of its run and knows what it is part of', async () => {
  const { programs, told, carryOut } = await stage();
  expect(await carryOut()).toEqual({
    kind: 'done',
    output: { text: '{"input":{},"steps":{}}', json: { input: {}, steps: {}, exitCode: 0 } },
  });
  expect(programs.begun).toEqual([
    {
      argv: ['make', 'all', '--fast'],
      cwd: '/workspaces/r1',
      env: { FLOWBOT_RUN: 'r1', FLOWBOT_FLOW: 'release', FLOWBOT_STEP: 'make' },
      stdin: '{"input":{},"steps":{}}',
      timeoutMs: 600_000,
      maxBytes: 1_000_000,
    },
  ]);
  expect(told).toEqual(['leaving after 0']);
});

test('its step may set its time', async () => {
  const { programs, carryOut } = await stage();
  await carryOut({ timeoutMs: 5_000 });
  expect(programs.begun).toMatchObject([{ timeoutMs: 5_000 }]);
});

test('a secret is not shown by cutting what it said in the middle of it', async () => {
  const said = `key hunter2-hunter2${'x'.repeat(1_990)}`;
  const { carryOut } = await stage(() => ended('', 2, said));
  const result = await carryOut();
  expect(result).toMatchObject({ kind: 'failed', failure: { code: 'script-exit', retry: 'allowed' } });
  expect(JSON.stringify(result)).not.toMatch(/hunter|er2/);
});

test('without a workspace nothing is begun', async () => {
  const use = async () => ({ kind: 'failed', message: 'There is no workspace.' }) as const;
  const { programs, told, carryOut } = await stage(undefined, { use });
  expect(await carryOut()).toEqual({
    kind: 'failed',
    failure: { code: 'workspace', message: 'There is no workspace.', retry: 'allowed' },
  });
  expect([programs.begun, told]).toEqual([[], []]);
});
