import { checkSurroundings, type Surroundings } from '../engine/flow/check-surroundings.ts';
import { checkTogether } from '../engine/flow/check-together.ts';
import type { BrokenFile, FlowSet, LoadedFlow } from '../runner/catalog.ts';
import type { FlowFolder } from './folder.ts';
import { loadFlowFile } from './load.ts';
import { byPosition, formatFault, type LocatedFault } from './located-fault.ts';

/** Loads all files of a folder as one set. A bad file never keeps the others from loading. */
export function loadFlowSet(folder: FlowFolder, surroundings: Surroundings): FlowSet {
  const loaded = folder.files.map(({ file, text }) => ({ file, ...loadFlowFile(file, text) }));
  const sound = loaded.flatMap(({ file, flow }) => (flow ? [{ file, ...flow }] : []));
  const clashes = checkTogether(sound);

  const flows: LoadedFlow[] = [];
  const broken: BrokenFile[] = folder.faults.map((fault) => ({
    file: fault.file,
    faults: [formatFault(fault)],
  }));
  const warnings: string[] = [];
  for (const { file, flow, faults } of loaded) {
    const outside = flow
      ? [
          ...clashes.filter((fault) => fault.file === file),
          ...checkSurroundings(flow.plan, surroundings),
        ].map((fault): LocatedFault => ({ ...fault, file, ...flow.locate(fault.path) }))
      : [];
    const all = [...faults, ...outside].toSorted(byPosition);
    const isBroken = all.some((fault) => fault.severity === 'error');
    if (isBroken || !flow) {
      broken.push({ file, faults: all.map(formatFault) });
      continue;
    }
    warnings.push(...all.map(formatFault));
    const { plan, definition, version } = flow;
    flows.push({ id: plan.id, file, version, definition, plan });
  }
  return { flows, broken, warnings };
}
