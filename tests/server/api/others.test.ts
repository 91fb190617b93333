import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/server/api/operations.ts';
import { api, as, desk, get, open, post } from './serving.ts';

const flows = {
  nightly: `
conversation: "red:#releases"
triggers: [{ type: schedule, cron: "0 9 * * *", timezone: Europe/Berlin }, { type: api }, { type: manual }]
steps: { say: { type: message, text: hi } }
`,
};

describe('what else there is', () => {
  test('schedules with their next times', async () => {
    await open(flows);
    const { body } = await get('/v1/schedules', as('looker'));
    expect(body.schedules).toMatchObject([
      { id: 'nightly', flow: 'nightly', timezone: 'Europe/Berlin', paused: null, next: expect.any(Array) },
    ]);
  });

  test('the audit, for admins, with its end', async () => {
    await open(flows);
    const { body } = await post('/v1/flows/nightly/runs', as('ci'));
    await desk.settle();
    const heard = await get(`/v1/audit?run=${body.id}&newest=true&limit=1`, as('boss'));
    expect(heard.body).toMatchObject({
      head: { count: 2, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      entries: [{ n: 2, entry: { type: 'run.ended', status: 'succeeded' } }],
    });
  });

  test('what was used up, for admins', async () => {
    await open(flows);
    expect((await get('/v1/usage?days=3', as('boss'))).body).toMatchObject({ days: [] });
    expect((await get('/v1/usage?days=0', as('boss'))).status).toBe(422);
  });

  test('agents', async () => {
    await open(flows);
    expect((await get('/v1/agents', as('looker'))).body).toEqual({ agents: [] });
  });

  test('everything that a chat command does, by the same rules', async () => {
    await open(flows);
    const say = (name: string, text: string) => post('/v1/commands', as(name), { text });
    expect((await say('boss', 'disable nightly')).body).toEqual({
      text: 'nightly is switched off. Runs under way go on.',
      data: { flow: 'nightly', enabled: false },
    });
    expect((await say('ci', 'enable nightly')).status).toBe(403);
    expect((await say('boss', 'enable nightly')).status).toBe(200);
    expect((await say('looker', 'list')).status).toBe(200);
    // Its run lives where the flow says.
    const { body } = await say('ci', 'run nightly');
    expect(body.text).toMatch(/^(?:Started|Queued) run/);
    await desk.settle();
    expect((await desk.red.posts(desk.red.here)).at(-1)?.text).toBe('hi');
    expect((await say('looker', 'runs nightly')).body.data).toHaveLength(1);
    expect((await say('looker', 'run nightly')).status).toBe(403);
    expect((await say('ci', 'approve x')).body.detail).toBe('“approve” takes a token of the role approver.');
    expect((await say('boss', 'nosuch')).status).toBe(409);
  });

  test('until all is there, and when it stops, clients are told to come again', async () => {
    await open(flows);
    await api.close();
    const { status, headers, body } = await get('/v1/flows', as('looker'));
    expect([status, headers['retry-after'], body.detail]).toEqual([503, '1', 'Flowbot is not ready.']);
  });
});

describe('the document', () => {
  test('has every operation, each with its answers, its problems and its parameters', async () => {
    await open(flows);
    const { body } = await get('/v1/openapi.json', as('looker'));
    expect(body).toMatchObject({ openapi: '3.1.0', info: { title: 'Flowbot', version: '1.2.3' } });
    const text = JSON.stringify(body);
    for (const { id, path } of OPERATIONS) {
      expect(text).toContain(`"operationId":"${id}"`);
      expect(text).toContain(`"${path}"`);
    }
    const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    const { components } = body;
    const known = Object.keys(
      typeof components === 'object' && components !== null && 'schemas' in components
        ? (components.schemas ?? {})
        : {},
    );
    expect(references.length).toBeGreaterThan(5);
    expect(known).toEqual(expect.arrayContaining([...new Set(references)]));
    expect(text).not.toContain('#/$defs');
  });
});
