import { describe, expect, test } from 'vitest';
import { answered } from '../fakes/http.ts';
import { createDesk, type Desk } from './desk.ts';

/** A map over items, each with a request of its own; `b` is the one that fails. */
const flows = (over: string, more: string) => ({
  fetch: `
triggers: [{ type: command, command: fetch }]
steps:
  all: { type: map, uses: each, over: ${over}, maxItems: 10000${more} }
`,
  each: `
input: { type: object, properties: { item: { type: string } } }
steps:
  get: { type: http, url: "https://example.com/{{input.item}}" }
output: "{{get.json.body.path}}"
`,
});

const answering = ({ url }: { readonly url: string }) =>
  url.endsWith('/b') ? answered(500, {}) : answered(200, { path: new URL(url).pathname });

async function fetchAll(over: string, more: string): Promise<Desk> {
  const desk = await createDesk(flows(over, more), answering);
  await desk.red.say(desk.red.ana, '!fetch');
  return desk;
}

const top = 'k000000001';

async function resultOf(desk: Desk, run = top) {
  for (let turns = 0; turns < 5; turns += 1) await desk.settle();
  const stored = await desk.store.run(run);
  return { status: stored?.row.status, reason: stored?.state.reason, json: stored?.state.outputs.all?.json };
}

describe('C68: a map of which one item fails', () => {
  test.each([1, 2, 3])('goes on with the others, in their order, %d at once', async (parallel) => {
    const desk = await fetchAll('[a, b, c]', `, maxParallel: ${parallel}, onItemFailure: collect`);
    expect(await resultOf(desk)).toEqual({
      status: 'succeeded',
      reason: undefined,
      json: {
        items: ['/a', null, '/c'],
        failed: [
          {
            index: 1,
            error: '"get" failed: example.com answered with status 500; this step accepts 2xx.',
            status: 'failed',
            run: expect.any(String),
          },
        ],
      },
    });
  });

  test.each([1, 2, 3])('or fails with it, %d at once', async (parallel) => {
    const desk = await fetchAll('[a, b, c]', `, maxParallel: ${parallel}, onItemFailure: stop`);
    expect(await resultOf(desk)).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^"all" failed: item 2 of 3: "get" failed: /),
    });
  });

  test('is retried with that item only', async () => {
    let isDown = true;
    const desk = await createDesk(flows('[a, b, c]', ', maxParallel: 3, onItemFailure: stop'), (request) =>
      isDown ? answering(request) : answered(200, { path: new URL(request.url).pathname }),
    );
    await desk.red.say(desk.red.ana, '!fetch');
    isDown = false;
    const before = desk.http.arrived.length;
    await desk.red.flow(desk.red.ana, `retry ${top} yes`);
    for (let turns = 0; turns < 5; turns += 1) await desk.settle();
    const [retry] = await desk.store.runs({ flow: 'fetch', statuses: ['succeeded'], limit: 1 });
    expect(await resultOf(desk, retry?.id)).toMatchObject({
      json: { items: ['/a', '/b', '/c'], failed: [] },
    });
    const again = desk.http.arrived.slice(before).map(({ url }) => new URL(url).pathname);
    expect(again).toContain('/b');
    expect(again).not.toContain('/a');
  });

  test('an item that people reject counts as failed', async () => {
    const desk = await createDesk({
      ...flows('[a, c]', ', onItemFailure: collect'),
      each: 'steps: { ask: { type: approval, title: "Go?" } }\n',
    });
    await desk.red.say(desk.red.ana, '!fetch');
    const [first, second] = await desk.store.openQuestions(2);
    await desk.red.flow(desk.red.bo, `approve ${first?.run}`);
    await desk.red.flow(desk.red.bo, `reject ${second?.run} not now`);
    expect(await resultOf(desk)).toMatchObject({
      status: 'succeeded',
      json: { failed: [{ index: 1, status: 'rejected', error: '"ask" was rejected by Bo: not now' }] },
    });
  });

  test('takes equal items one by one, and no items as none', async () => {
    expect(await resultOf(await fetchAll('[a, a]', ''))).toMatchObject({
      json: { items: ['/a', '/a'], failed: [] },
    });
    expect(await resultOf(await fetchAll('[]', ''))).toEqual({
      status: 'succeeded',
      reason: undefined,
      json: { items: [], failed: [] },
    });
    expect(await resultOf(await fetchAll('[c]', ''))).toMatchObject({ json: { items: ['/c'] } });
  });

  test('with more items than allowed fails before any starts', async () => {
    const desk = await fetchAll(`[${Array.from({ length: 10_001 }, (_, at) => `i${at}`).join(', ')}]`, '');
    expect(await resultOf(desk)).toMatchObject({
      status: 'failed',
      reason:
        '"all" failed: The list has 10001 items, and at most 10000 are allowed: raise maxItems, or shorten the list.',
    });
    expect(desk.http.arrived).toEqual([]);
  });
});
