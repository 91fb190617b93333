import { z } from 'zod';
import type { McpServer } from './adapters/mcp/server.ts';
import { withFix } from './engine/data/issue.ts';
import { secretTexts } from './engine/data/secret-text.ts';
import { errorAt, type Fault } from './engine/fault.ts';
import { readAt } from './engine/flow/issues.ts';
import { isJsonObject, type Json } from './engine/json.ts';

/** What is set about MCP servers, and what is wrong. */
export interface ReadMcpServers {
  /** By name. */
  readonly mcpServers: ReadonlyMap<string, McpServer>;
  readonly faults: readonly Fault[];
}

const readOnlySchema = z
  .boolean()
  .default(false)
  .describe('Only tools that say they change nothing may be called.');

const programSchema = z.strictObject({
  command: z
    .string()
    .min(1)
    .max(1_000)
    // A path may have spaces in it; the name of a program that is looked for has none.
    .refine((command) => !/^[^/\\]+ /.test(command), {
      error: withFix(
        'This is more than the name of a program, and no shell takes it apart.',
        'Write command: npx and args: [-y, package], for example.',
      ),
    })
    .describe('The program; no shell reads it.'),
  args: z.array(z.string().max(4_000)).max(100).default([]).describe('Its arguments, one each.'),
  env: secretTexts(/^[A-Za-z_][A-Za-z0-9_]*$/, 'This is no name of a variable.').describe(
    'What its environment holds beside PATH, HOME, LANG and the like; secrets as {{secrets.NAME}}.',
  ),
  readOnly: readOnlySchema,
});

const addressSchema = z.strictObject({
  url: z
    .url({
      protocol: /^https?$/,
      error: withFix('This is no address.', 'Write one such as https://mcp.example.com/mcp.'),
    })
    .refine((url) => URL.canParse(url) && new URL(url).username === '' && new URL(url).password === '', {
      error: withFix('An address holds no password.', 'Give the access under headers.'),
    })
    .describe('Where it is reached by streamable HTTP.'),
  headers: secretTexts(/^[A-Za-z0-9-]+$/, 'This is no name of a header.').describe(
    'What goes along with every request; secrets as {{secrets.NAME}}.',
  ),
  readOnly: readOnlySchema,
});

const serverName = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

/** Reads `mcpServers` of the configuration file. */
export function readMcpServers(data: Json | undefined): ReadMcpServers {
  const written = data ?? {};
  if (!isJsonObject(written)) {
    const fault = errorAt('type', ['mcpServers'], 'mcpServers must be an object.', 'Write servers by name.');
    return { mcpServers: new Map(), faults: [fault] };
  }
  const faults: Fault[] = [];
  const mcpServers = new Map<string, McpServer>();
  for (const [name, server] of Object.entries(written)) {
    const read = readServer(name, server);
    if (read.ok) mcpServers.set(name, read.value);
    else faults.push(...read.faults);
  }
  return { mcpServers, faults };
}

function readServer(
  name: string,
  data: unknown,
):
  | { readonly ok: true; readonly value: McpServer }
  | { readonly ok: false; readonly faults: readonly Fault[] } {
  const at = ['mcpServers', name];
  if (!serverName.test(name))
    return refuse(
      at,
      `${JSON.stringify(name.slice(0, 70))} is no name of a server.`,
      'Write letters, digits, _ and -, beginning with a letter.',
    );
  const kinds = isJsonObject(data) ? ['command', 'url'].filter((key) => Object.hasOwn(data, key)) : [];
  if (isJsonObject(data) && kinds.length !== 1) {
    const message = `mcpServers.${name} needs either command or url${kinds.length === 0 ? '' : ', not both'}.`;
    return refuse(at, message, 'Write the command of a program, or the url of a server.');
  }
  if (kinds[0] === 'url') {
    const read = readAt(addressSchema, data, at);
    return read.ok ? { ok: true, value: { kind: 'address', ...read.value } } : read;
  }
  const read = readAt(programSchema, data, at);
  return read.ok ? { ok: true, value: { kind: 'program', ...read.value } } : read;
}

function refuse(path: readonly string[], message: string, fix: string) {
  return { ok: false, faults: [errorAt('value', path, message, fix)] } as const;
}
