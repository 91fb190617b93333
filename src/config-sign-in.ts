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

/** Reads with which accounts people can sign in: `SLACK_CLIENT_ID` and `SLACK_CLIENT_SECRET`, and the same of Discord. */
export function readSignIn(
  env: Readonly<Record<string, string>>,
  { hasSlack, hasDiscord, publicUrl }: SignInSurroundings,
): ReadSignIn {
  const slack = readApp(env, 'SLACK', hasSlack, 'SLACK_BOT_TOKEN');
  const discord = readApp(env, 'DISCORD', hasDiscord, 'DISCORD_TOKEN');
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
  platform: 'SLACK' | 'DISCORD',
  isUsed: boolean,
  token: string,
): { readonly app?: SignInApp; readonly secret?: string; readonly faults: readonly string[] } {
  const [idKey, secretKey] = [`${platform}_CLIENT_ID`, `${platform}_CLIENT_SECRET`];
  const clientId = env[idKey]?.trim();
  const { value: clientSecret, faults } = readSecret(env, secretKey);
  const secret = clientSecret === undefined ? {} : { secret: clientSecret };
  if (faults.length > 0) return { ...secret, faults };
  if (clientId === undefined && clientSecret === undefined) return { faults: [] };
  if (clientId === undefined)
    return { ...secret, faults: [`${idKey} is missing: ${secretKey} alone signs nobody in.`] };
  if (clientSecret === undefined)
    return { faults: [`${secretKey} is missing: ${idKey} alone signs nobody in.`] };
  if (!isUsed)
    return {
      ...secret,
      faults: [`${idKey} is of no use without ${token}: only people of a connected chat can sign in.`],
    };
  return { app: { clientId, clientSecret }, ...secret, faults: [] };
}
