import { compile } from '../../src/engine/flow/compile.ts';
import type { Plan } from '../../src/engine/flow/plan.ts';
import { bareLibrary, type Library } from '../../src/engine/library.ts';
import { parseText } from '../../src/loader/parse.ts';
import { misfits } from '../../src/testing/fits.ts';
import { caseLines, runCase } from '../../src/testing/run-case.ts';
import { readTestFile, type TestCase } from '../../src/testing/test-file.ts';

/** Plans of flows that must be sound, in YAML, by id. */
export function plansOf(
  flows: Readonly<Record<string, string>>,
  library: Library = bareLibrary,
): ReadonlyMap<string, Plan> {
  return new Map(
    Object.entries(flows).map(([id, text]) => {
      const { plan, faults } = compile(parseText(text, 'yaml').data ?? null, id, library);
      if (!plan)
        throw new Error(faults.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n'));
      return [id, plan] as const;
    }),
  );
}

/** The cases of a test file that must be readable. */
export function casesOf(text: string): readonly TestCase[] {
  const read = readTestFile('flow.test.yaml', text);
  if (!read.ok) throw new Error(read.faults.join('\n'));
  return read.cases;
}

/**
 * What people read of the one case of a flow, without its name; nothing when it has passed. Where it does not fit the flow, why.
 * @param flow in YAML; or several by id, of which the one called `flow` is tested
 */
export function tested(
  flow: string | Readonly<Record<string, string>>,
  test: string,
  library?: Library,
): readonly string[] {
  const plans = plansOf(typeof flow === 'string' ? { flow } : flow, library);
  const plan = plans.get('flow');
  const [one, ...others] = casesOf(`cases:\n- ${test.trim().replaceAll('\n', '\n  ')}`);
  if (!plan || !one || others.length > 0) throw new Error('There is not one case of one flow.');
  const unfit = misfits(one, plan, plans, ['cases', 0]);
  if (unfit.length > 0)
    return unfit.map(({ path, message, fix }) => `${path.slice(2).join('.')}: ${message} ${fix}`);
  return caseLines(runCase(one, 1, plan, plans))
    .slice(1)
    .map((line) => line.slice(4));
}
