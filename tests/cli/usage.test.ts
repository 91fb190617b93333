import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHome, type Home, postingFlow } from './home.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('flowbot', () => {
  let home: Home;
  beforeAll(() => {
    home = createHome();
    home.flow('posting.flow.yaml', postingFlow);
  });
  afterAll(() => home.close());

  it.each([
    ['nothing', [], /Usage: flowbot/],
    ['an unknown command', ['strat'], /unknown command 'strat'[\s\S]*start/],
    ['an unknown option', ['runs', '--jason'], /unknown option '--jason'[\s\S]*--json/],
    ['a missing argument', ['approve'], /missing required argument 'run'/],
    ['an empty id', ['approve', '', 'k3x9p2m4tz'], /argument 'run'.* It must be one word\./],
    ['too many arguments', ['show', 'one', 'two'], /too many arguments/],
    [
      'input that is no JSON',
      ['run', 'posting', '--input', '{version: 1}'],
      /must be a JSON object, such as/,
    ],
    ['input that is no object', ['run', 'posting', '--input', '[1]'], /must be a JSON object, such as/],
  ])('answers %s with help on standard error and exit code 2', async (_, words, message) => {
    expect(await home.type(...words)).toEqual({ code: 2, out: '', err: expect.stringMatching(message) });
  });

  it('explains commands and exit codes', async () => {
    const { code, out, err } = await home.type('--help');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(
      'Exit codes: 0 = done; 1 = refused, not found or failed; 2 = wrong usage or configuration.',
    );
    const commands = [...out.matchAll(/^ {2}([a-z-]+) .*$/gm)].map((match) => match[1]);
    const page = readFileSync(join(root, 'docs/cli.md'), 'utf8');
    const documented = [...page.matchAll(/^\| `flowbot ([a-z-]+)/gm)].map((match) => match[1]);
    expect(commands.filter((name) => name !== 'help').toSorted()).toEqual(
      [...new Set(documented)].toSorted(),
    );
  });

  it.each([['start'], ['runs'], ['validate']])(
    '%s shows all faults of the configuration at once',
    async (command) => {
      const bad = createHome({
        FLOWBOT_PORT: '99999',
        FLOWBOT_PREFIX: 'go',
        FLOWBOT_SECRET_KEY_FILE: 'missing',
        FLOWBOT_LOG: 'loud',
      });
      try {
        const { code, out, err } = await bad.type(command);
        expect({ code, out }).toEqual({ code: 2, out: '' });
        for (const name of ['FLOWBOT_PORT', 'FLOWBOT_PREFIX', 'FLOWBOT_SECRET_KEY_FILE', 'FLOWBOT_LOG'])
          expect(err).toContain(name);
        expect(err.trim().split('\n')).toHaveLength(4);
      } finally {
        await bad.close();
      }
    },
  );

  it('works from the published build', async () => {
    // The program looks for its sources beside itself; here it finds the build only.
    const place = join(home.folder, 'published');
    mkdirSync(join(place, 'bin'), { recursive: true });
    cpSync(join(root, 'bin/flowbot.js'), join(place, 'bin/flowbot.js'));
    cpSync(join(root, 'package.json'), join(place, 'package.json'));
    symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    // Types are checked elsewhere; here only what is emitted counts.
    execFileSync(
      process.execPath,
      [tsc, '--noCheck', '-p', 'tsconfig.build.json', '--outDir', join(place, 'dist')],
      {
        cwd: root,
      },
    );
    const program = join(place, 'bin/flowbot.js');
    const built = spawnSync(process.execPath, [program, 'validate'], { cwd: home.folder, encoding: 'utf8' });
    expect(built).toMatchObject({ status: 0, stdout: '1 flow is sound.\n', stderr: '' });
  });
});

/** A Node of this machine that is too old for Flowbot, if there is one. */
const oldNode = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .map((folder) => join(folder, 'node'))
  .find((path) => existsSync(path) && isTooOld(execFileSync(path, ['--version'], { encoding: 'utf8' })));

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number);
  return major < 22 || (major === 22 && minor < 19);
}

describe.skipIf(oldNode === undefined)(
  'on a Node that is too old (skipped where this machine has none)',
  () => {
    it('says so in one sentence', () => {
      const { status, stdout, stderr } = spawnSync(oldNode ?? '', [join(root, 'bin/flowbot.js'), 'start'], {
        encoding: 'utf8',
      });
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
      expect(stderr).toMatch(/^Flowbot needs Node 22\.19 or newer, but this is [\d.]+: .+\n$/);
    });
  },
);
