import { dirname, resolve, sep } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { watch } from 'chokidar';

/** Folders under watch. */
export interface FolderWatch {
  /** Ends the watch; nothing is reported after it resolves. May be called twice. */
  close(): Promise<void>;
}

/** What a watch needs from outside; tests give their own. */
export interface WatchOptions<T> {
  /** What the caller has read already: reported only when it has changed since. Absent = what is there now. */
  readonly known?: T;
  /** Waits a moment for writing to end: 150 ms. */
  readonly settle?: (signal: AbortSignal) => Promise<unknown>;
  /** Told when the watch itself fails, as when the system has no watches left. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Watches folders, which need not exist yet. After a change, and once two readings a moment apart are the same,
 * `onChange` gets all that was read: never a file that is being written, never the same content twice in a row.
 * Resolves when the watch stands.
 * @param read reads them all; what it gives is compared as JSON
 */
export async function watchFolders<T>(
  directories: readonly string[],
  read: () => Promise<T>,
  onChange: (content: T) => void,
  options: WatchOptions<T> = {},
): Promise<FolderWatch> {
  const closing = new AbortController();
  const settle = options.settle ?? ((signal) => setTimeout(150, undefined, { signal }));
  const onError = options.onError ?? (() => {});
  let known = JSON.stringify(options.known ?? (await read()));
  let changes = 0;
  let work: Promise<void> | undefined;

  const isClosed = () => closing.signal.aborted;
  const look = async () => {
    for (let seen = -1; seen !== changes && !isClosed(); ) {
      seen = changes;
      const before = JSON.stringify(await read());
      await settle(closing.signal);
      const found = await read();
      const content = JSON.stringify(found);
      if (content !== before) seen = -1;
      else if (seen === changes && content !== known && !isClosed()) {
        known = content;
        onChange(found);
      }
    }
  };
  const changed = () => {
    changes += 1;
    work ??= look()
      .catch((error: unknown) => {
        if (!isClosed()) onError(error);
      })
      .finally(() => {
        work = undefined;
      });
  };

  // From the folder above: a folder that comes later, or is put in the place of another, would not be seen otherwise.
  const folders = directories.map((directory) => resolve(directory));
  const above = new Set(folders.map((folder) => dirname(folder)));
  const ignored = (path: string) =>
    !above.has(path) && !folders.some((folder) => path === folder || path.startsWith(`${folder}${sep}`));
  // Two levels: the folders themselves, and one inside for what their files refer to.
  const watcher = watch([...above], { depth: 2, ignoreInitial: true, ignored });
  watcher.on('all', changed);
  watcher.on('error', onError);
  await new Promise<void>((ready) => watcher.once('ready', () => ready()));
  changed();
  return {
    async close() {
      closing.abort();
      await watcher.close();
      await work;
    },
  };
}
