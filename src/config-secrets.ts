import { readFileSync } from 'node:fs';
import { redactedMinChars } from './adapters/system/secrets.ts';

/** Before the names of secrets that flows may name. */
export const secretPrefix = 'FLOWBOT_SECRET_';
const secretKey = /^FLOWBOT_SECRET_([A-Za-z][A-Za-z0-9_]*)$/;
/** Behind the name of a setting: its value is the path of a file that holds the secret. */
const fileSuffix = '_FILE';

/** The secrets that flows may name, by name, and what is wrong or doubtful. */
export interface ReadSecrets {
  readonly values: ReadonlyMap<string, string>;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

/** `FLOWBOT_SECRET_NAME` holds a secret, `FLOWBOT_SECRET_NAME_FILE` the path of a file that does. */
export function readSecrets(env: Readonly<Record<string, string>>): ReadSecrets {
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

/** A secret of Flowbot itself: in the setting, or in the file that the setting with `_FILE` names. */
export function readSecret(
  env: Readonly<Record<string, string>>,
  key: string,
): { readonly value?: string; readonly faults: readonly string[] } {
  const file = env[`${key}${fileSuffix}`];
  const given = env[key];
  if (file === undefined) return given === undefined ? { faults: [] } : { value: given.trim(), faults: [] };
  if (given !== undefined) {
    return { faults: [`${key} is set twice: keep either ${key} or ${key}${fileSuffix}.`] };
  }
  const text = readText(file);
  return typeof text === 'string'
    ? { value: text.trim(), faults: [] }
    : { faults: [`${key}${fileSuffix}: the file can't be read (${text.why}).`] };
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
