import { Argument, type Command } from 'commander';
import { type Does, OK } from './carry-out.ts';
import { printJson } from './output.ts';

const kinds = ['flow', 'agent'] as const;
type Kind = (typeof kinds)[number];

/** Adds the command that prints the JSON Schema of a kind of file. */
export function addSchema(program: Command, does: Does): void {
  program
    .command('schema')
    .description('print the JSON Schema of flow files or agent files, for editors')
    .addArgument(new Argument('[kind]', 'what the files hold').choices(kinds).default('flow'))
    .action((kind: Kind) => does(() => printSchema(kind)));
}

async function printSchema(kind: Kind): Promise<number> {
  switch (kind) {
    case 'flow': {
      const { flowJsonSchema } = await import('../engine/flow/json-schema.ts');
      const { builtInStepTypes } = await import('../engine/steps/registry.ts');
      printJson(flowJsonSchema(builtInStepTypes));
      return OK;
    }
    case 'agent': {
      const { agentJsonSchema } = await import('../engine/agents/json-schema.ts');
      printJson(agentJsonSchema());
      return OK;
    }
  }
}
