import type { SlackSettings } from './adapters/slack/index.ts';
import { addressFaults } from './config-hosts.ts';
import { readSecret } from './config-secrets.ts';

/** What is set about Slack, its secrets, and what is wrong or doubtful. */
export interface ReadSlack {
  /** Absent = Slack is not used, or something is wrong. */
  readonly settings?: SlackSettings;
  readonly secrets: readonly string[];
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

const slackTokens = [
  ['SLACK_BOT_TOKEN', /^xoxb-\S+$/, 'begins with xoxb- (OAuth & Permissions of the app)'],
  ['SLACK_APP_TOKEN', /^xapp-\S+$/, 'begins with xapp- (Basic Information of the app)'],
  ['SLACK_SIGNING_SECRET', /^\S{8,}$/, 'has no spaces (Basic Information of the app)'],
  ['SLACK_CONFIG_TOKEN', /^xoxe\S+$/, 'begins with xoxe (Your App Configuration Tokens)'],
] as const;

/** Reads the settings of Slack. Which secret is set says how events come. */
export function readSlack(env: Readonly<Record<string, string>>): ReadSlack {
  const tokens = slackTokens.map(([key, pattern, what]) => {
    const { value, faults } = readSecret(env, key);
    const isWrong = value !== undefined && !pattern.test(value);
    return { value, faults: isWrong ? [`${key} is not what it should be: it ${what}.`] : faults };
  });
  const [botToken, appToken, signingSecret, configToken] = tokens.map(({ value }) => value);
  const secrets = tokens.flatMap(({ value }) => value ?? []);
  const wrong = [
    ...tokens.flatMap(({ faults }) => faults),
    ...addressFaults('SLACK_API_URL', env.SLACK_API_URL, 'https://slack.com/api/'),
  ];
  if (secrets.length === 0 || wrong.length > 0) return { secrets, faults: wrong, warnings: [] };
  const events = eventsFrom(appToken, signingSecret);
  if (botToken === undefined || !events) {
    const missing =
      botToken === undefined
        ? 'SLACK_BOT_TOKEN is missing: without it nothing can be posted.'
        : 'SLACK_BOT_TOKEN alone is not enough: set SLACK_APP_TOKEN for Socket Mode, or SLACK_SIGNING_SECRET for HTTP.';
    return { secrets, faults: [missing], warnings: [] };
  }
  const isUnused = events.kind === 'socket' && signingSecret !== undefined;
  return {
    settings: {
      botToken,
      events,
      ...(env.SLACK_API_URL !== undefined && { apiUrl: env.SLACK_API_URL }),
      ...(configToken !== undefined && { configToken }),
    },
    secrets,
    faults: [],
    warnings: isUnused
      ? ['SLACK_SIGNING_SECRET is not used: with SLACK_APP_TOKEN events come over Socket Mode.']
      : [],
  };
}

function eventsFrom(
  appToken: string | undefined,
  signingSecret: string | undefined,
): SlackSettings['events'] | undefined {
  if (appToken !== undefined) return { kind: 'socket', appToken };
  return signingSecret === undefined ? undefined : { kind: 'http', signingSecret };
}
