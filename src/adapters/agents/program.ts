import { type ProgramSettings, programSettingsSchema } from '../../engine/agents/runtime-settings.ts';
import { NOBODY_ASKED } from '../../engine/agents/usage.ts';
import type { AgentRequest, AgentRuntime, TurnOutcome } from '../../ports/agents.ts';
import type { ProgramOutcome, Programs } from '../../ports/programs.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { reveal } from '../secret-texts.ts';

const OUTPUT_MAX_BYTES = 10_000_000;
const STDERR_MAX_CHARS = 2_000;
/** EX_NOPERM of sysexits.h. */
const LOGIN_LOST = 77;

/** What is needed of outside. */
export interface ProgramRuntimeOptions {
  readonly programs: Programs;
  readonly secrets: Secrets;
  /** All of Flowbot's own environment: only names under `passEnv` are taken from it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The runtime `program`: a program of this machine reads the prompt and prints its reply. It has one turn, without tools. */
export function createProgramRuntime(options: ProgramRuntimeOptions): AgentRuntime {
  const { programs, secrets } = options;
  return {
    async turn(request, signal) {
      const { agent, workspace, system = '', prompt, turns, timeoutMs } = request;
      const read = programSettingsSchema.safeParse(agent.settings);
      const who = `the agent ${JSON.stringify(agent.name)}`;
      if (!read.success)
        return never('bad-settings', `${who} has settings that can't be read: correct its file.`);
      if (workspace === undefined)
        return never('no-workspace', `${who} has no folder to work in: start its step again.`);
      const env = environmentOf(read.data, request, options);
      if ('missing' in env) {
        const fix = `set FLOWBOT_SECRET_${env.missing}, or take it out of its file.`;
        return never('secret-missing', `${who} needs the secret ${env.missing}, which is not set: ${fix}`);
      }
      const told = turns.flatMap((turn) => (turn.kind === 'told' ? [turn.text] : []));
      const stdin = [system, prompt, ...told].filter((text) => text !== '').join('\n\n');
      const outcome = await programs.run(
        {
          argv: read.data.command,
          cwd: workspace,
          env: env.values,
          stdin,
          timeoutMs,
          maxBytes: OUTPUT_MAX_BYTES,
        },
        signal,
      );
      return outcomeOf(outcome, who, secrets);
    },
    close: async () => {},
  };
}

function environmentOf(
  { env, passEnv }: ProgramSettings,
  { at }: AgentRequest,
  { secrets, environment }: ProgramRuntimeOptions,
): { readonly values: Readonly<Record<string, string>> } | { readonly missing: string } {
  const values: Record<string, string> = {};
  for (const name of passEnv) {
    const value = environment[name];
    if (value !== undefined) values[name] = value;
  }
  const revealed = reveal(env, secrets);
  if (!revealed.ok) return { missing: revealed.missing[0] ?? '' };
  const own = { FLOWBOT_RUN: at.run, FLOWBOT_FLOW: at.flow, FLOWBOT_STEP: at.step };
  return { values: { ...values, ...revealed.values, ...own } };
}

function outcomeOf(outcome: ProgramOutcome, who: string, secrets: Secrets): TurnOutcome {
  if (outcome.kind === 'failed') return failureOf(outcome, secrets);
  const { exitCode, stdout, stderr } = outcome;
  if (exitCode === LOGIN_LOST)
    return never(
      'login-lost',
      `${who} may not work (exit code 77): log its program in again.${said(stderr, secrets)}`,
    );
  if (exitCode !== 0)
    return again('program-failed', `${who} failed with exit code ${exitCode}.${said(stderr, secrets)}`);
  if (stdout.trim() === '') return again('empty-reply', `${who} printed no reply.${said(stderr, secrets)}`);
  return { kind: 'replied', text: stdout.replace(/\r?\n$/, '') };
}

function failureOf(outcome: Extract<ProgramOutcome, { kind: 'failed' }>, secrets: Secrets): TurnOutcome {
  const message = secrets.redact(outcome.message) + said(outcome.stderr, secrets);
  switch (outcome.reason) {
    case 'timeout':
    case 'aborted':
      return { kind: 'timeout' };
    case 'missing':
    case 'start':
      return { ...never('program-missing', message), usage: NOBODY_ASKED };
    default:
      return again(`program-${outcome.reason}`, message);
  }
}

/** The end of what it wrote to stderr. Secrets go first: half of one would not be found. */
function said(stderr: string, secrets: Secrets): string {
  const text = secrets.redact(stderr).trim().slice(-STDERR_MAX_CHARS);
  return text === '' ? '' : ` It wrote: ${text}`;
}

function never(code: string, message: string): TurnOutcome {
  return { kind: 'failed', code, message, retry: 'never' };
}

function again(code: string, message: string): TurnOutcome {
  return { kind: 'failed', code, message, retry: 'allowed' };
}
