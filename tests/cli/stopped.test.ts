import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acquireLock } from '../../src/adapters/sqlite/index.ts';
import { socketPath } from '../../src/cli/socket-path.ts';
import { askingFlow, askRunning, createHome, type Home, postingFlow } from './home.ts';

const RECORDED = 'Flowbot is not running: recorded, it goes on at the next start.\n';

describe('while Flowbot is stopped', () => {
  let home: Home;
  beforeAll(() => {
    home = createHome();
    home.flow('asking.flow.yaml', askingFlow);
    home.flow('posting.flow.yaml', postingFlow);
  });
  afterAll(() => home.close());

  const statusOf = async (run: string) => (await askRunning(home, { kind: 'show', run })).data;

  it('C31 records what is started and decided, performs nothing, and goes on at the next start', async () => {
    const posting = await home.type('run', 'posting', 'later');
    expect(posting).toEqual({ code: 0, out: expect.stringMatching(/^[0-9a-z]{10}\n$/), err: RECORDED });
    const asking = (await home.type('run', 'asking', '2.0')).out.trim();
    expect(await home.type('approve', asking)).toEqual({
      code: 0,
      out: 'Recorded: approve.\n',
      err: RECORDED,
    });
    expect((await home.type('approve', asking)).code).toBe(1);

    const listed = await home.type('runs', 'open', '--json');
    expect(listed).toMatchObject({ code: 0, err: 'Flowbot is not running.\n' });
    expect(JSON.parse(listed.out)).toMatchObject([
      { id: asking, status: 'running' },
      { id: posting.out.trim(), status: 'running' },
    ]);

    const flowbot = await home.start();
    await expect.poll(() => statusOf(asking), { timeout: 15_000 }).toMatchObject({ status: 'succeeded' });
    expect(await statusOf(posting.out.trim())).toMatchObject({ status: 'succeeded' });

    // A process that is killed leaves its socket behind, which must hinder nobody.
    flowbot.signal('SIGKILL');
    await flowbot.ended();
    expect(existsSync(socketPath(home.db))).toBe(true);
    expect(await home.type('runs', 'open', '--json')).toEqual({
      code: 0,
      out: '[]\n',
      err: 'Flowbot is not running.\n',
    });
    const next = await home.start();
    expect(await home.type('runs', 'open')).toEqual({
      code: 0,
      out: 'There are no such runs here.\n',
      err: '',
    });
    next.signal('SIGINT');
    expect((await next.ended()).code).toBe(0);
  });

  it('lets a run wait for its turn behind those that have not ended', async () => {
    home.flow('single.flow.yaml', `maxRuns: 1${askingFlow}`);
    const first = (await home.type('run', 'single', '1')).out.trim();
    const second = await home.type('run', 'single', '2');
    const waits = `It waits until run ${first} of single has ended.`;
    expect(second.err).toBe(`Queued run ${second.out.trim()}. ${waits}\n${RECORDED}`);
    expect((await home.type('show', second.out.trim())).out).toContain(waits);
  });

  it('says who has the database when that process does not answer', async () => {
    const lock = acquireLock(home.db, { pid: 4711, host: 'elsewhere', sinceMs: 0 });
    try {
      expect(await home.type('runs')).toEqual({
        code: 1,
        out: '',
        err: `Flowbot (pid 4711 on host elsewhere) has ${home.db} open but does not answer at ${socketPath(home.db)}. It may be starting or stopping: try again in a moment.\n`,
      });
    } finally {
      lock.release();
    }
  });
});
