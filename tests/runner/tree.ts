import { planOf } from '../../src/engine/flow/bundle.ts';
import type { Json, JsonObject } from '../../src/engine/json.ts';
import { builtInStepTypes } from '../../src/engine/steps/registry.ts';
import { ana, type Bench, releases } from './bench.ts';

/** Flows that run each other, as they are stored together. */
export interface Tree {
  /** Its id is `top`. */
  readonly top: JsonObject;
  /** By id. */
  readonly lanes?: Readonly<Record<string, JsonObject>>;
  /** By name. */
  readonly agents?: Readonly<Record<string, JsonObject>>;
  /** By name. */
  readonly schemas?: Readonly<Record<string, JsonObject>>;
}

let versions = 0;

/** Starts a run of the flow at the top. @returns its id */
export async function startTree(
  bench: Bench,
  { top, lanes = {}, agents = {}, schemas = {} }: Tree,
): Promise<string> {
  const flows = { top: { ...top, id: 'top' }, ...withIds(lanes) };
  const bundle: Json = { bundle: 1, flow: 'top', flows, agents, schemas };
  const { plan, faults } = planOf(bundle, undefined, builtInStepTypes);
  if (!plan) throw new Error(faults.map(({ message }) => message).join('\n'));
  versions += 1;
  const version = `v${versions}`;
  await bench.runner.plans.add(version, bundle, plan);
  const started = await bench.runner.runs.start({
    version,
    plan,
    atMs: bench.clock.now(),
    start: {
      trigger: 'manual',
      text: '',
      prompt: '',
      input: {},
      person: ana,
      home: releases,
      files: [],
    },
  });
  if (started.kind === 'refused') throw new Error(started.why);
  await settled(bench);
  return started.run;
}

/** Waits until runs of a tree wait, too: each of them has a turn of its own. */
export async function settled(bench: Bench, turns = 6): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await bench.settle();
}

/** Where a run is. */
export async function stateOf({ store }: Bench, run: string) {
  return (await store.run(run))?.state;
}

/** The runs below a run at the top, in the order in which they began. */
export async function lanesOf({ store }: Bench, root: string) {
  return (await store.runs({ root, limit: 1_000 })).toReversed();
}

function withIds(lanes: Readonly<Record<string, JsonObject>>): JsonObject {
  return Object.fromEntries(Object.entries(lanes).map(([id, flow]) => [id, { ...flow, id }]));
}
