import { readSecret } from './config-secrets.ts';
import { personSchema } from './engine/flow/address.ts';
import { nearest } from './engine/flow/nearest.ts';

/** What a token lets in as; each may do what those before it may. */
const tokenRoles = ['viewer', 'runner', 'approver', 'admin'] as const;
export type TokenRole = (typeof tokenRoles)[number];

/** A token for the page, the API and MCP. */
export interface AccessToken {
  /** What people know it by. */
  readonly name: string;
  readonly role: TokenRole;
  /** The token itself. */
  readonly secret: string;
  /** Whom it speaks for, as a person's address: `slack:U0ANA`; absent = itself, `api:<name>`. */
  readonly person?: string;
}

/** Shortest token, in characters: 128 bits in base64 have 22. */
const secretMinChars = 22;
const namePattern = /^[a-z][a-z0-9-]{0,31}$/;
const secretPattern = /^[A-Za-z0-9._~+/=-]+$/;
const example = 'ci runner <token>';

/** Reads FLOWBOT_TOKENS: a token a line (or comma): name, role, token, and the person that it speaks for. Faults quote no token. */
export function readTokens(env: Readonly<Record<string, string>>): {
  readonly tokens: readonly AccessToken[];
  readonly faults: readonly string[];
} {
  const { value = '', faults } = readSecret(env, 'FLOWBOT_TOKENS');
  const lines = value
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const read = lines.map((line, index) => readToken(line, index + 1));
  const tokens = read.flatMap((one) => (typeof one === 'string' ? [] : [one]));
  return {
    tokens,
    faults: [
      ...faults,
      ...read.filter((one) => typeof one === 'string'),
      ...twice(tokens.map(({ name }) => name)).map(
        (name) => `FLOWBOT_TOKENS has two tokens called ${name}: give each a name of its own.`,
      ),
      ...(twice(tokens.map(({ secret }) => secret)).length > 0
        ? ['FLOWBOT_TOKENS has the same token twice: make a new one for each name.']
        : []),
    ],
  };
}

function readToken(line: string, position: number): AccessToken | string {
  const where = `FLOWBOT_TOKENS, entry ${position}:`;
  const [name = '', role, secret, person, more] = line.split(/\s+/);
  if (!namePattern.test(name))
    return `${where} begin with a name of lower-case letters, digits and "-", as in "${example}".`;
  const of = `${where.slice(0, -1)} (${name}):`;
  const known = tokenRoles.find((one) => one === role);
  if (known === undefined) {
    const near = nearest(role ?? '', tokenRoles);
    const hint = near === undefined ? `write one of ${tokenRoles.join(', ')}` : `did you mean ${near}?`;
    return `${of} behind the name comes the role; ${hint}${hint.endsWith('?') ? '' : '.'}`;
  }
  if (secret === undefined || secret.length < secretMinChars || !secretPattern.test(secret)) {
    return `${of} behind the role comes the token: at least ${secretMinChars} letters and digits, such as "openssl rand -hex 24" prints.`;
  }
  if (more !== undefined) return `${of} there is too much in this entry; write "${example} slack:U0ANA".`;
  if (person === undefined) return { name, role: known, secret };
  if (!personSchema.safeParse(person).success)
    return `${of} the last word is no person: write for example slack:U0ANA.`;
  return { name, role: known, secret, person };
}

function twice(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}
