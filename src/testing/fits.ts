import { errorAt, type Fault } from '../engine/fault.ts';
import { suggest } from '../engine/flow/nearest.ts';
import type { Plan, PlanStep } from '../engine/flow/plan.ts';
import type { Act, Fake, TestCase } from './test-file.ts';

type Path = Fault['path'];

const AGENT_KEYS = ['reply', 'usage', 'failure', 'timeout', 'unknown', 'delay'] as const;

/** What a fake of a step of a type can say; the first says what the call comes to. */
const FAKE_KEYS: Readonly<Record<string, readonly (keyof Fake)[]>> = {
  http: ['status', 'headers', 'body', 'failure', 'timeout', 'unknown', 'delay'],
  agent: AGENT_KEYS,
  llm: AGENT_KEYS,
  decision: ['reply', 'confidence', 'probabilities', 'usage', 'failure', 'timeout', 'unknown', 'delay'],
  script: ['stdout', 'stderr', 'exitCode', 'failure', 'timeout', 'unknown', 'delay'],
  tool: ['text', 'json', 'failure', 'timeout', 'unknown', 'delay'],
  history: ['text', 'json', 'failure', 'timeout', 'delay'],
  message: ['failure', 'unknown', 'delay'],
  flow: ['output', 'text', 'json', 'failure', 'delay'],
  map: ['output', 'text', 'json', 'failure', 'delay'],
};

const PLUGIN_KEYS: readonly (keyof Fake)[] = [
  'text',
  'json',
  'exit',
  'failure',
  'timeout',
  'unknown',
  'delay',
];

/** The flows that steps can run, by id. */
export type Lanes = ReadonlyMap<string, Plan>;

/**
 * What of a case does not fit its flow: steps that are not there, and fakes that are not for steps of their type. Found
 * before it is run.
 * @param at where the case stands in its file
 */
export function misfits(test: TestCase, plan: Plan, lanes: Lanes, at: Path): readonly Fault[] {
  const { fakes, acts, expect } = test;
  const named = (names: readonly string[] | undefined, path: Path) =>
    (names ?? []).flatMap((name, index) => unknownStep(name, plan, lanes, [...path, index]));
  return [
    ...Object.entries(fakes).flatMap(([name, fake]) =>
      fakeFaults(name, [fake].flat(), plan, lanes, [...at, 'fakes', name]),
    ),
    ...acts.flatMap(({ step }: Act, index) =>
      step === undefined ? [] : unknownStep(step, plan, lanes, [...at, 'acts', index, 'step']),
    ),
    ...named(expect.path, [...at, 'expect', 'path']),
    ...named(expect.skipped, [...at, 'expect', 'skipped']),
    ...named(expect.asked, [...at, 'expect', 'asked']),
    ...Object.keys(expect.outputs ?? {}).flatMap((name) =>
      unknownStep(name, plan, lanes, [...at, 'expect', 'outputs', name]),
    ),
  ];
}

function fakeFaults(
  name: string,
  fakes: readonly Fake[],
  plan: Plan,
  lanes: Lanes,
  path: Path,
): readonly Fault[] {
  const found = findStep(name, plan, lanes);
  if (!('step' in found)) return unknownStep(name, plan, lanes, path);
  const { type } = found.step;
  const keys = fakeKeys(found.step);
  if (keys.length === 0) {
    const message = `${name} is of the type ${type}, which calls nothing: there is nothing to fake.`;
    return [errorAt('fake', path, message, 'Leave it out.')];
  }
  return fakes.flatMap((fake, index) =>
    Object.keys(fake)
      .filter((key) => !keys.some((known) => known === key))
      .map((key) => {
        const message = `${name} is of the type ${type}, and ${key}: is not for that.`;
        const where = fakes.length === 1 ? [...path, key] : [...path, index, key];
        return errorAt('fake', where, message, `Use: ${keys.join(', ')}.`);
      }),
  );
}

/** What a fake of a step can say; none: it calls nothing. */
function fakeKeys({ type, stepType }: PlanStep): readonly (keyof Fake)[] {
  if (Object.hasOwn(FAKE_KEYS, type)) return FAKE_KEYS[type] ?? [];
  return stepType.calls ? PLUGIN_KEYS : [];
}

function unknownStep(name: string, plan: Plan, lanes: Lanes, path: Path): readonly Fault[] {
  const found = findStep(name, plan, lanes);
  return 'step' in found ? [] : [errorAt('unknown-step', path, found.message, found.fix)];
}

type Found = { readonly step: PlanStep } | { readonly message: string; readonly fix: string };

/** A step by its name in a test: `review`; of another flow that is run `deploy/build`, or `each#2/build` for one item. */
function findStep(name: string, plan: Plan, lanes: Lanes): Found {
  const [first = '', ...others] = name.split('/').map((part) => part.replace(/#\d+$/, ''));
  const step = plan.steps.get(first);
  if (!step) {
    const message = `There is no step ${JSON.stringify(first)} in ${plan.id}.`;
    return { message, fix: suggest(first, plan.steps.keys()) };
  }
  if (others.length === 0) return { step };
  const uses = step.stepType.uses?.(step.config);
  const lane = uses === undefined ? undefined : lanes.get(uses);
  if (lane) return findStep(others.join('/'), lane, lanes);
  return { message: `${first} runs no flow that is there.`, fix: `Write ${first} alone.` };
}
