import { symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { socketPath } from '../../src/cli/socket-path.ts';
import { createHome, type Home } from './home.ts';

let home: Home;
beforeAll(() => {
  home = createHome();
});
afterAll(() => home.close());

it('lies beside the database, under its name', () => {
  expect(socketPath('/srv/bot/a.db')).toBe('/srv/bot/a.db.sock');
  expect(socketPath('/srv/bot/b.db')).not.toBe(socketPath('/srv/bot/a.db'));
});

it('lies in the folder for temporary files when the path is too long for a socket', () => {
  const deep = `/srv/${'x'.repeat(100)}/`;
  const path = socketPath(`${deep}a.db`);
  expect(dirname(path)).toBe(tmpdir());
  expect(socketPath(`${deep}a.db`)).toBe(path);
  expect(socketPath(`${deep}b.db`)).not.toBe(path);
});

it('is the same for all names of one file', () => {
  const [file, link] = [join(home.folder, 'real.db'), join(home.folder, 'link.db')];
  writeFileSync(file, '');
  symlinkSync(file, link);
  expect(socketPath(link)).toBe(socketPath(file));
});
