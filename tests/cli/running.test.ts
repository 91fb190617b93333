import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openSqliteStore } from '../../src/adapters/sqlite/index.ts';
import type { CliCommand } from '../../src/cli/protocol.ts';
import { socketPath } from '../../src/cli/socket-path.ts';
import {
  askingFlow,
  askRunning,
  brokenFlow,
  createHome,
  type Home,
  postingFlow,
  type Running,
} from './home.ts';

describe('while Flowbot is running', () => {
  let home: Home;
  let flowbot: Running;

  beforeAll(async () => {
    home = createHome();
    home.flow('asking.flow.yaml', askingFlow);
    home.flow('posting.flow.yaml', postingFlow);
    home.flow('broken.flow.yaml', brokenFlow);
    flowbot = await home.start();
  });
  afterAll(() => home.close());

  const ask = (command: CliCommand, event?: string) => askRunning(home, command, event);
  const statusOf = async (run: string) => (await ask({ kind: 'show', run })).data;

  /** Starts the asking flow and gives the id of the run. */
  async function start(version: string, event: string): Promise<string> {
    const { data } = await ask({ kind: 'run', flow: 'asking', prompt: version }, event);
    return z.object({ run: z.string() }).parse(data).run;
  }

  it('says where the playground is, which flows it has, and which file was not loaded', async () => {
    const [ready = '', notLoaded = '', ...rest] = flowbot.out.trim().split('\n');
    const address =
      /^Flowbot is ready: (http:\/\/127\.0\.0\.1:\d+\/playground\/) \(flows: asking, posting\)$/.exec(
        ready,
      )?.[1];
    expect(notLoaded).toMatch(
      /^Not loaded: flows\/broken\.flow\.yaml:3:12 error unknown-type: .*"templat".* \(and 1 more: see flowbot validate\)$/,
    );
    expect(rest).toEqual([]);
    expect((await fetch(address ?? '')).status).toBe(200);
  });

  it('listens on a socket that nobody else may use', () => {
    expect(statSync(socketPath(home.db)).mode & 0o777).toBe(0o600);
  });

  it('starts a flow, prints the id alone, and shows what happened', async () => {
    const started = await home.type('run', 'posting', 'good', 'morning');
    expect(started).toEqual({ code: 0, err: '', out: expect.stringMatching(/^[0-9a-z]{10}\n$/) });
    const run = started.out.trim();
    await expect.poll(() => statusOf(run), { timeout: 10_000 }).toMatchObject({ status: 'succeeded' });

    const [shown, listed, asJson] = await Promise.all([
      home.type('show', run),
      home.type('runs', 'posting', '--json'),
      home.type('show', run, '--json'),
    ]);
    expect(shown.code).toBe(0);
    expect(shown.out).toContain('has succeeded');
    expect(shown.out).toMatch(
      /\nJournal \(UTC\):\n[-\d]{10} [:\d]{8} {2}started by .+ \(manual\)\n[-\d]{10} [:\d]{8} {2}hello is done\n$/,
    );
    expect(JSON.parse(listed.out)).toMatchObject([{ id: run, flow: 'posting', status: 'succeeded' }]);
    expect(JSON.parse(asJson.out)).toMatchObject({
      id: run,
      outputs: { hello: { text: expect.stringContaining('good morning') } },
      journal: [{ type: 'run.started' }, { type: 'step.done' }],
    });
  });

  it('takes input as JSON; an approval goes on once, and the late one hears who was first', async () => {
    const started = await home.type('run', 'asking', '--input', '{"version":"1.2"}');
    const run = started.out.trim();
    expect(await statusOf(run)).toMatchObject({ status: 'waiting', input: { version: '1.2' } });

    const approved = await home.type('approve', run, 'looks', 'good');
    expect(approved).toEqual({ code: 0, out: 'Recorded: approve.\n', err: '' });
    await expect
      .poll(() => statusOf(run), { timeout: 10_000 })
      .toMatchObject({
        status: 'succeeded',
        outputs: {
          review: { json: { decision: 'approved', feedback: 'looks good' } },
          publish: { text: 'Release 1.2' },
        },
      });
    expect(await home.type('reject', run)).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^.+ has already answered “Approve” at .+ UTC\.\n$/),
    });
  });

  it('rejects with a comment', async () => {
    const run = await start('1.3', 'cli-reject');
    expect(await home.type('reject', run, 'not on a Friday')).toMatchObject({ code: 0 });
    const shown = await ask({ kind: 'show', run });
    expect(shown.text).toMatch(/answered “reject” by .+: not on a Friday$/);
    expect(shown.data).toMatchObject({ status: 'rejected' });
  });

  it('C13 does a repeated request once', async () => {
    const first = await ask({ kind: 'run', flow: 'posting', prompt: 'twice?' }, 'cli-same');
    const again = await ask({ kind: 'run', flow: 'posting', prompt: 'twice?' }, 'cli-same');
    expect(again.data).toEqual(first.data);
  });

  it.each([
    ['a flow nobody has', ['run', 'postin'], /There is no flow postin\. Did you mean posting\?/],
    ['a flow that is broken', ['run', 'broken'], /could not be loaded\. .*broken\.flow\.yaml:3:12/],
    ['input that is missing', ['run', 'asking', '--input', '{}'], /version/],
    ['a run nobody has', ['show', 'nosuchrun1'], /There is no run nosuchrun1 here\./],
    ['a filter that is neither', ['runs', 'sleepy'], /“sleepy” is neither a flow nor a status/],
    ['a question nobody has', ['approve', 'nosuchrun1'], /There is no run or question nosuchrun1\./],
  ])('refuses %s with exit code 1', async (_, words, why) => {
    expect(await home.type(...words)).toEqual({ code: 1, out: '', err: expect.stringMatching(why) });
  });

  it('refuses in JSON when JSON was asked for', async () => {
    const { code, out } = await home.type('show', 'nosuchrun1', '--json');
    expect({ code, data: JSON.parse(out) }).toEqual({
      code: 1,
      data: { error: 'There is no run nosuchrun1 here.' },
    });
  });

  it('shows control characters of a run instead of sending them to the terminal', async () => {
    const run = await start('\u001b[2J\u009bevil', 'cli-evil');
    await home.type('reject', run, 'see \u001b]0;title\u0007 there \u202edne');
    const [shown, json] = await Promise.all([home.type('show', run), home.type('show', run, '--json')]);
    expect(shown.out).toContain('see ␛]0;title␇ there \uFFFDdne');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(shown.out + json.out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    expect(JSON.parse(json.out)).toMatchObject({ input: { version: '\u001b[2J\u009bevil' } });
  });

  it('C65 refuses a second process on the same database and names the first', async () => {
    expect(await home.type('start')).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(
        new RegExp(`^.+flowbot\\.db is in use by Flowbot \\(pid ${flowbot.pid} on host .+\\n$`),
      ),
    });
    expect((await home.type('runs')).code).toBe(0);
  });

  it('stops cleanly when it is told to, and leaves nothing behind', async () => {
    flowbot.signal('SIGTERM');
    expect(await flowbot.ended()).toMatchObject({ code: 0, err: '' });
    expect(existsSync(socketPath(home.db))).toBe(false);
    await openSqliteStore({ file: home.db }).close();
  });
});

describe('flowbot start', () => {
  let home: Home;
  beforeAll(() => {
    home = createHome();
  });
  afterAll(() => home.close());

  it('says in one sentence that the port is in use, and releases the database', async () => {
    const other = createServer();
    const port = await listen(other);
    const taken = createHome({ FLOWBOT_PORT: String(port) });
    try {
      expect(await taken.type('start')).toEqual({
        code: 1,
        out: '',
        err: `127.0.0.1:${port} is in use by another program: stop it, or set FLOWBOT_PORT to another port.\n`,
      });
      await openSqliteStore({ file: taken.db }).close();
    } finally {
      other.close();
      await taken.close();
    }
  });

  it('logs a fault that nobody expected and ends with exit code 1', async () => {
    const saboteur = "process.on('SIGUSR2', () => void Promise.reject(new Error('sabotage')))";
    const flowbot = await home.start({
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(saboteur)}`,
    });
    flowbot.signal('SIGUSR2');
    const { code, err } = await flowbot.ended();
    expect(code).toBe(1);
    expect(JSON.parse(err)).toMatchObject({
      error: 'sabotage',
      msg: expect.stringContaining('failed and ends'),
    });
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'answers the command line while Slack can not be reached, and ends at once on %s',
    async (signal) => {
      const closed = createServer();
      const port = await listen(closed);
      closed.close();
      const slackless = createHome({
        SLACK_API_URL: `http://127.0.0.1:${port}/`,
        SLACK_BOT_TOKEN: 'xoxb-x',
        SLACK_APP_TOKEN: 'xapp-x',
      });
      try {
        const flowbot = await slackless.begin();
        expect(await slackless.type('runs')).toEqual({
          code: 0,
          out: 'There are no such runs here.\n',
          err: '',
        });
        expect(flowbot.out).toBe('');
        const askedMs = performance.now();
        flowbot.signal(signal);
        expect(await flowbot.ended()).toMatchObject({ code: 0, out: '' });
        expect(performance.now() - askedMs).toBeLessThan(3_000);
        await openSqliteStore({ file: slackless.db }).close();
      } finally {
        await slackless.close();
      }
    },
  );

  it('ends at once when it is told twice', async () => {
    // A call that nobody answers keeps the first, clean stop waiting.
    const silent = createServer();
    const port = await listen(silent);
    const asked = once(silent, 'request');
    home.flow(
      'calling.flow.yaml',
      `triggers: [{ type: manual }]\nsteps:\n  call: { type: http, url: "http://127.0.0.1:${port}/", allowHosts: ["127.0.0.1:${port}"] }\n`,
    );
    const flowbot = await home.start();
    try {
      await home.type('run', 'calling');
      await asked;
      flowbot.signal('SIGINT');
      flowbot.signal('SIGTERM');
      expect(await flowbot.ended()).toMatchObject({ code: 130 });
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  });
});

/** Listens on a free port and gives it. */
async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}
