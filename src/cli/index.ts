import { readFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { type Config, readConfig } from '../config.ts';
import { isJsonObject, type JsonObject } from '../engine/json.ts';
import type { Asked } from './ask.ts';
import { complain, print, printJson, shownPath, tolerateClosedPipes } from './output.ts';
import type { CliCommand } from './protocol.ts';

// The parts of each command are loaded when it is used: help and usage errors need not wait for the whole of Flowbot.

const OK = 0;
const FAILED = 1;
const USAGE = 2;

const HELP = `
Exit codes: 0 = done; 1 = refused, not found or failed; 2 = wrong usage or configuration.
Settings come from the environment: FLOWBOT_FLOWS, FLOWBOT_DB, FLOWBOT_PORT and others.`;

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

/** @param does carries out a command and keeps its exit code */
function createProgram(does: (work: () => Promise<number>) => Promise<void>): Command {
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
    .option('--input <json>', 'input as a JSON object, instead of reading it from the prompt', parseInput)
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
    .description('show where a run is and what happened in it')
    .argument('<run>', 'id of the run', oneWord)
    .option('--json', 'print everything about the run as JSON')
    .action((run: string, { json = false }: ReadOptions) => does(() => read({ kind: 'show', run }, json)));

  for (const verb of ['approve', 'reject']) {
    program
      .command(verb)
      .description(`${verb} what a run waits for`)
      .argument('<run>', 'id of the run, or of one of its questions', oneWord)
      .argument('[comment...]', 'goes along with the answer')
      .action((run: string, comment: string[]) =>
        does(() => change({ kind: 'chat', text: [verb, run, ...comment].join(' ') })),
      );
  }
  return program;
}

interface ReadOptions {
  readonly json?: boolean;
}

/** Does something with the configuration; when it is faulty, says all that is wrong with it. */
async function withConfig(work: (config: Config) => Promise<number>): Promise<number> {
  const configured = readConfig(process.env, process.cwd());
  if (!configured.ok) {
    for (const fault of configured.faults) complain(fault);
    return USAGE;
  }
  for (const warning of configured.warnings) complain(warning);
  return work(configured.config);
}

async function runUntilStopped(config: Config): Promise<number> {
  const { start } = await import('./start.ts');
  await start(config, process.cwd());
  return OK;
}

async function check(config: Config, paths: readonly string[], json: boolean): Promise<number> {
  const { summary, validate } = await import('./validate.ts');
  const { surroundingsOf } = await import('../main.ts');
  const { flows, broken, warnings } = await validate(
    paths,
    shownPath(config.flowsDir, process.cwd()),
    surroundingsOf(config),
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
  printJson(slackManifest({ command, ...(http && publicUrl !== undefined && { publicUrl }) }));
  return OK;
}

/** A command that changes something. */
function change(command: CliCommand): Promise<number> {
  return withConfig(async (config) => {
    const asked = await askFor(config, command);
    if (!asked.ok) return refused(asked);
    print(command.kind === 'run' ? idOf(asked) : asked.text);
    if (isQueued(asked)) complain(asked.text);
    if (!asked.running) complain('Flowbot is not running: recorded, it goes on at the next start.');
    return OK;
  });
}

/** A command that only looks. */
function read(command: CliCommand, json: boolean): Promise<number> {
  return withConfig(async (config) => {
    const asked = await askFor(config, command);
    if (json) printJson(asked.ok ? asked.data : { error: asked.text });
    else if (asked.ok) print(asked.text);
    else return refused(asked);
    if (!asked.running) complain('Flowbot is not running.');
    return asked.ok ? OK : FAILED;
  });
}

async function askFor(config: Config, command: CliCommand): Promise<Asked> {
  const { ask } = await import('./ask.ts');
  return ask(config, command);
}

function refused(asked: Asked): number {
  complain(asked.text);
  return FAILED;
}

/** Scripts get the id alone. */
function idOf({ data, text }: Asked): string {
  return isJsonObject(data) && typeof data.run === 'string' ? data.run : text;
}

/** A run that waits for its turn; the text says behind what. */
function isQueued({ data }: Asked): boolean {
  return isJsonObject(data) && data.queued !== undefined;
}

/** An empty variable of a script must not make the next word the id. */
function oneWord(text: string): string {
  if (!/^\S+$/.test(text)) throw new InvalidArgumentError('It must be one word.');
  return text;
}

function parseInput(text: string): JsonObject {
  const parsed = z.record(z.string(), z.json()).safeParse(parseJson(text));
  if (!parsed.success)
    throw new InvalidArgumentError('It must be a JSON object, such as \'{"version": "1.2"}\'.');
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function version(): string {
  const file = new URL('../../package.json', import.meta.url);
  return z.object({ version: z.string() }).parse(JSON.parse(readFileSync(file, 'utf8'))).version;
}
