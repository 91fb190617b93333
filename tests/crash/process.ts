import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { People } from '../../demo/people.ts';
import type { Plan } from '../../src/engine/flow/plan.ts';
import { loadFlowSet } from '../../src/loader/flow-set.ts';
import { foldersBeside, readSources } from '../../src/loader/sources.ts';
import { bareSurroundings } from '../fakes/outside.ts';
import { crewFlow, crewItemFlow, errandFlow, helperAgent, voteFlow } from './flows.ts';
import type { EndsAt } from './life.ts';
import type { Platform } from './platform.ts';

const program = fileURLToPath(new URL('./child.ts', import.meta.url));
/** Compiled sources, shared by all children: without it most of their time would go into compiling. */
const cache = fileURLToPath(new URL('../../node_modules/.cache/flowbot-crash', import.meta.url));
/** A killed process loses nothing that it wrote, flushed or not, so these tests need not wait for a disk. */
const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
/** Time after which something that was waited for is taken not to come, in milliseconds. */
const deadlineMs = 30_000;

/** A request that arrived. */
interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** A place for a Flowbot to live and die in: its files, its flows, and a server that the flows ask. */
export interface Home {
  readonly db: string;
  readonly platform: Platform;
  /** A flow of the home. */
  plan(id: string): Plan;
  readonly arrived: readonly Arrived[];
  /** Starts a process; undefined = it ended before it was ready. */
  start(endsAt?: EndsAt): Promise<Process | undefined>;
  /** Ends what still runs and removes everything. */
  close(): Promise<void>;
}

/** A Flowbot in a process of its own. */
export interface Process {
  readonly people: People;
  readonly gone: boolean;
  /** Resolves when the process has ended. */
  readonly end: Promise<void>;
  /** Counts what people saw happen. */
  readonly version: number;
  /** Resolves when people have seen more than this version, or the process has ended. */
  newsAfter(version: number): Promise<void>;
  /** Tells it to stop; the points it has passed, or undefined when it died instead. */
  stop(): Promise<readonly string[] | undefined>;
}

/** Makes a home with the release flow and the flows of these tests. @param platform where its people are */
export async function createHome(platform: Platform): Promise<Home> {
  const folder = mkdtempSync(join(memory, 'flowbot-crash-'));
  const db = join(folder, 'flowbot.db');
  const { flows, agents, schemas } = foldersBeside(join(folder, 'flows'));
  const { server, arrived, url } = await startServer();
  const children = new Set<ChildProcess>();
  mkdirSync(flows);
  mkdirSync(agents);
  cpSync('flows/release.flow.yaml', join(flows, 'release.flow.yaml'));
  writeFileSync(join(flows, 'errand.flow.yaml'), errandFlow(url, '20ms'));
  writeFileSync(join(flows, 'vote.flow.yaml'), voteFlow);
  writeFileSync(join(flows, 'crew.flow.yaml'), crewFlow(url));
  writeFileSync(join(flows, 'crewItem.flow.yaml'), crewItemFlow);
  writeFileSync(join(agents, 'helper.agent.yaml'), helperAgent);
  const sources = await readSources({ flows, agents, schemas });
  const plans = loadFlowSet(sources, { ...bareSurroundings, platforms: [platform.name] }).flows;

  return {
    db,
    platform,
    arrived,
    plan(id) {
      const flow = plans.find((one) => one.id === id);
      if (!flow) throw new Error(`There is no flow ${id}.`);
      return flow.plan;
    },
    async start(endsAt) {
      const child = fork(program, {
        execArgv: [],
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
        env: {
          ...process.env,
          NODE_COMPILE_CACHE: cache,
          FLOWBOT_PORT: '0',
          FLOWBOT_DB: db,
          FLOWBOT_FLOWS: flows,
          FLOWBOT_LOG: 'error',
          ...platform.env,
          ...(endsAt && { TEST_ENDS_AT: JSON.stringify(endsAt) }),
        },
      });
      children.add(child);
      const end = once(child, 'exit').then(() => void children.delete(child));
      const ready = once(child, 'message').then(([message]) => z.object({ url: z.string() }).parse(message));
      const first = await inTime('Flowbot to start', Promise.race([ready, end]));
      return first && processOf(child, platform.people(first.url), end);
    },
    async close() {
      const ended = [...children].map((child) => once(child, 'exit'));
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(ended);
      server.closeAllConnections();
      server.close();
      await platform.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startServer(): Promise<{ server: Server; arrived: Arrived[]; url: string }> {
  const arrived: Arrived[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '' } = request;
    try {
      arrived.push({ method, path, body: await text(request) });
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ method, path }));
    } catch {
      // Whoever dies in the middle of a request has not made it.
    }
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.');
  return { server, arrived, url: `http://127.0.0.1:${address.port}` };
}

function processOf(child: ChildProcess, people: People, end: Promise<void>): Process {
  let gone = false;
  let version = 0;
  let next = Promise.withResolvers<void>();
  const onNews = () => {
    version += 1;
    next.resolve();
    next = Promise.withResolvers();
  };
  void end.then(() => {
    gone = true;
    onNews();
  });
  void people.listen(onNews);
  return {
    people,
    end,
    get gone() {
      return gone;
    },
    get version() {
      return version;
    },
    async newsAfter(seen) {
      if (version === seen && !gone) await inTime('something new to see', next.promise);
    },
    async stop() {
      const told = once(child, 'message');
      child.send('stop');
      // It may also die while it stops.
      const [message] = (await inTime('Flowbot to stop', Promise.race([told, end]))) ?? [];
      await inTime('the process to end', end);
      if (message === undefined) return undefined;
      return z.object({ points: z.array(z.string()) }).parse(message).points;
    },
  };
}

/** Rejects when it takes too long. */
export async function inTime<T>(what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Waited in vain for ${what}.`)), deadlineMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
