import { describe, expect, test } from 'vitest';
import type { FlowEvent } from '../../../src/engine/events/map.ts';
import { as, desk, get, listen, open, post, restart } from './serving.ts';

const asking = `
conversation: "red:#releases"
triggers: [{ type: api }]
steps:
  say: { type: message, text: first }
  review: { type: approval, title: Publish? }
  end: { type: message, text: last }
`;

async function started(): Promise<string> {
  const { body } = await post('/v1/flows/asking/runs', as('boss'));
  return String(body.id);
}

async function approve(run: string): Promise<void> {
  await desk.settle();
  await desk.red.flow(desk.red.bo, `approve ${run}`);
  await desk.settle();
}

const names = ({ events }: { readonly events: readonly { readonly name: string }[] }) =>
  events.map(({ name }) => name);

const beginning = ['run:started', 'node:start', 'node:done', 'node:start', 'approval:asked', 'run:moved'];

describe('the events of a run', () => {
  test('come as they happen, and the stream ends with the run', async () => {
    await open({ asking });
    const run = await started();
    const listening = await listen(`/v1/runs/${run}/events`, as('looker'));
    await approve(run);
    await listening.ended;
    expect(listening.status).toBe(200);
    expect(names(listening)).toEqual(expect.arrayContaining(beginning));
    expect(names(listening).at(-1)).toBe('run:ended');
    expect(listening.events.at(-1)?.data).toMatchObject({ name: 'run:ended', run, status: 'succeeded' });
    expect(new Set(listening.events.map(({ id }) => id)).size).toBe(listening.events.length);
  });

  test('are those that listeners of the bus are told, in that order', async () => {
    await open({ asking });
    const told: FlowEvent[] = [];
    desk.bot.events.onAny((event) => void told.push(event));
    const run = await started();
    await approve(run);
    const { body } = await get(`/v1/runs/${run}/events`, as('looker'));
    const events = Array.isArray(body.events) ? body.events : [];
    const withoutIds = events.map((event) => ({
      ...(typeof event === 'object' ? event : {}),
      id: undefined,
    }));
    expect(JSON.parse(JSON.stringify(withoutIds))).toEqual(JSON.parse(JSON.stringify(told)));
  });

  test('go on where a client has left off, over a restart, and nothing comes twice', async () => {
    await open({ asking });
    const run = await started();
    const first = await listen(`/v1/runs/${run}/events`, as('looker'));
    await desk.settle();
    await expect.poll(() => names(first).length).toBeGreaterThan(3);
    first.stop();
    await restart();
    await desk.settle();
    const last = first.events.at(-1)?.id ?? '';
    const second = await listen(`/v1/runs/${run}/events`, { ...as('looker'), 'last-event-id': last });
    await approve(run);
    await second.ended;
    const whole = await get(`/v1/runs/${run}/events`, as('looker'));
    const ids = (Array.isArray(whole.body.events) ? whole.body.events : []).map((event) =>
      typeof event === 'object' && event !== null && 'id' in event ? event.id : '',
    );
    expect([...first.events, ...second.events].map(({ id }) => id)).toEqual(ids);
  });

  test('of a run that has ended are all there, and whoever has had them is sent away', async () => {
    await open({ asking });
    const run = await started();
    await approve(run);
    const all = await listen(`/v1/runs/${run}/events`, as('looker'));
    await all.ended;
    expect(names(all).at(-1)).toBe('run:ended');
    const last = {
      ...as('looker'),
      'last-event-id': all.events.at(-1)?.id ?? '',
      accept: 'text/event-stream',
    };
    expect((await get(`/v1/runs/${run}/events`, last)).status).toBe(204);
    const after = await get(`/v1/runs/${run}/events?after=${all.events.at(-2)?.id}`, as('looker'));
    expect(after.body.events).toMatchObject([{ name: 'run:ended' }]);
  });

  test('come to many at once, and one who leaves keeps nothing from the others', async () => {
    await open({ asking });
    const run = await started();
    const many = await Promise.all(
      Array.from({ length: 20 }, () => listen(`/v1/runs/${run}/events`, as('looker'))),
    );
    many[0]?.stop();
    await approve(run);
    const rest = many.slice(1);
    await Promise.all(rest.map(({ ended }) => ended));
    expect(new Set(rest.map((one) => names(one).join())).size).toBe(1);
  });

  test.each([
    ['an unknown run', '/v1/runs/nosuch/events', 404],
    ['a place that is none', '/v1/runs/RUN/events?after=x', 422],
  ])('%s has none', async (_, path, status) => {
    await open({ asking });
    const run = await started();
    const heard = await get(path.replace('RUN', run), { ...as('looker'), accept: 'text/event-stream' });
    expect(heard.status).toBe(status);
  });

  test('a stream ends when the server stops', async () => {
    await open({ asking });
    const listening = await listen(`/v1/runs/${await started()}/events`, as('looker'));
    await restart();
    await listening.ended;
    expect(names(listening)).not.toContain('run:ended');
  });
});
