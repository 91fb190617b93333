import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { programEnvironment } from '../../../src/adapters/programs/environment.ts';
import { createPrograms } from '../../../src/adapters/programs/index.ts';
import { createHandClock } from '../../fakes/clock.ts';
import { call, callingIn, folder, js, machine, never, switchboard } from './machine.ts';

describe('a program', () => {
  test('works in its folder, reads what it is given, and says what it has to', async () => {
    const { programs, clock } = machine();
    const cwd = folder();
    writeFileSync(join(cwd, 'note.txt'), 'hi');
    const source = `
      process.stdout.write(require('node:fs').readFileSync('note.txt') + ' ');
      process.stderr.write('careful');
      process.exitCode = 3;
      process.stdin.pipe(process.stdout);`;
    expect(await programs.run(call(js(source), { cwd, stdin: 'grüße 😀' }), never)).toEqual({
      kind: 'ended',
      exitCode: 3,
      stdout: 'hi grüße 😀',
      stderr: 'careful',
    });
    expect(clock.nextMs()).toBeUndefined();
  });

  test('gets each argument as it is: no shell reads them', async () => {
    const { programs } = machine();
    const cwd = folder();
    const args = fc.array(
      fc.oneof(
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom('$(touch x)', '; ls', '*', '-e', '', '"', "'", '\n'),
      ),
    );
    const source = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
    await fc.assert(
      fc.asyncProperty(args, async (given) => {
        const whole = given.map((one) => one.replaceAll('\0', ''));
        const outcome = await programs.run(call(js(source, '--', ...whole), { cwd }), never);
        expect(outcome).toMatchObject({ kind: 'ended', stdout: JSON.stringify(whole) });
      }),
      { numRuns: 15 },
    );
    expect(existsSync(join(cwd, 'x'))).toBe(false);
  });

  test('gets nothing of the environment but what is allowed and what is meant for it', async () => {
    const environment = programEnvironment({ ...process.env, HOME: '/home/bot', SLACK_BOT_TOKEN: 'xoxb-1' });
    const programs = createPrograms({ clock: createHandClock(), environment });
    const env = { FLOWBOT_RUN: 'r1' };
    const outcome = await programs.run(call(['env'], { env }), never);
    if (outcome.kind !== 'ended') throw new Error(outcome.message);
    const names = outcome.stdout
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names.toSorted()).toEqual([...Object.keys(environment), 'FLOWBOT_RUN'].toSorted());
    expect(
      Object.keys(
        programEnvironment({ PATH: '/bin', LANG: 'C', TZ: 'UTC', TMPDIR: '/tmp', HOME: '/', SECRET: 's' }),
      ),
    ).toEqual(['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR']);
  });

  test('need not read what it is given', async () => {
    const { programs } = machine();
    const outcome = await programs.run(call(['true'], { stdin: 'x'.repeat(5_000_000) }), never);
    expect(outcome).toEqual({ kind: 'ended', exitCode: 0, stdout: '', stderr: '' });
  });

  test('may say much beside its output: the end of it is kept', async () => {
    const { programs } = machine();
    const outcome = await programs.run(call(js(`process.stderr.write('x'.repeat(3e6) + 'end')`)), never);
    expect(outcome.stderr).toHaveLength(64_000);
    expect(outcome.stderr.endsWith('xend')).toBe(true);
  });

  test('is heard to the end when it prints as much as it may', async () => {
    const { programs } = machine();
    const outcome = await programs.run(call(js(`process.stdout.write('x'.repeat(1e6))`)), never);
    expect(outcome).toMatchObject({ kind: 'ended', stdout: 'x'.repeat(1_000_000) });
  });
});

describe('there is no result', () => {
  test.each([
    ['nowhere to be found', ['no-such-program-here'], 'missing', 'was not found: install it'],
    ['a file that is not there', ['./build.sh'], 'missing', 'was not found: install it'],
    ['a file that is no program', ['./note.txt'], 'start', 'may not be run: make its file executable.'],
    ['too much in its arguments', ['true', 'x'.repeat(5_000_000)], 'start', 'gets more in its arguments'],
  ] as const)('of a program that is %s', async (_, argv, reason, message) => {
    const { programs } = machine();
    const cwd = folder();
    writeFileSync(join(cwd, 'note.txt'), 'hi', { mode: 0o600 });
    const outcome = await programs.run(call(argv, { cwd }), never);
    expect(outcome).toMatchObject({ kind: 'failed', reason });
    expect(outcome).toMatchObject({
      message: expect.stringContaining(`The program "${argv[0]}" ${message}`),
    });
  });

  test('of one whose folder is gone', async () => {
    const { programs } = machine();
    const cwd = join(folder(), 'gone');
    expect(await programs.run(call(['true'], { cwd }), never)).toMatchObject({
      reason: 'start',
      message: 'The program "true" can\'t be started: its folder is gone.',
    });
  });

  test('of one that prints too much: it is ended', async () => {
    const { programs } = machine();
    expect(await programs.run(call(['yes'], { maxBytes: 100_000 }), never)).toMatchObject({
      kind: 'failed',
      reason: 'too-large',
      message:
        'The program "yes" printed more than 100,000 bytes and was ended: print less, or write to a file of the workspace.',
    });
  });

  test('of one that prints no text', async () => {
    const { programs } = machine();
    const source = 'process.stdout.write(Buffer.from([0xc3, 0x28]))';
    expect(await programs.run(call(js(source)), never)).toMatchObject({ kind: 'failed', reason: 'encoding' });
  });

  test('of one that somebody else has ended', async () => {
    const { programs } = machine();
    const outcome = await programs.run(call(js(`process.kill(process.pid, 'SIGKILL')`)), never);
    expect(outcome).toMatchObject({
      reason: 'killed',
      message: expect.stringContaining('was ended by SIGKILL, which Flowbot did not send: perhaps'),
    });
  });
});

/** What a program does that does not want to end. */
const stubborn = `process.on('SIGTERM', () => line.write('no\\n'));`;

describe('a program that does not end', () => {
  test('is ended when its time is over', async () => {
    const { programs, clock } = machine();
    const { path, caller } = await switchboard();
    const called = caller();
    const running = programs.run(call(js(callingIn(), path), { timeoutMs: 2_000 }), never);
    const { gone } = await called;
    clock.pass(2_000);
    expect(await running).toEqual({
      kind: 'failed',
      reason: 'timeout',
      message: expect.stringMatching(/ did not end within 2 s and was ended; raise the timeout/),
      stderr: '',
    });
    await gone;
    expect(clock.nextMs()).toBeUndefined();
  });

  test('is made to end when it does not want to, 5 s later', async () => {
    const { programs, clock } = machine();
    const { path, caller } = await switchboard();
    const called = caller();
    const running = programs.run(
      call(js(callingIn({ before: stubborn }), path), { timeoutMs: 2_000 }),
      never,
    );
    const program = await called;
    clock.pass(2_000);
    await program.says('no');
    clock.pass(4_999);
    expect(isThere(program.pid)).toBe(true);
    clock.pass(1);
    await program.gone;
    expect(await running).toMatchObject({ reason: 'timeout' });
  });

  test('is ended when nobody waits for it any more, with all that it has started', async () => {
    const { programs } = machine();
    const { path, caller } = await switchboard();
    const called = [caller(), caller()];
    const helper = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(callingIn())}, process.argv[1]])`;
    const giveUp = new AbortController();
    const running = programs.run(call(js(callingIn({ after: helper }), path)), giveUp.signal);
    const both = await Promise.all(called);
    giveUp.abort();
    expect(await running).toMatchObject({ kind: 'failed', reason: 'aborted' });
    await Promise.all(both.map(({ gone }) => gone));
  });

  test('is ended when Flowbot stops; after that nothing is started', async () => {
    const { programs } = machine();
    const { path, caller } = await switchboard();
    const called = caller();
    const running = programs.run(call(js(callingIn(), path)), never);
    const { gone } = await called;
    await Promise.all([programs.close(), programs.close()]);
    expect(await running).toMatchObject({ reason: 'aborted' });
    await gone;
    expect(await programs.run(call(['true']), never)).toMatchObject({ reason: 'aborted' });
  });
});

describe('what a program leaves behind', () => {
  /** Starts a helper that holds what the program prints to, and ends when it has called in. */
  const leaving = (how: string) => `
    const helper = require('node:child_process').spawn(process.execPath,
      ['-e', ${JSON.stringify(callingIn({ after: "process.send('up')" }))}, process.argv[1]],
      { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], ${how} });
    helper.on('message', () => process.stdout.write('done', () => process.exit(0)));`;

  test('is ended with it and keeps nobody waiting', async () => {
    const { programs, clock } = machine();
    const { path, caller } = await switchboard();
    const called = caller();
    const running = programs.run(call(js(leaving(''), path)), never);
    const { gone } = await called;
    expect(await running).toEqual({ kind: 'ended', exitCode: 0, stdout: 'done', stderr: '' });
    await gone;
    expect(clock.nextMs()).toBeUndefined();
  });

  test('keeps nobody waiting when it has gone its own way either', async () => {
    const { programs } = machine();
    const { path, caller } = await switchboard();
    const called = caller();
    const running = programs.run(call(js(leaving('detached: true'), path)), never);
    const { pid, gone } = await called;
    onTestFinished(async () => {
      process.kill(pid, 'SIGKILL');
      await gone;
    });
    expect(await running).toMatchObject({ kind: 'ended', stdout: 'done' });
  });
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
