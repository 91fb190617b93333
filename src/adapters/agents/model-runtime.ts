import type { Agent } from '../../engine/agents/agent.ts';
import { usualKeyOf } from '../../engine/agents/agent-secrets.ts';
import { NOBODY_ASKED } from '../../engine/agents/usage.ts';
import type { SecretText } from '../../engine/steps/step-type.ts';
import type { AgentRequest, AgentRuntime, TurnOutcome } from '../../ports/agents.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Secrets } from '../../ports/secrets.ts';
import { reveal, secretsIn } from '../secret-texts.ts';
import { failureOf, secretMissing } from './provider-failure.ts';
import { createProviderFetch, type ProviderFetch } from './provider-fetch.ts';

/** What the settings of all providers have. */
export interface ProviderSettings {
  readonly baseUrl: string;
  readonly apiKey?: SecretText | undefined;
  readonly headers: Readonly<Record<string, SecretText>>;
}

/** How a provider is reached, with secrets in place. */
export interface Access {
  readonly baseUrl: string;
  readonly model: string;
  /** Absent = it needs none. */
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: ProviderFetch['fetch'];
}

/** What one provider does in its own way. */
export interface Provider<S extends ProviderSettings> {
  readonly runtime: string;
  readonly settingsOf: (agent: Agent) => S;
  /** Asks once. Rejects with what its client throws. */
  readonly ask: (
    request: AgentRequest,
    settings: S,
    access: Access,
    signal: AbortSignal,
  ) => Promise<TurnOutcome>;
}

/** What runtimes of models need. */
export interface ModelRuntimeDeps {
  readonly secrets: Secrets;
  readonly clock: Clock;
}

/** Makes the runtime of a provider of models: one request a turn, never repeated, ended by its signal. */
export function createModelRuntime<S extends ProviderSettings>(
  provider: Provider<S>,
  { secrets, clock }: ModelRuntimeDeps,
): AgentRuntime {
  const network = createProviderFetch();
  return {
    async turn(request, signal) {
      const { agent } = request;
      const settings = provider.settingsOf(agent);
      const { baseUrl, headers } = settings;
      const apiKey = settings.apiKey ?? usualKey(provider.runtime, baseUrl);
      const revealed = reveal({ ...headers, ...(apiKey && { [KEY]: apiKey }) }, secrets);
      if (!revealed.ok) return secretMissing(revealed.missing);
      const { [KEY]: key, ...sent } = revealed.values;
      const { model } = agent;
      if (model === undefined) return noModel(agent);
      const [keySecret] = apiKey ? secretsIn(apiKey) : [];
      try {
        const access = { baseUrl, model, key, headers: sent, fetch: network.fetch };
        return await provider.ask(request, settings, access, signal);
      } catch (error) {
        return failureOf(error, { baseUrl, model, keySecret }, signal.aborted, clock.now());
      }
    },
    close: network.close,
  };
}

/** No header can be called so. */
const KEY = ' key';

function usualKey(runtime: string, baseUrl: string): SecretText | undefined {
  const name = usualKeyOf(runtime, baseUrl);
  return name === undefined ? undefined : [{ kind: 'secret', name, as: 'text' }];
}

function noModel({ name }: Agent): TurnOutcome {
  const message = `the file of the agent ${JSON.stringify(name)} names no model: write model.`;
  return { kind: 'failed', code: 'model-missing', message, retry: 'never', usage: NOBODY_ASKED };
}

/** What the clients of all providers are told: one request, ended by its signal alone. */
export function clientOptions({ baseUrl, fetch }: Access, { timeoutMs }: AgentRequest) {
  return { baseURL: baseUrl, maxRetries: 0, timeout: timeoutMs + 60_000, logLevel: 'off', fetch } as const;
}

/** An answer that was cut, because no more tokens were allowed. */
export function cutReply(maxTokens: number | undefined): TurnOutcome {
  const limit = maxTokens === undefined ? '' : ` of ${maxTokens.toLocaleString('en')} tokens`;
  const message = `its reply was cut at the limit${limit}: raise maxTokens in its file.`;
  return { kind: 'failed', code: 'reply-cut', message, retry: 'never' };
}

/** An answer in which the provider or its model refuses. */
export function refusedReply(said: string): TurnOutcome {
  const message =
    said.trim() === '' ? 'its model refused to answer.' : `its model refused: ${said.slice(0, 500)}`;
  return { kind: 'failed', code: 'refused', message, retry: 'never' };
}
