import { Command, CommanderError } from 'commander';
import type { Config } from '../config.ts';
import type { JsonObject } from '../engine/json.ts';
import { version } from '../version.ts';
import { addAnswers } from './answer-commands.ts';
import { oneWord, parseObject } from './arguments.ts';
import { addAudit } from './audit-command.ts';
import { change, type Does, FAILED, OK, type ReadOptions, read, USAGE, withConfig } from './carry-out.ts';
import { complain, print, printJson, shownPath, tolerateClosedPipes } from './output.ts';
import type { CliCommand } from './protocol.ts';
import { addSchema } from './schema.ts';
import { addTest } from './test-command.ts';

// The parts of each command are loaded when it is used: help and usage errors need not wait for the whole of Flowbot.

const HELP = `
Exit codes: 0 = done; 1 = refused, not found or failed; 2 = wrong usage or configuration.
Settings come from the environment (FLOWBOT_FLOWS, FLOWBOT_DB, FLOWBOT_PORT and others) and from flowbot.yaml.`;

/**
 * The command line. Prints results on standard output, everything else on standard error; never throws.
 * @param argv what was typed after `flowbot`
 * @returns the exit code: 0 done; 1 refused, not found or failed; 2 wrong usage or configuration
 */
export async function main(argv: readonly string[]): Promise<number> {
  tolerateClosedPipes();
  let code = OK;
  const program = createProgram(async (work) => {
    code = await work();
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    // Commander has said what is wrong, or shown the help it was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? OK : USAGE;
    complain(error instanceof Error ? error.message : String(error));
    return FAILED;
  }
}

function createProgram(does: Does): Command {
  const program = new Command('flowbot')
    .description('Runs flows from chats, and tells you about them.')
    .version(version())
    .addHelpText('after', HELP)
    .exitOverride();

  program
    .command('start')
    .description('run Flowbot until it is stopped')
    .action(() => does(() => withConfig(runUntilStopped)));

  program
    .command('validate')
    .description('check flow files without running anything')
    .argument('[paths...]', 'files or folders; without any, the folder FLOWBOT_FLOWS')
    .option('--json', 'print the result as JSON')
    .action((paths: string[], { json = false }: ReadOptions) =>
      does(() => withConfig((config) => check(config, paths, json))),
    );

  addTest(program, does);

  program
    .command('doctor')
    .description('compare the installation with what Flowbot needs')
    .option('--json', 'print the findings as JSON')
    .action(({ json = false }: ReadOptions) => does(() => withConfig((config) => findFaults(config, json))));

  program
    .command('slack-manifest')
    .description('print the manifest from which Slack makes the app')
    .option('--http', 'for events over HTTP at FLOWBOT_PUBLIC_URL, instead of Socket Mode')
    .action(({ http = false }: { http?: boolean }) =>
      does(() => withConfig((config) => printManifest(config, http))),
    );

  program
    .command('run')
    .description('start a flow and print the id of its run')
    .argument('<flow>', 'id of the flow', oneWord)
    .argument('[prompt...]', 'what would follow the command in a chat')
    .option('--input <json>', 'input as a JSON object, instead of reading it from the prompt', parseObject)
    .action((flow: string, prompt: string[], { input }: { input?: JsonObject }) =>
      does(() => change({ kind: 'run', flow, prompt: prompt.join(' '), ...(input && { input }) })),
    );

  program
    .command('runs')
    .description('list the newest runs')
    .argument('[filters...]', 'a flow, a status, or open')
    .option('--json', 'print the list as JSON')
    .action((filters: string[], { json = false }: ReadOptions) =>
      does(() => read({ kind: 'chat', text: ['runs', ...filters].join(' ') }, json)),
    );

  program
    .command('show')
    .description('show where a run is and what happened in it, what a flow is, or what agents are told')
    .argument('<run>', 'id of the run or flow', oneWord)
    .option('--prompt [step]', 'show what the agent of a step is told; without a step, all of them')
    .option('--svg', 'print a picture of it')
    .option('--json', 'print everything as JSON')
    .action((id: string, options: ShowOptions) =>
      does(() => read(shownOf(id, options), options.json ?? false)),
    );

  program
    .command('usage')
    .description('list what flows and days have used up')
    .option('--days <count>', 'how many days, with today', '7')
    .option('--json', 'print the list as JSON')
    .action(({ days, json = false }: UsageOptions) =>
      does(() => read({ kind: 'chat', text: `usage ${days}` }, json)),
    );

  program
    .command('mcp')
    .description('pass the messages of an MCP client on standard input to the running Flowbot')
    .action(() => does(() => withConfig(speakMcp)));

  addSchema(program, does);
  addAudit(program, does);
  addAnswers(program, does);
  return program;
}

interface ShowOptions extends ReadOptions {
  /** True = of all steps. */
  readonly prompt?: string | true;
  readonly svg?: boolean;
}

interface UsageOptions extends ReadOptions {
  readonly days: string;
}

function shownOf(id: string, { prompt, svg }: ShowOptions): CliCommand {
  if (svg) return { kind: 'picture', of: id };
  return prompt === undefined ? { kind: 'show', run: id } : promptsOf(id, prompt);
}

function promptsOf(of: string, step: string | true): CliCommand {
  return { kind: 'prompt', of, ...(step !== true && { step }) };
}

async function runUntilStopped(config: Config): Promise<number> {
  const { start } = await import('./start.ts');
  await start(config, process.cwd());
  return OK;
}

async function speakMcp(config: Config): Promise<number> {
  const { bridgeMcp } = await import('./mcp.ts');
  await bridgeMcp(config, process.env.FLOWBOT_TOKEN);
  return OK;
}

async function check(config: Config, paths: readonly string[], json: boolean): Promise<number> {
  const { agentLines, summary, validate } = await import('./validate.ts');
  const { surroundingsOf } = await import('../world.ts');
  const shown = (path: string) => shownPath(path, process.cwd());
  const library = { agents: shown(config.agentsDir), schemas: shown(config.schemasDir) };
  const { flows, broken, warnings } = await validate(
    paths,
    shown(config.flowsDir),
    await surroundingsOf(config),
    library,
  );
  const ok = broken.length === 0;
  if (json) {
    printJson({
      ok,
      flows: flows.map(({ id, file }) => ({ id, file })),
      broken: broken.map(({ file, faults }) => ({ file, faults: [...faults] })),
      warnings: [...warnings],
    });
  } else {
    for (const line of [...broken.flatMap((file) => file.faults), ...warnings]) print(line);
    for (const line of agentLines(flows)) print(line);
    print(summary({ flows, broken, warnings }));
  }
  return ok ? OK : FAILED;
}

async function findFaults(config: Config, json: boolean): Promise<number> {
  const { examine } = await import('./doctor.ts');
  const findings = await examine(config);
  const ok = findings.every(({ level }) => level !== 'fault');
  if (json) printJson({ ok, findings: findings.map((finding) => ({ ...finding })) });
  else for (const { level, text } of findings) print(`${level}: ${text}`);
  return ok ? OK : FAILED;
}

async function printManifest(config: Config, http: boolean): Promise<number> {
  const { slackManifest } = await import('../adapters/slack/manifest.ts');
  const { command, publicUrl } = config;
  if (http && publicUrl === undefined) {
    complain('Set FLOWBOT_PUBLIC_URL to the address under which Slack reaches Flowbot.');
    return USAGE;
  }
  printJson(
    slackManifest({
      command,
      ...(http && publicUrl !== undefined && { publicUrl }),
      ...(publicUrl?.startsWith('https:') && { signInUrl: publicUrl }),
    }),
  );
  return OK;
}
