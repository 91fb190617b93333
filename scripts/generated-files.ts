import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { agentJsonSchema } from '../src/engine/agents/json-schema.ts';
import { flowJsonSchema } from '../src/engine/flow/json-schema.ts';
import { builtInStepTypes } from '../src/engine/steps/registry.ts';
import { flowReference } from './flow-reference.ts';
import { writtenTypes } from './written-types.ts';

/** All generated files with their text, by path from the top of the repository. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const flow = flowJsonSchema(builtInStepTypes);
  const agent = agentJsonSchema();
  return new Map([
    ['schema/flow.schema.json', `${JSON.stringify(flow, null, 2)}\n`],
    ['schema/agent.schema.json', `${JSON.stringify(agent, null, 2)}\n`],
    ['docs/flow-reference.md', flowReference(flow, agent, builtInStepTypes)],
    ['src/builder/written.ts', formatted('src/builder/written.ts', writtenTypes(flow))],
  ]);
}

function formatted(file: string, text: string): string {
  const biome = join(resolve(import.meta.dirname, '..'), 'node_modules/@biomejs/biome/bin/biome');
  return execFileSync(process.execPath, [biome, 'format', `--stdin-file-path=${file}`], {
    input: text,
    encoding: 'utf8',
  });
}
