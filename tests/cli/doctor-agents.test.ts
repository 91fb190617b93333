import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createClosedPort, createRawServer } from '../adapters/agents/models.ts';
import { askingFlow, createHome, type Home } from './home.ts';

let mock: LLMock;
beforeEach(async () => {
  mock = new LLMock({ port: 0 });
  mock.onMessage(/single word/, { content: 'ready' });
  await mock.start();
});
afterEach(async () => {
  await mock.stop();
});

function writeAgent({ folder }: Home, name: string, text: string): void {
  mkdirSync(join(folder, 'agents'), { recursive: true });
  writeFileSync(join(folder, 'agents', `${name}.agent.yaml`), text);
}

/** What doctor says about these agents. */
async function examined(
  agents: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number | null; readonly lines: readonly string[] }> {
  const home: Home = createHome({ FLOWBOT_SECRET_MODEL_KEY: 'sk-hunter2-hunter2', ...env });
  onTestFinished(() => home.close());
  home.flow('asking.flow.yaml', askingFlow);
  for (const [name, text] of Object.entries(agents)) writeAgent(home, name, text);
  const { code, out, err } = await home.type('doctor');
  expect(err).toBe('');
  expect(out).not.toContain('hunter2');
  return { code, lines: out.split('\n').filter((line) => line.includes('The agent')) };
}

test('an agent that answers is told with its model', async () => {
  const { code, lines } = await examined({
    cloud: `runtime: anthropic\nmodel: big\nbaseUrl: ${mock.url}\napiKey: "{{secrets.MODEL_KEY}}"\n`,
    local: `runtime: openai\nmodel: small\nbaseUrl: ${mock.url}/v1\n`,
    own: `runtime: program\ncommand: [${process.execPath}, -e, "console.log('ready')"]\n`,
    said: 'runtime: scripted\nreplies: [{ reply: Hello. }]\n',
  });
  expect(code).toBe(0);
  expect(lines).toEqual([
    expect.stringMatching(/^ok: The agent cloud answers \(anthropic, big; \d+\.\d s\)\.$/),
    expect.stringMatching(/^ok: The agent local answers \(openai, small; \d+\.\d s\)\.$/),
    expect.stringMatching(/^ok: The agent own answers \(program; \d+\.\d s\)\.$/),
    'ok: The agent said is scripted: it says what stands in its file.',
  ]);
});

test('one that does not is told with what is wrong', async () => {
  const refusing = await createRawServer((_request, response) => void response.writeHead(401).end('{}'));
  const { code, lines } = await examined({
    gone: `runtime: openai\nmodel: small\nbaseUrl: ${await createClosedPort()}/v1\n`,
    key: `runtime: openai\nmodel: small\nbaseUrl: ${refusing}/v1\napiKey: "{{secrets.MODEL_KEY}}"\n`,
    own: 'runtime: program\ncommand: [no-such-program-at-all]\n',
  });
  expect(code).toBe(1);
  expect(lines).toEqual([
    expect.stringMatching(
      /^fault: The agent gone does not answer \(openai, small\): .*can't be reached \(ECONNREFUSED\): look at baseUrl in its file\.$/,
    ),
    expect.stringMatching(
      /^fault: The agent key does not answer \(openai, small\): .* does not accept its key \(401\): mend FLOWBOT_SECRET_MODEL_KEY\.$/,
    ),
    expect.stringMatching(/^fault: The agent own does not answer \(program\): .*no-such-program-at-all/),
  ]);
});

test('a server that can not be started is told with the agent that may use it', async () => {
  const home = createHome({});
  onTestFinished(() => home.close());
  home.flow('asking.flow.yaml', askingFlow);
  const server = join(home.folder, 'server.mjs');
  writeFileSync(server, 'process.exit(3)');
  writeFileSync(
    join(home.folder, 'flowbot.yaml'),
    JSON.stringify({ mcpServers: { broken: { command: process.execPath, args: [server] } } }),
  );
  writeAgent(home, 'said', 'runtime: scripted\naccess: { broken: [read] }\nreplies: [{ reply: Hello. }]\n');
  const { code, out } = await home.type('doctor');
  expect(code).toBe(1);
  expect(out).toMatch(/^fault: The agent said can’t use broken: The server broken can't be started/m);
});
