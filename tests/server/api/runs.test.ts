import { describe, expect, test } from 'vitest';
import { answered } from '../../fakes/http.ts';
import { api, as, desk, get, open, post, restart, send, tokens } from './serving.ts';

const release = `
name: Release notes
conversation: "red:#releases"
input:
  type: object
  properties: { version: { type: string, title: Version }, count: { type: integer, title: Count } }
  required: [version]
triggers: [{ type: api }]
steps: { say: { type: message, text: "{{input.version}} is out" } }
output: "{{input.version}}"
`;
const asking = `
conversation: "red:#releases"
triggers: [{ type: manual }]
steps:
  review: { type: approval, title: "Publish <b>?" }
  say: { type: message, text: done }
`;
const chatOnly = `
triggers: [{ type: command, command: chat }]
steps: { say: { type: message, text: hi } }
`;
const restricted = `
conversation: "red:#releases"
allow: { users: ["red:U0ANA"] }
triggers: [{ type: api }]
steps: { say: { type: message, text: hi } }
`;
const flows = { release, asking, chat: chatOnly, restricted };

describe('starting runs', () => {
  test('a run starts, and the answer waits for its end', async () => {
    await open(flows);
    const asked = post('/v1/flows/release/runs?wait=5', as('ci'), { input: { version: '1.2' } });
    await desk.settle();
    const { status, body } = await asked;
    expect(status).toBe(201);
    expect(body).toMatchObject({
      flow: 'release',
      status: 'succeeded',
      ok: true,
      output: '1.2',
      trigger: 'api',
      conversation: '#releases',
      startedBy: { address: 'api:ci', name: 'ci' },
      input: { version: '1.2' },
      steps: { say: { status: 'done', output: { json: { conversationName: '#releases' } } } },
    });
    expect((await desk.red.posts(desk.red.here)).at(-1)?.text).toBe('1.2 is out');
  });

  test('without a wait the answer comes at once', async () => {
    await open(flows);
    const { status, body } = await post('/v1/flows/release/runs', as('ci'), { prompt: 'version=1.3' });
    expect([status, body.ok, body.status]).toEqual([201, null, 'running']);
    await desk.settle();
    expect((await get(`/v1/runs/${body.id}`, as('looker'))).body).toMatchObject({ ok: true, output: '1.3' });
  });

  test('a wait ends where only people can move the run on', async () => {
    await open(flows);
    const asked = post('/v1/flows/asking/runs?wait=300', as('ci'));
    await desk.settle();
    const { body } = await asked;
    expect(body).toMatchObject({ status: 'waiting', ok: null, questions: [{ title: 'Publish <b>?' }] });
  });

  test('a wait that is over gives the run as it is', async () => {
    await open({ slow: 'triggers: [{ type: api }]\nsteps: { w: { type: wait, for: 1h } }' });
    const asked = post('/v1/flows/slow/runs?wait=2', as('ci'));
    await desk.pass(2_000);
    expect((await asked).body).toMatchObject({ status: 'waiting', ok: null });
  });

  test('Flowbot stops without waiting for those who wait, and they hear how far it is', async () => {
    const slow = 'triggers: [{ type: api }]\nsteps: { ask: { type: http, url: "https://api.example.com/" } }';
    await open({ slow }, { tokens }, () => new Promise(() => {}));
    const asked = post('/v1/flows/slow/runs?wait=300', as('ci'));
    await expect.poll(() => desk.http.arrived.length).toBe(1);
    await api.close();
    expect((await asked).body).toMatchObject({ status: 'running', ok: null });
  });

  test('an input that does not fit is refused with every fault and its place', async () => {
    await open(flows);
    const { status, headers, body } = await post('/v1/flows/release/runs', as('ci'), {
      input: { count: 'many' },
    });
    expect(status).toBe(422);
    expect(headers['content-type']).toContain('application/problem+json');
    expect(body).toEqual({
      type: 'urn:flowbot:problem:does-not-fit',
      title: 'What was sent does not fit',
      status: 422,
      detail: 'The input does not fit: Version is missing. Count must be a whole number.',
      errors: [
        { pointer: '/input/version', detail: 'Version is missing.' },
        { pointer: '/input/count', detail: 'Count must be a whole number.' },
      ],
    });
  });

  test.each([
    ['an unknown flow', '/v1/flows/nosuch/runs', 404, 'There is no flow nosuch'],
    ['a flow that is not for programs', '/v1/flows/chat/runs', 409, 'Add "- type: api" to its triggers.'],
    [
      'a flow that others may start',
      '/v1/flows/restricted/runs',
      403,
      'Only red:U0ANA may start restricted.',
    ],
  ])('%s is refused', async (_, path, status, detail) => {
    await open(flows);
    const heard = await post(path, as('ci'));
    expect([heard.status, heard.body.detail]).toEqual([status, expect.stringContaining(detail)]);
  });

  test('a token that speaks for somebody may start what they may start', async () => {
    await open(flows);
    const { status, body } = await post('/v1/flows/restricted/runs', as('ana'));
    expect([status, body.startedBy]).toEqual([201, { address: 'red:U0ANA', name: 'Ana' }]);
  });

  test('nothing starts while everything is paused', async () => {
    await open(flows);
    await desk.red.flow(desk.red.ada, 'pause broken');
    const { status, body } = await post('/v1/flows/release/runs', as('ci'), { prompt: 'version=1' });
    expect([status, body.detail]).toEqual([409, expect.stringContaining('Nothing starts at the moment')]);
  });
});

describe('repeats', () => {
  const key = { 'idempotency-key': 'a-1' };

  test('a repeat gets the same answer, and starts nothing, also after a restart', async () => {
    await open(flows);
    const first = await post('/v1/flows/release/runs', { ...as('ci'), ...key }, { prompt: 'version=1.2' });
    const second = await post('/v1/flows/release/runs', { ...as('ci'), ...key }, { prompt: 'version=1.2' });
    await desk.settle();
    await restart();
    const third = await post('/v1/flows/release/runs', { ...as('ci'), ...key }, { prompt: 'version=1.2' });
    expect([second.body, third.body]).toEqual([first.body, first.body]);
    expect([first, second, third].map(({ headers }) => headers['idempotency-replayed'])).toEqual([
      undefined,
      'true',
      'true',
    ]);
    expect((await get('/v1/runs', as('looker'))).body.runs).toHaveLength(1);
  });

  test('two at the same time start one run', async () => {
    await open(flows);
    const ask = () => post('/v1/flows/release/runs', { ...as('ci'), ...key }, { prompt: 'version=1.2' });
    const heard = await Promise.all([ask(), ask(), ask()]);
    expect(new Set(heard.map(({ body }) => body.id)).size).toBe(1);
  });

  test('a refusal is repeated, too', async () => {
    await open(flows);
    const ask = () => post('/v1/flows/asking/runs', { ...as('ci'), ...key });
    await desk.red.flow(desk.red.ada, 'disable asking');
    const first = await ask();
    await desk.red.flow(desk.red.ada, 'enable asking');
    const second = await ask();
    expect([first.status, second.status, second.body]).toEqual([409, 409, first.body]);
    expect((await post('/v1/flows/asking/runs', { ...as('ci'), 'idempotency-key': 'a-2' })).status).toBe(201);
  });

  test('a key is for one request, and for one visitor', async () => {
    await open(flows);
    const ask = (name: string, prompt: string) =>
      post('/v1/flows/release/runs', { ...as(name), ...key }, { input: { version: prompt } });
    const first = await ask('ci', '1.2');
    const other = await ask('ci', '1.3');
    expect([other.status, other.body.type]).toEqual([422, 'urn:flowbot:problem:key-used-otherwise']);
    expect((await ask('boss', '1.2')).body.id).not.toBe(first.body.id);
    const odd = await post('/v1/flows/release/runs', { ...as('ci'), 'idempotency-key': 'a b' }, {});
    expect([odd.status, odd.body.detail]).toEqual([400, expect.stringContaining('1 to 200 characters')]);
  });
});

describe('looking', () => {
  test('runs are listed newest first, filtered, in pages', async () => {
    await open(flows);
    for (const version of ['1', '2', '3']) {
      await post('/v1/flows/release/runs', as('ci'), { prompt: `version=${version}` });
      await desk.settle();
    }
    await post('/v1/flows/asking/runs', as('boss'));
    await desk.settle();
    const flowsOf = async (query: string) => {
      const { body } = await get(`/v1/runs?${query}`, as('ci'));
      const runs = Array.isArray(body.runs) ? body.runs : [];
      return [
        runs.map((run) => (typeof run === 'object' && run !== null && 'flow' in run ? run.flow : '')),
        body.next,
      ];
    };
    expect(await flowsOf('')).toEqual([['asking', 'release', 'release', 'release'], null]);
    expect(await flowsOf('flow=release&status=succeeded,failed')).toEqual([Array(3).fill('release'), null]);
    expect(await flowsOf('status=open')).toEqual([['asking'], null]);
    expect(await flowsOf('mine=true')).toEqual([Array(3).fill('release'), null]);
    const [first, next] = await flowsOf('limit=2');
    expect(first).toEqual(['asking', 'release']);
    expect(await flowsOf(`limit=2&before=${next}`)).toEqual([['release', 'release'], null]);
    const { status, body } = await get('/v1/runs?status=openn', as('ci'));
    expect([status, body.detail]).toEqual([422, expect.stringContaining('“openn” is no status')]);
  });

  test('flows are listed with their input, and whether one may start them', async () => {
    await open(flows);
    const { body } = await get('/v1/flows', as('ci'));
    expect(body.flows).toHaveLength(4);
    expect((await get('/v1/flows/restricted', as('ci'))).body).toMatchObject({
      mayStart: false,
      whyNot: 'Only red:U0ANA may start restricted.',
      triggers: [{ type: 'api', what: 'POST /v1/flows/restricted/runs' }],
    });
    expect((await get('/v1/flows/release', as('ci'))).body).toMatchObject({
      mayStart: true,
      input: { required: ['version'] },
      steps: [{ id: 'say', name: 'say', type: 'message' }],
    });
  });

  test('what is not there is not found, in one format', async () => {
    await open(flows);
    for (const path of ['/v1/runs/nosuch', '/v1/flows/nosuch', '/v1/questions/nosuch', '/v1/nosuch', '/v1']) {
      const { status, headers, body } = await get(path, as('boss'));
      expect([path, status, body.status]).toEqual([path, 404, 404]);
      expect(headers['content-type']).toContain('application/problem+json');
    }
  });
});

describe('steering', () => {
  async function failing(): Promise<string> {
    const flow = `
conversation: "red:#releases"
triggers: [{ type: api }]
steps:
  say: { type: message, text: first }
  ask: { type: http, url: "https://api.example.com/x", attempts: 1 }
`;
    await open({ flow }, { tokens }, () => answered(500, null));
    const { body } = await post('/v1/flows/flow/runs', as('ci'));
    await desk.settle();
    return String(body.id);
  }

  test('whoever has started a run cancels it, and nobody else of no more rights', async () => {
    await open(flows);
    const { body } = await post('/v1/flows/asking/runs', as('gate'));
    await desk.settle();
    const refused = await post(`/v1/runs/${body.id}/cancel`, as('ci'));
    expect([refused.status, refused.body.detail]).toEqual([
      403,
      `Only gate, who started run ${body.id}, or an admin may cancel it.`,
    ]);
    const done = await post(`/v1/runs/${body.id}/cancel`, as('boss'));
    expect([done.status, done.body.status]).toEqual([200, 'cancelled']);
    const again = await post(`/v1/runs/${body.id}/cancel`, as('boss'));
    expect([again.status, again.body.detail]).toEqual([409, `Run ${body.id} has already ended: cancelled.`]);
  });

  test('a retry is shown before it is done, and keeps what was finished', async () => {
    const id = await failing();
    expect((await get(`/v1/runs/${id}/retry`, as('ci'))).body).toEqual({
      keeps: ['say'],
      runs: ['ask'],
      effects: ['“ask” sends its request again.'],
    });
    const { status, body } = await post(`/v1/runs/${id}/retry`, as('ci'));
    await desk.settle();
    expect([status, body.retryOf]).toEqual([201, id]);
    expect((await desk.red.posts(desk.red.here)).filter(({ text }) => text === 'first')).toHaveLength(1);
  });

  test('a retry from a step runs again what follows it, and says what that does', async () => {
    const id = await failing();
    expect((await get(`/v1/runs/${id}/retry?from=say`, as('ci'))).body).toEqual({
      keeps: [],
      runs: ['say', 'ask'],
      effects: ['“say” posts again.', '“ask” sends its request again.'],
    });
    const { status } = await post(`/v1/runs/${id}/retry`, as('ci'), { from: 'say' });
    await desk.settle();
    expect(status).toBe(201);
    expect((await desk.red.posts(desk.red.here)).filter(({ text }) => text === 'first')).toHaveLength(2);
    const odd = await get(`/v1/runs/${id}/retry?from=nosuch`, as('ci'));
    expect([odd.status, odd.body.detail]).toEqual([409, 'This run has no step nosuch: it has say, ask.']);
  });

  test('a run that has succeeded runs again from a step, but is not retried as a whole', async () => {
    await open(flows);
    const { body } = await post('/v1/flows/release/runs', as('ci'), { prompt: 'version=1' });
    await desk.settle();
    expect((await post(`/v1/runs/${body.id}/retry`, as('ci'))).status).toBe(409);
    expect((await post(`/v1/runs/${body.id}/retry`, as('ci'), { from: 'say' })).status).toBe(201);
    await desk.settle();
    expect((await desk.red.posts(desk.red.here)).filter(({ text }) => text === '1 is out')).toHaveLength(2);
  });

  test('a run starts again with the same input, or another', async () => {
    await open(flows);
    const { body } = await post('/v1/flows/release/runs', as('ci'), { prompt: 'version=1' });
    await desk.settle();
    const same = await post(`/v1/runs/${body.id}/rerun`, as('ci'));
    const other = await post(`/v1/runs/${body.id}/rerun`, as('ci'), { input: { version: '2' } });
    expect([same.body.input, other.body.input]).toEqual([{ version: '1' }, { version: '2' }]);
    const wrong = await post(`/v1/runs/${body.id}/rerun`, as('ci'), { input: {} });
    expect([wrong.status, wrong.body.detail]).toEqual([409, expect.stringContaining('Version is missing')]);
  });
});

describe('requests that are no requests', () => {
  test.each<[string, () => ReturnType<typeof send>, number, string]>([
    ['no JSON', () => send('POST', '/v1/flows/release/runs', as('ci'), '{"a":'), 400, 'not valid JSON'],
    [
      'another type',
      () => send('POST', '/v1/flows/release/runs', { ...as('ci'), 'content-type': 'text/csv' }, 'a,b'),
      415,
      'Send JSON',
    ],
    [
      'too much',
      () => post('/v1/flows/release/runs', as('ci'), { prompt: 'x'.repeat(300_000) }),
      413,
      'at most 256 kB',
    ],
    ['keys that nobody knows', () => post('/v1/flows/release/runs', as('ci'), { inputs: {} }), 422, 'inputs'],
    ['a wait without end', () => post('/v1/flows/release/runs?wait=1e9', as('ci')), 422, 'wait'],
  ])('%s', async (_, ask, status, detail) => {
    await open(flows);
    const heard = await ask();
    expect([heard.status, heard.headers['content-type']]).toEqual([
      status,
      expect.stringContaining('application/problem+json'),
    ]);
    expect(heard.body.detail).toContain(detail);
  });
});
