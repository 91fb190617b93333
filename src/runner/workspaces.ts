import type { Plan } from '../engine/flow/plan.ts';
import { isFinal, type RunStatus } from '../engine/run/state.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { Store, StoredRun } from '../ports/store.ts';
import type { Workspaces } from '../ports/workspaces.ts';
import { Stopped } from './patience.ts';
import type { Plans } from './plans.ts';
import { createQueues } from './queues.ts';

/** How long the workspace of a run that did not succeed is kept for people to look into, in milliseconds. */
export const WORKSPACE_KEPT_MS = 7 * 86_400_000;

/** What became of work in a workspace. `failed`: there is none, for a reason that people can read. */
export type WorkspaceUse<T> =
  | { readonly kind: 'used'; readonly result: T }
  | { readonly kind: 'failed'; readonly message: string };

/** The workspaces of runs: one for a run and those below it, in which one step works at a time. */
export interface SharedWorkspaces {
  /**
   * Does the work in the folder of a run, once all that was asked for in it before has ended; in an empty one of its
   * own where the flow has no workspace. Rejects with `Stopped` when the signal is aborted before the work begins.
   */
  use<T>(run: string, signal: AbortSignal, work: (path: string) => Promise<T>): Promise<WorkspaceUse<T>>;
  /** Does the work in an empty folder of its own. */
  useScratch<T>(run: string, work: (path: string) => Promise<T>): Promise<WorkspaceUse<T>>;
  /** A run has ended: its workspace is removed, unless people may want to look into it. Never rejects. */
  ended(run: string, status: RunStatus): Promise<void>;
  /** Removes what nobody needs any more. Call at the start. Never rejects. */
  sweep(): Promise<void>;
  /** Resolves when nobody works in any of them. */
  idle(): Promise<void>;
}

/** A run that has a workspace of its own. */
interface Owner {
  readonly run: string;
  readonly kind: Plan['workspace'];
  /** The runs whose work it goes on with, the newest first. */
  readonly from: readonly string[];
}

/** Makes the part of the runner that hands out workspaces. */
export function createSharedWorkspaces(deps: {
  readonly workspaces: Workspaces;
  readonly store: Store;
  readonly plans: Pick<Plans, 'get'>;
  readonly clock: Clock;
  readonly log: Log;
}): SharedWorkspaces {
  const { workspaces, store, plans, clock, log } = deps;
  const queues = createQueues();

  /** The run whose workspace this one uses. */
  async function ownerOf(run: string): Promise<Owner> {
    const stored = await load(run);
    const { parent, retryOf } = stored.state.start;
    if (parent?.workspace !== undefined && parent.workspace !== run) return ownerOf(parent.workspace);
    const { workspace: kind } = await plans.get(stored.row.version);
    return { run, kind, from: retryOf && kind !== 'none' ? await retried(retryOf.run) : [] };
  }

  /** A run that was retried, and those before it, the newest first. */
  async function retried(run: string): Promise<readonly string[]> {
    const before = (await store.run(run))?.state.start.retryOf?.run;
    return before === undefined ? [run] : [run, ...(await retried(before))];
  }

  async function load(run: string): Promise<StoredRun> {
    const stored = await store.run(run);
    if (!stored) throw new Error(`There is no run ${run}.`);
    return stored;
  }

  async function useScratch<T>(run: string, work: (path: string) => Promise<T>): Promise<WorkspaceUse<T>> {
    const { path, remove } = await workspaces.scratch();
    return queues.take(path, async () => {
      try {
        return { kind: 'used', result: await work(path) };
      } finally {
        await remove().catch((error: unknown) =>
          log.error('A temporary folder could not be removed.', error, { run }),
        );
      }
    });
  }

  /** Nobody loses anything by a folder that stays: the next start tries again. */
  async function remove(run: string): Promise<void> {
    try {
      await queues.take(run, () => workspaces.remove(run));
    } catch (error) {
      log.error('A workspace could not be removed.', error, { run });
    }
  }

  async function isWanted(run: string): Promise<boolean> {
    const row = (await store.run(run))?.row;
    // One that is not known here may be of another Flowbot that keeps its database in the same folder.
    if (!row || !isFinal(row.status)) return true;
    return isOfInterest(row.status) && clock.now() - row.updatedAtMs < WORKSPACE_KEPT_MS;
  }

  return {
    useScratch,
    async use(run, signal, work) {
      const owner = await ownerOf(run);
      const { kind, from } = owner;
      if (kind === 'none') return useScratch(run, work);
      return queues.take(owner.run, async () => {
        // What was under way in a folder that is taken over has to end first.
        for (const before of from) await queues.take(before, async () => {});
        if (signal.aborted) throw new Stopped();
        const opened = await workspaces.open(owner.run, kind, from, signal);
        if (signal.aborted) throw new Stopped();
        return opened.kind === 'open' ? { kind: 'used', result: await work(opened.path) } : opened;
      });
    },
    async ended(run, status) {
      if (isOfInterest(status)) return;
      try {
        const owner = await ownerOf(run);
        if (owner.run === run && owner.kind !== 'none') await remove(run);
      } catch (error) {
        log.error('The workspace of a run could not be found.', error, { run });
      }
    },
    async sweep() {
      try {
        for (const run of await workspaces.runs()) {
          if (!(await isWanted(run))) await remove(run);
        }
      } catch (error) {
        log.error('Old workspaces could not be removed.', error);
      }
    },
    idle: queues.idle,
  };
}

/** People may want to see how far it came. */
function isOfInterest(status: RunStatus): boolean {
  return status === 'failed' || status === 'rejected';
}
