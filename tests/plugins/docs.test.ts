import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { readConfigFile } from '../../src/config-file.ts';
import { compile } from '../../src/engine/flow/compile.ts';
import { parseText } from '../../src/loader/parse.ts';
import { loadPlugins } from '../../src/plugins/load.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'flowbot-plugin-docs-'));
afterAll(() => rmSync(folder, { recursive: true }));
const page = readFileSync(join(root, 'docs/plugins.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);

test('the examples of the page work', async () => {
  const [servers = '', plugins = '', flow = ''] = blocks('yml');
  for (const config of [servers, plugins]) {
    writeFileSync(join(folder, 'flowbot.yaml'), config);
    expect(readConfigFile(undefined, folder).faults).toEqual([]);
  }
  const entry = pathToFileURL(join(root, 'src/plugins/index.ts')).href;
  const [code = ''] = blocks('ts');
  writeFileSync(join(folder, 'greet.mjs'), code.replace('../src/plugins/index.ts', entry));
  const { stepTypes, runners, faults } = await loadPlugins(['./greet.mjs'], folder);
  expect(faults).toEqual([]);
  const compiled = compile(parseText(flow, 'yaml').data ?? null, 'greeting', {
    stepTypes,
    schemas: new Map(),
    agents: new Map(),
  });
  expect(compiled.faults).toEqual([]);
  const turn = {
    signal: new AbortController().signal,
    log: () => {},
    run: { id: 'r1', step: 'hello', attempt: 1, key: 'hello.1.1' },
  };
  expect(await runners.get('greet')?.run({ who: 'Ana', loud: true }, turn)).toEqual({
    text: 'HELLO ANA!',
    json: { who: 'Ana' },
  });
});
