import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type ReadConfig, readConfig } from '../src/config.ts';

const root = mkdtempSync(join(tmpdir(), 'flowbot-config-file-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Reads the configuration in a folder of its own that holds this file. */
function read(text: string, name = 'flowbot.yaml', env: Record<string, string> = {}): ReadConfig {
  const folder = mkdtempSync(join(root, 'case-'));
  writeFileSync(join(folder, name), text);
  return readConfig(env, folder);
}

function settingsOf(text: string) {
  const { people, humanReminderMs } = okay(read(text)).config;
  return { people, humanReminderMs };
}

function okay(configured: ReadConfig) {
  if (!configured.ok) throw new Error(configured.faults.join('\n'));
  return configured;
}

function faultsOf(configured: ReadConfig): readonly string[] {
  return configured.ok ? [] : configured.faults;
}

const halfADay = 43_200_000;

describe('flowbot.yaml', () => {
  test.each<[string, string, { people: readonly (readonly string[])[]; humanReminderMs?: number }]>([
    ['nothing', '', { people: [], humanReminderMs: halfADay }],
    ['remarks', '# later\n', { people: [], humanReminderMs: halfADay }],
    [
      'people',
      'people: { ana: [slack:U0ANA, "discord:400000000000000002"], bo: [slack:U0BO, slack:U1BO, cli:bo] }',
      {
        people: [
          ['slack:U0ANA', 'discord:400000000000000002'],
          ['slack:U0BO', 'slack:U1BO', 'cli:bo'],
        ],
        humanReminderMs: halfADay,
      },
    ],
    [
      'people with any label',
      'people:\n  __proto__:\n    - slack:U0ANA\n    - cli:ana\n    - slack:U0ANA\n  "": [slack:U0BO, cli:bo]\n',
      {
        people: [
          ['slack:U0ANA', 'cli:ana'],
          ['slack:U0BO', 'cli:bo'],
        ],
        humanReminderMs: halfADay,
      },
    ],
    ['another reminder', 'humanReminder: 1h30m', { people: [], humanReminderMs: 5_400_000 }],
    ['no reminder', 'humanReminder: null', { people: [] }],
    ['a byte-order mark', '\uFEFFhumanReminder: 1h\r\n', { people: [], humanReminderMs: 3_600_000 }],
  ])('may hold %s', (_, text, settings) => {
    expect(settingsOf(text)).toEqual({ humanReminderMs: undefined, ...settings });
  });

  test('tells everything that is wrong at once, with its place, beside what is wrong in the environment', () => {
    const text = `peple: {}
slackBotToken: xoxb-1
FLOWBOT_PORT: 80
humanReminder: 12
people:
  ana: [ana, slack:U0ANA, slak:U0ANA]
  bo: [slack:U0BO]
  cy: slack:U0CY
  di: [slack:U0DI, discord:400000000000000004]
  ed:
    - slack:U0ED
    - slack:U0DI
  fay: []
`;
    expect(faultsOf(read(text, 'flowbot.yaml', { FLOWBOT_PORT: 'http' }))).toEqual([
      'FLOWBOT_PORT must be a port number from 0 to 65535.',
      'flowbot.yaml:1:1 error unknown-key: flowbot.yaml has no key "peple". Did you mean "people"?',
      'flowbot.yaml:2:1 error secret: flowbot.yaml has no key "slackBotToken", and no secrets stand in it. Set it in the environment, or put it into a file that a setting such as SLACK_BOT_TOKEN_FILE names.',
      'flowbot.yaml:3:1 error unknown-key: flowbot.yaml has no key "FLOWBOT_PORT". Set it in the environment.',
      'flowbot.yaml:4:1 error type: humanReminder: 12 has no unit. Write 12s for seconds, or 12m for minutes.',
      'flowbot.yaml:6:9 error value: people.ana[0]: "ana" is not a person. Write the platform and the id of the person, such as "slack:U0ANA"; names can be taken by others.',
      'flowbot.yaml:6:27 error value: people.ana[2]: there is no platform "slak". Did you mean "slack"?',
      'flowbot.yaml:7:3 error value: people.bo: fewer than two accounts link nothing. Add another account, or remove the entry.',
      'flowbot.yaml:8:3 error type: people.cy must be a list, not "slack:U0CY". Write a list: [ ] around it, with commas between the items.',
      'flowbot.yaml:12:7 error duplicate-account: people.ed names slack:U0DI, as people.di does. Keep it in one of the two, or make one entry of both.',
      'flowbot.yaml:13:3 error value: people.fay: fewer than two accounts link nothing. Add another account, or remove the entry.',
    ]);
  });

  test.each([
    ['a list', '- people', 'flowbot.yaml:1:1 error type: flowbot.yaml must hold settings by name.'],
    ['a text', 'xoxb-1-secret', 'flowbot.yaml:1:1 error type: flowbot.yaml must hold settings by name.'],
    ['no YAML', 'people: [', 'flowbot.yaml:1:10 error syntax:'],
    ['a key twice', 'people: {}\npeople: {}', 'flowbot.yaml:2:1 error duplicate-key:'],
    ['a list of people', 'people: [slack:U0ANA]', 'flowbot.yaml:1:1 error type: people must be an object'],
    ['an empty key', 'people:', 'flowbot.yaml:1:1 error type: people must be an object, not null.'],
    ['a reminder that is none', 'humanReminder: soon', '"soon" is not a length of time.'],
    ['a reminder that is switched off in vain', 'humanReminder: no', '"no" is not a length of time.'],
    ['a role', 'people: { ana: [slack:U0ANA, slack:@ana] }', 'is not a person.'],
  ])('may not hold %s', (_, text, fault) => {
    const faults = faultsOf(read(text));
    expect(faults).toHaveLength(1);
    expect(faults.join()).toContain(fault);
    expect(faults.join()).not.toContain('xoxb');
  });

  test.each([
    'token',
    'SLACK_BOT_TOKEN',
    'secrets',
    'client_secret',
    'dbPassword',
    'apiKey',
    'api_key',
    'PRIVATE',
  ])('C52: holds no secrets: %s', (key) => {
    const faults = faultsOf(read(`${key}: hush-hush`));
    expect(faults.join()).toMatch(/^flowbot\.yaml:1:1 error secret: .* Set it in the environment/);
    expect(faults.join()).not.toContain('hush');
  });

  test('need not be there', () => {
    expect(okay(readConfig({}, join(root, 'nowhere'))).config.people).toEqual([]);
  });

  test('is not read under a similar name, which is told', () => {
    const { config, warnings } = okay(read('people: { ana: [slack:U0ANA, cli:ana] }', 'flowbot.yml'));
    expect(config.people).toEqual([]);
    expect(warnings).toEqual([
      'flowbot.yml is not read: name it flowbot.yaml, or set FLOWBOT_CONFIG=flowbot.yml.',
    ]);
  });

  test('may stand elsewhere', () => {
    const configured = read('humanReminder: 1h', 'bot.yml', { FLOWBOT_CONFIG: 'bot.yml' });
    expect(okay(configured)).toMatchObject({ config: { humanReminderMs: 3_600_000 }, warnings: [] });
    expect(faultsOf(read('nope: 1', 'bot.yml', { FLOWBOT_CONFIG: './bot.yml' }))).toEqual([
      './bot.yml:1:1 error unknown-key: ./bot.yml has no key "nope". Use one of: people, humanReminder, workspaces, agentsAtOnce, agentTimeLimit, budget, mcpServers, plugins.',
    ]);
  });

  test('must be there when it is named, and must be a file', () => {
    expect(faultsOf(readConfig({ FLOWBOT_CONFIG: 'gone.yaml' }, root))).toEqual([
      'FLOWBOT_CONFIG names “gone.yaml”, which is no file.',
    ]);
    mkdirSync(join(root, 'flowbot.yaml'));
    expect(faultsOf(readConfig({}, root))).toEqual(['flowbot.yaml is no file.']);
  });

  test('the example of the documentation is sound', () => {
    const page = readFileSync(resolve(import.meta.dirname, '../docs/operations.md'), 'utf8');
    const [, example = ''] = /```yml\n([\s\S]*?)```/.exec(page) ?? [];
    expect(settingsOf(example).people).not.toEqual([]);
  });
});
