import { readSecret } from './config-secrets.ts';

/** An application of a platform, with which people sign in to the pages. */
export interface SignInApp {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What is set about signing in, its secrets, and what is wrong. */
export interface ReadSignIn {
  readonly apps: { readonly slack?: SignInApp; readonly discord?: SignInApp };
  readonly secrets: readonly string[];
  readonly faults: readonly string[];
}

/** What else is set that it needs. */
export interface SignInSurroundings {
  readonly hasSlack: boolean;
  readonly hasDiscord: boolean;
  readonly publicUrl: string | undefined;
}

/** What a platform calls an application, and where its host reads that. */
interface Kind {
  readonly prefix: 'SLACK' | 'DISCORD';
  /** The setting without which nobody of it can be known. */
  readonly token: string;
  readonly idPattern: RegExp;
  readonly idIs: string;
  readonly page: string;
}

const slackApp: Kind = {
  prefix: 'SLACK',
  token: 'SLACK_BOT_TOKEN',
  idPattern: /^\d+\.\d+$/,
  idIs: 'two numbers with a dot between them',
  page: 'Basic Information of the app',
};
const discordApp: Kind = {
  prefix: 'DISCORD',
  token: 'DISCORD_TOKEN',
  idPattern: /^\d{17,20}$/,
  idIs: 'a number of 17 to 20 digits',
  page: 'OAuth2 in the Developer Portal',
};
const secretPattern = /^\S{8,}$/;

/** Reads with which accounts people can sign in: `SLACK_CLIENT_ID` and `SLACK_CLIENT_SECRET`, and the same of Discord. */
export function readSignIn(
  env: Readonly<Record<string, string>>,
  { hasSlack, hasDiscord, publicUrl }: SignInSurroundings,
): ReadSignIn {
  const slack = readApp(env, slackApp, hasSlack);
  const discord = readApp(env, discordApp, hasDiscord);
  const address =
    slack.app &&
    (publicUrl === undefined || !URL.canParse(publicUrl) || new URL(publicUrl).protocol !== 'https:')
      ? ['SLACK_CLIENT_ID needs FLOWBOT_PUBLIC_URL with https: Slack sends people back to no other address.']
      : [];
  const faults = [...slack.faults, ...discord.faults, ...address];
  const secrets = [slack, discord].flatMap(({ secret }) => secret ?? []);
  if (faults.length > 0) return { apps: {}, secrets, faults };
  return {
    apps: { ...(slack.app && { slack: slack.app }), ...(discord.app && { discord: discord.app }) },
    secrets,
    faults,
  };
}

function readApp(
  env: Readonly<Record<string, string>>,
  { prefix, token, idPattern, idIs, page }: Kind,
  isUsed: boolean,
): { readonly app?: SignInApp; readonly secret?: string; readonly faults: readonly string[] } {
  const [idKey, secretKey] = [`${prefix}_CLIENT_ID`, `${prefix}_CLIENT_SECRET`];
  const clientId = env[idKey]?.trim();
  const { value: clientSecret, faults } = readSecret(env, secretKey);
  const secret = clientSecret === undefined ? {} : { secret: clientSecret };
  if (faults.length > 0) return { ...secret, faults };
  if (clientId === undefined && clientSecret === undefined) return { faults: [] };
  if (clientId === undefined)
    return { ...secret, faults: [`${idKey} is missing: ${secretKey} alone signs nobody in.`] };
  if (clientSecret === undefined)
    return { faults: [`${secretKey} is missing: ${idKey} alone signs nobody in.`] };
  const wrong = [
    // It stands in the address to which browsers are sent: a secret in its place would be told to everybody.
    ...(idPattern.test(clientId) ? [] : [`${idKey} is not what it should be: it is ${idIs} (${page}).`]),
    ...(secretPattern.test(clientSecret)
      ? []
      : [`${secretKey} is not what it should be: it has at least 8 characters and no spaces (${page}).`]),
    ...(isUsed
      ? []
      : [`${idKey} is of no use without ${token}: only people of a connected chat can sign in.`]),
  ];
  if (wrong.length > 0) return { ...secret, faults: wrong };
  return { app: { clientId, clientSecret }, ...secret, faults: [] };
}
