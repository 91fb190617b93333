import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { allPassed, fileLines, runTests } from '../../src/cli/test.ts';
import { usageOf } from '../../src/commands/command.ts';
import { COMMANDS } from '../../src/commands/table.ts';
import { readConfigFile } from '../../src/config-file.ts';
import { agentJsonSchema } from '../../src/engine/agents/json-schema.ts';
import type { Surroundings } from '../../src/engine/flow/check-surroundings.ts';
import { flowJsonSchema } from '../../src/engine/flow/json-schema.ts';
import { isJsonObject } from '../../src/engine/json.ts';
import { builtInStepTypes } from '../../src/engine/steps/registry.ts';
import { loadFlowSet } from '../../src/loader/flow-set.ts';
import type { Sources } from '../../src/loader/sources.ts';
import { bareSurroundings } from '../fakes/outside.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGES = [...globSync('*.md', { cwd: ROOT }), ...globSync('docs/**/*.md', { cwd: ROOT })];
const read = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** A file that a page shows: an example says in its first line which one it is, else it is a flow. */
interface Example {
  readonly page: string;
  readonly file: string;
  /** Whether it has a name by which others on the page can name it. */
  readonly isNamed: boolean;
  readonly text: string;
}

describe('the documentation', () => {
  const examples = PAGES.flatMap(examplesOf);

  test.each(examples)('$file of $page is sound', (example) => {
    const { file, text } = example;
    const { flows, broken, warnings } = loadFlowSet(shownWith(example, examples), surroundingsOf(text));
    expect(broken.flatMap((one) => (one.file === file ? one.faults : []))).toEqual([]);
    expect(warnings.filter((warning) => warning.startsWith(`${file}:`))).toEqual([]);
    expect(file.startsWith('flows/')).toBe(flows.some((flow) => flow.file === file));
  });

  const settings = PAGES.flatMap((page) =>
    blocksOf(page, /```yml\n(# flowbot\.yaml\n[\s\S]*?)```/g).map((text, index) => ({ page, index, text })),
  );

  test.each(settings)('flowbot.yaml $index of $page is sound', ({ text }) => {
    const repository = { file: 'app/.git/HEAD', text: 'ref: refs/heads/main\n' };
    const folder = written([repository, { file: 'bot/flowbot.yaml', text }]);
    expect(readConfigFile(undefined, join(folder, 'bot'))).toMatchObject({ faults: [], warnings: [] });
  });

  const tested = PAGES.filter((page) => testsOf(page).length > 0);

  test.each(tested)('the tests of %s pass', async (page) => {
    const folder = written([...examples.filter((one) => one.page === page), ...testsOf(page)]);
    const files = await runTests([join(folder, 'flows')], '', surroundingsOf(''));
    expect(allPassed(files), files.flatMap(fileLines).join('\n')).toBe(true);
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

  test('every link to a heading leads to one', () => {
    const broken = PAGES.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)]+)\)/g)]
        .filter(([, target = '', heading = '']) => {
          const file = target === '' ? page : join(page, '..', target);
          return !headingsOf(read(file)).includes(heading);
        })
        .map(([, target, heading]) => `${page}: ${target}#${heading}`),
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

  test('the pages name every key of flows, edges, steps and agents', () => {
    const flowDefs = flowJsonSchema(builtInStepTypes).$defs;
    const schemas = [agentJsonSchema(), ...Object.values(isJsonObject(flowDefs) ? flowDefs : {})];
    const keys = schemas.flatMap((schema) =>
      isJsonObject(schema) && isJsonObject(schema.properties) ? Object.keys(schema.properties) : [],
    );
    const pages = ['flows', 'agents', 'approvals', 'scripts', 'plugins'].map((page) =>
      read(`docs/${page}.md`),
    );
    expect(keys.filter((key) => !pages.some((text) => new RegExp(`\\b${key}\\b`).test(text)))).toEqual([]);
    expect(keys).toContain('minConfidence');
  });

  test('every dependency has its line', () => {
    const text = read('docs/dependencies.md');
    const manifest: unknown = JSON.parse(read('package.json'));
    const names = namesOf(manifest, 'dependencies').concat(namesOf(manifest, 'devDependencies'));
    expect(names.filter((name) => !name.startsWith('@types/') && !text.includes(`\`${name}\``))).toEqual([]);
  });

  test('nothing names a machine or what lies outside the project', () => {
    const files = globSync(
      [
        '{src,tests,docs,demo,bench,scripts,flows,agents,schemas,schema,plugins,bin}/**/*.*',
        '*.{json,md,ts}',
        '.ci/run',
      ],
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

/** A folder with files in it. */
function written(files: readonly { readonly file: string; readonly text: string }[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'flowbot-docs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const { file, text } of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

/** The headings of a page, as links name them. */
function headingsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** What stands in brackets in a pattern, wherever it fits a page. */
function blocksOf(page: string, pattern: RegExp): readonly string[] {
  return [...read(page).matchAll(pattern)].map(([, text = '']) => text);
}

function examplesOf(page: string): readonly Example[] {
  return blocksOf(page, /```yaml\n([\s\S]*?)```/g).map((text, index) => {
    const [, named] = /^# ((?:flows|agents|schemas)\/\S+)/.exec(text) ?? [];
    return { page, file: named ?? `flows/example${index}.flow.yaml`, isNamed: named !== undefined, text };
  });
}

/** The files of `flowbot test` that a page shows. */
function testsOf(page: string): readonly { readonly file: string; readonly text: string }[] {
  return blocksOf(page, /```yml\n(# flows\/\S+\.test\.yaml\n[\s\S]*?)```/g).map((text) => ({
    file: /\S+\.test\.yaml/.exec(text)?.[0] ?? '',
    text,
  }));
}

/** An example with all of its page that has a name. */
function shownWith(example: Example, examples: readonly Example[]): Sources {
  const shown = examples.filter((one) => one === example || (one.isNamed && one.page === example.page));
  const inFolder = (folder: string) => ({
    files: shown.filter(({ file }) => file.startsWith(`${folder}/`)),
    faults: [],
  });
  return { ...inFolder('flows'), agents: inFolder('agents'), schemas: inFolder('schemas') };
}

/** A Flowbot that has what an example needs of it. */
function surroundingsOf(text: string): Surroundings {
  const namesIn = (pattern: RegExp) => [...text.matchAll(pattern)].flatMap(([, name]) => name ?? []);
  const platforms = ['slack', 'discord'].filter((platform) => text.includes(`${platform}:`));
  return {
    ...bareSurroundings,
    secrets: [...namesIn(/\bsecret(?:s\.|: )(\w+)/g), 'OPENAI_API_KEY', 'ANTHROPIC_API_KEY'],
    platforms: platforms.length > 0 ? platforms : ['playground'],
    mcpServers: [...namesIn(/\bserver: (\w+)/g), 'files', 'tickets'],
    hasRepository: true,
  };
}

function namesOf(manifest: unknown, key: string): readonly string[] {
  if (typeof manifest !== 'object' || manifest === null || !(key in manifest)) return [];
  const list: unknown = Object.entries(manifest).find(([name]) => name === key)?.[1];
  return typeof list === 'object' && list !== null ? Object.keys(list) : [];
}
