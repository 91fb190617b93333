import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuiltIn, complained, printed } from './built-in.ts';

/** Most files and folders that are looked at. */
const ENTRIES_MAX = 10_000;

/**
 * Prints which files are in the folder it works in: `{ "files": [{ "path": "src/main.ts", "sizeBytes": 120 }] }`, by
 * path. Links are neither listed nor followed: they may lead anywhere. What belongs to git is left out.
 */
export const files: BuiltIn = async ({ argv: [, ...args], cwd }) => {
  if (args.length > 0) return complained('files takes no arguments.');
  const found: { readonly path: string; readonly sizeBytes: number }[] = [];
  const folders = [''];
  let seen = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of await readdir(join(cwd, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (path === '.git') continue;
      seen += 1;
      if (seen > ENTRIES_MAX) return complained(`There are more than ${ENTRIES_MAX} files and folders.`);
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile()) continue;
      found.push({ path, sizeBytes: (await lstat(join(cwd, path))).size });
    }
  }
  return printed(JSON.stringify({ files: found.toSorted((one, other) => (one.path < other.path ? -1 : 1)) }));
};
