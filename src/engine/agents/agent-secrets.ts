import type { SecretText } from '../steps/step-type.ts';
import type { Agent } from './agent.ts';
import { anthropicSettingsSchema, openAiSettingsSchema, programSettingsSchema } from './runtime-settings.ts';

/** A secret that an agent needs, with the place in its file that names it, or could. */
export interface NeededSecret {
  readonly name: string;
  readonly at: readonly string[];
  /** It is needed although the file does not name it. */
  readonly unsaid?: true;
}

const OPENAI_HOST = 'api.openai.com';

/** Name of the secret with the key of an agent that names none; undefined = its provider needs none. */
export function usualKeyOf(runtime: string, baseUrl: string): string | undefined {
  if (runtime === 'anthropic') return 'ANTHROPIC_API_KEY';
  return runtime === 'openai' && new URL(baseUrl).hostname === OPENAI_HOST ? 'OPENAI_API_KEY' : undefined;
}

/** The secrets that an agent's work needs. */
export function secretsOf({ runtime, settings }: Agent): readonly NeededSecret[] {
  switch (runtime) {
    case 'openai':
    case 'anthropic': {
      const schema = runtime === 'openai' ? openAiSettingsSchema : anthropicSettingsSchema;
      const { apiKey, headers, baseUrl } = schema.parse(settings);
      const usual = apiKey ? undefined : usualKeyOf(runtime, baseUrl);
      return [
        ...(apiKey ? named(apiKey, ['apiKey']) : []),
        ...(usual === undefined ? [] : [{ name: usual, at: ['apiKey'], unsaid: true } as const]),
        ...namedIn(headers, 'headers'),
      ];
    }
    case 'program':
      return namedIn(programSettingsSchema.parse(settings).env, 'env');
    default:
      return [];
  }
}

function namedIn(texts: Readonly<Record<string, SecretText>>, key: string): readonly NeededSecret[] {
  return Object.entries(texts).flatMap(([name, text]) => named(text, [key, name]));
}

function named(text: SecretText, at: readonly string[]): readonly NeededSecret[] {
  return text.flatMap((part) => (part.kind === 'secret' ? [{ name: part.name, at }] : []));
}
