import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { LocatedFault } from './located-fault.ts';
import { textMaxBytes } from './parse.ts';

/** A flow file as it was read. */
export interface FlowFile {
  /** The folder as it was given, joined with the file's name. */
  readonly file: string;
  readonly text: string;
}

/** All flow files of a folder. */
export interface FlowFolder {
  /** Sorted by name. */
  readonly files: readonly FlowFile[];
  /** Files that could not be read, or the folder itself. */
  readonly faults: readonly LocatedFault[];
}

const flowFile = /\.flow\.(?:yaml|yml|json|ts)$/;

/** Reads the flow files directly in a folder. Links may lead to other places in the folder, not out of it. */
export async function readFlowFolder(directory: string): Promise<FlowFolder> {
  let names: readonly string[];
  let root: string;
  try {
    root = await realpath(directory);
    names = (await readdir(directory)).filter((name) => flowFile.test(name)).toSorted();
  } catch (error) {
    return { files: [], faults: [folderFault(directory, error)] };
  }
  const read = await Promise.all(names.map((name) => readOne(directory, root, name)));
  return {
    files: read.filter((one) => 'text' in one),
    faults: read.filter((one) => 'rule' in one),
  };
}

async function readOne(directory: string, root: string, name: string): Promise<FlowFile | LocatedFault> {
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
    return fileFault(
      file,
      `The file can't be read: ${reasonOf(error)}.`,
      'Check that it exists and may be read.',
    );
  }
}

function folderFault(directory: string, error: unknown): LocatedFault {
  return fileFault(
    directory,
    `The folder can't be read: ${reasonOf(error)}.`,
    'Create it, or set FLOWBOT_FLOWS to another.',
  );
}

function fileFault(file: string, message: string, fix: string): LocatedFault {
  return { severity: 'error', rule: 'file', path: [], message, fix, file, line: 1, column: 1 };
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
