import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { agentInWords } from '../engine/agents/agent-words.ts';
import type { Surroundings } from '../engine/flow/check-surroundings.ts';
import { loadFlowSet } from '../loader/flow-set.ts';
import type { SourceFolder } from '../loader/folder.ts';
import type { LocatedFault } from '../loader/located-fault.ts';
import { type Folders, foldersBeside, openSources, type Sources } from '../loader/sources.ts';
import type { FlowSet } from '../runner/catalog.ts';

/** What was found in files. */
export type CheckedFiles = Omit<FlowSet, 'agents'>;

/**
 * Loads flow files without running anything; modules among them are run, to see what they give. A folder is checked
 * as Flowbot would load it; single files of a folder are checked together, beside the others of their folder.
 * @param paths files and folders; none = `defaultFolder`
 * @param library the folders of agents and schemas for the flows of `defaultFolder`; those of other folders lie beside them
 */
export async function validate(
  paths: readonly string[],
  defaultFolder: string,
  surroundings: Surroundings,
  library?: Omit<Folders, 'flows'>,
): Promise<CheckedFiles> {
  const read = (flows: string) =>
    openSources({
      ...foldersBeside(flows),
      ...(resolve(flows) === resolve(defaultFolder) && library),
      flows,
    });
  if (paths.length === 0) return loadFlowSet(await read(defaultFolder), surroundings);
  const whole: Sources[] = [];
  /** Files by their folder, so that each folder is read once. */
  const singles = new Map<string, Set<string>>();
  for (const path of new Set(paths)) {
    if (await isFolder(path)) whole.push(await read(path));
    else singles.set(dirname(path), (singles.get(dirname(path)) ?? new Set()).add(basename(path)));
  }
  const named = await Promise.all(
    [...singles].map(async ([folder, names]) => onlyNamed(await read(folder), folder, names)),
  );
  const wanted = new Set(named.flatMap((one) => one.wanted));
  const sets = [
    onlyOf(wanted, loadFlowSet(together(named), surroundings)),
    ...whole.map((sources) => loadFlowSet(sources, surroundings)),
  ];
  return {
    flows: sets.flatMap((set) => set.flows),
    broken: sets.flatMap((set) => set.broken),
    warnings: sets.flatMap((set) => set.warnings),
  };
}

/** What the agents of flows are and may do, one a line. */
export function agentLines(flows: CheckedFiles['flows']): readonly string[] {
  const agents = new Map(flows.flatMap(({ plan }) => [...plan.agents]));
  return [...agents.values()].map((agent) => `agent ${agent.name}: ${agentInWords(agent)}`);
}

/** The result in one sentence. */
export function summary({ flows, broken }: CheckedFiles): string {
  const count = flows.length + broken.length;
  if (count === 0) return 'There are no flow files here.';
  if (broken.length > 0) return `${broken.length} of ${counted(count, 'file')} can't be loaded.`;
  return `${counted(count, 'flow')} ${count === 1 ? 'is' : 'are'} sound.`;
}

function counted(count: number, thing: string): string {
  return count === 1 ? `1 ${thing}` : `${count} ${thing}s`;
}

/** Files of one folder that were named. */
interface Named {
  /** The named files, or the folder itself when it can't be read. */
  readonly wanted: readonly string[];
  /** Its faults are only of those. */
  readonly sources: Sources;
}

function onlyNamed(sources: Sources, directory: string, names: ReadonlySet<string>): Named {
  const asked = [...names].map((name) => join(directory, name));
  const faults = sources.faults.filter(({ file }) => asked.includes(file) || file === directory);
  const found = new Set([...sources.files, ...faults].map(({ file }) => file));
  const isUnreadable = found.has(directory);
  const missing = isUnreadable ? [] : asked.filter((file) => !found.has(file));
  return {
    wanted: isUnreadable ? [directory] : asked,
    sources: { ...sources, faults: [...faults, ...missing.map(notThere)] },
  };
}

/** What was named comes first: others beside it are only there to be named by it. */
function together(named: readonly Named[]): Sources {
  const all = named.map(({ sources }) => sources);
  const wanted = new Set(named.flatMap((one) => one.wanted));
  const files = all.flatMap((sources) => sources.files);
  return {
    files: [
      ...files.filter(({ file }) => wanted.has(file)),
      ...files.filter(({ file }) => !wanted.has(file)),
    ],
    faults: all.flatMap(({ faults }) => faults),
    agents: merged(all.map(({ agents }) => agents)),
    replies: merged(all.map(({ replies }) => replies)),
    schemas: merged(all.map(({ schemas }) => schemas)),
    modules: all.flatMap(({ modules = [] }) => modules),
  };
}

/** Several folders as one; two folders of flows can have the same one beside them. */
function merged(folders: readonly (SourceFolder | undefined)[]): SourceFolder {
  const files = folders.flatMap((folder) => folder?.files ?? []);
  const faults = folders.flatMap((folder) => folder?.faults ?? []);
  return {
    files: [...new Map(files.map((one) => [one.file, one])).values()],
    faults: [...new Map(faults.map((one) => [one.file, one])).values()],
  };
}

/** What of a set concerns some files. */
function onlyOf(wanted: ReadonlySet<string>, { flows, broken, warnings }: FlowSet): CheckedFiles {
  return {
    flows: flows.filter(({ file }) => wanted.has(file)),
    broken: broken.filter(({ file }) => wanted.has(file)),
    warnings: warnings.filter((text) => [...wanted].some((file) => text.startsWith(`${file}:`))),
  };
}

function notThere(file: string): LocatedFault {
  return {
    severity: 'error',
    rule: 'file',
    path: [],
    message: 'There is no such file, or it is no flow file.',
    fix: 'The names of flow files end with .flow.yaml, .flow.yml, .flow.json or .flow.ts.',
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
