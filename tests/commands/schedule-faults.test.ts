import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { scheduleHands } from '../../src/commands/schedule-hands.ts';
import { ChatUnavailable } from '../../src/ports/chat.ts';
import { createSchedules, type Schedules } from '../../src/runner/schedules.ts';
import { createDesk, type Desk } from './desk.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const digest = (schedule: string, more = '') => `
name: Digest
conversation: "red:#releases"
triggers: [{ type: manual }, { type: schedule, ${schedule} }]
${more}
steps: { say: { type: message, text: "Digest for {{start.json.dueAt}}" } }
`;

let desk: Desk;
/** Other processes of a test. */
const others: Schedules[] = [];
afterEach(async () => {
  for (const other of others.splice(0)) await other.stop();
});

async function pass(ms: number, stepMs = MINUTE_MS): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    desk.clock.pass(Math.min(left, stepMs));
    await desk.settle();
  }
}

/** The schedules of another process on the same store begin. */
async function startAnother(): Promise<void> {
  const another = createSchedules(desk.bot);
  others.push(another);
  await another.start(scheduleHands(desk.bot));
}

const posts = async () => (await desk.red.posts(desk.red.here)).map(({ text }) => text);
const digests = async () =>
  (await posts()).flatMap((text) => /^Digest for .*T(\d\d:\d\d):00\.000Z$/.exec(text)?.[1] ?? []);
const news = async () => (await posts()).filter((text) => /^Digest: /.test(text));

/** Lets the store refuse one of its writes, counted from now on. */
function refuseWrite(nth: number): void {
  const { store } = desk;
  const { commit, saveSchedules, saveVersion } = store;
  let writes = 0;
  const refuse = () => {
    writes += 1;
    return writes === nth;
  };
  const failed = () => Promise.reject(new Error('disk full'));
  store.commit = (one) => (refuse() ? failed() : commit(one));
  store.saveSchedules = (changed, gone) => (refuse() ? failed() : saveSchedules(changed, gone));
  store.saveVersion = (hash, definition) => (refuse() ? failed() : saveVersion(hash, definition));
}

/** Lets the conversations of the platform be out of reach until the answer is called. */
function cutOff(): () => void {
  const { chat } = desk.red.platform;
  const { conversation } = chat;
  chat.conversation = () => Promise.reject(new ChatUnavailable('no connection'));
  return () => {
    chat.conversation = conversation;
  };
}

describe('whichever write the store refuses', () => {
  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])('the %i., no time is lost or doubled', async (nth) => {
    desk = await createDesk({ digest: digest('cron: "0 * * * *"') });
    refuseWrite(nth);
    await pass(3 * HOUR_MS + 2 * MINUTE_MS);
    expect(await digests()).toEqual(['10:00', '11:00', '12:00']);
    expect(await news()).toEqual([]);
  });

  test('a schedule that could not be stored begins where it was taken up', async () => {
    desk = await createDesk({});
    await pass(59 * MINUTE_MS + 30_000, 30_000);
    refuseWrite(1);
    desk.load({ digest: digest('cron: "0 * * * *"') });
    await desk.settle();
    await pass(5 * MINUTE_MS);
    expect(await digests()).toEqual(['10:00']);
  });

  test('a flow that is switched off catches up with nothing, even if that could not be stored at once', async () => {
    desk = await createDesk({ digest: digest('cron: "*/30 * * * *"') });
    const { saveSchedules } = desk.store;
    desk.store.saveSchedules = () => Promise.reject(new Error('disk full'));
    await desk.red.flow(desk.red.ada, 'disable digest');
    desk.store.saveSchedules = saveSchedules;
    await pass(HOUR_MS + 50 * MINUTE_MS);
    await desk.red.flow(desk.red.ada, 'enable digest');
    await pass(20 * MINUTE_MS);
    expect(await digests()).toEqual(['11:00']);
  });
});

describe('runs of the same look', () => {
  test('are in nobody’s way when the look is repeated, as after a crash', async () => {
    desk = await createDesk({
      digest: digest('cron: "0 * * * *"', '').replace(/ \}\n$/, ', ask: { type: approval } }\n'),
    });
    const { saveSchedules } = desk.store;
    desk.store.saveSchedules = () => Promise.reject(new Error('crashed'));
    await pass(HOUR_MS + 30_000, 30_000);
    desk.store.saveSchedules = saveSchedules;
    desk = await desk.restart();
    await desk.settle();
    expect(await digests()).toEqual(['10:00']);
    expect(await news()).toEqual([]);
  });

  test('all start that are made up for together, although the first has not ended when the others can', async () => {
    desk = await createDesk({
      digest: digest('cron: "*/5 * * * *", catchUp: all, catchUpMax: 3').replace(
        / \}\n$/,
        ', ask: { type: approval } }\n',
      ),
    });
    await pass(MINUTE_MS);
    await desk.bot.schedules.stop();
    desk.clock.pass(31 * MINUTE_MS);
    // The second start of the next process fails.
    const { commit } = desk.store;
    let starts = 0;
    desk.store.commit = (one) => {
      if (one.run?.expectedRevision === 0) starts += 1;
      return one.run?.expectedRevision === 0 && starts === 2
        ? Promise.reject(new Error('disk full'))
        : commit(one);
    };
    desk = await desk.restart();
    await pass(2 * MINUTE_MS);
    expect(await digests()).toEqual(['09:20', '09:25', '09:30']);
  });
});

describe('a conversation that is out of reach', () => {
  test('gets its run as soon as it is there again, and hears then what was skipped', async () => {
    desk = await createDesk({ digest: digest('cron: "*/30 * * * *"') });
    await desk.bot.schedules.stop();
    desk.clock.pass(3 * HOUR_MS + 5 * MINUTE_MS);
    const back = cutOff();
    await startAnother();
    await pass(10 * MINUTE_MS);
    expect(await posts()).toEqual([]);
    back();
    await pass(2 * MINUTE_MS);
    expect(await digests()).toEqual(['12:00']);
    expect(await news()).toEqual([expect.stringMatching(/5 runs were skipped/)]);
  });

  test('is not told that a run was skipped which has started', async () => {
    desk = await createDesk({
      digest: digest('cron: "*/5 * * * *", catchUp: all, catchUpMax: 3, overlap: allow'),
    });
    await desk.bot.schedules.stop();
    desk.clock.pass(16 * MINUTE_MS);
    const { chat } = desk.red.platform;
    const { conversation } = chat;
    let asked = 0;
    chat.conversation = (address) => {
      asked += 1;
      return asked === 1 ? conversation(address) : Promise.reject(new ChatUnavailable('no connection'));
    };
    await startAnother();
    await pass(12 * MINUTE_MS);
    chat.conversation = conversation;
    await pass(2 * MINUTE_MS);
    expect((await digests()).toSorted()).toEqual(['09:05', '09:15', '09:20', '09:25', '09:30']);
    expect(await news()).toEqual([expect.stringContaining('The run for Mon 5 Jan 2026, 09:10 was skipped')]);
  });

  test('beyond grace it is skipped, and the conversation hears of it when it is there again', async () => {
    desk = await createDesk({ digest: digest('cron: "0 10 * * *"') });
    const back = cutOff();
    await pass(3 * HOUR_MS, 10 * MINUTE_MS);
    back();
    await pass(2 * MINUTE_MS);
    expect(await digests()).toEqual([]);
    expect(await news()).toEqual([
      'Digest: The run for Mon 5 Jan 2026, 10:00 was skipped, because Flowbot was not running or not connected.',
    ]);
  });
});

test('whatever goes wrong in whichever order, each time that may be made up for gets its run, once', async () => {
  const trouble = fc.oneof(
    fc.record({ kind: fc.constant('pass' as const), minutes: fc.integer({ min: 1, max: 40 }) }),
    fc.record({ kind: fc.constant('down' as const), minutes: fc.integer({ min: 1, max: 90 }) }),
    fc.record({ kind: fc.constant('out of reach' as const), minutes: fc.integer({ min: 1, max: 90 }) }),
    fc.record({ kind: fc.constant('refused write' as const), minutes: fc.integer({ min: 1, max: 15 }) }),
    fc.record({ kind: fc.constant('clock set back' as const), minutes: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ kind: fc.constant('read again' as const), minutes: fc.integer({ min: 1, max: 5 }) }),
  );
  const flow = digest(
    'cron: "*/5 * * * *", catchUp: all, catchUpMax: 100, grace: 31d, jitter: 2m, overlap: allow',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(trouble, { minLength: 1, maxLength: 8 }), async (troubles) => {
      desk = await createDesk({ digest: flow });
      let latestMs = desk.clock.now();
      for (const { kind, minutes } of troubles) {
        switch (kind) {
          case 'pass':
            await pass(minutes * MINUTE_MS);
            break;
          case 'down':
            await desk.bot.schedules.stop();
            desk.clock.pass(minutes * MINUTE_MS);
            desk = await desk.restart();
            break;
          case 'out of reach': {
            const back = cutOff();
            await pass(minutes * MINUTE_MS);
            back();
            break;
          }
          case 'refused write':
            refuseWrite(minutes);
            break;
          case 'clock set back':
            desk.clock.set(desk.clock.now() - minutes * MINUTE_MS);
            break;
          case 'read again':
            desk.load({ digest: flow });
        }
        latestMs = Math.max(latestMs, desk.clock.now());
      }
      await pass(latestMs - desk.clock.now() + 15 * MINUTE_MS);
      const dues: string[] = [];
      const lastMs = desk.clock.now() - 5 * MINUTE_MS;
      for (let dueMs = Date.UTC(2026, 0, 5, 9, 5); dueMs < lastMs; dueMs += 5 * MINUTE_MS)
        dues.push(new Date(dueMs).toISOString().slice(11, 16));
      // Earlier ones come too, by jitter or when the clock is set back.
      const made = (await digests()).filter((time) => time >= '09:05').toSorted();
      expect(made.slice(0, dues.length)).toEqual(dues);
      expect(await news()).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

test('two processes on one store look at the same moment: one run, one line of news', async () => {
  desk = await createDesk({
    digest: digest('cron: "*/5 * * * *"').replace(/ \}\n$/, ', ask: { type: approval } }\n'),
  });
  await pass(MINUTE_MS);
  await desk.bot.schedules.stop();
  desk.clock.pass(31 * MINUTE_MS);
  await Promise.all([startAnother(), startAnother()]);
  await desk.settle();
  expect(await digests()).toEqual(['09:30']);
  expect(await news()).toEqual([expect.stringMatching(/5 runs were skipped/)]);
});

test('what people pause in the middle of a look does not start any more', async () => {
  const flows = Array.from({ length: 120 }, (_, n) => [`d${n}`, digest('cron: "0 * * * *"')] as const);
  desk = await createDesk(Object.fromEntries(flows));
  const { saveSchedules } = desk.store;
  desk.store.saveSchedules = async (changed, gone) => {
    await saveSchedules(changed, gone);
    if (changed.length > 1) desk.bot.catalog.setPaused({ atMs: desk.clock.now(), why: '' });
  };
  desk.clock.pass(HOUR_MS);
  await desk.settle();
  expect(await digests()).toHaveLength(50);
});

test('flow files that are read again in the middle of a look change nothing', async () => {
  const flows = Array.from({ length: 120 }, (_, n) => [`d${n}`, digest('cron: "0 * * * *"')] as const);
  desk = await createDesk(Object.fromEntries(flows));
  const { saveSchedules } = desk.store;
  desk.store.saveSchedules = async (changed, gone) => {
    desk.store.saveSchedules = saveSchedules;
    await saveSchedules(changed, gone);
    desk.load(Object.fromEntries(flows.slice(0, 100)));
  };
  await pass(HOUR_MS + 2 * MINUTE_MS);
  expect(await digests()).toHaveLength(100);
});

test('failures before a flow was switched off do not count against it', async () => {
  desk = await createDesk({
    digest: `
name: Digest
conversation: "red:#releases"
triggers: [{ type: schedule, cron: "0 * * * *", pauseAfterFailures: 2 }]
steps: { say: { type: template, text: "{{input.nothing}}" } }
input: { type: object, properties: { nothing: { type: string } } }
`,
  });
  await pass(3 * HOUR_MS, 10 * MINUTE_MS);
  await desk.red.flow(desk.red.ada, 'schedule resume digest');
  await desk.red.flow(desk.red.ada, 'pause');
  await desk.red.flow(desk.red.ada, 'resume');
  await pass(HOUR_MS, 10 * MINUTE_MS);
  expect(await desk.store.runs({ schedule: 'digest', limit: 10 })).toHaveLength(3);
  expect(await news()).toHaveLength(1);
});
