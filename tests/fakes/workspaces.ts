import type { Workspaces } from '../../src/ports/workspaces.ts';

/** Workspaces in memory: names of folders, and nothing in them. */
export interface FakeWorkspaces extends Workspaces {
  /** What was done, in order: `open r1 git`, `remove r1`. */
  readonly done: readonly string[];
  /** Folders for single calls that are there. */
  readonly scratches: ReadonlySet<string>;
}

/** Makes them. */
export function createFakeWorkspaces(): FakeWorkspaces {
  const folders = new Set<string>();
  const scratches = new Set<string>();
  const done: string[] = [];
  let count = 0;
  return {
    done,
    scratches,
    async open(run, kind, from) {
      done.push(['open', run, kind, ...from].join(' '));
      const before = folders.has(run) ? undefined : from.find((one) => folders.has(one));
      if (before !== undefined) folders.delete(before);
      folders.add(run);
      return { kind: 'open', path: `/workspaces/${run}` };
    },
    async snapshot(path) {
      done.push(`snapshot ${path}`);
      return 'same';
    },
    changes: async () => ({ files: 0, summary: '0 files changed, 0 lines added, 0 removed.', diff: '' }),
    async restore(path, before, after) {
      done.push(`restore ${path} ${before} ${after}`);
      return true;
    },
    async scratch() {
      count += 1;
      const path = `/scratch/${count}`;
      scratches.add(path);
      return { path, remove: async () => void scratches.delete(path) };
    },
    async remove(run) {
      done.push(`remove ${run}`);
      folders.delete(run);
    },
    runs: async () => [...folders],
  };
}
