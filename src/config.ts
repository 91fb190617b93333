import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { DiscordSettings } from './adapters/discord/index.ts';
import { programEnvironment } from './adapters/programs/environment.ts';
import type { SlackSettings } from './adapters/slack/index.ts';
import { readDiscord } from './config-discord.ts';
import { type FileSettings, readConfigFile } from './config-file.ts';
import { isLoopback } from './config-hosts.ts';
import { readSecrets, secretPrefix } from './config-secrets.ts';
import { readSignIn, type SignInApp } from './config-sign-in.ts';
import { readSlack } from './config-slack.ts';
import { type AccessToken, readTokens } from './config-tokens.ts';
import { personSchema } from './engine/flow/address.ts';
import { nearest } from './engine/flow/nearest.ts';
import { foldersBeside } from './loader/sources.ts';

/** What the host has set in the environment and in flowbot.yaml, read once. No other file reads the environment. */
export interface Config extends FileSettings {
  /** Folder of flow files. */
  readonly flowsDir: string;
  /** Folder of agent files; it need not exist. */
  readonly agentsDir: string;
  /** Folder of named schemas; it need not exist. */
  readonly schemasDir: string;
  /** SQLite file of the bot. */
  readonly dbFile: string;
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Before a conversation command. */
  readonly prefix: string;
  /** The chat command. */
  readonly command: string;
  /** Person addresses. */
  readonly admins: readonly string[];
  readonly logLevel: string;
  /** Most runs that work at the same time; those that wait for people do not count. */
  readonly runsAtOnce: number;
  /** Secrets that flows may name, by name. */
  readonly secrets: ReadonlyMap<string, string>;
  /** What lets programs and people in at the page, the API and MCP; none = nobody but whoever sits at this machine. */
  readonly tokens: readonly AccessToken[];
  /** Where others reach the server: `https://flow.example.com`. */
  readonly publicUrl?: string;
  /** Slack, when its tokens are set. Without Slack and Discord the playground is the chat. */
  readonly slack?: SlackSettings;
  /** Discord, when its token is set. */
  readonly discord?: DiscordSettings;
  /** With which accounts people can sign in to the pages. */
  readonly signIn: { readonly slack?: SignInApp; readonly discord?: SignInApp };
  /** Secrets of Flowbot itself: nobody may name them, and logs hide them. */
  readonly ownSecrets: readonly string[];
  /** Where relative paths start. */
  readonly baseDir: string;
  /** What programs of scripts see of the environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** What agents may be given by name: all of the environment but what is Flowbot's own. */
  readonly givable: Readonly<Record<string, string>>;
}

/** The configuration, or every fault in it at once. Neither faults nor warnings quote a secret. */
export type ReadConfig =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly faults: readonly string[] };

const aPort = 'must be a port number from 0 to 65535';

const environmentSchema = z.object({
  FLOWBOT_CONFIG: z.string().optional(),
  FLOWBOT_FLOWS: z.string().default('flows'),
  FLOWBOT_AGENTS: z.string().optional(),
  FLOWBOT_SCHEMAS: z.string().optional(),
  FLOWBOT_DB: z.string().default('data/flowbot.db'),
  FLOWBOT_HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:-]{1,253}$/, 'must be an address such as 127.0.0.1')
    .default('127.0.0.1'),
  FLOWBOT_PORT: z
    .string()
    .regex(/^\d{1,5}$/, aPort)
    .transform(Number)
    .refine((port) => port <= 65_535, aPort)
    .default(3000),
  FLOWBOT_PREFIX: z
    .string()
    .regex(
      /^[^\s\p{L}\p{N}\p{C}@/]{1,3}$/u,
      'must be one to three signs such as !, not letters, digits, @ or /',
    )
    .default('!'),
  FLOWBOT_COMMAND: z
    .string()
    .regex(/^\/[a-z][a-z0-9-]{0,30}$/, 'must be a slash and a lower-case word, such as /flow')
    .default('/flow'),
  FLOWBOT_ADMINS: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((admin) => admin.trim())
        .filter((admin) => admin !== ''),
    )
    .superRefine((admins, context) => {
      for (const admin of admins.filter((one) => !personSchema.safeParse(one).success)) {
        context.addIssue(`names “${admin}”, which is no person: write for example slack:U0ANA`);
      }
    }),
  FLOWBOT_RUNS_AT_ONCE: z.coerce
    .number('must be a number of runs')
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(10_000, 'must be at most 10000')
    .default(100),
  FLOWBOT_PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'must be an address such as https://flow.example.com' })
    .optional(),
  FLOWBOT_TOKENS: z.string().optional(),
  FLOWBOT_TOKENS_FILE: z.string().optional(),
  /** For the command line alone. */
  FLOWBOT_TOKEN: z.string().optional(),
  FLOWBOT_LOG: z
    .enum(['silent', 'error', 'warn', 'info'], 'must be silent, error, warn or info')
    .default('info'),
});

/**
 * Reads the configuration from the environment and the configuration file. A variable that is set to nothing counts as
 * not set.
 * @param cwd relative paths start here.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>, cwd: string): ReadConfig {
  const present = Object.fromEntries(
    Object.entries(env).flatMap(([key, value]) =>
      value === undefined || value === '' ? [] : [[key, value]],
    ),
  );
  const parsed = environmentSchema.safeParse(present);
  const secrets = readSecrets(present);
  const slack = readSlack(present);
  const discord = readDiscord(present);
  const signIn = readSignIn(present, {
    // What is set in a wrong way is said once.
    hasSlack: slack.settings !== undefined || slack.faults.length > 0,
    hasDiscord: discord.settings !== undefined || discord.faults.length > 0,
    publicUrl: present.FLOWBOT_PUBLIC_URL,
  });
  const { tokens, faults: tokenFaults } = readTokens(present);
  const file = readConfigFile(present.FLOWBOT_CONFIG, cwd);
  const isPlayground = !slack.settings && !discord.settings;
  const faults = [
    ...(parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}.`),
    ...['FLOWBOT_FLOWS', 'FLOWBOT_AGENTS', 'FLOWBOT_SCHEMAS'].flatMap((name) =>
      folderFaults(name, present[name], cwd),
    ),
    ...secrets.faults,
    ...slack.faults,
    ...discord.faults,
    ...signIn.faults,
    ...tokenFaults,
    ...(isPlayground ? hostFaults(present.FLOWBOT_HOST) : []),
    ...file.faults,
  ];
  if (!parsed.success || faults.length > 0) return { ok: false, faults };
  const values = parsed.data;
  const flowsDir = resolve(cwd, values.FLOWBOT_FLOWS);
  const beside = foldersBeside(flowsDir);
  return {
    ok: true,
    warnings: [
      ...unknownSettings(present),
      ...secrets.warnings,
      ...slack.warnings,
      ...discord.warnings,
      ...file.warnings,
    ],
    config: {
      ...file.settings,
      flowsDir,
      agentsDir: resolve(cwd, values.FLOWBOT_AGENTS ?? beside.agents),
      schemasDir: resolve(cwd, values.FLOWBOT_SCHEMAS ?? beside.schemas),
      dbFile: resolve(cwd, values.FLOWBOT_DB),
      host: values.FLOWBOT_HOST,
      port: values.FLOWBOT_PORT,
      prefix: values.FLOWBOT_PREFIX,
      command: values.FLOWBOT_COMMAND,
      // In front of the playground sits the host.
      admins: isPlayground && values.FLOWBOT_ADMINS.length === 0 ? ['playground:ana'] : values.FLOWBOT_ADMINS,
      logLevel: values.FLOWBOT_LOG,
      runsAtOnce: values.FLOWBOT_RUNS_AT_ONCE,
      secrets: secrets.values,
      tokens,
      ...(values.FLOWBOT_PUBLIC_URL !== undefined && { publicUrl: values.FLOWBOT_PUBLIC_URL }),
      ...(slack.settings && { slack: slack.settings }),
      ...(discord.settings && { discord: { ...discord.settings, command: values.FLOWBOT_COMMAND } }),
      signIn: signIn.apps,
      ownSecrets: [
        ...slack.secrets,
        ...discord.secrets,
        ...signIn.secrets,
        ...tokens.map(({ secret }) => secret),
      ],
      baseDir: cwd,
      environment: programEnvironment(present),
      givable: withoutOwn(present),
    },
  };
}

/** Settings of Flowbot, and where it finds its database and chats: they hold its secrets. */
const ownName = /^(?:FLOWBOT_|SLACK_|DISCORD_|DATABASE_URL)/;

function withoutOwn(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !ownName.test(name)));
}

/** The playground has no login, so only this machine may reach it. */
function hostFaults(host: string | undefined): readonly string[] {
  if (host === undefined || isLoopback(host)) return [];
  return ['FLOWBOT_HOST must be a loopback address such as 127.0.0.1 while the playground is the only chat.'];
}

/** A folder that was named must be there; the default one may come later. */
function folderFaults(setting: string, folder: string | undefined, cwd: string): readonly string[] {
  if (folder === undefined || statSync(resolve(cwd, folder), { throwIfNoEntry: false })?.isDirectory())
    return [];
  return [`${setting} names “${folder}”, which is no folder.`];
}

const settingPrefix = 'FLOWBOT_';

/** A setting that is misspelt would be silently without effect. */
function unknownSettings(env: Readonly<Record<string, string>>): readonly string[] {
  const known = Object.keys(environmentSchema.shape).flatMap((key) =>
    key.startsWith(settingPrefix) ? [key.slice(settingPrefix.length)] : [],
  );
  return Object.keys(env).flatMap((key) => {
    const name = key.slice(settingPrefix.length);
    if (!key.startsWith(settingPrefix) || key.startsWith(secretPrefix) || known.includes(name)) return [];
    const near = nearest(name, known);
    const hint = near === undefined ? ' of this version.' : `; did you mean ${settingPrefix}${near}?`;
    return `${key} is not a setting${hint}`;
  });
}
