import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Surroundings } from '../engine/flow/check-surroundings.ts';
import { loadFlowSet } from '../loader/flow-set.ts';
import { type FlowFolder, readFlowFolder } from '../loader/folder.ts';
import type { LocatedFault } from '../loader/located-fault.ts';
import type { FlowSet } from '../runner/catalog.ts';

/**
 * Loads flow files without running anything. A folder is checked as Flowbot would load it; single files are
 * checked together, as if they were a folder.
 * @param paths files and folders; none = `defaultFolder`
 */
export async function validate(
  paths: readonly string[],
  defaultFolder: string,
  surroundings: Surroundings,
): Promise<FlowSet> {
  if (paths.length === 0) return loadFlowSet(await readFlowFolder(defaultFolder), surroundings);
  const folders: FlowFolder[] = [];
  /** Files by their folder, so that each folder is read once. */
  const singles = new Map<string, Set<string>>();
  for (const path of new Set(paths)) {
    if (await isFolder(path)) folders.push(await readFlowFolder(path));
    else singles.set(dirname(path), (singles.get(dirname(path)) ?? new Set()).add(basename(path)));
  }
  const files = await Promise.all([...singles].map(([folder, names]) => readFiles(folder, names)));
  const together = {
    files: files.flatMap((one) => one.files),
    faults: files.flatMap((one) => one.faults),
  };
  const sets = [together, ...folders].map((folder) => loadFlowSet(folder, surroundings));
  return {
    flows: sets.flatMap((set) => set.flows),
    broken: sets.flatMap((set) => set.broken),
    warnings: sets.flatMap((set) => set.warnings),
  };
}

/** The result in one sentence. */
export function summary({ flows, broken }: FlowSet): string {
  const count = flows.length + broken.length;
  if (count === 0) return 'There are no flow files here.';
  if (broken.length > 0) return `${broken.length} of ${counted(count, 'file')} can't be loaded.`;
  return `${counted(count, 'flow')} ${count === 1 ? 'is' : 'are'} sound.`;
}

function counted(count: number, thing: string): string {
  return count === 1 ? `1 ${thing}` : `${count} ${thing}s`;
}

async function readFiles(directory: string, names: ReadonlySet<string>): Promise<FlowFolder> {
  const folder = await readFlowFolder(directory);
  const wanted = [...names].map((name) => join(directory, name));
  const files = folder.files.filter(({ file }) => wanted.includes(file));
  const faults = folder.faults.filter(({ file }) => wanted.includes(file) || file === directory);
  const found = new Set([...files, ...faults].map(({ file }) => file));
  const missing = found.has(directory) ? [] : wanted.filter((file) => !found.has(file));
  return { files, faults: [...faults, ...missing.map(notThere)] };
}

function notThere(file: string): LocatedFault {
  return {
    severity: 'error',
    rule: 'file',
    path: [],
    message: 'There is no such file, or it is no flow file.',
    fix: 'The names of flow files end with .flow.yaml, .flow.yml or .flow.json.',
    file,
    line: 1,
    column: 1,
  };
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
