import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { usageOf } from '../../src/commands/command.ts';
import { COMMANDS } from '../../src/commands/table.ts';
import { loadFlowFile } from '../../src/loader/load.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGES = [...globSync('*.md', { cwd: ROOT }), ...globSync('docs/**/*.md', { cwd: ROOT })];
const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

describe('the documentation', () => {
  const examples = PAGES.flatMap((page) =>
    [...read(page).matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = ''], index) => ({
      page,
      index,
      text,
    })),
  );

  test.each(examples)('flow $index of $page is sound', ({ text }) => {
    const loaded = loadFlowFile('example.flow.yaml', text);
    expect(loaded.faults).toEqual([]);
    expect(loaded.flow).toBeDefined();
  });

  test('every relative link leads to a file', () => {
    const broken = PAGES.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)]
        .map(([, target = '']) => target)
        .filter((target) => globSync(join(page, '..', target), { cwd: ROOT }).length === 0)
        .map((target) => `${page}: ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test('the README names every chat command with its usage', () => {
    const readme = read('README.md');
    for (const command of COMMANDS) {
      expect(readme).toContain(
        `\`${[command.name, usageOf(command)].filter((part) => part !== '').join(' ')}\``,
      );
    }
  });

  test('every dependency has its line', () => {
    const text = read('docs/dependencies.md');
    const manifest: unknown = JSON.parse(read('package.json'));
    const names = namesOf(manifest, 'dependencies').concat(namesOf(manifest, 'devDependencies'));
    expect(names.filter((name) => !name.startsWith('@types/') && !text.includes(`\`${name}\``))).toEqual([]);
  });

  test('nothing names a machine or what lies outside the project', () => {
    const files = globSync(
      ['{src,tests,docs,demo,bench,scripts,flows,bin}/**/*.*', '*.{json,md,ts}', '.ci/run'],
      {
        cwd: ROOT,
      },
    ).filter((file) => /\.(ts|js|json|md|yaml|css|html)$|run$/.test(file));
    const offences = files.filter((file) =>
      /\/work[/]|\.\.\/shared|\/root[/]|registry\.npm/.test(read(file)),
    );
    expect(offences).toEqual([]);
  });
});

function namesOf(manifest: unknown, key: string): readonly string[] {
  if (typeof manifest !== 'object' || manifest === null || !(key in manifest)) return [];
  const list: unknown = Object.entries(manifest).find(([name]) => name === key)?.[1];
  return typeof list === 'object' && list !== null ? Object.keys(list) : [];
}
