import { dirname, join } from 'node:path';
import type { Agent } from '../engine/agents/agent.ts';
import { parseAgent, repliesFileOf, withReplies } from '../engine/agents/agent-schema.ts';
import { resolveSchemas, schemaNameFault } from '../engine/data/schema-refs.ts';
import { errorAt, type Fault } from '../engine/fault.ts';
import { checkAgentFiles } from '../engine/flow/check-agent-files.ts';
import type { BrokenNames } from '../engine/flow/check-library.ts';
import type { Surroundings } from '../engine/flow/check-surroundings.ts';
import { type FileKind, unwrapAs } from '../engine/flow/envelope.ts';
import { shapeFaults } from '../engine/flow/shape.ts';
import { isJsonObject, type Json, type JsonObject } from '../engine/json.ts';
import type { Library } from '../engine/library.ts';
import type { BrokenFile } from '../runner/catalog.ts';
import { type DataFile, nameOfFile, readDataFile } from './data-file.ts';
import type { SourceFolder } from './folder.ts';
import { byPosition, formatFault, type LocatedFault } from './located-fault.ts';
import { parseText } from './parse.ts';
import type { Sources } from './sources.ts';

/** The agents and schemas of the folders. */
export interface LoadedLibrary {
  readonly library: Library;
  /** As written, by name: what runs are pinned to. */
  readonly written: {
    readonly agents: ReadonlyMap<string, Json>;
    readonly schemas: ReadonlyMap<string, JsonObject>;
  };
  readonly brokenNames: BrokenNames;
  readonly broken: readonly BrokenFile[];
}

/** A file with a name of its own. */
interface NamedFile {
  readonly name: string;
  readonly source: DataFile;
  readonly content?: Json;
  readonly faults: readonly LocatedFault[];
}

/** A file of an agent; without faults there is one. */
interface AgentFile extends NamedFile {
  readonly agent?: Agent;
}

const nothing: SourceFolder = { files: [], faults: [] };

/** Loads agents and schemas. A bad file never keeps the others from loading. */
export function loadLibrary(sources: Sources, surroundings: Surroundings): LoadedLibrary {
  const { stepTypes } = surroundings;
  const agents = loadAgents(sources.agents ?? nothing, sources.replies ?? nothing, surroundings);
  const schemas = loadSchemas(sources.schemas ?? nothing);
  return {
    library: { stepTypes, schemas: schemas.resolved, agents: agents.parsed },
    written: { agents: agents.written, schemas: schemas.written },
    brokenNames: { agents: namesOfBroken(agents.files), schemas: namesOfBroken(schemas.files) },
    broken: [...agents.unread, ...schemas.unread, ...brokenFiles([...agents.files, ...schemas.files])],
  };
}

function loadSchemas(folder: SourceFolder) {
  const named = withoutDoubles('Schema', readNamed('Schema', folder, checkSchemaFile));
  const written = new Map(
    sound(named).flatMap(({ name, content }) => (isJsonObject(content) ? [[name, content] as const] : [])),
  );
  const { schemas, faults } = resolveSchemas(written);
  const files = named.map((one) => (isSound(one) ? withFaults(one, faults.get(one.name) ?? []) : one));
  return { files, written, resolved: schemas, unread: unreadFiles(folder) };
}

function loadAgents(folder: SourceFolder, replies: SourceFolder, surroundings: Surroundings) {
  const named = readNamed('Agent', folder, (content) => shapeFaults(content));
  const read = withoutDoubles(
    'Agent',
    named.map((one): AgentFile => (isSound(one) ? readAgent(one, replies) : one)),
  );
  const faults = checkAgentFiles(agentsOf(read), namesOfBroken(read), surroundings);
  const files = read.map((one) => (isSound(one) ? withFaults(one, faults.get(one.name) ?? []) : one));
  return {
    files,
    written: new Map(sound(files).map(({ name, content }) => [name, content])),
    parsed: agentsOf(files),
    unread: unreadFiles(folder),
  };
}

function agentsOf(files: readonly AgentFile[]): Library['agents'] {
  return new Map(sound(files).flatMap(({ name, agent }) => (agent ? [[name, agent] as const] : [])));
}

function readAgent(one: NamedFile & { readonly content: Json }, replies: SourceFolder): AgentFile {
  const { content, repliesFile, faults: unread } = inlineReplies(one.content, one.source, replies);
  const { agent, faults } = parseAgent(content, one.name);
  const all = unread.length > 0 ? unread : faults.map((fault) => ofReplies(repliesFile, fault));
  return withFaults({ ...one, name: agent?.name ?? one.name, content, ...(agent && { agent }) }, all);
}

function unreadFiles({ faults }: SourceFolder): readonly BrokenFile[] {
  return faults.map((fault) => ({ file: fault.file, faults: [formatFault(fault)] }));
}

function brokenFiles(files: readonly NamedFile[]): readonly BrokenFile[] {
  return files
    .filter((one) => !isSound(one))
    .map(({ source, faults }) => ({
      file: source.file,
      faults: faults.toSorted(byPosition).map(formatFault),
    }));
}

function readNamed(
  kind: FileKind,
  folder: SourceFolder,
  check: (content: Json, name: string) => readonly Fault[],
): readonly NamedFile[] {
  return folder.files.map(({ file, text }) => {
    const source = readDataFile(kind, file, text);
    const fallback = nameOfFile(file).replace(/(?:\.(?:agent|schema))?\.(?:ya?ml|json)$/, '');
    if (source.data === undefined) return { name: fallback, source, faults: source.faults };
    const { content = null, name = fallback, faults } = unwrapAs(kind, source.data);
    const all = [...faults, ...(faults.length > 0 ? [] : check(content, name))];
    return { name, source, content, faults: all.map(source.placed) };
  });
}

function checkSchemaFile(content: Json, name: string): readonly Fault[] {
  const why = schemaNameFault(name);
  if (why !== undefined) {
    const fix = 'Use a letter, then letters, digits, _ and -, at most 64.';
    return [errorAt('schema-name', [], why, fix)];
  }
  if (isJsonObject(content)) return shapeFaults(content);
  return [errorAt('type', [], 'A schema is an object.', 'For example { type: object, … }.')];
}

/** An agent with the content of its file of replies in it. */
function inlineReplies(
  content: Json,
  source: DataFile,
  replies: SourceFolder,
): { readonly content: Json; readonly repliesFile?: string; readonly faults: readonly Fault[] } {
  const path = repliesFileOf(content);
  if (path === undefined) return { content, faults: [] };
  const file = join(dirname(source.file), path);
  const found = replies.files.find((one) => one.file === file);
  const parsed = found && parseText(found.text, file.endsWith('.json') ? 'json' : 'yaml');
  if (parsed?.data !== undefined)
    return { content: withReplies(content, parsed.data), repliesFile: path, faults: [] };
  const faults = parsed?.faults ?? replies.faults.filter((one) => one.file === file);
  return {
    content,
    faults: faults
      .slice(0, 1)
      .map((fault) => ofReplies(path, { ...fault, rule: 'replies-file', path: ['replies'] })),
  };
}

/** A fault inside a file of replies, as one of the agent that names it. */
function ofReplies(file: string | undefined, fault: Fault): Fault {
  const { severity, rule, path, message, fix } = fault;
  if (file === undefined || path[0] !== 'replies') return fault;
  return { severity, rule, path, message: `${file}: ${message}`, ...(fix !== undefined && { fix }) };
}

/** The earlier file stands; each fault belongs to the later one and names both. */
function withoutDoubles<F extends NamedFile>(kind: 'Agent' | 'Schema', files: readonly F[]): readonly F[] {
  const seen = new Map<string, string>();
  return files.map((one) => {
    const key = one.name.toLowerCase();
    const earlier = seen.get(key);
    seen.set(key, earlier ?? one.source.file);
    if (earlier === undefined) return one;
    const what = kind.toLowerCase();
    const message = `The ${what} ${one.name} stands in ${earlier} and in ${one.source.file}.`;
    const fix = 'Give one of them another name.';
    return withFaults(one, [errorAt(`duplicate-${what}`, [], message, fix)]);
  });
}

function withFaults<F extends NamedFile>(one: F, faults: readonly Fault[]): F {
  return { ...one, faults: [...one.faults, ...faults.map(one.source.placed)] };
}

function isSound<F extends NamedFile>(one: F): one is F & { readonly content: Json } {
  return one.content !== undefined && !one.faults.some((fault) => fault.severity === 'error');
}

function sound<F extends NamedFile>(files: readonly F[]) {
  return files.filter((one) => isSound(one));
}

function namesOfBroken(files: readonly NamedFile[]): ReadonlySet<string> {
  const names = new Set(sound(files).map(({ name }) => name));
  return new Set(files.flatMap(({ name }) => (names.has(name) ? [] : [name])));
}
