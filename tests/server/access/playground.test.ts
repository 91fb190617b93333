import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { createFlowbot } from '../../../src/main.ts';

async function playground(env: Readonly<Record<string, string>>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'flowbot-playground-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'flows'));
  const read = readConfig({ FLOWBOT_PORT: '0', FLOWBOT_LOG: 'silent', ...env }, folder);
  if (!read.ok) throw new Error(read.faults.join('\n'));
  const flowbot = await createFlowbot(read.config);
  onTestFinished(() => flowbot.stop());
  await flowbot.start();
  return flowbot.url;
}

const tokens = `look viewer ${'a'.repeat(24)}\nboss admin ${'b'.repeat(24)}`;

test.each([
  ['tokens', { FLOWBOT_TOKENS: tokens }],
  ['a public address', { FLOWBOT_TOKENS: tokens, FLOWBOT_PUBLIC_URL: 'https://flow.example.com' }],
])('with %s the playground, where one acts as anybody, is for admins', async (_, env) => {
  const url = await playground(env);
  const state = (headers: Record<string, string>) => fetch(`${url}/playground/api/state?as=ana`, { headers });
  const refused = await state({});
  expect([refused.status, await refused.json()]).toEqual([
    403,
    { error: 'The playground is for admins: sign in at /login with a token of the role admin.' },
  ]);
  const say = await fetch(`${url}/playground/api/say`, {
    method: 'POST',
    headers: { 'x-flowbot': '1', 'content-type': 'application/json' },
    body: JSON.stringify({ as: 'ana', conversation: 'general', text: '/flow pause' }),
  });
  expect(say.status).toBe(403);
  expect((await state({ authorization: `Bearer ${'a'.repeat(24)}` })).status).toBe(403);
  expect((await state({ authorization: `Bearer ${'b'.repeat(24)}` })).status).toBe(200);
});

test('with neither it is for whoever sits at this machine', async () => {
  const url = await playground({});
  expect((await fetch(`${url}/playground/api/state?as=ana`)).status).toBe(200);
});
