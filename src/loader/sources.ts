import { dirname, join } from 'node:path';
import { repliesFileOf } from '../engine/agents/agent-schema.ts';
import { unwrapAs } from '../engine/flow/envelope.ts';
import { readDataFile } from './data-file.ts';
import { readFiles, readFlowFolder, readFolder, type SourceFile, type SourceFolder } from './folder.ts';
import { type FlowModule, importModules } from './modules.ts';

/** The folders that Flowbot reads. */
export interface Folders {
  readonly flows: string;
  readonly agents: string;
  readonly schemas: string;
}

/** All files that were read at one time: the flows, and what they name. */
export interface Sources extends SourceFolder {
  /** Absent = none. */
  readonly agents?: SourceFolder;
  /** Files with the replies of agents. */
  readonly replies?: SourceFolder;
  readonly schemas?: SourceFolder;
  /** The modules among the files, as they were when Flowbot started. */
  readonly modules?: readonly FlowModule[];
}

// A plain name.yaml is an agent too; more words in a name make it something else, such as writer.replies.yaml.
const agentFile = /\.agent\.(?:ya?ml|json)$|^[^.]+\.ya?ml$/;
const schemaFile = /\.schema\.(?:json|ya?ml)$/;

/** The folders of agents and schemas where nothing else is set: beside that of the flows. */
export function foldersBeside(flows: string): Folders {
  return { flows, agents: join(dirname(flows), 'agents'), schemas: join(dirname(flows), 'schemas') };
}

/** Reads all folders. Those of agents and schemas need not exist. */
export async function readSources({ flows, agents, schemas }: Folders): Promise<Sources> {
  const [flowFiles, agentFiles, schemaFiles] = await Promise.all([
    readFlowFolder(flows),
    readFolder(agents, agentFile, { setting: 'FLOWBOT_AGENTS', isOptional: true }),
    readFolder(schemas, schemaFile, { setting: 'FLOWBOT_SCHEMAS', isOptional: true }),
  ]);
  const replies = await readFiles(agents, repliesFiles(agentFiles.files));
  return { ...flowFiles, agents: agentFiles, replies, schemas: schemaFiles };
}

/** Reads all folders and runs the modules among the flows. */
export async function openSources(folders: Folders): Promise<Sources> {
  const sources = await readSources(folders);
  return { ...sources, modules: await importModules(sources) };
}

/** The files with replies that agents name, each once. */
function repliesFiles(agents: readonly SourceFile[]): readonly string[] {
  const named = agents.flatMap(({ file, text }) => {
    const { data } = readDataFile('Agent', file, text);
    const content = data === undefined ? undefined : unwrapAs('Agent', data).content;
    return (content === undefined ? undefined : repliesFileOf(content)) ?? [];
  });
  return [...new Set(named)].toSorted();
}
