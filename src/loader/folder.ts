import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { LocatedFault } from './located-fault.ts';
import { textMaxBytes } from './parse.ts';

/** A file as it was read. */
export interface SourceFile {
  /** The folder as it was given, joined with the file's name. */
  readonly file: string;
  readonly text: string;
}

/** The files of a folder. */
export interface SourceFolder {
  /** Sorted by name. */
  readonly files: readonly SourceFile[];
  /** Files that could not be read, or the folder itself. */
  readonly faults: readonly LocatedFault[];
}

/** Files read at a time: a process may hold no more than some hundreds open, and needs others meanwhile. */
const openFilesMax = 32;

const flowFile = /\.flow\.(?:yaml|yml|json|ts)$/;

/** Reads the flow files directly in a folder. Links may lead to other places in the folder, not out of it. */
export async function readFlowFolder(directory: string): Promise<SourceFolder> {
  return readFolder(directory, flowFile, { setting: 'FLOWBOT_FLOWS', isOptional: false });
}

/** What a folder is to the host. */
interface FolderRole {
  /** The variable that names it. */
  readonly setting: string;
  /** Whether one that is not there is simply empty. */
  readonly isOptional: boolean;
}

/**
 * Reads the files directly in a folder whose names are of a form.
 * @param form of the names
 */
export async function readFolder(directory: string, form: RegExp, role: FolderRole): Promise<SourceFolder> {
  let names: readonly string[];
  try {
    names = (await readdir(directory)).filter((name) => form.test(name)).toSorted();
  } catch (error) {
    if (role.isOptional && reasonOf(error) === 'ENOENT') return { files: [], faults: [] };
    return { files: [], faults: [folderFault(directory, error, role.setting)] };
  }
  return readFiles(directory, names);
}

/** Reads files by their paths inside a folder, in that order. */
export async function readFiles(directory: string, names: readonly string[]): Promise<SourceFolder> {
  let root: string;
  try {
    root = await realpath(directory);
  } catch (error) {
    return { files: [], faults: names.map((name) => unreadable(join(directory, name), error)) };
  }
  const read: (SourceFile | LocatedFault)[] = [];
  for (const some of chunks(names, openFilesMax))
    read.push(...(await Promise.all(some.map((name) => readOne(directory, root, name)))));
  return {
    files: read.filter((one) => 'text' in one),
    faults: read.filter((one) => 'rule' in one),
  };
}

function chunks<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}

async function readOne(directory: string, root: string, name: string): Promise<SourceFile | LocatedFault> {
  const file = join(directory, name);
  try {
    const target = await realpath(file);
    if (!target.startsWith(`${root}${sep}`)) {
      return fileFault(
        file,
        'This is a link to a place outside the folder.',
        'Put the file itself into the folder.',
      );
    }
    // Without O_NONBLOCK, opening a pipe waits for its writer.
    await using handle = await open(target, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await handle.stat();
    if (!stat.isFile()) return fileFault(file, 'This is not a file.', 'Put a regular file in its place.');
    // Reading something huge only to refuse it would cost the memory that the limit protects.
    if (stat.size > textMaxBytes)
      return fileFault(
        file,
        `The file has ${stat.size.toLocaleString('en')} bytes; at most ${textMaxBytes.toLocaleString('en')} are read.`,
        'Split it.',
      );
    // A file that grows meanwhile is cut one byte above the limit, which the parser refuses.
    const bytes = await buffer(handle.createReadStream({ end: textMaxBytes, autoClose: false }));
    return { file, text: bytes.toString() };
  } catch (error) {
    return unreadable(file, error);
  }
}

function unreadable(file: string, error: unknown): LocatedFault {
  return fileFault(
    file,
    `The file can't be read: ${reasonOf(error)}.`,
    'Check that it exists and may be read.',
  );
}

function folderFault(directory: string, error: unknown, setting: string): LocatedFault {
  return fileFault(
    directory,
    `The folder can't be read: ${reasonOf(error)}.`,
    `Create it, or set ${setting} to another.`,
  );
}

function fileFault(file: string, message: string, fix: string): LocatedFault {
  return { severity: 'error', rule: 'file', path: [], message, fix, file, line: 1, column: 1 };
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
