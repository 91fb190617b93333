import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfigFile } from '../src/config-file.ts';

const root = mkdtempSync(join(tmpdir(), 'flowbot-config-workspaces-'));
afterAll(() => rmSync(root, { recursive: true }));
mkdirSync(join(root, 'app', '.git'), { recursive: true });
mkdirSync(join(root, 'bare.git', 'objects'), { recursive: true });
writeFileSync(join(root, 'bare.git', 'HEAD'), '');
mkdirSync(join(root, 'plain'));

function read(text: string) {
  writeFileSync(join(root, 'flowbot.yaml'), text);
  return readConfigFile(undefined, root);
}

test.each([
  ['people: {}', undefined],
  ['workspaces: { repository: app }', { path: join(root, 'app'), base: 'HEAD' }],
  ['workspaces: { repository: ./bare.git, base: main }', { path: join(root, 'bare.git'), base: 'main' }],
  [
    `workspaces: { repository: ${join(root, 'app')}, base: origin/release-1.2 }`,
    { path: join(root, 'app'), base: 'origin/release-1.2' },
  ],
])('%s', (text, repository) => {
  const { settings, faults } = read(text);
  expect(faults).toEqual([]);
  expect(settings.repository).toEqual(repository);
});

test.each([
  ['workspaces:', 'type: workspaces must be an object, not null.'],
  ['workspaces: {}', 'workspaces.repository is missing'],
  [
    'workspaces: { repository: plain }',
    'workspaces.repository: this is no folder with a git repository. Write the path of one, such as ../app.',
  ],
  ['workspaces: { repository: gone }', 'this is no folder with a git repository.'],
  [
    'workspaces: { repository: app, base: --force }',
    'workspaces.base: this is no name of a branch, tag or commit. Write one, such as main.',
  ],
  ['workspaces: { repository: app, base: a..b }', 'this is no name of a branch'],
  ['workspaces: { repository: app, base: "a b" }', 'this is no name of a branch'],
  ['workspaces: { repository: app, branch: main }', 'workspaces has no key "branch"'],
])('%s is refused', (text, fault) => {
  const { settings, faults } = read(text);
  expect(settings.repository).toBeUndefined();
  expect(faults).toHaveLength(1);
  expect(faults.join()).toContain(fault);
});
