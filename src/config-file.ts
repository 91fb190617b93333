import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { Repository } from './adapters/workspaces/worktree.ts';
import { type AgentSettings, agentSettingNames, readAgentSettings } from './config-agents.ts';
import { readHostBudget } from './config-budget.ts';
import { type ReadMcpServers, readMcpServers } from './config-mcp.ts';
import { readWorkspaces } from './config-workspaces.ts';
import { durationSchema } from './engine/data/duration.ts';
import { withFix } from './engine/data/issue.ts';
import type { Fault } from './engine/fault.ts';
import { personSchema, platformOf } from './engine/flow/address.ts';
import { place, readAt } from './engine/flow/issues.ts';
import { suggest } from './engine/flow/nearest.ts';
import type { Identities } from './engine/identities.ts';
import { isJsonObject, type Json } from './engine/json.ts';
import { COMMAND_LINE } from './engine/people.ts';
import type { HostBudget } from './engine/run/day-budget.ts';
import { REMIND_AFTER_MS } from './engine/run/question-timers.ts';
import { byPosition, formatFault } from './loader/located-fault.ts';
import { parseText } from './loader/parse.ts';

/** What the configuration file says, with the defaults for what it leaves out. */
export interface FileSettings extends AgentSettings, Omit<ReadMcpServers, 'faults'> {
  /** Accounts that belong to one person. */
  readonly people: Identities;
  /** How long a question waits before it reminds people; absent = it never does. */
  readonly humanReminderMs?: number;
  /** Modules of plugins: paths and names of packages. */
  readonly plugins: readonly string[];
  /** What all flows together may use up on a day; absent = anything. */
  readonly budget?: HostBudget;
  /** Where workspaces with git come from; absent = there are none. */
  readonly repository?: Repository;
}

/** The configuration file, read. Nothing is to be used of it when there are faults. */
export interface ReadConfigFile {
  readonly settings: FileSettings;
  /** Whole sentences that begin with file, line and column. */
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

const defaultFile = 'flowbot.yaml';
const settingNames = [
  'people',
  'humanReminder',
  'workspaces',
  ...agentSettingNames,
  'budget',
  'mcpServers',
  'plugins',
];
/** Of a file that can't be read. */
const nothing: FileSettings = {
  people: [],
  ...readAgentSettings({}).settings,
  mcpServers: new Map(),
  plugins: [],
};
const pluginsSchema = z.array(z.string().min(1).max(1_000)).max(100).default([]);
const reminderSchema = durationSchema.nullable().default(REMIND_AFTER_MS);

/**
 * Reads the optional configuration file.
 * @param named the file that FLOWBOT_CONFIG names: unlike the default one, it has to be there
 * @param cwd relative paths start here
 */
export function readConfigFile(named: string | undefined, cwd: string): ReadConfigFile {
  const file = named ?? defaultFile;
  const path = resolve(cwd, file);
  if (named === undefined && !existsSync(path))
    return { ...readText('', file, cwd), warnings: misnamed(cwd) };
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
    const what = named === undefined ? file : `FLOWBOT_CONFIG names “${named}”, which`;
    return { settings: nothing, faults: [`${what} is no file.`], warnings: [] };
  }
  try {
    return { ...readText(readFileSync(path, 'utf8'), file, cwd), warnings: [] };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { settings: nothing, faults: [`${file}: the file can't be read (${why}).`], warnings: [] };
  }
}

/** Whoever links people in a file of this name would believe that they are linked. */
function misnamed(cwd: string): readonly string[] {
  if (!existsSync(resolve(cwd, 'flowbot.yml'))) return [];
  return [`flowbot.yml is not read: name it ${defaultFile}, or set FLOWBOT_CONFIG=flowbot.yml.`];
}

function readText(text: string, file: string, cwd: string): Omit<ReadConfigFile, 'warnings'> {
  const parsed = parseText(text, 'yaml');
  const { settings, faults } = readSettings(parsed.data ?? {}, file, cwd);
  const located = faults.map((fault) => ({ ...fault, ...parsed.locate(fault.path) }));
  return {
    settings,
    faults: [...parsed.faults, ...located]
      .toSorted(byPosition)
      .map((fault) => formatFault({ ...fault, file })),
  };
}

interface Settings {
  readonly settings: FileSettings;
  readonly faults: readonly Fault[];
}

function readSettings(data: Json, file: string, cwd: string): Settings {
  if (!isJsonObject(data)) {
    const message = `${file} must hold settings by name.`;
    const fix = 'Begin with a line such as "people:".';
    return {
      settings: nothing,
      faults: [{ severity: 'error', rule: 'type', path: [], message, fix }],
    };
  }
  const unknown = Object.keys(data).filter((key) => !settingNames.includes(key));
  const { people: links = {}, humanReminder } = data;
  const people = readPeople(links);
  const reminder = readAt(reminderSchema, humanReminder, ['humanReminder']);
  const agents = readAgentSettings(data);
  const { mcpServers, faults: serverFaults } = readMcpServers(data.mcpServers);
  const { budget, faults: budgetFaults } = readHostBudget(data.budget);
  const plugins = readAt(pluginsSchema, data.plugins, ['plugins']);
  const { repository, faults: workspaceFaults } = readWorkspaces(data.workspaces, cwd);
  return {
    settings: {
      people: people.links,
      ...agents.settings,
      mcpServers,
      plugins: plugins.ok ? plugins.value : [],
      ...(reminder.ok && reminder.value !== null && { humanReminderMs: reminder.value }),
      ...(budget && { budget }),
      ...(repository && { repository }),
    },
    faults: [
      ...unknown.map((key) => unknownKey(key, file)),
      ...people.faults,
      ...(reminder.ok ? [] : reminder.faults),
      ...workspaceFaults,
      ...agents.faults,
      ...budgetFaults,
      ...serverFaults,
      ...(plugins.ok ? [] : plugins.faults),
    ],
  };
}

/** Names that promise a secret, or a setting of the environment. */
const secretName = /token|secret|passw|credential|api_?key|private/i;
const environmentName = /^(?:flowbot|slack|discord)(?:_|$)/i;

function unknownKey(key: string, file: string): Fault {
  const unknown = `${file} has no key ${JSON.stringify(key.slice(0, 60))}`;
  const fault = { severity: 'error', rule: 'unknown-key', path: [key] } as const;
  if (secretName.test(key)) {
    const fix =
      'Set it in the environment, or put it into a file that a setting such as SLACK_BOT_TOKEN_FILE names.';
    return { ...fault, rule: 'secret', message: `${unknown}, and no secrets stand in it.`, fix };
  }
  if (environmentName.test(key)) {
    return { ...fault, message: `${unknown}.`, fix: 'Set it in the environment.' };
  }
  return { ...fault, message: `${unknown}.`, fix: suggest(key, settingNames) };
}

/** Where people have addresses. A link to any other platform would silently be without effect. */
const platforms = ['slack', 'discord', 'playground', COMMAND_LINE];

const accountSchema = personSchema.superRefine((address, context) => {
  const platform = platformOf(address);
  if (platform === undefined || platforms.includes(platform)) return;
  context.addIssue({
    code: 'custom',
    message: withFix(`there is no platform ${JSON.stringify(platform)}.`, suggest(platform, platforms)),
  });
});

const accountsSchema = z
  .array(accountSchema)
  .transform((addresses) => [...new Set(addresses)])
  .refine((addresses) => addresses.length > 1, {
    error: withFix('fewer than two accounts link nothing.', 'Add another account, or remove the entry.'),
  });

/** The entries by name; names are labels for whoever reads the file. */
function readPeople(data: unknown): { readonly links: Identities; readonly faults: readonly Fault[] } {
  const entries = readAt(z.record(z.string(), z.unknown()), data, ['people']);
  if (!entries.ok) return { links: [], faults: entries.faults };
  const links: (readonly string[])[] = [];
  const faults: Fault[] = [];
  const nameOf = new Map<string, string>();
  // Not the entries that were read: those lack a person called __proto__.
  for (const [name, list] of isJsonObject(data) ? Object.entries(data) : []) {
    const accounts = readAt(accountsSchema, list, ['people', name]);
    if (!accounts.ok) {
      faults.push(...accounts.faults);
      continue;
    }
    links.push(accounts.value);
    for (const address of accounts.value) {
      const other = nameOf.get(address);
      if (other !== undefined) faults.push(takenTwice(address, other, ['people', name], list));
      nameOf.set(address, name);
    }
  }
  return { links, faults };
}

function takenTwice(address: string, other: string, path: readonly string[], list: unknown): Fault {
  return {
    severity: 'error',
    rule: 'duplicate-account',
    path: [...path, ...(Array.isArray(list) ? [list.indexOf(address)] : [])],
    message: `${place(path)} names ${address}, as ${place(['people', other])} does.`,
    fix: 'Keep it in one of the two, or make one entry of both.',
  };
}
