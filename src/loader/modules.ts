import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isPlainObject, type Json } from '../engine/json.ts';
import { type DataFile, dataFileOf } from './data-file.ts';
import type { SourceFile, SourceFolder } from './folder.ts';
import type { LocatedFault } from './located-fault.ts';

/** A `.flow.ts` file as it was when Flowbot started. Its code is trusted like Flowbot's own. */
export interface FlowModule extends SourceFile {
  /** What it gives, as plain data, or why it can't be used. */
  readonly content:
    | { readonly ok: true; readonly data: Json }
    | { readonly ok: false; readonly message: string; readonly fix: string };
}

/** Most values that a module may give, and how deep they may be nested: as in a text. */
const VALUES_MAX = 50_000;
const DEPTH_MAX = 100;

const readAtStartOnly = 'A module is read at start only.';
const restart = 'Restart Flowbot.';

/** Whether a file is a module. */
export function isModule(file: string): boolean {
  return file.endsWith('.flow.ts');
}

/** Runs the modules of a folder, once: Node keeps what it has imported. */
export async function importModules({ files }: SourceFolder): Promise<readonly FlowModule[]> {
  const modules: FlowModule[] = [];
  for (const { file, text } of files.filter((one) => isModule(one.file)))
    modules.push({ file, text, content: await importModule(file) });
  return modules;
}

/** A module as a file that was read; when it has changed since it ran, there is a warning. */
export function readModule({ file, text }: SourceFile, modules: readonly FlowModule[]): DataFile {
  const module = modules.find((one) => one.file === file);
  if (!module) return unusable(file, `${readAtStartOnly} This one came later.`, restart);
  const { content } = module;
  const read = content.ok ? dataFileOf(file, content.data) : unusable(file, content.message, content.fix);
  if (text === module.text) return read;
  const changed = faultAt(file, 'warning', `${readAtStartOnly} The file has changed since.`, restart);
  return { ...read, faults: [...read.faults, changed] };
}

async function importModule(file: string): Promise<FlowModule['content']> {
  let exported: unknown;
  try {
    const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(resolve(file)).href);
    exported = module.default;
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
    const sentence = reason.slice(0, 300).replace(/(?<![.!?])$/, '.');
    return { ok: false, message: `The module can't be run: ${sentence}`, fix: 'Mend its code.' };
  }
  if (exported === undefined)
    return {
      ok: false,
      message: 'The module has no default export.',
      fix: 'Write export default flow({ … }).',
    };
  try {
    return { ok: true, data: createReader()(exported, 'The default export', []) };
  } catch (error) {
    if (!(error instanceof NotPlain)) throw error;
    return { ok: false, message: error.message, fix: 'Export plain data: text, numbers, lists and objects.' };
  }
}

/** Something that a JSON file could not hold. */
class NotPlain extends Error {}

/** Copies plain data. It throws `NotPlain` at anything else. */
function createReader() {
  let values = 0;
  return function read(value: unknown, at: string, trail: readonly object[]): Json {
    values += 1;
    if (values > VALUES_MAX) throw new NotPlain(`The module gives more than ${VALUES_MAX} values.`);
    if (trail.length > DEPTH_MAX)
      throw new NotPlain(`The module gives values more than ${DEPTH_MAX} levels deep.`);
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (typeof value !== 'object') throw new NotPlain(`${at} is ${kindOf(value)}, not plain data.`);
    if (trail.includes(value)) throw new NotPlain(`${at} holds itself.`);
    const inside = [...trail, value];
    if (Array.isArray(value))
      return value.map((item: unknown, index) => read(item, `${at}[${index}]`, inside));
    if (!isPlainObject(value)) throw new NotPlain(`${at} is an object of a class, not plain data.`);
    // What is undefined is left out, as JSON does.
    const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
    const name = at === 'The default export' ? '' : `${at}.`;
    return Object.fromEntries(entries.map(([key, inner]) => [key, read(inner, `${name}${key}`, inside)]));
  };
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'undefined';
  return typeof value === 'number' ? String(value) : `a ${typeof value}`;
}

function unusable(file: string, message: string, fix: string): DataFile {
  const { locate, placed } = dataFileOf(file, null);
  return { file, locate, placed, faults: [faultAt(file, 'error', message, fix)] };
}

function faultAt(file: string, severity: 'error' | 'warning', message: string, fix: string): LocatedFault {
  return { severity, rule: 'module', path: [], message, fix, file, line: 1, column: 1 };
}
