import { expect, test } from 'vitest';
import { createDesk, type Desk } from './desk.ts';

const flow = (coolDown: string) => `
name: Deploy
coolDown: ${coolDown}
triggers: [{ type: command, command: deploy }, { type: manual }]
steps: { say: { type: template, text: deployed } }
`;

let desk: Desk;
const count = async () => (await desk.store.runs({ limit: 99 })).length;
const answers = async (id: string) =>
  (await desk.red.posts({ ...desk.red.here, thread: id })).map(({ text }) => text);

test('a person waits between two starts, also over a restart; others need not', async () => {
  desk = await createDesk({ deploy: flow('{ user: 1m }') });
  await desk.red.say(desk.red.ana, '!deploy');
  desk.clock.pass(20_000);
  const { id } = await desk.red.say(desk.red.ana, '!deploy');
  expect(await answers(id)).toEqual([
    'Deploy has to wait: you have started it less than 1 minute ago. Try again in 40 seconds.',
  ]);
  await desk.red.say(desk.red.bo, '!deploy');
  expect(await count()).toBe(2);
  desk = await desk.restart();
  expect((await desk.red.flow(desk.red.ana, 'run deploy')).text).toContain('Deploy has to wait');
  desk.clock.pass(41_000);
  expect((await desk.red.flow(desk.red.ana, 'run deploy')).text).toContain('Started run');
});

test('a conversation waits, and another one need not', async () => {
  desk = await createDesk({ deploy: flow('{ conversation: 10s }') });
  await desk.red.say(desk.red.ana, '!deploy');
  const { id } = await desk.red.say(desk.red.bo, '!deploy');
  expect(await answers(id)).toEqual([
    'Deploy has to wait: it was started here less than 10 seconds ago. Try again in 10 seconds.',
  ]);
  await desk.red.say(desk.red.bo, '!deploy', desk.red.elsewhere);
  expect(await count()).toBe(2);
});

test('of many at the same moment one starts, and what comes again is no second start', async () => {
  desk = await createDesk({ deploy: flow('{ user: 1m }') });
  const { platform, ana, here } = desk.red;
  await Promise.all(Array.from({ length: 10 }, () => platform.say(ana, here, '!deploy')));
  await desk.settle();
  expect(await count()).toBe(1);
  await platform.redeliver();
  await desk.settle();
  expect(await count()).toBe(1);
});

test('nobody waits for a start that was refused or failed', async () => {
  desk = await createDesk({
    deploy: flow('{ user: 1h }')
      .replace('triggers', 'maxRuns: 1\nwhenFull: refuse\ntriggers')
      .replace('type: template, text: deployed', 'type: approval'),
  });
  await desk.red.flow(desk.red.bo, 'run deploy');
  expect((await desk.red.flow(desk.red.ana, 'run deploy')).text).toContain('a run of it has not ended');
  const [first] = await desk.store.runs({ limit: 1 });
  await desk.red.flow(desk.red.cy, `approve ${first?.id}`);
  const { commit } = desk.store;
  desk.store.commit = (one) => (one.run ? Promise.reject(new Error('disk full')) : commit(one));
  await desk.red.flow(desk.red.ana, 'run deploy');
  desk.store.commit = commit;
  await desk.settle();
  expect((await desk.red.flow(desk.red.ana, 'run deploy')).text).toContain('Started run');
});
