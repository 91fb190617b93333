import { dirname, resolve, sep } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { watch } from 'chokidar';
import { type FlowFolder, readFlowFolder } from './folder.ts';

/** A folder under watch. */
export interface FolderWatch {
  /** Ends the watch; nothing is reported after it resolves. May be called twice. */
  close(): Promise<void>;
}

/** What a watch needs from outside; tests give their own. */
export interface WatchOptions {
  /** What the caller has read already: reported only when it has changed since. Absent = what is there now. */
  readonly known?: FlowFolder;
  /** Waits a moment for writing to end: 150 ms. */
  readonly settle?: (signal: AbortSignal) => Promise<unknown>;
  /** Told when the watch itself fails, as when the system has no watches left. */
  readonly onError?: (error: unknown) => void;
}

/**
 * Watches the flow files of a folder, which need not exist yet. After a change, and once two readings a moment
 * apart are the same, `onChange` gets the whole folder: never a file that is being written, never the same
 * content twice in a row. Resolves when the watch stands.
 */
export async function watchFolder(
  directory: string,
  onChange: (folder: FlowFolder) => void,
  options: WatchOptions = {},
): Promise<FolderWatch> {
  const closing = new AbortController();
  const settle = options.settle ?? ((signal) => setTimeout(150, undefined, { signal }));
  const onError = options.onError ?? (() => {});
  let known = JSON.stringify(options.known ?? (await readFlowFolder(directory)));
  let changes = 0;
  let work: Promise<void> | undefined;

  const isClosed = () => closing.signal.aborted;
  const look = async () => {
    for (let seen = -1; seen !== changes && !isClosed(); ) {
      seen = changes;
      const before = JSON.stringify(await readFlowFolder(directory));
      await settle(closing.signal);
      const folder = await readFlowFolder(directory);
      const content = JSON.stringify(folder);
      if (content !== before) seen = -1;
      else if (seen === changes && content !== known && !isClosed()) {
        known = content;
        onChange(folder);
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
  const folder = resolve(directory);
  const above = dirname(folder);
  const ignored = (path: string) => path !== above && path !== folder && !path.startsWith(`${folder}${sep}`);
  const watcher = watch(above, { depth: 1, ignoreInitial: true, ignored });
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
