import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { FlowEvent } from '../../src/engine/events/map.ts';
import { createBus } from '../../src/runner/bus.ts';
import { createKeptLog } from '../fakes/log.ts';
import { type Bench, createBench } from './bench.ts';
import { startTree } from './tree.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PAGE = readFileSync(resolve(ROOT, 'docs/events.md'), 'utf8');

const moved: FlowEvent = { name: 'run:moved', run: 'r1', flow: 'f', atMs: 1, status: 'waiting' };

describe('listening', () => {
  test('is to events of one name, or to all, until it is ended', () => {
    const bus = createBus(createKeptLog());
    const heard: string[] = [];
    expect(bus.isHeard).toBe(false);
    const stopOne = bus.on('run:moved', ({ status }) => void heard.push(`one ${status}`));
    const stopOther = bus.on('run:ended', () => void heard.push('never'));
    const stopAny = bus.onAny(({ name }) => void heard.push(`any ${name}`));
    expect(bus.isHeard).toBe(true);
    bus.tell([moved]);
    expect(heard).toEqual(['one waiting', 'any run:moved']);
    stopOne();
    bus.tell([moved]);
    expect(heard).toEqual(['one waiting', 'any run:moved', 'any run:moved']);
    stopOther();
    stopAny();
    stopAny();
    expect(bus.isHeard).toBe(false);
  });

  test('the same function may listen twice, and each end is its own', () => {
    const bus = createBus(createKeptLog());
    let times = 0;
    const listener = () => {
      times += 1;
    };
    const stop = bus.onAny(listener);
    bus.onAny(listener);
    bus.tell([moved]);
    stop();
    bus.tell([moved]);
    expect(times).toBe(3);
  });

  test('a listener that throws or rejects is logged, and nobody else notices', async () => {
    const log = createKeptLog();
    const bus = createBus(log);
    const heard: string[] = [];
    bus.onAny(() => {
      throw new Error('out of order');
    });
    bus.onAny(async () => {
      throw new Error('out of order, too');
    });
    bus.onAny(({ name }) => void heard.push(name));
    bus.tell([moved, moved]);
    expect(heard).toHaveLength(2);
    await turn();
    expect(log.lines).toHaveLength(4);
    expect(log.lines[0]).toMatchObject({ level: 'error', data: { event: 'run:moved', run: 'r1' } });
  });
});

describe('what is told of runs', () => {
  const top = { steps: { sub: { type: 'flow', uses: 'hello' }, say: { type: 'template', text: 'Done.' } } };
  const hello = { steps: { greet: { type: 'template', text: 'Hello' } } };

  async function heardOf(listen: (bench: Bench) => void): Promise<string> {
    const bench = await createBench();
    listen(bench);
    return startTree(bench, { top, lanes: { hello } });
  }

  test('is durable when it is told, and of runs of lanes as well', async () => {
    const heard: string[] = [];
    const looks: Promise<void>[] = [];
    const run = await heardOf((bench) =>
      bench.runner.events.onAny((event) => {
        const about = 'node' in event ? event.node : 'status' in event ? event.status : '';
        heard.push(`${event.flow} ${event.name} ${about}`);
        const look = async () => {
          const journal = await bench.store.journal(event.run);
          expect(journal.some(({ atMs }) => atMs === event.atMs)).toBe(true);
        };
        looks.push(look());
      }),
    );
    await Promise.all(looks);
    expect(run).not.toBe('');
    expect(heard).toEqual([
      'top run:started running',
      'top node:start sub',
      'hello run:started running',
      'hello node:start greet',
      'hello node:done greet',
      'hello run:ended succeeded',
      'top node:done sub',
      'top node:start say',
      'top node:done say',
      'top run:ended succeeded',
    ]);
  });

  test('names the run whose step started one', async () => {
    const parents: (string | undefined)[] = [];
    const run = await heardOf((bench) =>
      bench.runner.events.on('run:started', ({ parent }) => void parents.push(parent)),
    );
    expect(parents).toEqual([undefined, run]);
  });
});

describe('the page about events', () => {
  /** The names in the source, which are only types. */
  const source = readFileSync(resolve(ROOT, 'src/engine/events/map.ts'), 'utf8');
  const names = [...source.matchAll(/^ {2}'(\w+:\w+)': /gm)].map(([, name]) => name);

  test('names exactly those that there are', () => {
    const rows = [...PAGE.matchAll(/^\| `(\w+:\w+)` \|/gm)].map(([, name]) => name);
    expect(names.length).toBeGreaterThan(10);
    expect(rows.toSorted()).toEqual(names.toSorted());
  });

  test('names every field of each of them', () => {
    const fields = [...source.matchAll(/readonly (\w+)\??:/g)].map(([, field]) => field);
    const missing = [...new Set(fields)].filter((field) => !PAGE.includes(`\`${field}\``));
    expect(missing).toEqual([]);
  });

  test('shows an example that works', async () => {
    const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(PAGE) ?? [];
    const printed: string[] = [];
    const run = await heardOfExample(example, (line) => printed.push(line));
    expect(printed).toContain(`top ${run} has succeeded after 0 tokens`);
    expect(printed).toContain(`node:done ${run}`);
  });

  async function heardOfExample(example: string, print: (line: string) => void): Promise<string> {
    const bench = await createBench();
    const listen = new Function('bot', 'print', example);
    listen({ events: bench.runner.events }, print);
    return startTree(bench, { top: { steps: { say: { type: 'template', text: 'Done.' } } } });
  }
});
