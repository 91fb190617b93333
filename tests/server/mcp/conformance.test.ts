import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { addMcpRoutes } from '../../../src/server/mcp/routes.ts';
import { createCountingIds } from '../../fakes/ids.ts';
import { desk, open, server } from '../api/serving.ts';

const run = promisify(execFile);
const suite = new URL('../../../node_modules/.bin/conformance', import.meta.url).pathname;

/** Those of the suite that are about what a server of tools has to do; others want resources, prompts or sampling. */
test.each([
  'server-initialize',
  'ping',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-error',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
])('the conformance suite is content with %s', async (scenario) => {
  const hello = 'mcp: true\ndescription: Says hello.\nsteps: { say: { type: template, text: hello } }';
  const fails = `${hello.slice(0, -2)}, fail: { type: template, text: "{{say.json.nothing}}" } }`;
  // The names that the suite calls.
  await open({ hello, test_simple_text: hello, test_error_handling: fails }, {}, undefined, (app, door) =>
    addMcpRoutes(app, { bot: desk.bot, door, ids: createCountingIds(), version: '1.2.3' }).open(),
  );
  const folder = mkdtempSync(join(tmpdir(), 'flowbot-conformance-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { stdout } = await run(suite, [
    'server',
    '--url',
    `${server.url}/mcp`,
    '--scenario',
    scenario,
    '--output-dir',
    folder,
  ]);
  expect(stdout).toMatch(/\b0 failed|Failed: 0/);
});
