import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Surroundings } from '../engine/flow/check-surroundings.ts';
import { suggest } from '../engine/flow/nearest.ts';
import { readFiles } from '../loader/folder.ts';
import { formatFault } from '../loader/located-fault.ts';
import type { Folders } from '../loader/sources.ts';
import { misfits } from '../testing/fits.ts';
import { type CaseResult, caseLines, runCase } from '../testing/run-case.ts';
import { readTestFile, TEST_FILE } from '../testing/test-file.ts';
import { type CheckedFiles, validate } from './validate.ts';

/** What came of a test file. */
export interface TestedFile {
  readonly file: string;
  /** Id of the flow; absent = the file can't be read. */
  readonly flow?: string;
  /** What keeps it from being run, one line each. */
  readonly faults: readonly string[];
  readonly cases: readonly CaseResult[];
}

/**
 * Runs test files against the flows of their folders. Nothing is called, posted or written.
 * @param paths files and folders; none = `defaultFolder`
 * @param library the folders of agents and schemas for the flows of `defaultFolder`; those of other folders lie beside them
 */
export async function runTests(
  paths: readonly string[],
  defaultFolder: string,
  surroundings: Surroundings,
  library?: Omit<Folders, 'flows'>,
): Promise<readonly TestedFile[]> {
  const found = await Promise.all((paths.length === 0 ? [defaultFolder] : paths).map(testFilesAt));
  const files = [...new Map(found.flat().map((one) => [one.file, one])).values()];
  const folders = new Map<string, CheckedFiles>();
  const tested: TestedFile[] = [];
  for (const { file, fault } of files) {
    if (fault !== undefined) {
      tested.push({ file, faults: [fault], cases: [] });
      continue;
    }
    const folder = dirname(file);
    const flows = folders.get(folder) ?? (await validate([folder], defaultFolder, surroundings, library));
    folders.set(folder, flows);
    const { files: read, faults } = await readFiles(folder, [basename(file)]);
    tested.push(
      ...read.map(({ text }) => testFile(file, text, flows)),
      ...faults.map((one) => ({ file, faults: [formatFault(one)], cases: [] })),
    );
  }
  return tested;
}

/** Whether all cases of all files have passed. */
export function allPassed(files: readonly TestedFile[]): boolean {
  return files.every(({ faults, cases }) => faults.length === 0 && cases.every(({ passed }) => passed));
}

/** A file and its cases in lines for people. */
export function fileLines({ file, faults, cases }: TestedFile): readonly string[] {
  return [
    file,
    ...faults.map((fault) => `  ${fault}`),
    ...cases.flatMap(caseLines).map((line) => `  ${line}`),
  ];
}

/** How many cases there were and have passed, in one sentence. */
export function counts(files: readonly TestedFile[]): string {
  const cases = files.flatMap((one) => one.cases);
  const faulty = files.filter(({ faults }) => faults.length > 0).length;
  if (cases.length + faulty === 0)
    return 'There are no tests here: the names of test files end with .test.yaml.';
  const passed = cases.filter((one) => one.passed).length;
  const all = cases.length === 1 ? '1 case' : `${cases.length} cases`;
  const said = passed === cases.length ? `${all} passed.` : `${cases.length - passed} of ${all} failed.`;
  return faulty === 0 ? said : `${said} ${faulty === 1 ? '1 file' : `${faulty} files`} can't be run.`;
}

function testFile(file: string, text: string, { flows, broken }: CheckedFiles): TestedFile {
  const read = readTestFile(file, text);
  if (!read.ok) return { file, faults: read.faults, cases: [] };
  const { flow: id, cases } = read;
  const plan = flows.find((one) => one.id === id)?.plan;
  if (!plan) {
    const faults = broken.flatMap((one) => one.faults);
    const message = `There is no flow ${JSON.stringify(id)} beside this file that can be loaded.`;
    const fix = suggest(
      id,
      flows.map((one) => one.id),
    );
    const [line = ''] = read.lines([
      { severity: 'error', rule: 'unknown-flow', path: ['flow'], message, fix },
    ]);
    return { file, flow: id, faults: [line, ...faults], cases: [] };
  }
  const lanes = new Map(flows.map((one) => [one.id, one.plan]));
  const unfit = cases.flatMap((one, index) => misfits(one, plan, lanes, ['cases', index]));
  if (unfit.length > 0) return { file, flow: id, faults: read.lines(unfit), cases: [] };
  return {
    file,
    flow: id,
    faults: [],
    cases: cases.map((one, index) => runCase(one, index + 1, plan, lanes)),
  };
}

interface Found {
  readonly file: string;
  /** Why it can't be run. */
  readonly fault?: string;
}

async function testFilesAt(path: string): Promise<readonly Found[]> {
  try {
    if (!(await stat(path)).isDirectory()) {
      if (TEST_FILE.test(path)) return [{ file: path }];
      return [{ file: path, fault: 'This is no test file: the names of test files end with .test.yaml.' }];
    }
    const names = (await readdir(path)).filter((name) => TEST_FILE.test(name)).toSorted();
    return names.map((name) => ({ file: join(path, name) }));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    return [{ file: path, fault: `It can't be read (${code}): check the path.` }];
  }
}
