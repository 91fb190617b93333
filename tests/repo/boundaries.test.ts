import { globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const IMPORT = /(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g;

/** What each folder may import beside itself, and what to do instead when it wants more. */
const RULES: readonly {
  readonly folder: string;
  readonly folders: readonly string[];
  readonly packages: readonly string[];
  readonly instead: string;
}[] = [
  {
    folder: 'src/engine',
    folders: [],
    packages: ['zod', 'handlebars', 'ajv', 'node-cron', '@noble/hashes', '@marcbachmann/cel-js'],
    instead:
      'The engine decides and never acts: return an effect, let src/runner carry it out through a port, and take the result as the next event.',
  },
  {
    folder: 'src/ports',
    folders: ['src/engine'],
    packages: [],
    instead: 'A port is an interface in words of the engine: put the implementation under src/adapters.',
  },
  {
    folder: 'src/loader',
    folders: ['src/engine', 'src/runner/catalog.ts'],
    packages: ['yaml', 'chokidar', 'node:'],
    instead: 'The loader turns files into plans: hand the plans over in src/main.ts.',
  },
  {
    folder: 'src/render',
    folders: ['src/engine'],
    packages: ['mdast', 'mdast-util-', 'micromark-', '@dagrejs/dagre'],
    instead: 'Rendering is pure: pass in what it needs.',
  },
  {
    folder: 'src/runner',
    folders: ['src/engine', 'src/ports', 'src/render'],
    packages: [],
    instead:
      'The runner knows ports, not adapters: add what is missing to a port and wire it in src/main.ts.',
  },
  {
    folder: 'src/commands',
    folders: ['src/engine', 'src/ports', 'src/runner'],
    packages: [],
    instead: 'Commands know ports and the runner: no platform, no file, no network.',
  },
];

describe('import boundaries', () => {
  for (const rule of RULES) {
    test(`${rule.folder} stays inside its bounds`, () => {
      const offences = filesOf(rule.folder).flatMap((file) =>
        importsOf(file)
          .filter((target) => !isAllowed(target, rule))
          .map((target) => `${file} imports ${target}. ${rule.instead}`),
      );
      expect(offences).toEqual([]);
    });
  }

  test('the engine knows neither clock nor chance', () => {
    const offences = filesOf('src/engine').filter((file) =>
      /Date\.now\(|new Date\(\)|Math\.random\(|setTimeout\(|setInterval\(|process\.|globalThis\./.test(
        readFileSync(join(ROOT, file), 'utf8'),
      ),
    );
    expect(offences, 'Time arrives in events, ids come from the runner: pass them in.').toEqual([]);
  });

  test('only src/config.ts and the command line read the environment', () => {
    const offences = filesOf('src').filter(
      (file) =>
        !file.startsWith('src/cli/') &&
        file !== 'src/config.ts' &&
        readFileSync(join(ROOT, file), 'utf8').includes('process.env'),
    );
    expect(offences, 'Add the setting to src/config.ts and pass it on.').toEqual([]);
  });
});

function filesOf(folder: string): readonly string[] {
  return globSync(`${folder}/**/*.ts`, { cwd: ROOT });
}

/** Packages by name, own files by their path from the root. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(IMPORT)].map(([, target = '']) => {
    if (target.startsWith('.')) return relative(ROOT, resolve(ROOT, file, '..', target));
    return builtinModules.includes(target) ? `node:${target}` : target;
  });
}

function isAllowed(target: string, rule: (typeof RULES)[number]): boolean {
  const isOwn = target.startsWith('src/');
  if (isOwn)
    return [rule.folder, ...rule.folders].some(
      (folder) => target === folder || target.startsWith(`${folder}/`),
    );
  return rule.packages.some(
    (name) =>
      target === name || target.startsWith(name.endsWith('-') || name.endsWith(':') ? name : `${name}/`),
  );
}
