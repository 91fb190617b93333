import { describe, expect, test } from 'vitest';
import { as, desk, open, sessions } from '../api/serving.ts';
import { submit, visit, wordsOf } from './browsing.ts';

const HOSTILE = '"><img src=x onerror=alert(1)>';
const release = `
name: Release notes
description: Writes the notes.
conversation: "red:#releases"
input:
  type: object
  properties:
    version: { type: string, title: Version }
    kind: { enum: [major, minor] }
    count: { type: integer, title: Count, minimum: 1 }
  required: [version]
triggers: [{ type: manual }, { type: schedule, cron: "0 9 * * *", timezone: UTC, input: { version: nightly } }]
maxRuns: 3
timeout: 2h
steps:
  draft: { type: template, name: Draft, text: "{{input.version}} {{input.kind}} {{input.count}}" }
output: "{{draft.text}}"
`;
const restricted = `
name: Restricted
allow: { users: ["red:U0ANA"] }
triggers: [{ type: api }]
steps: { say: { type: template, text: hi } }
`;
const typed = `
name: Typed
triggers: [{ type: command, command: typed }]
steps: { say: { type: template, text: hi } }
`;
const routed = `
name: Routed
triggers: [{ type: api }]
steps: { say: { type: template, text: hi }, ask: { type: template, text: ho } }
edges: [{ from: say, to: ask, when: { all: [{ path: text, is: hi }] } }]
`;
const flows = { release, restricted, typed, routed };
const boss = as('boss');
const looker = as('looker');

describe('the list of flows', () => {
  test('says what each does, what starts it, when it comes next, and whether one may start it', async () => {
    await open(flows);
    const words = wordsOf(await visit('/flows', as('ci')));
    expect(words).toMatch(
      /Release notes release Writes the notes. \/flow run release .*2026-01-06 09:00 UTC \w{12} yes/,
    );
    expect(words).toMatch(/Restricted restricted POST \/v1\/flows\/restricted\/runs \w{12} Only/);
  });

  test('admins see why a file was not loaded, with the line; others only that it was not', async () => {
    await open(flows);
    const { catalog } = desk.bot;
    const broken = [{ file: 'flows/broken.flow.yaml', faults: [`flows/broken.flow.yaml:3:9: ${HOSTILE}`] }];
    catalog.replace({
      flows: catalog.flows,
      agents: catalog.agents,
      broken,
      warnings: ['flows/release.flow.yaml:7:1: doubtful.'],
    });
    const admin = await visit('/flows', boss);
    expect(wordsOf(admin)).toMatch(
      /Not loaded flows\/broken.flow.yaml flows\/broken.flow.yaml:3:9: .* Doubtful .*:7:1: doubtful\./,
    );
    expect(wordsOf(await visit('/flows/release', looker))).toContain(':7:1: doubtful.');
    expect(admin.text).not.toContain('<img src=x');
    expect(wordsOf(await visit('/flows', looker))).toContain('1 files could not be loaded; admins see why.');
  });

  test('admins stop everything, and let it go on', async () => {
    await open(flows);
    expect((await submit('/flows', { act: 'pause', why: 'Holidays' }, as('ci'))).status).toBe(403);
    expect((await submit('/flows', { act: 'pause', why: 'Holidays' }, boss)).status).toBe(303);
    expect(wordsOf(await visit('/flows', looker))).toContain('boss has paused Flowbot (Holidays)');
    const twice = await submit('/flows', { act: 'pause', why: '' }, boss);
    expect([twice.status, wordsOf(twice)]).toEqual([409, expect.stringContaining('paused')]);
    expect((await submit('/flows', { act: 'resume' }, boss)).status).toBe(303);
    expect(wordsOf(await visit('/flows', looker))).not.toContain('has paused');
    expect((await submit('/flows', { act: 'reload' }, boss)).status).toBe(303);
  });
});

describe('the page of a flow', () => {
  test('shows what it is, what starts it, and its limits', async () => {
    await open(flows);
    const words = wordsOf(await visit('/flows/release', looker));
    for (const part of [
      '3 open runs at most; then it waits',
      'a run takes at most 2 hours',
      'Draft draft template',
      'Sat 10 Jan 2026, 09:00',
      'You may look, and start nothing.',
      'It has not run yet.',
    ])
      expect(words).toContain(part);
    expect((await visit('/flows/nothing', looker)).status).toBe(404);
    expect((await visit('/flows/release/picture', looker)).text).toContain('<svg');
  });

  test('a step and an arrow of its picture say more', async () => {
    await open(flows);
    expect(wordsOf(await visit('/flows/release?step=draft', looker))).toContain(
      '"{{input.version}} {{input.kind}} {{input.count}}"',
    );
  });

  test('its form starts it, once however often it is sent', async () => {
    await open(flows);
    const page = await visit('/flows/release', as('ci'));
    expect(page.text).toMatch(
      /<label for="start-field_version">Version<\/label><input type="text" id="start-field_version" name="field_version" required/,
    );
    const key = /name="key" value="(\w+)"/.exec(page.text)?.[1] ?? '';
    const fields = { key, field_version: '1.2', field_kind: 'minor', field_count: '2' };
    const first = await submit('/flows/release', fields, as('ci'));
    const second = await submit('/flows/release', fields, as('ci'));
    expect([first.status, second.headers.location]).toEqual([303, first.headers.location]);
    await desk.settle();
    expect(wordsOf(await visit(String(first.headers.location), looker))).toContain('1.2 minor 2');
    expect(wordsOf(await visit('/flows/release', looker))).toContain('succeeded');
  });

  test('what does not fit is said at its field, and what was typed stays', async () => {
    await open(flows);
    const unfit = await submit(
      '/flows/release',
      { key: 'abcd', field_version: HOSTILE, field_count: '0' },
      as('ci'),
    );
    expect(unfit.status).toBe(422);
    expect(unfit.text).toMatch(/<p class="fault" id="start-field_count-error">[^<]*at least 1/);
    expect(unfit.text).toContain('value="&quot;&gt;&lt;img src=x');
  });

  test('the input may be JSON', async () => {
    await open(flows);
    expect((await visit('/flows/release?as=json', as('ci'))).text).toContain('<textarea id="json"');
    const bad = await submit('/flows/release', { key: 'abcd', json: '[1' }, as('ci'));
    expect([bad.status, bad.text]).toEqual([422, expect.stringContaining('[1</textarea>')]);
    expect((await submit('/flows/release', { key: 'abcd', json: '{"version": "2"}' }, as('ci'))).status).toBe(
      303,
    );
  });

  test('who may not start it is told why', async () => {
    await open(flows);
    expect(wordsOf(await visit('/flows/restricted', boss))).toMatch(/Start it Only .* may start Restricted/);
    expect((await submit('/flows/restricted', { key: 'abcd' }, boss)).status).toBe(403);
    expect((await submit('/flows/release', { key: 'abcd', field_version: '1' }, looker)).status).toBe(403);
    expect(wordsOf(await visit('/flows/typed', boss))).toContain(
      'Its file has no trigger of the type manual or api.',
    );
  });

  test('admins switch it off and on', async () => {
    await open(flows);
    expect((await submit('/flows/release/switch', { act: 'disable' }, as('ci'))).status).toBe(403);
    expect((await submit('/flows/release/switch', { act: 'disable' }, boss)).status).toBe(303);
    expect(wordsOf(await visit('/flows/release', boss))).toContain('It starts nothing.');
    expect(wordsOf(await submit('/flows/release', { key: 'abcd', field_version: '1' }, boss))).toContain(
      'Release notes is switched off.',
    );
    expect((await submit('/flows/release/switch', { act: 'enable' }, boss)).status).toBe(303);
  });
});

describe('the page of schedules', () => {
  test('shows when they come, and pauses, resumes and runs them', async () => {
    await open(flows);
    expect(wordsOf(await visit('/schedules', looker))).toMatch(
      /Release notes release every day at 09:00 \(UTC\) Next \(UTC\) Tue 6 Jan 2026, 09:00/,
    );
    expect((await visit('/schedules', looker)).text).not.toContain('<button>Pause');
    expect((await submit('/schedules/release', { act: 'pause' }, looker)).status).toBe(403);
    expect((await submit('/schedules/release', { act: 'pause', why: HOSTILE }, boss)).status).toBe(303);
    const paused = await visit('/schedules', looker);
    expect(wordsOf(paused)).toContain(`Paused by boss since 2026-01-05 09:00 UTC : ${HOSTILE}`);
    expect(paused.text).not.toContain('<img src=x');
    const twice = await submit('/schedules/release', { act: 'pause' }, boss);
    expect([twice.status, wordsOf(twice)]).toEqual([
      409,
      expect.stringContaining('release is paused already.'),
    ]);
    expect((await submit('/schedules/release', { act: 'resume' }, boss)).status).toBe(303);
    const run = await submit('/schedules/release', { act: 'run', key: 'abcd' }, boss);
    expect([run.status, run.headers.location]).toEqual([303, expect.stringMatching(/^\/runs\/\w+$/)]);
    await desk.settle();
    expect(wordsOf(await visit('/schedules', looker))).toContain('Last run:');
    expect((await submit('/schedules/nothing', { act: 'run' }, boss)).status).toBe(409);
  });
});

test('people of a chat see how a flow goes, and not what is written in its file', async () => {
  await open(flows);
  const secret = await sessions.open({
    kind: 'person',
    person: { platform: 'red', id: 'U0ANA', name: 'Ana' },
  });
  const words = wordsOf(await visit('/flows/release?step=draft', { cookie: `flowbot=${secret}` }));
  expect(words).toContain('What is written of it is for admins to see.');
  expect(words).not.toContain('{{input.version}}');
});

test('fields of the input that are called as ours are those of the input', async () => {
  const odd = `
name: Odd
triggers: [{ type: api }]
input: { type: object, properties: { key: { type: string }, json: { type: string } }, required: [key, json] }
steps: { say: { type: template, text: "{{input.key}} and {{input.json}}" } }
`;
  await open({ odd });
  const sent = { key: 'abcd', field_key: 'one', field_json: 'two' };
  const { headers } = await submit('/flows/odd', sent, as('ci'));
  await desk.settle();
  expect(wordsOf(await visit(String(headers.location), looker))).toContain('"key": "one", "json": "two"');
});

test('an input that is nested without end is refused with a sentence', async () => {
  await open(flows);
  const deep = await submit('/flows/release', { key: 'abcd', json: '['.repeat(150_000) }, as('ci'));
  expect([deep.status, wordsOf(deep)]).toEqual([
    422,
    expect.stringContaining('The input is nested too deeply'),
  ]);
});
