import { describe, expect, test } from 'vitest';
import { createDesk, type Desk } from './desk.ts';

const deploy = (more: string) => `
name: Deploy
${more}
triggers: [{ type: command, command: deploy }, { type: manual }]
steps:
  ask: { type: approval, title: Deploy now? }
  say: { type: template, text: "deployed {{start.json.prompt}}" }
`;

let desk: Desk;
const statuses = async () => (await desk.store.runs({ limit: 9 })).map(({ status }) => status).toReversed();
const told = async (text: string) => (await desk.red.flow(desk.red.ana, text)).text.trim();

async function approve(nth: number): Promise<void> {
  const runs = (await desk.store.runs({ limit: 9 })).toReversed();
  await desk.red.flow(desk.red.bo, `approve ${runs[nth]?.id}`);
}

describe('a flow of which one run may be open at a time', () => {
  test('queues the next ones, says behind what, and lets them begin in their order, also after a restart', async () => {
    desk = await createDesk({ deploy: deploy('maxRuns: 1') });
    await desk.red.say(desk.red.ana, '!deploy one');
    const [first] = await desk.store.runs({ limit: 1 });
    const { id } = await desk.red.say(desk.red.ana, '!deploy two');
    const thread = await desk.red.posts({ ...desk.red.here, thread: id });
    expect(thread.map(({ text }) => text)).toContain(
      `Deploy is queued. It waits until run ${first?.id} of Deploy has ended.`,
    );
    expect(await told('run deploy three')).toMatch(/^Queued run \S+\. It waits behind 2 runs of Deploy/);
    expect(await statuses()).toEqual(['waiting', 'queued', 'queued']);
    const [, second] = (await desk.store.runs({ limit: 9 })).toReversed();
    expect(await told(`status ${second?.id}`)).toContain(
      `It waits until run ${first?.id} of Deploy has ended.`,
    );
    desk = await desk.restart();
    await approve(0);
    expect(await statuses()).toEqual(['succeeded', 'waiting', 'queued']);
    expect((await desk.store.run(second?.id ?? ''))?.state.start.prompt).toBe('two');
    await approve(1);
    await approve(2);
    expect(await statuses()).toEqual(['succeeded', 'succeeded', 'succeeded']);
  });

  test('a queued run can be cancelled, and the next one begins when its turn comes', async () => {
    desk = await createDesk({ deploy: deploy('maxRuns: 1') });
    for (const word of ['one', 'two', 'three']) await desk.red.say(desk.red.ana, `!deploy ${word}`);
    const [, second] = (await desk.store.runs({ limit: 9 })).toReversed();
    await told(`cancel ${second?.id}`);
    expect(await statuses()).toEqual(['waiting', 'cancelled', 'queued']);
    await approve(0);
    expect(await statuses()).toEqual(['succeeded', 'cancelled', 'waiting']);
  });

  test('refuses with a sentence where its file says so', async () => {
    desk = await createDesk({ deploy: deploy('maxRuns: 1\nwhenFull: refuse') });
    await desk.red.say(desk.red.ana, '!deploy one');
    expect(await told('run deploy two')).toBe('Deploy can’t start now: a run of it has not ended.');
    expect(await statuses()).toEqual(['waiting']);
  });
});

test('a pause of everything keeps those back that wait; then they go on', async () => {
  desk = await createDesk({ deploy: deploy('maxRuns: 1') });
  for (const word of ['one', 'two', 'three']) await desk.red.say(desk.red.ana, `!deploy ${word}`);
  const [, second] = (await desk.store.runs({ limit: 9 })).toReversed();
  await desk.red.flow(desk.red.ada, 'pause');
  await approve(0);
  expect(await statuses()).toEqual(['succeeded', 'queued', 'queued']);
  desk = await desk.restart();
  expect(await statuses()).toEqual(['succeeded', 'queued', 'queued']);
  expect(await told(`status ${second?.id}`)).toContain('It waits until Flowbot is resumed.');
  await desk.red.flow(desk.red.ada, 'resume');
  await desk.settle();
  expect(await statuses()).toEqual(['succeeded', 'waiting', 'queued']);
});

test('overlap: queue lets the runs of a schedule follow each other', async () => {
  desk = await createDesk({
    hourly: `
name: Hourly
conversation: "red:#releases"
triggers: [{ type: schedule, cron: "0 * * * *", overlap: queue }]
steps: { ask: { type: approval } }
`,
  });
  for (let half = 0; half < 6; half += 1) {
    desk.clock.pass(1_800_000);
    await desk.settle();
  }
  expect(await statuses()).toEqual(['waiting', 'queued', 'queued']);
  desk = await desk.restart();
  await approve(0);
  expect(await statuses()).toEqual(['succeeded', 'waiting', 'queued']);
});

describe('whatever the store refuses', () => {
  /** Refuses what is committed for a run while it is to be. */
  function refuseWhile(isRefused: (commit: Parameters<Desk['store']['commit']>[0]) => boolean): void {
    const { commit } = desk.store;
    desk.store.commit = (one) => (isRefused(one) ? Promise.reject(new Error('disk full')) : commit(one));
  }

  test('a run whose turn has come begins a minute later, although nothing else happens', async () => {
    desk = await createDesk({ deploy: deploy('maxRuns: 1') });
    for (const word of ['one', 'two']) await desk.red.say(desk.red.ana, `!deploy ${word}`);
    let isRefused = true;
    refuseWhile(({ run }) => isRefused && run?.events[0]?.type === 'run.admitted');
    await approve(0);
    await desk.settle();
    expect(await statuses()).toEqual(['succeeded', 'queued']);
    isRefused = false;
    desk.clock.pass(61_000);
    await desk.settle();
    expect(await statuses()).toEqual(['succeeded', 'waiting']);
  });

  test('one that can never begin keeps no other from its turn', async () => {
    desk = await createDesk({ deploy: deploy('maxRuns: 1') });
    for (const word of ['one', 'two', 'three']) await desk.red.say(desk.red.ana, `!deploy ${word}`);
    const [, second] = (await desk.store.runs({ limit: 9 })).toReversed();
    refuseWhile(({ run }) => run?.row.id === second?.id);
    await approve(0);
    desk.clock.pass(61_000);
    await desk.settle();
    expect(await statuses()).toEqual(['succeeded', 'queued', 'waiting']);
  });

  test('one whose start could not be stored is in nobody’s way', async () => {
    desk = await createDesk({ deploy: deploy('maxRuns: 1') });
    let starts = 0;
    refuseWhile(({ run }) => {
      if (run?.expectedRevision === 0) starts += 1;
      return run?.expectedRevision === 0 && starts === 1;
    });
    const { platform, ana, bo, here } = desk.red;
    await Promise.all([platform.command(ana, here, 'run deploy'), platform.command(bo, here, 'run deploy')]);
    await desk.settle();
    expect(await statuses()).toEqual(['waiting']);
  });

  test('a queued run of a version that can’t be read any more keeps Flowbot from nothing', async () => {
    desk = await createDesk({ deploy: deploy('maxRuns: 1') });
    for (const word of ['one', 'two']) await desk.red.say(desk.red.ana, `!deploy ${word}`);
    desk.store.version = () => Promise.resolve(undefined);
    desk = await desk.restart();
    expect(await told('run deploy')).toMatch(/^Queued run/);
    expect(desk.log.lines.map(({ message }) => message)).toContain('A queued run can never begin.');
  });
});
