import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { createProgramRuntime } from '../../../src/adapters/agents/program.ts';
import type { AgentRequest } from '../../../src/ports/agents.ts';
import { agentCalled } from '../../fakes/agent.ts';
import { callingIn, folder, js, machine, never, switchboard } from '../programs/machine.ts';

const secrets = {
  get: (name: string) => (name === 'KEY' ? 'hush-hush' : undefined),
  names: () => ['KEY'],
  redact: <T>(data: T): T => JSON.parse(JSON.stringify(data).replaceAll('hush-hush', '***')),
};

function stage() {
  const { programs, clock } = machine();
  const environment = { PASSED: 'yes', KEPT: 'no' };
  return { clock, runtime: createProgramRuntime({ programs, secrets, environment }) };
}

function request(command: readonly string[], settings = {}): AgentRequest {
  return {
    agent: agentCalled('coder', { runtime: 'program', settings: { command: [...command], ...settings } }),
    kind: 'task',
    system: 'Be brief.',
    prompt: 'Say hello.',
    turns: [],
    tools: [],
    timeoutMs: 60_000,
    key: 'k',
    at: { flow: 'f', run: 'r1', step: 's', round: 1, attempt: 1, askedAgain: 0 },
    workspace: folder(),
  };
}

test('it reads the prompt, gets its variables, and what it prints is the reply', async () => {
  const source = `process.stdin.on('data', (text) => process.stdout.write(String(text) + '|')).on('end', () => {
    const { KEY, PASSED, KEPT, FLOWBOT_RUN } = process.env;
    console.log([KEY, PASSED, KEPT, FLOWBOT_RUN].join());
  });`;
  const asked = request(js(source), { env: { KEY: '{{secrets.KEY}}' }, passEnv: ['PASSED', 'ABSENT'] });
  expect(await stage().runtime.turn(asked, never)).toEqual({
    kind: 'replied',
    text: 'Be brief.\n\nSay hello.|hush-hush,yes,,r1',
  });
});

test.each([
  ['no output', js(''), 'empty-reply', 'allowed'],
  ['a lost login', js('process.exit(77)'), 'login-lost', 'never'],
  ['another exit code', js('process.exit(3)'), 'program-failed', 'allowed'],
  ['a signal', js('process.kill(process.pid, "SIGKILL")'), 'program-killed', 'allowed'],
  ['too much output', js('process.stdout.write("x".repeat(10000001))'), 'program-too-large', 'allowed'],
  ['no program', ['no-such-program-here'], 'program-missing', 'never'],
])('%s is a failure', async (_, command, code, retry) => {
  const outcome = await stage().runtime.turn(request(command), never);
  expect(outcome).toMatchObject({ kind: 'failed', code, retry });
});

test('secrets that it writes to stderr are not told', async () => {
  const asked = request(js('console.error("hush-hush" + "x".repeat(1995)); process.exit(1)'));
  expect(JSON.stringify(await stage().runtime.turn(asked, never))).not.toContain('hush');
});

test('a program that ignores being asked to end leaves no process behind', async () => {
  const { runtime, clock } = stage();
  const line = await switchboard();
  const deaf = `process.on('SIGTERM', () => line.write('asked\\n'))`;
  const child = callingIn({ before: deaf });
  const parent = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);
    require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}, process.argv[1]]);`;
  const calling = line.caller();
  const turn = runtime.turn(request(js(parent, line.path)), never);
  const grandchild = await calling;
  clock.pass(60_000);
  await grandchild.says('asked');
  clock.pass(5_000);
  expect(await turn).toEqual({ kind: 'timeout' });
  await grandchild.gone;
  // One that has ended stays listed as Z until the system collects it.
  const state = spawnSync('ps', ['-o', 'stat=', '-p', String(grandchild.pid)], { encoding: 'utf8' });
  expect(state.stdout.trim()).toMatch(/^(?:Z.*)?$/);
});

test('a program that nobody waits for any more is ended', async () => {
  const { runtime } = stage();
  const line = await switchboard();
  const calling = line.caller();
  const stop = new AbortController();
  const turn = runtime.turn(request(js(callingIn(), line.path)), stop.signal);
  const caller = await calling;
  stop.abort();
  expect(await turn).toEqual({ kind: 'timeout' });
  await caller.gone;
});
