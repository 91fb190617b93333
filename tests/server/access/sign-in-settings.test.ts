import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { createFlowbot } from '../../../src/main.ts';
import { createDiscordStandIn } from '../../fakes/discord/index.ts';

/** Asks as a browser does that reaches Flowbot through its public address. */
function ask(
  url: string,
): Promise<{ readonly status: number; readonly location: string; readonly text: string }> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host: 'flow.example.com', accept: 'text/html' } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, location: answer.headers.location ?? '', text }),
      );
    })
      .on('error', reject)
      .end();
  });
}

test('with the id and secret of an application, a real Flowbot sends people to their platform, and lets nobody else in', async () => {
  const discord = await createDiscordStandIn({ clock: { now: Date.now } });
  onTestFinished(() => discord.close());
  const folder = mkdtempSync(join(tmpdir(), 'flowbot-sign-in-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'flows'));
  const read = readConfig(
    {
      FLOWBOT_PORT: '0',
      FLOWBOT_LOG: 'silent',
      FLOWBOT_PUBLIC_URL: 'https://flow.example.com',
      DISCORD_API_URL: discord.apiUrl,
      DISCORD_TOKEN: discord.token,
      DISCORD_CLIENT_ID: '400000000000000009',
      DISCORD_CLIENT_SECRET: 'secret-of-the-application',
    },
    folder,
  );
  if (!read.ok) throw new Error(read.faults.join('\n'));
  const flowbot = await createFlowbot(read.config);
  onTestFinished(() => flowbot.stop());
  await flowbot.start();

  expect(await ask(`${flowbot.url}/runs`)).toMatchObject({ status: 303, location: '/login?to=%2Fruns' });
  expect((await ask(`${flowbot.url}/login`)).text).toContain('Sign in with Discord');
  const { status, location } = await ask(`${flowbot.url}/login/discord?to=/runs`);
  const address = new URL(location);
  expect([status, address.origin, address.pathname]).toEqual([
    303,
    new URL(discord.apiUrl).origin,
    '/oauth2/authorize',
  ]);
  expect(Object.fromEntries(address.searchParams)).toMatchObject({
    client_id: '400000000000000009',
    redirect_uri: 'https://flow.example.com/login/discord/callback',
    code_challenge_method: 'S256',
  });
  expect(location).not.toContain('secret-of');
});
