import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { socketPath } from '../../src/cli/socket-path.ts';
import { askRunning, createHome, type Home, type Running } from './home.ts';

let home: Home;
let flowbot: Running;
beforeEach(async () => {
  home = createHome();
  flowbot = await home.start();
});
afterEach(() => home.close());

it('stops although somebody has sent only half a command, and takes none that is too long', async () => {
  const halves = Array.from({ length: 50 }, () => connect(socketPath(home.db)));
  await Promise.all(halves.map((half) => once(half, 'connect')));
  const head = 'POST /command HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
  for (const half of halves) half.on('error', () => {}).write(`${head}content-length: 100\r\n\r\n{`);
  await expect(askRunning(home, { kind: 'chat', text: 'x'.repeat(128 * 1024) })).rejects.toThrow(
    'The command is too long: at most 128 kB are accepted.',
  );
  expect(await askRunning(home, { kind: 'chat', text: 'list' })).toMatchObject({ ok: true });
  flowbot.signal('SIGTERM');
  expect(await flowbot.ended()).toMatchObject({ code: 0, err: '' });
});
