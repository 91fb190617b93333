import { expect, test } from 'vitest';
import { OPERATIONS } from '../../../src/server/api/operations.ts';
import { as, get, open } from '../api/serving.ts';
import { visit, wordsOf } from './browsing.ts';

test('the reference shows every operation and everything they answer with, and its links lead somewhere', async () => {
  await open({});
  const page = await visit('/api', as('looker'));
  const words = wordsOf(page);
  for (const { id, method, path, summary } of OPERATIONS) {
    expect(page.text).toContain(`<section id="${id}">`);
    expect(words).toContain(`${method} ${path} ${summary}.`);
  }
  expect(words).toContain('GET /v1/runs/{run}/events Shows what happens in a run, as it happens.');
  const { body } = await get('/v1/openapi.json', as('looker'));
  const { components } = JSON.parse(JSON.stringify(body));
  for (const name of Object.keys(components.schemas)) expect(page.text).toContain(`<h3 id="schema-${name}">`);
  const anchors = [...page.text.matchAll(/href="#([^"]+)"/g)].map(([, anchor]) => anchor);
  expect(anchors.length).toBeGreaterThan(30);
  for (const anchor of anchors) expect(page.text).toContain(`id="${anchor}"`);
});

test('it says what is needed, what it is by default and what comes back', async () => {
  await open({});
  const words = wordsOf(await visit('/api', as('looker')));
  expect(words).toContain('action string yes Id of one of its actions: approve, reject and so on.');
  expect(words).toMatch(
    /wait number, in the query no How long to wait, in seconds, at most 300\. Default: 0\./,
  );
  expect(words).toMatch(/POST \/v1\/flows\/\{flow\}\/runs .* 201 The run\. .* Run/);
  expect(words).toContain(
    'Each request carries a token of FLOWBOT_TOKENS as authorization: Bearer <token> .',
  );
});
