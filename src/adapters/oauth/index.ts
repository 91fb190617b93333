import type { Clock } from '../../ports/clock.ts';
import type { Http } from '../../ports/http.ts';
import type { SignIn } from '../../ports/sign-in.ts';
import { type Ask, createAsk } from './ask.ts';
import { createDiscordSignIn, type DiscordSignInSettings } from './discord.ts';
import { createSlackSignIn, type SlackSignInSettings } from './slack.ts';

/** With which accounts people can sign in. */
export interface SignInConfig {
  readonly slack?: SlackSignInSettings;
  readonly discord?: DiscordSignInSettings;
}

/** Longest wait for an answer of a platform. */
const usualTimeoutMs = 10_000;

/** Makes the sign-ins that are set up, by platform. @param options `timeoutMs`: for each request; default 10 s */
export function createSignIns(
  { slack, discord }: SignInConfig,
  options: { readonly http: Http; readonly clock: Pick<Clock, 'now'>; readonly timeoutMs?: number },
): ReadonlyMap<SignIn['platform'], SignIn> {
  const { http, clock, timeoutMs = usualTimeoutMs } = options;

  function askOf(name: string, { apiUrl }: { readonly apiUrl?: string }): Ask {
    const allowHosts = apiUrl === undefined ? [] : [new URL(apiUrl).host];
    return createAsk({ name, http, allowHosts, timeoutMs });
  }

  const signIns = [
    ...(slack ? [createSlackSignIn(slack, { ask: askOf('Slack', slack), clock })] : []),
    ...(discord ? [createDiscordSignIn(discord, { ask: askOf('Discord', discord) })] : []),
  ];
  return new Map(signIns.map((signIn) => [signIn.platform, signIn]));
}
