import { describe, expect, test } from 'vitest';
import { isJsonObject, type Json } from '../../../src/engine/json.ts';
import { as, desk, get, open, post, restart } from './serving.ts';

const head = 'conversation: "red:#releases"\ntriggers: [{ type: api }, { type: manual }]\n';
const say = 'say: { type: message, text: "{{review.json.decision}}: {{review.json.feedback}}" }';
const flows = {
  anyone: `${head}steps: { review: { type: approval, title: Publish? }, ${say} }`,
  ana: `${head}steps: { review: { type: approval, title: Ana?, approvers: { users: ["red:U0ANA"] } }, ${say} }`,
  leads: `${head}steps: { review: { type: approval, title: Leads?, approvers: { roles: [leads] } }, ${say} }`,
  gate: `${head}steps: { review: { type: approval, title: Gate?, approvers: { users: ["api:gate"] } }, ${say} }`,
  form: `${head}steps:
  review:
    type: approval
    title: How many?
    form: { type: object, properties: { count: { type: integer, title: Count } }, required: [count] }
  say: { type: message, text: "{{review.json.values.count}}" }`,
};

/** Starts a flow, which then asks. @returns ids of the run and its question */
async function asked(flow: string): Promise<{ run: string; question: string; covers: string }> {
  const { body } = await post(`/v1/flows/${flow}/runs`, as('boss'));
  await desk.settle();
  const { questions } = (await get(`/v1/questions?run=${body.id}`, as('looker'))).body;
  const [first]: readonly Json[] = Array.isArray(questions) ? questions : [];
  if (!isJsonObject(first)) throw new Error('Nothing is asked.');
  return { run: String(body.id), question: String(first.id), covers: String(first.covers) };
}

const answer = (question: string, name: string, body: Json) =>
  post(`/v1/questions/${question}/answers`, as(name), body);

describe('answering', () => {
  test('an answer moves the run on, as a button would, and the card tells it', async () => {
    await open(flows);
    const { question, covers } = await asked('anyone');
    const heard = await answer(question, 'gate', { action: 'approve', comment: 'fine', covers });
    await desk.settle();
    expect([heard.status, heard.body.status]).toEqual([200, 'running']);
    const posts = (await desk.red.posts(desk.red.here)).map(({ text }) => text);
    expect(posts.at(-1)).toBe('approved: fine');
    const [card] = await desk.red.posts(desk.red.here);
    const thread = await desk.red.posts({ ...desk.red.here, thread: card?.ref.id ?? '' });
    expect(thread[0]?.text).toContain('Approved by gate');
    expect(thread[0]?.buttons).toEqual([]);
    expect((await get(`/v1/questions/${question}`, as('looker'))).body).toMatchObject({
      status: 'answered',
      answers: [{ by: { address: 'api:gate' }, action: 'approve', comment: 'fine' }],
    });
  });

  test.each([
    ['whoever is not named', 'ana', 'gate', 'Only'],
    ['a role that an account does not have', 'leads', 'ana', 'Only'],
    ['an answer that is none', 'anyone', 'gate', '“maybe” is not an answer here'],
  ])('%s is refused, and the question stays open', async (_, flow, name, why) => {
    await open(flows);
    const { question } = await asked(flow);
    const action = flow === 'anyone' ? 'maybe' : 'approve';
    const heard = await answer(question, name, { action });
    expect([heard.status, heard.body.detail]).toEqual([409, expect.stringContaining(why)]);
    expect((await get(`/v1/questions/${question}`, as('looker'))).body.status).toBe('open');
  });

  test('a token that speaks for somebody answers as they, by name and by role', async () => {
    await open(flows);
    desk.red.platform.setRole('leads', [desk.red.ana]);
    for (const flow of ['ana', 'leads']) {
      const { question } = await asked(flow);
      expect((await answer(question, 'ana', { action: 'approve' })).status).toBe(200);
    }
  });

  test('a token that speaks for somebody who has left answers nothing', async () => {
    await open(flows);
    const { question } = await asked('ana');
    desk.red.platform.setStanding({ id: 'U0ANA' }, 'gone');
    const heard = await answer(question, 'ana', { action: 'approve' });
    expect([heard.status, heard.body.detail]).toEqual([409, expect.stringContaining('has left')]);
  });

  test('a flow may name a token', async () => {
    await open(flows);
    const { question } = await asked('gate');
    expect((await answer(question, 'boss', { action: 'approve' })).status).toBe(409);
    expect((await answer(question, 'gate', { action: 'approve' })).status).toBe(200);
  });

  test('a token for starting answers nothing', async () => {
    await open(flows);
    const { question } = await asked('anyone');
    const heard = await answer(question, 'ci', { action: 'approve' });
    expect([heard.status, heard.body.detail]).toEqual([
      403,
      'This takes a token of the role approver; yours has the role runner.',
    ]);
  });

  test('whoever comes later hears who has answered', async () => {
    await open(flows);
    const { question } = await asked('anyone');
    await answer(question, 'gate', { action: 'reject', comment: 'no' });
    const heard = await answer(question, 'boss', { action: 'approve' });
    expect([heard.status, heard.body.detail]).toEqual([
      409,
      expect.stringContaining('gate has already answered “Reject”'),
    ]);
  });

  test('the same answer again is no other answer', async () => {
    await open(flows);
    const { question } = await asked('anyone');
    const once = () => answer(question, 'gate', { action: 'approve', comment: 'fine' });
    expect([(await once()).status, (await once()).status]).toEqual([200, 200]);
    await desk.settle();
    expect(
      (await desk.red.posts(desk.red.here)).filter(({ text }) => text === 'approved: fine'),
    ).toHaveLength(1);
  });

  test('what one has not seen is not answered', async () => {
    await open(flows);
    const { question } = await asked('anyone');
    const heard = await answer(question, 'gate', { action: 'approve', covers: 'f'.repeat(64) });
    expect([heard.status, heard.body.detail]).toEqual([
      409,
      expect.stringContaining('look at its card again'),
    ]);
  });

  test('a form comes with the answer, and is checked', async () => {
    await open(flows);
    const { question } = await asked('form');
    const wrong = await answer(question, 'gate', { action: 'approve', values: { count: 'x' } });
    expect([wrong.status, wrong.body.errors]).toEqual([
      422,
      [{ pointer: '/values/count', detail: 'Count must be a whole number.' }],
    ]);
    expect((await answer(question, 'gate', { action: 'approve', values: { count: 3 } })).status).toBe(200);
    await desk.settle();
    expect((await desk.red.posts(desk.red.here)).at(-1)?.text).toBe('3');
  });

  test('an answer outlives a death, and counts once', async () => {
    await open(flows);
    const { question, run } = await asked('anyone');
    const key = { 'idempotency-key': 'k' };
    const say = () =>
      post(`/v1/questions/${question}/answers`, { ...as('gate'), ...key }, { action: 'approve' });
    const first = await say();
    await restart();
    await desk.settle();
    expect((await say()).body).toEqual(first.body);
    expect((await get(`/v1/runs/${run}`, as('looker'))).body.status).toBe('succeeded');
  });
});
