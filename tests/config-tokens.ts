import { readTokens } from '../src/config-tokens.ts';

/** Names, roles and persons of the tokens in a setting, or what is wrong with it. */
export function tokenNames(setting: string): readonly string[] {
  const { tokens, faults } = readTokens({ FLOWBOT_TOKENS: setting });
  if (faults.length > 0) return faults;
  return tokens.map(({ name, role, person }) => [name, role, person].filter(Boolean).join(' '));
}
