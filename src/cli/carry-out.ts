import { type Config, readConfig } from '../config.ts';
import { isJsonObject } from '../engine/json.ts';
import type { Ask, Asked } from './ask.ts';
import { complain, print, printJson } from './output.ts';
import type { CliCommand } from './protocol.ts';

/** Exit code: done. */
export const OK = 0;
/** Exit code: refused, not found or failed. */
export const FAILED = 1;
/** Exit code: wrong usage or configuration. */
export const USAGE = 2;

/** Carries out a command and keeps its exit code. */
export type Does = (work: () => Promise<number>) => Promise<void>;

/** The option of a command that looks. */
export interface ReadOptions {
  readonly json?: boolean;
}

/** Does something with the configuration; when it is faulty, says all that is wrong with it. */
export async function withConfig(work: (config: Config) => Promise<number>): Promise<number> {
  const configured = readConfig(process.env, process.cwd());
  if (!configured.ok) {
    for (const fault of configured.faults) complain(fault);
    return USAGE;
  }
  for (const warning of configured.warnings) complain(warning);
  return work(configured.config);
}

/** A command that changes something. */
export function change(command: CliCommand): Promise<number> {
  return withAsk(async (ask) => {
    const asked = await ask(command);
    if (!asked.ok) return refused(asked);
    print(command.kind === 'run' ? idOf(asked) : asked.text);
    if (isQueued(asked)) complain(asked.text);
    if (!asked.running) complain('Flowbot is not running: recorded, it goes on at the next start.');
    return OK;
  });
}

/** A command that only looks. */
export function read(command: CliCommand, json: boolean): Promise<number> {
  return withAsk(async (ask) => {
    const asked = await ask(command);
    if (json) printJson(asked.ok ? asked.data : { error: asked.text });
    else if (asked.ok) print(asked.text);
    else return refused(asked);
    if (!asked.running) complain('Flowbot is not running.');
    return asked.ok ? OK : FAILED;
  });
}

/** Does something with a Flowbot, running or not. */
export function withAsk(work: (ask: Ask) => Promise<number>): Promise<number> {
  return withConfig(async (config) => {
    const { asking } = await import('./ask.ts');
    return asking(config, work);
  });
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
