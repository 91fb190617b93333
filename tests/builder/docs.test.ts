import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { loadFlowFile } from '../../src/loader/load.ts';
import standup from './standup.flow.ts';

const root = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/builder.md'), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);

test('the modules of the page are those that the compiler has checked', () => {
  const checked = readFileSync(join(import.meta.dirname, 'standup.flow.ts'), 'utf8');
  expect(blocks('ts').join('\n')).toBe(checked.replaceAll("'../../src/", "'../src/"));
});

test('the flow of the page is the same, of the same version, in both spellings', () => {
  const [yaml = ''] = blocks('yaml');
  const fromYaml = loadFlowFile('standup.flow.yaml', yaml);
  const fromModule = loadFlowFile('standup.flow.json', JSON.stringify(standup));
  expect(fromYaml.faults).toEqual([]);
  expect(fromModule.flow).toBeDefined();
  expect(fromModule.flow?.version).toBe(fromYaml.flow?.version);
});
