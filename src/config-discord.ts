import type { DiscordSettings } from './adapters/discord/index.ts';
import { addressFaults } from './config-hosts.ts';
import { readSecret } from './config-secrets.ts';

/** What is set about Discord, its secrets, and what is wrong or doubtful. */
export interface ReadDiscord {
  /** Absent = Discord is not used, or something is wrong. */
  readonly settings?: Omit<DiscordSettings, 'command'>;
  readonly secrets: readonly string[];
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
}

/** Three pieces of base64url; what the application's other secrets look like is not a token. */
const tokenPattern = /^[\w-]+\.[\w-]+\.[\w-]+$/;
const versionPattern = /\/v\d+\/*$/;
const idPattern = /^\d{17,20}$/;

/** Reads the settings of Discord. */
export function readDiscord(env: Readonly<Record<string, string>>): ReadDiscord {
  const { value: token, faults: secretFaults } = readSecret(env, 'DISCORD_TOKEN');
  const { DISCORD_GUILD_ID: guildId, DISCORD_API_URL: apiUrl } = env;
  const secrets = token === undefined ? [] : [token];
  const faults = [
    ...secretFaults,
    ...(token === undefined || tokenPattern.test(token)
      ? []
      : [
          'DISCORD_TOKEN is not what it should be: it is the long text with two dots (Bot in the Developer Portal).',
        ]),
    ...(guildId === undefined || idPattern.test(guildId)
      ? []
      : ['DISCORD_GUILD_ID must be the id of a server: a number of 17 to 20 digits (Copy Server ID).']),
    ...addressFaults('DISCORD_API_URL', apiUrl, 'https://discord.com/api'),
    ...(apiUrl !== undefined && versionPattern.test(apiUrl)
      ? ['DISCORD_API_URL must be without the version at its end: Flowbot puts it there.']
      : []),
  ];
  if (faults.length > 0) return { secrets, faults, warnings: [] };
  if (token === undefined) {
    const isIdle = guildId !== undefined || apiUrl !== undefined;
    const warnings = isIdle ? ['Discord is not used: DISCORD_TOKEN is missing.'] : [];
    return { secrets, faults: [], warnings };
  }
  return {
    settings: {
      token,
      ...(guildId !== undefined && { guildId }),
      // The library wants it without a slash at the end.
      ...(apiUrl !== undefined && { apiUrl: apiUrl.replace(/\/+$/, '') }),
    },
    secrets,
    faults: [],
    warnings: [],
  };
}
