import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { redactedMinChars } from './adapters/system/secrets.ts';
import { personSchema } from './engine/flow/address.ts';
import { nearest } from './engine/flow/nearest.ts';

/** What the host has set, read once. No other file reads the environment. */
export interface Config {
  /** Folder of flow files. */
  readonly flowsDir: string;
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
  /** Secrets that flows may name, by name. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** The configuration, or every fault in it at once. Neither faults nor warnings quote a secret. */
export type ReadConfig =
  | { readonly ok: true; readonly config: Config; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly faults: readonly string[] };

const aPort = 'must be a port number from 0 to 65535';

const environmentSchema = z.object({
  FLOWBOT_FLOWS: z.string().default('flows'),
  FLOWBOT_DB: z.string().default('data/flowbot.db'),
  // The playground has no login, so only this machine may reach it.
  FLOWBOT_HOST: z
    .string()
    .regex(/^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/, 'must be a loopback address such as 127.0.0.1')
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
    // Without tokens the playground is the only chat, and the person in front of it is the host.
    .default('playground:ana')
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
  FLOWBOT_LOG: z
    .enum(['silent', 'error', 'warn', 'info'], 'must be silent, error, warn or info')
    .default('info'),
});

/**
 * Reads the configuration from the environment. A variable that is set to nothing counts as not set.
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
  const faults = [
    ...(parsed.error?.issues ?? []).map((issue) => `${issue.path.join('.')} ${issue.message}.`),
    ...folderFaults(present.FLOWBOT_FLOWS, cwd),
    ...secrets.faults,
  ];
  if (!parsed.success || faults.length > 0) return { ok: false, faults };
  const values = parsed.data;
  return {
    ok: true,
    warnings: [...unknownSettings(present), ...secrets.warnings],
    config: {
      flowsDir: resolve(cwd, values.FLOWBOT_FLOWS),
      dbFile: resolve(cwd, values.FLOWBOT_DB),
      host: values.FLOWBOT_HOST,
      port: values.FLOWBOT_PORT,
      prefix: values.FLOWBOT_PREFIX,
      command: values.FLOWBOT_COMMAND,
      admins: values.FLOWBOT_ADMINS,
      logLevel: values.FLOWBOT_LOG,
      secrets: secrets.values,
    },
  };
}

/** A folder that was named must be there; the default one may come later. */
function folderFaults(folder: string | undefined, cwd: string): readonly string[] {
  if (folder === undefined || statSync(resolve(cwd, folder), { throwIfNoEntry: false })?.isDirectory())
    return [];
  return [`FLOWBOT_FLOWS names “${folder}”, which is no folder.`];
}

const secretPrefix = 'FLOWBOT_SECRET_';
const secretKey = /^FLOWBOT_SECRET_([A-Za-z][A-Za-z0-9_]*)$/;
const fileSuffix = '_FILE';

const settingPrefix = 'FLOWBOT_';

/** A setting that is misspelt would be silently without effect. */
function unknownSettings(env: Readonly<Record<string, string>>): readonly string[] {
  const known = Object.keys(environmentSchema.shape).map((key) => key.slice(settingPrefix.length));
  return Object.keys(env).flatMap((key) => {
    const name = key.slice(settingPrefix.length);
    if (!key.startsWith(settingPrefix) || key.startsWith(secretPrefix) || known.includes(name)) return [];
    const near = nearest(name, known);
    const hint = near === undefined ? ' of this version.' : `; did you mean ${settingPrefix}${near}?`;
    return `${key} is not a setting${hint}`;
  });
}

interface ReadSecrets {
  readonly values: ReadonlyMap<string, string>;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

/** `FLOWBOT_SECRET_NAME` holds a secret, `FLOWBOT_SECRET_NAME_FILE` the path of a file that does. */
function readSecrets(env: Readonly<Record<string, string>>): ReadSecrets {
  const values = new Map<string, string>();
  const faults: string[] = [];
  const warnings: string[] = [];
  for (const [key, value] of Object.entries(env)) {
    if (!key.startsWith(secretPrefix)) continue;
    const isFile = key.endsWith(fileSuffix);
    const name = secretKey.exec(isFile ? key.slice(0, -fileSuffix.length) : key)?.[1];
    if (name === undefined) {
      faults.push(
        `${key}: after ${secretPrefix} comes a name of letters, digits and _ that begins with a letter.`,
      );
      continue;
    }
    if (values.has(name)) {
      faults.push(
        `The secret ${name} is set twice: keep either ${secretPrefix}${name} or ${secretPrefix}${name}_FILE.`,
      );
      continue;
    }
    const raw = isFile ? readText(value) : value;
    if (typeof raw !== 'string') {
      faults.push(`${key}: the file can't be read (${raw.why}).`);
      continue;
    }
    const secret = raw.replace(/[\r\n]+$/, '');
    values.set(name, secret);
    if (secret === '') faults.push(`${key}: the secret is empty.`);
    warnings.push(...doubts(key, raw, secret));
  }
  return { values, faults, warnings };
}

function doubts(key: string, raw: string, secret: string): readonly string[] {
  return [
    ...(secret === raw ? [] : [`${key} ends with a line break, which is not taken as part of the secret.`]),
    ...(/[\r\n\0]/.test(secret) ? [`${key} holds line breaks: it can't be used in a header.`] : []),
    ...(secret.length < redactedMinChars
      ? [`${key} has fewer than ${redactedMinChars} characters: it can't be hidden in logs and answers.`]
      : []),
  ];
}

function readText(file: string): string | { readonly why: string } {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}
