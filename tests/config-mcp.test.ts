import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfigFile } from '../src/config-file.ts';

const root = mkdtempSync(join(tmpdir(), 'flowbot-config-mcp-'));
afterAll(() => rmSync(root, { recursive: true }));

function read(text: string) {
  writeFileSync(join(root, 'flowbot.yaml'), text);
  return readConfigFile(undefined, root);
}

test('servers are programs or addresses, with secrets by name', () => {
  const { settings, faults } = read(`
plugins: [./plugins/slug.ts, flowbot-plugin-x]
mcpServers:
  files:
    command: npx
    args: [-y, server-files, .]
    env: { ACCESS_TOKEN: "{{secrets.FILES}}", MAX_TOKENS: "100" }
    readOnly: true
  tickets:
    url: https://mcp.example.com/mcp
    headers: { Authorization: "Bearer {{secrets.TICKETS}}" }
`);
  expect(faults).toEqual([]);
  expect(settings.plugins).toEqual(['./plugins/slug.ts', 'flowbot-plugin-x']);
  expect(Object.fromEntries(settings.mcpServers)).toEqual({
    files: {
      kind: 'program',
      command: 'npx',
      args: ['-y', 'server-files', '.'],
      env: {
        ACCESS_TOKEN: [{ kind: 'secret', name: 'FILES', as: 'text' }],
        MAX_TOKENS: [{ kind: 'text', text: '100' }],
      },
      readOnly: true,
    },
    tickets: {
      kind: 'address',
      url: 'https://mcp.example.com/mcp',
      headers: {
        Authorization: [
          { kind: 'text', text: 'Bearer ' },
          { kind: 'secret', name: 'TICKETS', as: 'text' },
        ],
      },
      readOnly: false,
    },
  });
});

test('without them there are none', () => {
  const { settings } = read('people: {}');
  expect([settings.mcpServers.size, settings.plugins]).toEqual([0, []]);
});

test('all faults are told at once, with their places', () => {
  const { faults } = read(`mcpServers:
  a: { command: x, url: "https://x.example" }
  b: { command: x, env: { API_KEY: "sk-1234" } }
  "c d": { command: x }
plugins: { a: b }
`);
  expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
    'flowbot.yaml:2:3',
    'flowbot.yaml:3:27',
    'flowbot.yaml:4:3',
    'flowbot.yaml:5:1',
  ]);
});

test.each([
  ['mcpServers: []', 'mcpServers must be an object'],
  ['mcpServers: { a: }', 'mcpServers.a must be an object, not null'],
  ['mcpServers: { a: {} }', 'mcpServers.a needs either command or url.'],
  [
    'mcpServers: { a: { command: npx -y a-server } }',
    'This is more than the name of a program, and no shell takes it apart. Write command: npx and args:',
  ],
  ['mcpServers: { a: { command: x, urll: y } }', 'mcpServers.a has no key "urll"'],
  ['mcpServers: { a: { url: "ftp://x.example" } }', 'This is no address.'],
  ['mcpServers: { a: { url: "https://me:pw@x.example" } }', 'An address holds no password.'],
  [
    'mcpServers: { a: { url: "https://x.example", headers: { Authorization: Bearer abc } } }',
    'No secrets stand in this file. Write {{secrets.NAME}}',
  ],
  [
    'mcpServers: { a: { command: x, env: { A: "{{input.x}}" } } }',
    '{{input.x}} names no secret. Only {{secrets.NAME}} can stand here.',
  ],
  ['mcpServers: { a: { command: x, env: { A: "x\\ny" } } }', 'This holds a line break or NUL.'],
  ['mcpServers: { a: { command: x, env: { "A-B": y } } }', 'This is no name of a variable.'],
  ['plugins: ./x.ts', 'plugins must be a list'],
])('%s is refused', (text, fault) => {
  const { faults } = read(text);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(fault);
  expect(faults[0]).not.toMatch(/Bearer abc|sk-1234/);
});
