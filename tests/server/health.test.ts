import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import type { Chat, ChatHealth } from '../../src/ports/chat.ts';
import { addHealthRoutes } from '../../src/server/health.ts';
import { createServer, type Server } from '../../src/server/index.ts';
import { createFakeChat } from '../fakes/chat.ts';
import { createKeptLog } from '../fakes/log.ts';

let server: Server | undefined;
afterEach(() => server?.close());

/** A server whose chats are in this state. */
async function serve(states: Readonly<Record<string, ChatHealth>>): Promise<string> {
  server = await createServer({ host: '127.0.0.1', port: 0, log: createKeptLog() });
  const chats = Object.entries(states).map(
    ([platform, health]): Chat => ({ ...createFakeChat({ platform }).chat, health: () => health }),
  );
  addHealthRoutes(server.app, chats);
  await server.listen();
  return server.url;
}

const down: ChatHealth = { kind: 'down', why: 'Not connected.' };

describe('GET /readyz', () => {
  test('is 200 while all chats are connected', async () => {
    const url = await serve({ slack: { kind: 'up' } });
    const answer = await fetch(`${url}/readyz`);
    expect([answer.status, await answer.json()]).toEqual([200, { ok: true, down: [] }]);
  });

  test('is 503 with the reason when one is not, while /healthz is 200', async () => {
    const url = await serve({ slack: down, discord: { kind: 'up' } });
    const answer = await fetch(`${url}/readyz`);
    const body = { ok: false, down: [{ platform: 'slack', why: 'Not connected.' }] };
    expect([answer.status, await answer.json()]).toEqual([503, body]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test('may be asked under any name; other addresses may not', async () => {
    const url = await serve({ slack: { kind: 'up' } });
    const status = (path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const asked = request(`${url}${path}`, { headers: { host: 'flow.example.com' } }, (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        });
        asked.on('error', reject);
        asked.end();
      });
    expect(await status('/readyz')).toBe(200);
    expect(await status('/elsewhere')).toBe(403);
  });
});
