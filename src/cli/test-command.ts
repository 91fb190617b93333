import type { Command } from 'commander';
import type { Config } from '../config.ts';
import type { Json } from '../engine/json.ts';
import { type Does, FAILED, OK, type ReadOptions, withConfig } from './carry-out.ts';
import { print, printJson, shownPath } from './output.ts';
import type { TestedFile } from './test.ts';

/** `flowbot test`. */
export function addTest(program: Command, does: Does): void {
  program
    .command('test')
    .description('run the tests of flows, without calling or posting anything')
    .argument('[paths...]', 'test files or folders; without any, the folder FLOWBOT_FLOWS')
    .option('--json', 'print the result as JSON')
    .action((paths: string[], { json = false }: ReadOptions) =>
      does(() => withConfig((config) => test(config, paths, json))),
    );
}

async function test(config: Config, paths: readonly string[], json: boolean): Promise<number> {
  const { allPassed, counts, fileLines, runTests } = await import('./test.ts');
  const { surroundingsOf } = await import('../world.ts');
  const shown = (path: string) => shownPath(path, process.cwd());
  const library = { agents: shown(config.agentsDir), schemas: shown(config.schemasDir) };
  // Secrets are not there where tests run, and nothing that would need them leaves.
  const { secrets: _, ...surroundings } = await surroundingsOf(config);
  const files = await runTests(paths, shown(config.flowsDir), surroundings, library);
  const ok = allPassed(files);
  if (json) {
    printJson({ ok, files: files.map(asJson) });
  } else {
    for (const line of files.flatMap(fileLines)) print(line);
    print(counts(files));
  }
  return ok ? OK : FAILED;
}

function asJson({ file, flow, faults, cases }: TestedFile): Json {
  return {
    file,
    flow: flow ?? null,
    faults: [...faults],
    cases: cases.map(({ name, passed, differences, problems }) => ({
      name,
      ok: passed,
      problems: [...problems],
      differences: differences.map(({ what, lines }) => ({ what, lines: [...lines] })),
    })),
  };
}
