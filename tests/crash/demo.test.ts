import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** Starts the demo with a folder of its own for temporary files. */
function startDemo() {
  const folder = mkdtempSync(join(tmpdir(), 'flowbot-demo-test-'));
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary);
  const child = spawn(process.execPath, ['demo/index.ts'], {
    env: { PATH: process.env.PATH, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text;
  });
  return { child, said, ended: once(child, 'close'), left: () => readdirSync(temporary) };
}

test('npm run demo tells a whole release, with a crash in the middle', async () => {
  const { child, said, ended, left } = startDemo();
  await ended;
  expect(said.err).toBe('');
  expect(child.exitCode).toBe(0);
  const moments = [
    'Ana      !release 1.2',
    'flowbot  ⏸️ Release notes is waiting',
    'Publish these notes?',
    '$ kill -9 ',
    'Nothing was posted twice',
    'Bo       presses [ Reject ]',
    'Bo       presses [ Approve ]',
    '#announcements\nflowbot  Release 1.2',
    '✅ Release notes has succeeded',
    'Journal (UTC):',
    'everything was as it should be.',
  ];
  const places = moments.map((moment) => said.out.indexOf(moment));
  expect(places, said.out).toEqual(places.toSorted((one, other) => one - other));
  expect(places).not.toContain(-1);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal takes for a colour begins with one
  expect(said.out).not.toMatch(/\u001b/);
  expect(left()).toEqual([]);
});

test('the demo cleans up after Ctrl-C', async () => {
  const { child, said, ended, left } = startDemo();
  child.stdout.once('data', () => child.kill('SIGINT'));
  await ended;
  expect(child.exitCode).toBe(1);
  expect(said.err).toContain('Interrupted by SIGINT.');
  expect(left()).toEqual([]);
});
