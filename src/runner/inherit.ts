import type { Inheritance, ParentRun } from '../engine/run/event.ts';
import type { RetryPlan } from '../engine/run/retry.ts';
import type { Store } from '../ports/store.ts';

/** What a retry takes over of a finished run, with what only the store knows: its posts that have begun, and its lanes. */
export async function inheritanceOf(
  store: Store,
  { inherits, anew, posts: candidates }: RetryPlan,
): Promise<Inheritance> {
  const posts: Record<string, string> = {};
  for (const { step, post } of candidates) {
    const begun = await store.post(post);
    if (begun && begun.parts.length > 0) posts[step] = post;
  }
  // A run that was itself a retry has not run again what it had taken over.
  const before = (await store.run(inherits.run))?.state.start.retryOf?.lanes;
  const all = { ...before, ...(await lanesOf(store, inherits.run)) };
  const lanes = Object.fromEntries(
    Object.entries(all).filter(([key]) => !anew.includes(key.slice(0, key.lastIndexOf('#')))),
  );
  return { ...inherits, posts, ...(Object.keys(lanes).length > 0 && { lanes }) };
}

/** The runs that the steps of a run have started last, by step and position. */
async function lanesOf(store: Store, run: string): Promise<Readonly<Record<string, string>>> {
  const lanes: Record<string, string> = {};
  // The newest come first: what was started in an earlier round or attempt is passed over.
  for (const { id } of await store.runs({ parent: run })) {
    const parent = (await store.run(id))?.state.start.parent;
    const key = parent && inheritedLaneKey(parent);
    if (key !== undefined && !Object.hasOwn(lanes, key)) lanes[key] = id;
  }
  return lanes;
}

/** How a retry knows a run of a lane: `deploy#2`. */
export function inheritedLaneKey({ call }: Pick<ParentRun, 'call'>): string {
  const [step, , , index] = call.split('/');
  return `${step}#${index}`;
}
