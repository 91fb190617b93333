import { describe, expect, test } from 'vitest';
import type { Question } from '../../../src/engine/run/state.ts';
import { as, desk, get, open, post, server, sessions } from '../api/serving.ts';
import { submit, visit, wordsOf } from './browsing.ts';

const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
const head = 'conversation: "red:#releases"\ntriggers: [{ type: api }, { type: manual }]\n';
const say = 'say: { type: message, text: "{{review.json.decision}}: {{review.json.feedback}}" }';
const flows = {
  anyone: `name: For anyone\n${head}steps: { review: { type: approval, name: Review, title: Publish? }, ${say} }`,
  ana: `${head}steps: { review: { type: approval, title: Ana?, approvers: { users: ["red:U0ANA"] } }, ${say} }`,
  two: `${head}steps: { review: { type: approval, title: Two?, quorum: 2 }, ${say} }`,
  escalated: `${head}steps: { review: { type: approval, title: Blue?, approvers: { users: ["red:U0ANA"] }, escalateTo: { users: ["blue:U0BO"] }, escalateAfter: 1h } }`,
  each: `${head}steps: { review: { type: approval, title: Each?, quorum: each, approvers: { users: ["red:U0ANA", "red:U0BO"] } }, ${say} }`,
  form: `${head}steps:
  review:
    type: approval
    title: How many?
    attachFiles: true
    expiresAfter: 1h
    actions: [{ id: approve, comment: required }, { id: reject }]
    form:
      type: object
      properties:
        count: { type: integer, title: Count }
        kinds: { type: array, items: { enum: [a, b, "c d"] }, title: Kinds }
      required: [count]
  say: { type: message, text: "{{review.json.values.count}} {{review.json.values.kinds}}" }`,
  hostile: JSON.stringify({
    conversation: 'red:#releases',
    triggers: [{ type: 'api' }],
    steps: {
      draft: {
        type: 'template',
        name: HOSTILE,
        text: `${HOSTILE}\n\n[click](javascript:alert(3)) \u202eturned`,
      },
      review: { type: 'approval', title: HOSTILE, show: ['draft'], quorum: 2 },
    },
  }),
  long: `${head}steps:
  draft: { type: template, text: "{{input.text}}" }
  review: { type: approval, title: Long?, show: [draft] }
input: { type: object, properties: { text: { type: string } } }`,
};

/** Starts a flow, which then asks. */
async function asked(flow: keyof typeof flows, input = {}): Promise<{ run: string; id: string }> {
  const { body } = await post(`/v1/flows/${flow}/runs`, as('boss'), { input });
  await desk.settle();
  const run = String(body.id);
  const [id] = Object.keys((await desk.store.run(run))?.state.questions ?? {});
  if (id === undefined) throw new Error('Nothing is asked.');
  return { run, id };
}

async function questionOf(run: string): Promise<Question | undefined> {
  return Object.values((await desk.store.run(run))?.state.questions ?? {})[0];
}

/** The hidden fields of the form for an action, as the page has them. */
function formFor(page: string, action: string): Record<string, string> {
  const found = [...page.matchAll(/<form[\s\S]*?<\/form>/g)]
    .map(([form]) => hiddenOf(form))
    .find((fields) => fields.action === action);
  if (!found) throw new Error(`There is no form for ${action}.`);
  return found;
}

function hiddenOf(markup: string): Record<string, string> {
  const fields = markup.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g);
  return Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, value]));
}

/** Opens the page of a question, and sends the form for an action. */
async function answer(
  id: string,
  action: string,
  name: string,
  fields: Readonly<Record<string, string | readonly string[]>> = {},
) {
  const { text } = await visit(`/questions/${id}`, as(name));
  return submit(`/questions/${id}`, { ...formFor(text, action), ...fields }, as(name));
}

describe('the page of a question', () => {
  test('shows what is asked, by which flow and step, whom it asks, and until when', async () => {
    await open(flows);
    const { id, run } = await asked('anyone');
    const page = await visit(`/questions/${id}`, as('gate'));
    expect(page.status).toBe(200);
    const words = wordsOf(page);
    for (const part of [
      'Publish? open',
      'For anyone , Review',
      'everybody in #releases',
      'Nobody has answered yet.',
    ])
      expect(words).toContain(part);
    expect(page.text).toContain(`<a href="/runs/${run}">`);
    expect(page.text).toContain(`data-live="/live?run=${run}"`);
    const form = await asked('form');
    expect(wordsOf(await visit(`/questions/${form.id}`, as('gate')))).toMatch(
      /Open until 2026-01-05 10:00 UTC/,
    );
  });

  test('an answer from the page is that of the person in the chat', async () => {
    await open(flows);
    const { id } = await asked('ana');
    expect(wordsOf(await visit(`/questions/${id}`, as('ana')))).toContain('Asks Ana');
    const sent = await answer(id, 'approve', 'ana');
    expect([sent.status, sent.headers.location]).toEqual([303, `/questions/${id}`]);
    await desk.settle();
    expect((await desk.red.posts(desk.red.here)).at(-1)?.text).toBe('approved: ');
    expect((await desk.red.flow(desk.red.ana, `approve ${id}`)).text).toContain(
      'Ana has already answered “Approve”',
    );
    const words = wordsOf(await visit(`/questions/${id}`, as('looker')));
    expect(words).toContain('Ana? answered');
    expect(words).toContain('✅ Approved by Ana.');
    expect(words).toMatch(/Ana Approve 2026-01-05 09:00 UTC/);
  });

  test('people who have signed in with their account answer what they may answer there', async () => {
    await open(flows);
    const { id, run } = await asked('ana');
    const cookie = async (person: typeof desk.red.ana) => ({
      cookie: `flowbot=${await sessions.open({ kind: 'person', person })}`,
    });
    const [ana, bo] = [await cookie(desk.red.ana), await cookie(desk.red.bo)];
    expect(wordsOf(await visit(`/questions/${id}`, bo))).toContain('Only Ana may answer this.');
    const { text } = await visit(`/questions/${id}`, ana);
    expect((await submit(`/questions/${id}`, formFor(text, 'approve'), bo)).status).toBe(409);
    expect((await submit(`/questions/${id}`, formFor(text, 'approve'), ana)).status).toBe(303);
    expect((await questionOf(run))?.answers).toMatchObject([{ by: desk.red.ana, action: 'approve' }]);
  });

  test('whoever is not asked is told so, before and after they try', async () => {
    await open(flows);
    const { id, run } = await asked('ana');
    const page = await visit(`/questions/${id}`, as('gate'));
    expect(wordsOf(page)).toContain('Only Ana may answer this.');
    expect(page.text).not.toContain('name="action"');
    const form = formFor((await visit(`/questions/${id}`, as('ana'))).text, 'reject');
    const sent = await submit(`/questions/${id}`, { ...form, feedback: 'my words' }, as('gate'));
    expect(sent.status).toBe(409);
    expect(sent.text).toContain('<p class="alert" role="alert">Only Ana may answer this.</p>');
    expect(wordsOf(sent)).toContain('What you wrote: my words');
    expect((await questionOf(run))?.answers).toEqual([]);
  });

  test('the host without a login is nobody in person', async () => {
    await open(flows, {});
    await desk.red.flow(desk.red.bo, 'run ana');
    await desk.red.flow(desk.red.bo, 'run anyone');
    const [ana, anyone] = await desk.store.openQuestions(10);
    const page = await visit(`/questions/${ana?.id}`);
    expect(wordsOf(page)).toContain('Only Ana may answer this.');
    const { text } = await visit(`/questions/${anyone?.id}`);
    const sent = await submit(`/questions/${anyone?.id}`, formFor(text, 'approve'));
    expect(sent.status).toBe(303);
    const refused = await submit(`/questions/${ana?.id}`, {
      action: 'approve',
      covers: (await questionOf(ana?.run ?? ''))?.covers.slice(0, 16) ?? '',
    });
    expect([refused.status, wordsOf(refused)]).toEqual([
      409,
      expect.stringContaining('Only Ana may answer this.'),
    ]);
  });

  test('fields come with the answer; what is wrong is said at them, and what was typed stays', async () => {
    await open(flows);
    const { id } = await asked('form');
    const page = await visit(`/questions/${id}`, as('gate'));
    expect(page.text).toMatch(/<label for="\S+-approve-field_count">Count<\/label><input type="number"/);
    expect(wordsOf(page)).toContain('Files are attached in the chat: this page sends none.');
    expect(page.text).not.toContain('name="attachments"');
    const typed = { field_count: 'x<y', field_kinds: ['b', 'c d'], feedback: 'well\r\nthought' };
    const wrong = await answer(id, 'approve', 'gate', typed);
    expect(wrong.status).toBe(422);
    expect(wrong.text).toMatch(/aria-invalid="true"[^>]* value="x&lt;y">/);
    expect(wrong.text).toMatch(
      /<p class="fault" id="\S+-approve-field_count-error">Count must be a whole number/,
    );
    expect(wrong.text).toMatch(/value="c d" checked/);
    expect(wrong.text).toContain('well\nthought</textarea>');
    expect(wrong.text).not.toContain('data-live');
    const right = await answer(id, 'approve', 'gate', { ...typed, field_count: '3' });
    expect(right.status).toBe(303);
    await desk.settle();
    expect((await desk.red.posts(desk.red.here)).at(-1)?.text).toBe('3 ["b","c d"]');
    expect(wordsOf(await visit(`/questions/${id}`, as('looker')))).toContain('Count: 3 Kinds: ["b","c d"]');
  });

  test('an answer that needs a comment does not count without one', async () => {
    await open(flows);
    const { id, run } = await asked('form');
    const sent = await answer(id, 'approve', 'gate', { field_count: '3', feedback: '  ' });
    expect([sent.status, wordsOf(sent)]).toEqual([
      409,
      expect.stringContaining('“Approve” needs a comment.'),
    ]);
    expect(sent.text).toMatch(/name="field_count"[^>]* value="3">/);
    expect((await questionOf(run))?.state.status).toBe('open');
  });

  test('what has changed since it was shown is not answered', async () => {
    await open(flows);
    const { id, run } = await asked('anyone');
    const sent = await answer(id, 'approve', 'gate', { covers: 'f'.repeat(16) });
    expect([sent.status, wordsOf(sent)]).toEqual([409, expect.stringContaining('What you saw is not what')]);
    expect((await submit(`/questions/${id}`, { action: 'approve' }, as('gate'))).status).toBe(422);
    expect((await questionOf(run))?.state.status).toBe('open');
  });

  test('a form that is sent twice, also at the same time, counts once', async () => {
    await open(flows);
    const { id, run } = await asked('two');
    const form = formFor((await visit(`/questions/${id}`, as('gate'))).text, 'approve');
    const once = () => submit(`/questions/${id}`, form, as('gate'));
    const both = await Promise.all([once(), once()]);
    expect([...both, await once()].map(({ status }) => status)).toEqual([303, 303, 303]);
    expect((await questionOf(run))?.answers).toHaveLength(1);
    const words = wordsOf(await visit(`/questions/${id}`, as('boss')));
    expect(words).toContain('Takes 2 answers that agree; 1 so far');
    await answer(id, 'approve', 'boss');
    await desk.settle();
    expect((await desk.red.posts(desk.red.here)).filter(({ text }) => text === 'approved: ')).toHaveLength(1);
    expect((await once()).status).toBe(303);
  });

  test('says whose answer is still missing', async () => {
    await open(flows);
    const { id } = await asked('each');
    await answer(id, 'approve', 'ana');
    expect(wordsOf(await visit(`/questions/${id}`, as('looker')))).toContain(
      'Takes an answer of each of them; still missing: Bo',
    );
  });

  test('a token to look sees it, and answers nothing', async () => {
    await open(flows);
    const { id, run } = await asked('anyone');
    const page = await visit(`/questions/${id}`, as('looker'));
    expect(wordsOf(page)).toContain('You may see questions here, and not answer them.');
    expect(page.text).not.toContain('name="action"');
    const form = formFor((await visit(`/questions/${id}`, as('gate'))).text, 'approve');
    for (const path of [`/questions/${id}`, '/questions'])
      expect((await submit(path, { ...form, question: id }, as('looker'))).status).toBe(403);
    expect((await questionOf(run))?.state.status).toBe('open');
  });

  test('a page of another site answers nothing', async () => {
    await open(flows, {});
    await desk.red.flow(desk.red.bo, 'run anyone');
    const [row] = await desk.store.openQuestions(1);
    const form = formFor((await visit(`/questions/${row?.id}`)).text, 'approve');
    for (const origin of ['https://evil.example', 'null', `${server.url}0`])
      expect((await submit(`/questions/${row?.id}`, form, { origin })).status).toBe(403);
    expect(await desk.store.openQuestions(1)).toHaveLength(1);
  });

  test('after an answer on the page of its run the browser comes back there, and nowhere else', async () => {
    await open(flows);
    const { id, run } = await asked('two');
    const other = await asked('anyone');
    const page = await visit(`/runs/${run}`, as('gate'));
    const form = formFor(page.text, 'approve');
    expect(form.back).toBe(`/runs/${run}`);
    const refused = await submit(`/questions/${id}`, { ...form, covers: 'f'.repeat(16) }, as('gate'));
    expect(formFor(refused.text, 'approve').back).toBe(`/runs/${run}`);
    for (const back of ['//evil.example', `/runs/${run}/../..`, `/runs/${other.run}`, 'https://evil.example'])
      expect((await submit(`/questions/${id}`, { ...form, back }, as('gate'))).headers.location).toBe(
        `/questions/${id}`,
      );
    expect((await submit(`/questions/${id}`, form, as('gate'))).headers.location).toBe(`/runs/${run}`);
  });

  test('what others write is text', async () => {
    await open(flows);
    const { id, run } = await asked('hostile');
    const sent = await answer(id, 'reject', 'gate', { covers: 'f'.repeat(16), feedback: HOSTILE });
    await answer(id, 'approve', 'gate');
    const question = await questionOf(run);
    expect(question?.answers).toHaveLength(1);
    const rejected = await answer(id, 'reject', 'boss', { feedback: `${HOSTILE} \u202eturned` });
    expect(rejected.status).toBe(303);
    const pages = [sent, await visit(`/questions/${id}`, as('gate'))];
    const open2 = await asked('hostile');
    for (const path of [`/questions/${open2.id}`, '/questions', `/runs/${open2.run}`]) {
      pages.push(await visit(path, as('gate')));
    }
    for (const page of pages) {
      expect(wordsOf(page)).toContain(HOSTILE);
      expect(page.text).not.toMatch(/<img src=x|<script>|javascript:alert\(3\)"|\u202e/);
    }
  });

  test('what is too long for a card is there to the end', async () => {
    await open(flows);
    const text = `begin ${'word '.repeat(10_000)}the end`;
    const { id } = await asked('long', { text });
    const words = wordsOf(await visit(`/questions/${id}`, as('gate')));
    expect(words).toContain('All of it: the file review.md');
    expect(words).toContain('word the end');
  });

  test('somebody to whom it was escalated sees and answers it, also without its run', async () => {
    await open(flows);
    const { id, run } = await asked('escalated');
    const cookie = `flowbot=${await sessions.open({ kind: 'person', person: desk.blue.bo })}`;
    expect((await visit(`/questions/${id}`, { cookie })).status).toBe(404);
    await desk.pass(3_600_000);
    expect(wordsOf(await visit('/questions', { cookie }))).toMatch(/Waiting for you .*Blue\?/);
    const page = await visit(`/questions/${id}`, { cookie });
    expect(wordsOf(page)).toContain('Asks Ana , Bo');
    expect(page.text).toContain('data-live="/live"');
    expect(page.text).not.toContain(`href="/runs/${run}"`);
    const sent = await submit(`/questions/${id}`, formFor(page.text, 'approve'), { cookie });
    expect(sent.status).toBe(303);
    expect((await questionOf(run))?.state).toMatchObject({ status: 'answered', by: desk.blue.bo });
  });

  test('who may not see it hears that there is none', async () => {
    await open(flows);
    const { id } = await asked('anyone');
    const cookie = `flowbot=${await sessions.open({ kind: 'person', person: { ...desk.blue.bo } })}`;
    for (const path of [`/questions/${id}`, '/questions/none.1'])
      expect((await visit(path, { cookie })).status).toBe(404);
    expect(wordsOf(await visit('/questions', { cookie }))).not.toContain('Publish?');
  });
});

describe('the list of questions', () => {
  /** Chooses questions in the list, as the page shows them. */
  async function answerAll(ids: readonly string[], name: string, fields: Readonly<Record<string, string>>) {
    const { text } = await visit('/questions', as(name));
    const hidden = hiddenOf(/<form method="post" action="\/questions"[\s\S]*?<\/form>/.exec(text)?.[0] ?? '');
    return submit('/questions', { ...hidden, question: ids, ...fields }, as(name));
  }

  test('those that name the visitor come first', async () => {
    await open(flows);
    await asked('anyone');
    const { id, run } = await asked('ana');
    const page = await visit('/questions', as('ana'));
    expect(wordsOf(page)).toMatch(
      /Waiting for you .*Ana\?.*Publish\? .*For anyone , Review .*everybody in #releases .*Others/,
    );
    expect(page.text).toContain('data-live="/live"');
    expect(page.text).toContain(`<a href="/questions/${id}">Ana?</a>`);
    expect(page.text).toContain(`<a href="/runs/${run}">`);
    expect(wordsOf(await visit('/questions', as('gate')))).toMatch(
      /Waiting for you .*Publish\?.*Others .*Ana\?/,
    );
  });

  test('who only looks has nothing to choose', async () => {
    await open(flows);
    await asked('anyone');
    const { text } = await visit('/questions', as('looker'));
    expect(text).toContain('Publish?');
    expect(text).not.toContain('type="checkbox"');
  });

  test('several are answered at once, with a comment, and the list has them no more', async () => {
    await open(flows);
    const [one, other] = [await asked('anyone'), await asked('ana')];
    const sent = await answerAll([one.id, other.id], 'ana', { action: 'reject', comment: 'not today' });
    expect([sent.status, sent.headers.location]).toEqual([303, '/questions']);
    for (const { run } of [one, other])
      expect((await questionOf(run))?.state).toMatchObject({ action: 'reject', feedback: 'not today' });
    expect(wordsOf(await visit('/questions', as('ana')))).toContain('Nothing else is asked.');
  });

  test('only answers that need nothing else are offered', async () => {
    await open(flows);
    await asked('form');
    const offered = async () =>
      [...(await visit('/questions', as('gate'))).text.matchAll(/<option value="(\w+)">([^<]*)/g)].map(
        ([, id, name]) => [id, name],
      );
    expect(await offered()).toEqual([['reject', 'Reject (1)']]);
    await asked('anyone');
    expect(await offered()).toEqual([
      ['reject', 'Reject (2)'],
      ['approve', 'Approve (1)'],
    ]);
  });

  test('where not every answer counts, each says why, and what did not count is still there', async () => {
    await open(flows);
    const asks = [
      await asked('anyone'),
      await asked('ana'),
      await asked('form'),
      await asked('two'),
    ] as const;
    const [good, named, form, stale] = asks;
    const sent = await answerAll([...asks.map(({ id }) => id), 'none.1'], 'gate', {
      action: 'approve',
      comment: 'fine',
      [`covers-${stale.id}`]: 'f'.repeat(16),
    });
    expect(sent.status).toBe(409);
    const words = wordsOf(sent);
    for (const part of [
      '4 of 5 answers do not count.',
      'Publish? : counted.',
      'Ana? : Only Ana may answer this.',
      'How many? : Something has to be filled in: Count',
      'Two? : What you saw is not what',
      'none.1 : There is no question none.1 here.',
    ])
      expect(words).toContain(part);
    const state = async ({ run }: { run: string }) => (await questionOf(run))?.state.status;
    expect([await state(good), await state(named), await state(form), await state(stale)]).toEqual([
      'answered',
      'open',
      'open',
      'open',
    ]);
    expect(sent.text).toContain(`name="question" value="${named.id}" aria-label="Choose “Ana?”" checked`);
    expect(sent.text).not.toContain(`name="question" value="${good.id}"`);
    expect(sent.text).toContain('name="comment" value="fine"');
  });

  test('what was not shown is not answered', async () => {
    await open(flows);
    const { id, run } = await asked('anyone');
    const sent = await submit('/questions', { action: 'approve', question: id }, as('gate'));
    expect(sent.status).toBe(409);
    expect((await questionOf(run))?.state.status).toBe('open');
  });

  test('sent twice, each counts once', async () => {
    await open(flows);
    const { id, run } = await asked('two');
    const once = { action: 'approve', [`covers-${id}`]: (await questionOf(run))?.covers.slice(0, 16) ?? '' };
    const send = () => submit('/questions', { ...once, key: 'same-key', question: [id, id] }, as('gate'));
    expect([(await send()).status, (await send()).status]).toEqual([303, 303]);
    expect((await questionOf(run))?.answers).toHaveLength(1);
  });

  test('something has to be chosen', async () => {
    await open(flows);
    const { id } = await asked('anyone');
    const none = await answerAll([], 'gate', { action: 'approve' });
    expect([none.status, wordsOf(none)]).toEqual([
      422,
      expect.stringContaining('Choose at least one question.'),
    ]);
    const how = await answerAll([id], 'gate', { action: '' });
    expect([how.status, wordsOf(how)]).toEqual([422, expect.stringContaining('Choose an answer.')]);
  });

  test('a list that is too long goes on on the next page', async () => {
    await open(flows);
    for (let at = 0; at < 51; at += 1) await post('/v1/flows/anyone/runs', as('boss'));
    await desk.settle();
    const rows = async (path: string) =>
      (await visit(path, as('gate'))).text.match(/name="question"/g)?.length ?? 0;
    expect(await rows('/questions')).toBe(50);
    expect(await rows('/questions?after=50')).toBe(1);
    expect((await visit('/questions', as('gate'))).text).toContain('href="/questions?after=50"');
    expect((await get('/questions?after=x', as('gate'))).status).toBe(422);
  });
});
