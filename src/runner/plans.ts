import { compile } from '../engine/flow/compile.ts';
import type { Plan } from '../engine/flow/plan.ts';
import type { Json } from '../engine/json.ts';
import type { Store } from '../ports/store.ts';

/** Plans of stored versions, for runs that are pinned to them. */
export interface Plans {
  /** Throws when the version is not in the store or this program can't run it any more. */
  get(version: string): Promise<Plan>;
  /** Stores a version, so that its runs outlive the file. */
  add(version: string, definition: Json, plan: Plan): Promise<void>;
}

/** Plans kept in memory; a version is compiled at most once. */
export function createPlans(store: Store): Plans {
  const known = new Map<string, Plan>();
  const stored = new Set<string>();
  return {
    async get(version) {
      const plan = known.get(version);
      if (plan) return plan;
      const definition = await store.version(version);
      if (definition === undefined) throw new Error(`Version ${version} of a flow is not in the store.`);
      const compiled = compile(definition, '');
      if (!compiled.plan) {
        const why = compiled.faults.map((fault) => fault.message).join(' ');
        throw new Error(`Version ${version} of a flow can't be run by this version of Flowbot. ${why}`);
      }
      known.set(version, compiled.plan);
      return compiled.plan;
    },
    async add(version, definition, plan) {
      known.set(version, plan);
      if (stored.has(version)) return;
      await store.saveVersion(version, definition);
      stored.add(version);
    },
  };
}
