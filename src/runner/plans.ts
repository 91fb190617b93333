import { planOf } from '../engine/flow/bundle.ts';
import type { Plan } from '../engine/flow/plan.ts';
import type { Json } from '../engine/json.ts';
import { bareLibrary, type Library } from '../engine/library.ts';
import type { Store } from '../ports/store.ts';

/** Plans of stored versions, for runs that are pinned to them. */
export interface Plans {
  /**
   * @param version as stored, or `laneVersion` of it
   * Throws when the version is not in the store or this program can't run it any more.
   */
  get(version: string): Promise<Plan>;
  /** Stores a version, so that its runs outlive the file. */
  add(version: string, definition: Json, plan: Plan): Promise<void>;
}

/** The version of a flow that a run of another one starts: both are pinned to the same content. */
export function laneVersion(version: string, lane: string): string {
  return `${storedVersion(version).stored}#${lane}`;
}

/** Plans kept in memory; a version is compiled at most once. */
export function createPlans(store: Store, stepTypes: Library['stepTypes'] = bareLibrary.stepTypes): Plans {
  const known = new Map<string, Plan>();
  const saved = new Set<string>();
  return {
    async get(version) {
      const plan = known.get(version);
      if (plan) return plan;
      const { stored, lane } = storedVersion(version);
      const content = await store.version(stored);
      if (content === undefined) throw new Error(`Version ${version} of a flow is not in the store.`);
      const compiled = planOf(content, lane, stepTypes);
      if (!compiled.plan) {
        const why = compiled.faults.map((fault) => fault.message).join(' ');
        throw new Error(`Version ${version} of a flow can't be run by this version of Flowbot. ${why}`);
      }
      known.set(version, compiled.plan);
      return compiled.plan;
    },
    async add(version, definition, plan) {
      known.set(version, plan);
      if (saved.has(version)) return;
      await store.saveVersion(version, definition);
      saved.add(version);
    },
  };
}

function storedVersion(version: string): { readonly stored: string; readonly lane?: string } {
  const end = version.indexOf('#');
  return end < 0 ? { stored: version } : { stored: version.slice(0, end), lane: version.slice(end + 1) };
}
