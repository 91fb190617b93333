import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Inbound } from '../../../src/ports/chat.ts';
import { createFigures, type Figures } from '../../../src/server/metrics/figures.ts';
import { measuredInbound, measuredStore, recordEvents } from '../../../src/server/metrics/recording.ts';
import { addMetricsRoute } from '../../../src/server/metrics/routes.ts';
import { createMemoryStore } from '../../fakes/store.ts';
import { as, desk, get, open, post } from '../api/serving.ts';

const flows = {
  asking: `
conversation: "red:#releases"
triggers: [{ type: api }]
steps: { review: { type: approval, title: Publish? }, say: { type: message, text: done } }
`,
  failing: `
triggers: [{ type: api }]
steps: { bad: { type: template, text: "{{input.nosuch}}" } }
input: { type: object, properties: { nosuch: { type: string } } }
`,
};

let figures: Figures;

async function serve(settings?: Parameters<typeof open>[1]): Promise<void> {
  figures = createFigures();
  await open(flows, settings, undefined, (app, door) => {
    const { bot } = desk;
    recordEvents(figures, bot.events, (flow) => (bot.catalog.flow(flow) ? flow : 'other'));
    addMetricsRoute(app, { bot, door, figures });
  });
}

/** A line of figures: its value. */
async function value(line: string): Promise<number | undefined> {
  const { text } = await get('/metrics', as('looker'));
  const found = text.split('\n').find((one) => one.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
}

describe('GET /metrics', () => {
  test('counts runs, steps, questions and what is open', async () => {
    await serve();
    const { body } = await post('/v1/flows/asking/runs', as('boss'));
    await post('/v1/flows/failing/runs', as('boss'));
    await desk.settle();
    expect(await value('flowbot_runs_started_total{flow="asking",trigger="api"}')).toBe(1);
    expect(await value('flowbot_runs_ended_total{flow="failing",status="failed"}')).toBe(1);
    expect(await value('flowbot_attempts_failed_total{type="template"}')).toBe(1);
    expect(await value('flowbot_runs_open{status="waiting"}')).toBe(1);
    expect(await value('flowbot_questions_open')).toBe(1);
    expect(await value('flowbot_chat_up{platform="red"}')).toBe(1);
    await desk.pass(3_600_000);
    await desk.red.flow(desk.red.bo, `approve ${body.id}`);
    await desk.settle();
    expect(await value('flowbot_questions_open')).toBe(0);
    expect(await value('flowbot_question_seconds_bucket{le="900",kind="approval",how="answered"}')).toBe(0);
    expect(await value('flowbot_question_seconds_count{kind="approval",how="answered"}')).toBe(1);
    expect(await value('flowbot_steps_ended_total{type="message",outcome="done"}')).toBe(1);
    expect(await value('flowbot_run_seconds_count{flow="asking"}')).toBe(1);
  });

  test('a flow that is gone counts as another one, so that labels stay few', async () => {
    await serve();
    const { body } = await post('/v1/flows/asking/runs', as('boss'));
    await desk.settle();
    desk.load({});
    await desk.red.flow(desk.red.bo, `approve ${body.id}`);
    await desk.settle();
    expect(await value('flowbot_runs_ended_total{flow="other",status="succeeded"}')).toBe(1);
  });

  test('is for those who get in', async () => {
    await serve();
    expect((await get('/metrics')).status).toBe(401);
    await serve({});
    const { status, headers } = await get('/metrics');
    expect([status, headers['content-type']]).toEqual([200, expect.stringContaining('text/plain')]);
    expect((await get('/metrics', { host: 'evil.example' })).status).toBe(403);
  });

  test('has the figures that the page lists', async () => {
    const page = readFileSync(resolve(import.meta.dirname, '../../../docs/operations.md'), 'utf8');
    const listed = [...page.matchAll(/^\| `(flowbot_\w+)` \| ([^|]*)\|/gm)].map(([, name, labels = '']) => [
      name,
      [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
    ]);
    const own = createFigures().registry;
    const made = own.getMetricsAsArray().flatMap((metric) => {
      const { name, labelNames } = Object(metric);
      return String(name).startsWith('flowbot_') ? [[name, labelNames]] : [];
    });
    expect(made).toEqual(listed);
  });
});

describe('how long things take', () => {
  test('commits and events of chats are measured, failed ones too', async () => {
    const measured = createFigures();
    let nowMs = 0;
    const precise = () => {
      nowMs += 20;
      return nowMs;
    };
    const store = measuredStore(createMemoryStore(), measured, precise);
    await store.commit({});
    const full: Inbound = { ...desk.inbound, receive: () => Promise.reject(new Error('full')) };
    const inbound = measuredInbound(full, measured, precise);
    const event = { type: 'invited', id: 'e', atMs: 0, person: desk.red.ana, place: desk.red.here } as const;
    await expect(inbound.receive(event)).rejects.toThrow('full');
    const text = await measured.registry.metrics();
    expect(text).toContain('flowbot_commit_seconds_sum 0.02');
    expect(text).toContain('flowbot_chat_event_seconds_sum{platform="red"} 0.02');
  });
});
