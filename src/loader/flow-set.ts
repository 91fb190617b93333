import { bundleOf } from '../engine/flow/bundle.ts';
import { checkAgents } from '../engine/flow/check-agents.ts';
import { checkLanes } from '../engine/flow/check-lanes.ts';
import { checkLibrary } from '../engine/flow/check-library.ts';
import { checkSurroundings, type Surroundings } from '../engine/flow/check-surroundings.ts';
import { checkTogether } from '../engine/flow/check-together.ts';
import type { BrokenFile, FlowSet, LoadedFlow } from '../runner/catalog.ts';
import { readDataFile } from './data-file.ts';
import { loadLibrary } from './library.ts';
import { type LoadedFlow as FlowOfFile, loadFlow } from './load.ts';
import { byPosition, formatFault, type LocatedFault } from './located-fault.ts';
import { isModule, readModule } from './modules.ts';
import type { Sources } from './sources.ts';
import { versionOf } from './versions.ts';

type Filed = FlowOfFile & { readonly file: string };
type Sound = Filed & { readonly flow: NonNullable<FlowOfFile['flow']> };

/** Loads all files as one set. A bad file never keeps the others from loading, only those that need it. */
export function loadFlowSet(sources: Sources, surroundings: Surroundings): FlowSet {
  const { library, written, brokenNames, broken: brokenParts } = loadLibrary(sources, surroundings);
  const read = sources.files.map((one): Filed => {
    const source = isModule(one.file)
      ? readModule(one, sources.modules ?? [])
      : readDataFile('Flow', one.file, one.text);
    return { file: one.file, ...loadFlow(source, library, brokenNames.schemas) };
  });
  const clashes = checkTogether(read.filter(isSound).map(({ file, flow }) => ({ file, plan: flow.plan })));
  const checked = read.map((one): Filed => {
    if (!isSound(one)) return one;
    const { plan, locate } = one.flow;
    const outside = [
      ...clashes.filter((fault) => fault.file === one.file),
      ...checkSurroundings(plan, surroundings),
      ...checkLibrary(plan, library, brokenNames),
      ...checkAgents(plan),
    ].map((fault): LocatedFault => ({ ...fault, file: one.file, ...locate(fault.path) }));
    return { ...one, faults: [...one.faults, ...outside] };
  });
  const all = withLaneFaults(checked);

  const sound = all.filter(isSound);
  const flows = new Map(sound.map(({ id, flow }) => [id, flow]));
  return {
    flows: sound.map(({ id, file, flow: { plan } }): LoadedFlow => {
      const definition = bundleOf(id, { ...written, flows });
      return { id, file, version: versionOf(definition), definition, plan };
    }),
    broken: [
      ...sources.faults.map((fault): BrokenFile => ({ file: fault.file, faults: [formatFault(fault)] })),
      ...all.filter((one) => !isSound(one)).map(({ file, faults }) => ({ file, faults: inOrder(faults) })),
      ...brokenParts,
    ],
    warnings: sound.flatMap(({ faults }) => inOrder(faults)),
    agents: library.agents,
  };
}

function withLaneFaults(flows: readonly Filed[]): readonly Filed[] {
  const sound = flows.filter(isSound);
  const ids = new Set(sound.map(({ id }) => id));
  const broken = new Map(
    flows.filter((one) => !isSound(one) && !ids.has(one.id)).map(({ id, file }) => [id, file]),
  );
  const faults = checkLanes(
    sound.map(({ file, flow: { plan, definition } }) => ({ file, plan, definition })),
    broken,
  );
  return flows.map((one): Filed => {
    if (!isSound(one)) return one;
    const { locate } = one.flow;
    const own = faults.filter((fault) => fault.file === one.file);
    return { ...one, faults: [...one.faults, ...own.map((fault) => ({ ...fault, ...locate(fault.path) }))] };
  });
}

function isSound(one: Filed): one is Sound {
  return one.flow !== undefined && !one.faults.some((fault) => fault.severity === 'error');
}

function inOrder(faults: readonly LocatedFault[]): readonly string[] {
  return faults.toSorted(byPosition).map(formatFault);
}
