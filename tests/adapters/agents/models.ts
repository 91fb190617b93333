import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LLMock } from '@copilotkit/aimock';
import { onTestFinished } from 'vitest';
import { createAnthropicRuntime } from '../../../src/adapters/agents/anthropic.ts';
import { createOpenAiRuntime } from '../../../src/adapters/agents/openai.ts';
import { createSecrets } from '../../../src/adapters/system/secrets.ts';
import type { JsonObject } from '../../../src/engine/json.ts';
import type { AgentRequest, TurnOutcome } from '../../../src/ports/agents.ts';
import { agentCalled } from '../../fakes/agent.ts';
import { createHandClock } from '../../fakes/clock.ts';

export const KEY = 'sk-hunter2-hunter2';
const never = new AbortController().signal;

/** The providers, and the path of their address that their agents name. */
export const providers = ['openai', 'anthropic'] as const;
export type ProviderName = (typeof providers)[number];

/** A stand-in for both providers that somebody else maintains. */
export async function createStandIn(): Promise<LLMock> {
  const mock = new LLMock({ port: 0 });
  await mock.start();
  onTestFinished(async () => {
    await mock.stop();
  });
  return mock;
}

/** A server that answers as a test says. @returns its address */
export async function createRawServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/** An address at which nobody listens any more. */
export async function createClosedPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

/** What a request holds. */
export async function bodyOf(request: IncomingMessage): Promise<JsonObject> {
  let text = '';
  for await (const part of request) text += part;
  return JSON.parse(text);
}

/** Asks a model behind an address once. */
export async function ask(
  provider: ProviderName,
  address: string,
  more: Partial<AgentRequest> = {},
  settings: JsonObject = {},
  signal: AbortSignal = never,
  key = '{{secrets.MODEL_KEY}}',
): Promise<TurnOutcome> {
  const baseUrl = provider === 'openai' ? `${address}/v1` : address;
  const secrets = createSecrets(new Map([['MODEL_KEY', KEY]]));
  const create = provider === 'openai' ? createOpenAiRuntime : createAnthropicRuntime;
  const runtime = create({ secrets, clock: createHandClock() });
  onTestFinished(() => runtime.close());
  const request: AgentRequest = {
    agent: agentCalled('writer', {
      runtime: provider,
      model: 'model-1',
      settings: { baseUrl, ...(key !== '' && { apiKey: key }), ...settings },
    }),
    kind: 'task',
    system: 'Be short.',
    prompt: 'Write about tea.',
    turns: [],
    tools: [],
    timeoutMs: 60_000,
    key: 'r1/draft/1/1/0',
    at: { flow: 'release', run: 'r1', step: 'draft', round: 1, attempt: 1, askedAgain: 0 },
    ...more,
  };
  return runtime.turn(request, signal);
}
