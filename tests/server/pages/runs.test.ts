import { describe, expect, test } from 'vitest';
import { answered } from '../../fakes/http.ts';
import { as, desk, listen, open, post, server, tokens } from '../api/serving.ts';
import { submit, visit, wordsOf } from './browsing.ts';

const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
const release = `
name: Release notes
conversation: "red:#releases"
input: { type: object, properties: { version: { type: string } }, required: [version] }
triggers: [{ type: api }, { type: manual }]
steps:
  draft: { type: template, name: Draft, text: "Notes of {{input.version}} {{review.json.feedback}}" }
  review: { type: approval, name: Review, title: "Publish?", show: [draft] }
  publish: { type: message, name: Publish, text: "{{draft.text}}" }
edges:
  - draft -> review
  - review.approved -> publish
  - { from: review.rejected, to: draft, sendBack: true }
output: "{{draft.text}}"
`;
const fails = `
name: Fails
conversation: "red:#releases"
triggers: [{ type: api }]
steps:
  say: { type: message, text: first }
  fetch: { type: http, url: "https://api.example.com/", attempts: 1 }
`;
const flows = { release, fails };
const refusing = () => answered(400, null);

async function started(flow = 'release', input: object = { version: '1.2' }): Promise<string> {
  const { body } = await post(`/v1/flows/${flow}/runs`, as('boss'), { input: { ...input } });
  await desk.settle();
  return String(body.id);
}

const looker = as('looker');
const boss = as('boss');

describe('the page of a run', () => {
  test('shows where it is, its picture, its steps, and what went in', async () => {
    await open(flows);
    const run = await started();
    const page = await visit(`/runs/${run}`, looker);
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    const words = wordsOf(page);
    for (const part of [
      'Release notes',
      'waiting',
      `Run ${run}`,
      '#releases',
      'Publish?',
      '"version": "1.2"',
      'It has not ended.',
    ])
      expect(words).toContain(part);
    expect(page.text).toContain(`data-live="/live?run=${run}"`);
    expect(page.text).toContain('<figure class="picture" id="picture"><div');
  });

  test('a step shows its attempts with what came of them; an arrow what moved along it, or why nothing did', async () => {
    await open(flows);
    const run = await started();
    const words = async (query: string) => wordsOf(await visit(`/runs/${run}?${query}`, looker));
    expect(await words('step=draft')).toMatch(
      /Round 1, attempt 1: done .* Output Left by done . Notes of 1.2/,
    );
    expect(await words('step=publish')).toContain('Its turn has not come.');
    expect(await words('step=other')).toContain('This run has no such step.');
    expect(await words('edge=0')).toMatch(/Draft → Review .* All that “Draft” gave Notes of 1.2/);
    expect(await words('edge=1')).toContain('Nothing moved along this arrow. “Review” has not finished.');
    expect(await words('edge=1,2')).toMatch(/Review → Publish .* Review → Draft/);
    expect(await words('edge=99')).toContain('There is no such arrow.');
    expect((await visit(`/runs/${run}?edge=x`, looker)).status).toBe(422);
  });

  test('the journal has all events, page by page', async () => {
    await open(flows);
    const run = await started();
    const words = wordsOf(await visit(`/runs/${run}/journal`, looker));
    expect(words).toMatch(/1 2\d{3}.* started by boss \(api\)/);
    expect(wordsOf(await visit(`/runs/${run}/journal?after=1`, looker))).not.toContain('started by boss');
  });

  test('the picture alone is there for large flows', async () => {
    await open({
      ...flows,
      many: `triggers: [{ type: api }]\nsteps:\n${Array.from({ length: 61 }, (_, i) => `  s${i}: { type: template, text: x }`).join('\n')}`,
    });
    const run = await started('many', {});
    expect((await visit(`/runs/${run}`, looker)).text).toContain(`data-fill="/runs/${run}/picture"`);
    const picture = await visit(`/runs/${run}/picture`, looker);
    expect(picture.text).toMatch(/^<div class="actions"[\s\S]*<svg/);
  });

  test('a run that nobody may see is not there', async () => {
    await open(flows);
    for (const path of [
      '/runs/nothing',
      '/runs/nothing/journal',
      '/runs/nothing/again',
      '/runs/nothing/picture',
    ]) {
      const page = await visit(path, looker);
      expect([page.status, wordsOf(page)]).toEqual([
        404,
        expect.stringContaining('There is no run nothing here.'),
      ]);
    }
  });

  test('hostile inputs, answers and names are text', async () => {
    await open(flows);
    const run = await started('release', { version: HOSTILE });
    for (const path of [
      `/runs/${run}`,
      `/runs/${run}?step=draft`,
      `/runs/${run}?edge=0`,
      `/runs/${run}/journal`,
    ]) {
      const { text } = await visit(path, looker);
      expect(text).toContain('&lt;img src=x');
      expect(text).not.toMatch(/<img src=x|<script>/);
    }
  });
});

describe('steering a run', () => {
  test('whoever may cancel it does', async () => {
    await open(flows);
    const run = await started();
    expect((await submit(`/runs/${run}/cancel`, { key: 'abcd' }, looker)).status).toBe(403);
    expect((await submit(`/runs/${run}/cancel`, { key: 'abcd' }, as('gate'))).status).toBe(403);
    const { status, headers } = await submit(`/runs/${run}/cancel`, { key: 'abcd' }, boss);
    expect([status, headers.location]).toEqual([303, `/runs/${run}`]);
    expect(wordsOf(await visit(`/runs/${run}`, looker))).toContain('Cancelled by boss.');
    const again = await submit(`/runs/${run}/cancel`, { key: 'abce' }, boss);
    expect([again.status, wordsOf(again)]).toEqual([
      409,
      expect.stringContaining('has already ended: cancelled.'),
    ]);
  });

  test('a retry shows first what would run again and what may happen twice', async () => {
    await open(flows, { tokens }, refusing);
    const run = await started('fails', {});
    const words = wordsOf(await visit(`/runs/${run}/again`, boss));
    expect(words).toMatch(
      /Is kept say Runs fetch May happen a second time “fetch” sends its request again\./,
    );
    expect(wordsOf(await visit(`/runs/${run}/again?from=say`, boss))).toMatch(
      /Runs say fetch .*“say” posts again\./,
    );
    const { status, headers } = await submit(
      `/runs/${run}/retry`,
      { from: 'say', version: 'same', key: 'abcd' },
      boss,
    );
    expect([status, headers.location]).toEqual([303, expect.stringMatching(/^\/runs\/\w+$/)]);
    await desk.settle();
    expect(wordsOf(await visit(String(headers.location), boss))).toContain(`Retry of ${run}`);
    const twice = await submit(`/runs/${run}/retry`, { from: 'say', version: 'same', key: 'abcd' }, boss);
    expect([twice.status, twice.headers.location]).toEqual([303, headers.location]);
  });

  test('it runs again with another input; what does not fit is said, and nothing typed is lost', async () => {
    await open(flows);
    const run = await started();
    await submit(`/runs/${run}/cancel`, { key: 'abcd' }, boss);
    const bad = await submit(`/runs/${run}/rerun`, { input: '{"version": ', key: 'abcd' }, boss);
    expect([bad.status, wordsOf(bad)]).toEqual([422, expect.stringContaining('The input is not valid JSON')]);
    expect(bad.text).toContain('{&quot;version&quot;: </textarea>');
    const unfit = await submit(`/runs/${run}/rerun`, { input: '{"version": 7}', key: 'abcd' }, boss);
    expect(wordsOf(unfit)).toContain('The input does not fit the flow');
    expect(unfit.text).toContain('{&quot;version&quot;: 7}</textarea>');
    const fields = { input: '{"version": "2.0"}', key: 'abcd' };
    const { status, headers } = await submit(`/runs/${run}/rerun`, fields, boss);
    expect(status).toBe(303);
    await desk.settle();
    expect(wordsOf(await visit(String(headers.location), boss))).toContain('"version": "2.0"');
    expect((await submit(`/runs/${run}/rerun`, fields, boss)).headers.location).toBe(headers.location);
  });

  test('forms of other sites do nothing', async () => {
    await open(flows, {});
    const { body } = await post('/v1/flows/release/runs', { 'x-flowbot': '1' }, { input: { version: '1' } });
    await desk.settle();
    for (const origin of ['https://evil.example.com', 'null', `${server.url}0`]) {
      expect((await submit(`/runs/${body.id}/cancel`, {}, { origin })).status).toBe(403);
    }
    expect((await submit(`/runs/${body.id}/cancel`, {})).status).toBe(303);
  });
});

describe('lists', () => {
  test('runs are listed, the newest first, by flow and status', async () => {
    await open(flows, { tokens }, refusing);
    const waiting = await started();
    const failed = await started('fails', {});
    expect(wordsOf(await visit('/runs', looker))).toMatch(new RegExp(`${failed}.*${waiting}`));
    expect(wordsOf(await visit('/runs?status=open', looker))).not.toContain(failed);
    expect(wordsOf(await visit('/runs?flow=fails&status=', looker))).not.toContain(waiting);
    expect((await visit('/runs?status=odd', looker)).status).toBe(422);
  });

  test('the home page tells what runs, what has failed and what comes next', async () => {
    const daily =
      'triggers: [{ type: schedule, cron: "0 9 * * *", timezone: UTC }]\nsteps: { w: { type: wait, for: 1s } }';
    await open({ ...flows, daily }, { tokens }, refusing);
    const waiting = await started();
    const failed = await started('fails', {});
    expect(wordsOf(await visit('/', looker))).toMatch(
      new RegExp(`Publish\\? everybody there.*Under way.*${waiting}.*Failed lately.*${failed}.*Comes next`),
    );
  });
});

describe('news', () => {
  test('an open page hears that something has happened in its run, once for all that happens together', async () => {
    await open(flows);
    const run = await started();
    const here = await listen(`/live?run=${run}`, looker);
    const anywhere = await listen('/live', looker);
    expect([here.status, anywhere.status]).toEqual([200, 200]);
    await submit(`/runs/${run}/cancel`, { key: 'abcd' }, boss);
    await desk.pass(300);
    await expect.poll(() => [here.events.length, anywhere.events.length]).toEqual([1, 1]);
    expect(here.events[0]?.name).toBe('news');
    here.stop();
    anywhere.stop();
    expect((await visit('/live?run=nothing', looker)).status).toBe(404);
    expect((await visit('/live')).status).toBe(401);
  });
});

test('whoever is not signed in is asked to, and comes back to where they wanted', async () => {
  await open(flows);
  const { status, headers } = await visit('/runs?status=open');
  expect([status, headers.location]).toEqual([303, '/login?to=%2Fruns%3Fstatus%3Dopen']);
  expect((await submit('/runs/x/cancel', {})).status).toBe(401);
});
