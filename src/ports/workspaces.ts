/**
 * The folders in which agents and scripts of runs work. What is in them was written by others: nothing there is
 * followed to another place.
 */
export interface Workspaces {
  /**
   * The folder of a run: made when it is not there, mended when it is half made. With `git` it is a worktree of the
   * repository, on the branch `flowbot/<run>`.
   * @param from runs whose work it goes on with: when it has no folder, the first of theirs that is there becomes its own
   */
  open(
    run: string,
    kind: 'folder' | 'git',
    from: readonly string[],
    signal: AbortSignal,
  ): Promise<OpenedWorkspace>;
  /**
   * Remembers all files of a git workspace as they are, also those that are not committed; those that git ignores stay out
   * of it. Rejects if it can't, as with a repository inside of it.
   * @param like the state before: what was not ignored by its rules counts, whatever has become of them; repositories that were
   * made since count as plain files
   * @returns the name of that state
   */
  snapshot(path: string, like: string | undefined, signal: AbortSignal): Promise<string>;
  /** What has changed from one state to another. */
  changes(path: string, before: string, after: string, signal: AbortSignal): Promise<WorkspaceChanges>;
  /** Makes the files what they were `before`; false = they are not those of `after` any more, and stay as they are. */
  restore(path: string, before: string, after: string, signal: AbortSignal): Promise<boolean>;
  /** An empty folder for one call, and what removes it. */
  scratch(): Promise<Scratch>;
  /** Removes the folder of a run, if there is one. A branch that has commits of its own stays. Rejects if it can't. */
  remove(run: string): Promise<void>;
  /** Runs that have a folder. */
  runs(): Promise<readonly string[]>;
}

/** The folder of a run, or a sentence for people: why there is none. */
export type OpenedWorkspace =
  | { readonly kind: 'open'; readonly path: string }
  | { readonly kind: 'failed'; readonly message: string };

/** What has changed in a workspace. */
export interface WorkspaceChanges {
  /** Files that were changed, added or removed. */
  readonly files: number;
  /** A sentence: `3 files changed, 20 lines added, 4 removed.` */
  readonly summary: string;
  /** As `git diff` writes it; cut at 200,000 characters with a note. */
  readonly diff: string;
}

/** A folder that nobody keeps. */
export interface Scratch {
  readonly path: string;
  remove(): Promise<void>;
}
