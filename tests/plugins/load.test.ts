import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { compile } from '../../src/engine/flow/compile.ts';
import { builtInStepTypes } from '../../src/engine/steps/registry.ts';
import { loadPlugins } from '../../src/plugins/load.ts';
import { begin, missing } from '../engine/steps/turn.ts';

const root = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'flowbot-plugins-'));
afterAll(() => rmSync(folder, { recursive: true }));
const entry = pathToFileURL(join(root, 'src/plugins/index.ts')).href;
let count = 0;

function module(text: string): string {
  count += 1;
  const name = `./plugin-${count}.mjs`;
  const head = `import { data, defineStep, template, z } from ${JSON.stringify(entry)};\n`;
  writeFileSync(join(folder, name), head + text);
  return name;
}

function step(more: string): string {
  return `defineStep({ type: 'shout', description: 'Shouts.', schema: z.strictObject({}), run: () => ({}), ${more} })`;
}

test('the sample stands beside the built-in step types, and flows can use it', async () => {
  const { stepTypes, runners, faults } = await loadPlugins(['./plugins/slug.ts'], root);
  expect(faults).toEqual([]);
  expect([...stepTypes.keys()]).toEqual([...builtInStepTypes.keys(), 'slug']);
  expect([...runners.keys()]).toEqual(['slug']);
  const flow = {
    id: 'release',
    triggers: [{ type: 'manual' }],
    input: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
    steps: { address: { type: 'slug', of: '{{input.title}}' } },
  };
  const { plan, faults: wrong } = compile(flow, 'release', {
    stepTypes,
    schemas: new Map(),
    agents: new Map(),
  });
  expect(wrong).toEqual([]);
  const planned = plan?.steps.get('address');
  expect(planned?.stepType.references(planned.config)).toMatchObject([
    { at: ['of'], source: '{{input.title}}' },
  ]);
});

test('fields are filled before the code of the step gets them, and keep their types', async () => {
  const name = module(
    `export default [${step(
      `schema: z.strictObject({ list: z.array(template()), any: data(), n: z.int().optional() })`,
    )}]`,
  );
  const { stepTypes, faults } = await loadPlugins([name], folder);
  expect(faults).toEqual([]);
  const shout = stepTypes.get('shout');
  if (!shout) throw new Error('not loaded');
  const written = { list: ['a {{input.n}}'], any: { n: '{{input.n}}', plain: [1, null] } };
  expect(begin(shout, written, { input: { n: 4 } })).toEqual({
    kind: 'plugin',
    call: { list: ['a 4'], any: { n: 4, plain: [1, null] } },
  });
  expect(begin(shout, { list: ['{{b.text}}'], any: 1 })).toEqual(missing('{{b.text}}'));
});

test('a step leaves by the exit that its code chose', async () => {
  const name = module(`export default ${step(`exits: ['loud', 'quiet']`)}`);
  const shout = (await loadPlugins([name], folder)).stepTypes.get('shout');
  expect(shout?.exits({})).toEqual(['loud', 'quiet']);
  expect(shout?.exitOf?.({}, { text: '', json: { exit: 'quiet' } })).toBe('quiet');
  expect(shout?.exitOf?.({}, { text: '', json: { exit: 'toString' } })).toBe('loud');
});

test.each([
  ['export const one = 1', 'it has no default export: export default defineStep({ … }).'],
  ['throw new Error("no key")', "the module can't be loaded (no key)."],
  [
    'export default { type: "shout" }',
    'it exports something that defineStep did not make: write export default defineStep({ … }).',
  ],
  [`export default ${step(`type: 'Shout!'`)}`, 'the step type "Shout!" has a bad name'],
  [`export default ${step(`type: 'http'`)}`, 'the step type "http" is built in: give it another name.'],
  [`export default ${step(`description: ''`)}`, 'has no description'],
  [`export default ${step(`schema: z.object({})`)}`, 'has no strict schema'],
  [
    `export default ${step(`schema: z.strictObject({ timeout: z.int() })`)}`,
    'has a key "timeout", which every step has',
  ],
  [`export default ${step(`exits: ['failed']`)}`, 'has bad exits'],
  [`export default ${step(`exits: ['a b']`)}`, 'has an exit "a b"'],
  [`export default [${step('')}, ${step('')}]`, 'is defined by another plugin, too'],
])('%s is refused', async (text, fault) => {
  const name = module(text);
  const { faults } = await loadPlugins([name], folder);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(`plugins: ${name}: `);
  expect(faults[0]).toContain(fault);
});

test('a package is found beside the configuration; one that is not there is a fault', async () => {
  const inner = join(folder, 'node_modules/shouting');
  mkdirSync(inner, { recursive: true });
  writeFileSync(join(inner, 'package.json'), '{"name":"shouting","type":"module","main":"index.mjs"}');
  writeFileSync(
    join(inner, 'index.mjs'),
    `import { defineStep, z } from ${JSON.stringify(entry)};\nexport default ${step('')}`,
  );
  expect((await loadPlugins(['shouting'], folder)).stepTypes.has('shout')).toBe(true);
  const { faults } = await loadPlugins(['no-such-package-here', './gone.ts'], folder);
  expect(faults).toHaveLength(2);
});
