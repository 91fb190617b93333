import { beforeEach, describe, expect, test } from 'vitest';
import { createDesk, type Desk, type FlowTexts } from './desk.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A flow that is due by a schedule and lives in #releases. */
const scheduled = (schedule: string, more = '') => `
name: Digest
conversation: "red:#releases"
triggers: [{ type: manual }, { type: schedule, ${schedule} }]
${more}
steps: { say: { type: message, text: "Digest for {{start.json.dueAt}}" } }
`;

let desk: Desk;

/** The clock of a desk stands at Monday, 5 January 2026, 9:00 UTC. */
async function open(flows: FlowTexts): Promise<Desk> {
  desk = await createDesk(flows);
  return desk;
}

/** Lets time pass as it does: in steps, so that everything that is due on the way happens. */
async function pass(ms: number, stepMs = 5 * MINUTE_MS): Promise<void> {
  for (let left = ms; left > 0; left -= stepMs) {
    desk.clock.pass(Math.min(left, stepMs));
    await desk.settle();
  }
}

const posts = async () => (await desk.red.posts(desk.red.here)).map(({ text }) => text);
const digests = async () =>
  (await posts()).flatMap((text) => /^Digest for (.*):00\.000Z$/.exec(text)?.[1] ?? []);
const news = async () => (await posts()).filter((text) => /^Digest: /.test(text));

/** What somebody is told, on one line. */
const told = async (text: string, person = desk.red.ana) =>
  (await desk.red.flow(person, text)).text.trim().replaceAll(/\s*\n\s*/g, ' | ');

describe('runs start when their time comes', () => {
  test('each at its own, once, in the flow’s conversation', async () => {
    await open({ digest: scheduled('cron: "0 10,12 * * *"') });
    await pass(DAY_MS + 4 * HOUR_MS, 30 * MINUTE_MS);
    expect(await digests()).toEqual([
      '2026-01-05T10:00',
      '2026-01-05T12:00',
      '2026-01-06T10:00',
      '2026-01-06T12:00',
    ]);
    expect(await news()).toEqual([]);
  });

  test('without a card, unless they need people or go wrong', async () => {
    await open({
      digest: scheduled('cron: "0 10 * * *"'),
      asks: scheduled('cron: "0 11 * * *"').replace(/ \}\n$/, ', ask: { type: approval } }\n'),
      fails: `
name: Fails
conversation: "red:#releases"
triggers: [{ type: schedule, cron: "0 12 * * *" }]
input: { type: object, properties: { nothing: { type: string } } }
steps: { say: { type: template, text: "{{input.nothing}}" } }
`,
    });
    await pass(4 * HOUR_MS);
    const [first, ...more] = await posts();
    expect(first).toBe('Digest for 2026-01-05T10:00:00.000Z');
    expect(more).toEqual([
      expect.stringMatching(/^Digest for 2026-01-05T11/),
      expect.stringMatching(/^⏸️ Digest is waiting/),
      expect.stringMatching(/^❌ Fails has failed/),
    ]);
  });

  test('several schedules of one flow, each with its own input', async () => {
    await open({
      digest: `
name: Digest
conversation: "red:#releases"
input: { type: object, properties: { team: { type: string } }, required: [team] }
triggers:
  - { type: schedule, cron: "0 10 * * *", input: { team: blue } }
  - { type: schedule, every: 2h, input: { team: green } }
steps: { say: { type: message, text: "{{input.team}} {{start.json.schedule}}" } }
`,
    });
    await pass(2 * HOUR_MS);
    const said = (await posts()).filter((text) => /^(?:blue|green)/.test(text));
    expect(said.toSorted()).toEqual(['blue digest', 'green digest#2']);
  });

  test('a restart neither repeats nor forgets one', async () => {
    await open({ digest: scheduled('cron: "*/30 * * * *"') });
    await pass(35 * MINUTE_MS);
    desk = await desk.restart();
    await pass(30 * MINUTE_MS);
    expect(await digests()).toEqual(['2026-01-05T09:30', '2026-01-05T10:00']);
  });

  test('a flow that is switched off starts nothing, and catches up with nothing when it is switched on', async () => {
    await open({ digest: scheduled('cron: "*/30 * * * *"') });
    await desk.red.flow(desk.red.ada, 'disable digest');
    await pass(2 * HOUR_MS + 10 * MINUTE_MS);
    await desk.red.flow(desk.red.ada, 'enable digest');
    await pass(30 * MINUTE_MS);
    expect(await digests()).toEqual(['2026-01-05T11:30']);
  });

  test('C35: what is due in 400 days is not due at once', async () => {
    await open({ digest: scheduled('at: "2027-02-09T09:00"') });
    await pass(30 * DAY_MS, DAY_MS);
    expect(await digests()).toEqual([]);
    expect(await told('schedule show digest')).toContain(
      'Tue 9 Feb 2027, 09:00, in 370 days (2027-02-09T09:00:00.000Z)',
    );
  });
});

describe('after an outage', () => {
  /** Down for a while. */
  async function downFor(ms: number): Promise<void> {
    await desk.bot.schedules.stop();
    desk.clock.pass(ms);
    desk = await desk.restart();
    await desk.settle();
  }

  test('C41: the latest is made up for, and the channel hears of the others once', async () => {
    await open({ digest: scheduled('cron: "*/5 * * * *"') });
    await pass(2 * MINUTE_MS, MINUTE_MS);
    await downFor(61 * MINUTE_MS);
    expect(await digests()).toEqual(['2026-01-05T10:00']);
    expect(await news()).toEqual([
      'Digest: 11 runs were skipped, from Mon 5 Jan 2026, 09:05 to Mon 5 Jan 2026, 09:55, because Flowbot was not running or not connected; the one for Mon 5 Jan 2026, 10:00 starts now.',
    ]);
    desk = await desk.restart();
    await desk.settle();
    expect(await news()).toHaveLength(1);
  });

  test('C41: none, or all up to a number, oldest first', async () => {
    await open({
      none: scheduled('cron: "*/5 * * * *", catchUp: none').replace('Digest for', 'None for'),
      digest: scheduled('cron: "*/5 * * * *", catchUp: all, catchUpMax: 3'),
    });
    await pass(2 * MINUTE_MS, MINUTE_MS);
    await downFor(61 * MINUTE_MS);
    expect(await digests()).toEqual(['2026-01-05T09:50', '2026-01-05T09:55', '2026-01-05T10:00']);
    expect((await posts()).filter((text) => text.startsWith('None for'))).toEqual([]);
    await pass(5 * MINUTE_MS, MINUTE_MS);
    expect((await posts()).filter((text) => text.startsWith('None for'))).toEqual([
      'None for 2026-01-05T10:05:00.000Z',
    ]);
  });

  test('more than are counted are told as so many', async () => {
    await open({ digest: scheduled('every: 1m') });
    await pass(2 * MINUTE_MS, MINUTE_MS);
    await downFor(2 * DAY_MS);
    expect(await news()).toEqual([
      'Digest: 1000 runs or more were skipped, the first for Mon 5 Jan 2026, 09:03, because Flowbot was not running or not connected; the one for Wed 7 Jan 2026, 09:02 starts now.',
    ]);
  });

  test('what is later than its grace is skipped, with a word', async () => {
    await open({ digest: scheduled('cron: "0 10 * * *"') });
    await downFor(3 * HOUR_MS);
    expect(await digests()).toEqual([]);
    expect(await news()).toEqual([
      'Digest: The run for Mon 5 Jan 2026, 10:00 was skipped, because Flowbot was not running or not connected.',
    ]);
  });
});

describe('a changed flow', () => {
  test('C40: with other times it goes on from now', async () => {
    await open({ digest: scheduled('cron: "0 * * * *"') });
    await pass(HOUR_MS + 20 * MINUTE_MS);
    desk.load({ digest: scheduled('every: 3h') });
    await desk.settle();
    expect(await told('schedule show digest')).toContain('Mon 5 Jan 2026, 12:00, in 2 hours');
    await pass(2 * HOUR_MS);
    expect(await digests()).toEqual(['2026-01-05T10:00', '2026-01-05T12:00']);
  });

  test('with the same times it keeps its place', async () => {
    await open({ digest: scheduled('cron: "0 * * * *"') });
    await pass(30 * MINUTE_MS);
    desk.load({ digest: scheduled('cron: "0 * * * *"', 'description: another text') });
    await pass(HOUR_MS);
    expect(await digests()).toEqual(['2026-01-05T10:00']);
  });
});

describe('C43: clocks that jump', () => {
  test('set back ten minutes just after a run, no second run starts for the same time', async () => {
    await open({ digest: scheduled('cron: "0 * * * *"') });
    await pass(HOUR_MS + MINUTE_MS, MINUTE_MS);
    desk.clock.set(desk.clock.now() - 10 * MINUTE_MS);
    await pass(20 * MINUTE_MS, MINUTE_MS);
    expect(await digests()).toEqual(['2026-01-05T10:00']);
    await pass(HOUR_MS);
    expect(await digests()).toEqual(['2026-01-05T10:00', '2026-01-05T11:00']);
  });

  test('a year ahead for a moment does not silence it', async () => {
    await open({ digest: scheduled('cron: "0 * * * *"') });
    const now = desk.clock.now();
    desk.clock.set(now + 365 * DAY_MS);
    await desk.settle();
    desk.clock.set(now);
    await pass(HOUR_MS + MINUTE_MS, MINUTE_MS);
    expect(await digests()).toContain('2026-01-05T10:00');
  });
});

describe('while the last run has not ended', () => {
  const asking = (overlap: string) => `
name: Digest
conversation: "red:#releases"
triggers: [{ type: schedule, cron: "0 * * * *", overlap: ${overlap} }]
steps:
  say: { type: message, text: "Digest for {{start.json.dueAt}}" }
  ask: { type: approval }
`;

  test('the next ones are skipped, with one word about it', async () => {
    await open({ digest: asking('skip') });
    await pass(3 * HOUR_MS + MINUTE_MS);
    expect(await digests()).toEqual(['2026-01-05T10:00']);
    expect(await news()).toEqual([
      expect.stringMatching(
        /^Digest: The last run \(\S+\) has not ended. Until it has, the next ones are skipped\.$/,
      ),
    ]);
  });

  test('unless they are allowed', async () => {
    await open({ digest: asking('allow') });
    await pass(2 * HOUR_MS + MINUTE_MS);
    expect(await digests()).toEqual(['2026-01-05T10:00', '2026-01-05T11:00']);
  });
});

test('so many failures in a row pause it, and the channel is told', async () => {
  await open({
    digest: `
name: Digest
conversation: "red:#releases"
triggers: [{ type: schedule, cron: "0 * * * *", pauseAfterFailures: 2 }]
steps: { say: { type: template, text: "{{input.nothing}}" } }
input: { type: object, properties: { nothing: { type: string } } }
`,
  });
  await pass(5 * HOUR_MS);
  expect(await desk.store.runs({ schedule: 'digest', limit: 10 })).toHaveLength(2);
  expect(await news()).toEqual([
    'Digest: The schedule is paused: 2 runs in a row have failed. When that is mended: /flow schedule resume digest',
  ]);
  expect(await told('schedule list')).toBe(
    '- digest: Digest, every day, every hour on the hour (UTC). Paused: 2 runs in a row have failed.',
  );
  expect(await told('schedule resume digest')).toContain('digest goes on. Next: Mon 5 Jan 2026, 15:00');
  await pass(HOUR_MS);
  expect(await desk.store.runs({ schedule: 'digest', limit: 10 })).toHaveLength(3);
});

describe('/flow schedule', () => {
  beforeEach(async () => {
    await open({ digest: scheduled('cron: "30 9 * * 1-5", timezone: Europe/Berlin') });
  });

  test('shows what comes, in words and instants', async () => {
    expect(await told('schedule')).toBe(
      '- digest: Digest, weekdays at 09:30 (Europe/Berlin). Next: Tue 6 Jan 2026, 09:30, in 24 hours.',
    );
    expect(await told('schedule show digest')).toBe(
      [
        'Digest: weekdays at 09:30 (Europe/Berlin)',
        'Next:',
        '- Tue 6 Jan 2026, 09:30, in 24 hours (2026-01-06T08:30:00.000Z)',
        '- Wed 7 Jan 2026, 09:30, in 2 days (2026-01-07T08:30:00.000Z)',
        '- Thu 8 Jan 2026, 09:30, in 3 days (2026-01-08T08:30:00.000Z)',
        '- Fri 9 Jan 2026, 09:30, in 4 days (2026-01-09T08:30:00.000Z)',
        '- Mon 12 Jan 2026, 09:30, in 7 days (2026-01-12T08:30:00.000Z)',
      ].join(' | '),
    );
  });

  test('runs one now, and shows it', async () => {
    expect(await told('schedule run digest')).toMatch(/^Started run \S+\.$/);
    expect(await digests()).toEqual(['2026-01-05T09:00']);
    expect(await told('schedule show digest')).toMatch(
      /Last runs: \| - \S+ succeeded, started Mon 5 Jan 2026, 10:00$/,
    );
  });

  test('C41: a pause skips, also over a restart', async () => {
    expect(await told('schedule pause digest holidays')).toBe(
      'digest is paused: its times are skipped until it is resumed.',
    );
    expect(await told('schedule pause digest')).toBe('digest is paused already.');
    desk = await desk.restart();
    await pass(2 * DAY_MS, HOUR_MS);
    expect(await told('schedule')).toBe(
      '- digest: Digest, weekdays at 09:30 (Europe/Berlin). Paused by Ana: holidays.',
    );
    expect(await told('schedule resume digest')).toBe(
      'digest goes on. Next: Thu 8 Jan 2026, 09:30, in 24 hours.',
    );
    await pass(DAY_MS, HOUR_MS);
    expect(await digests()).toEqual(['2026-01-08T08:30']);
    expect(await news()).toEqual([]);
  });

  test.each([
    ['schedule frobnicate', '“frobnicate” is none of list, show, pause, resume, run.'],
    ['schedule show', 'Say which schedule. /flow schedule list shows them.'],
    ['schedule show nothing', 'There is no schedule nothing. /flow schedule list shows them.'],
    ['schedule resume digest', 'digest is not paused.'],
  ])('/flow %s', async (typed, answer) => {
    expect(await told(typed)).toBe(answer);
  });

  test('knows a schedule in whatever case, and each of several of one flow', async () => {
    desk.load({
      Weekly: scheduled('every: 2h').replace(']\n', ', { type: schedule, cron: "0 12 * * *" }]\n'),
    });
    await desk.settle();
    expect(await told('schedule PAUSE WEEKLY#2 *why* @everyone')).toBe(
      'Weekly#2 is paused: its times are skipped until it is resumed.',
    );
    expect(await told('schedule show weekly#2')).toContain('Paused by Ana: *why* @everyone.');
    expect(await told('schedule show weekly')).toContain('every 2 hours');
    expect(await told('schedule show weekly#3')).toContain('There is no schedule weekly#3.');
  });

  test('while everything is paused it says so, to whomever asks', async () => {
    await desk.red.flow(desk.red.ada, 'pause moving house');
    for (const action of ['show', 'pause', 'resume', 'run'])
      expect(await told(`schedule ${action} digest`)).toBe(
        'Nothing starts at the moment: Ada has paused Flowbot (moving house).',
      );
  });

  test('of a flow that is switched off, none is shown', async () => {
    await told('disable digest', desk.red.ada);
    expect(await told('schedule')).toBe('There are no schedules.');
    expect(await told('schedule show digest')).toBe('Digest is switched off.');
  });

  test('who may not start the flow may not steer its schedule', async () => {
    desk.load({ digest: scheduled('cron: "30 9 * * 1-5"', 'allow: { users: ["red:U0BO"] }') });
    await desk.settle();
    expect(await told('schedule pause digest')).toBe('Only red:U0BO may start Digest.');
    expect(await told('schedule pause digest', desk.red.bo)).toContain('is paused');
  });
});

describe('/flow pause and resume', () => {
  test('nothing starts, neither by people nor by time; then everything goes on, and nothing is caught up with', async () => {
    await open({ digest: scheduled('cron: "*/30 * * * *"') });
    expect(await told('pause')).toBe('Only admins may pause everything.');
    expect(await told('pause moving house', desk.red.ada)).toContain('Everything is paused');
    const paused = 'Nothing starts at the moment: Ada has paused Flowbot (moving house).';
    for (const typed of ['run digest', 'schedule list', 'schedule run digest']) {
      expect(await told(typed)).toBe(paused);
    }
    expect(await told('list')).toBe(`${paused} | - Digest (/flow run digest or by its schedule)`);
    desk = await desk.restart();
    await pass(2 * HOUR_MS + MINUTE_MS);
    expect(await digests()).toEqual([]);
    expect(await told('resume')).toBe('Only admins may resume everything.');
    expect(await told('resume', desk.red.ada)).toContain('Runs start again.');
    await pass(30 * MINUTE_MS);
    expect(await digests()).toEqual(['2026-01-05T11:30']);
  });
});

test('a reason of any length is told by its beginning', async () => {
  await open({ digest: scheduled('every: 1h') });
  const long = 'x'.repeat(60_000);
  await desk.red.flow(desk.red.ana, `schedule pause digest ${long}`);
  expect((await told('schedule')).length).toBeLessThan(500);
  await desk.red.flow(desk.red.ada, `pause ${long}`);
  expect((await told('run digest')).length).toBeLessThan(500);
});

test('/flow reload says what is new and what is wrong, to admins', async () => {
  await open({ digest: scheduled('every: 1h') });
  expect(await told('reload')).toBe('Only admins may reload flows.');
  expect(await told('reload', desk.red.ada)).toBe('1 flows can be run, as before.');
});

test('a time that can’t start is told in one line, until a run has started again', async () => {
  await open({
    digest: `
name: Digest
conversation: "red:#releases"
maxRuns: 1
whenFull: refuse
triggers: [{ type: manual }, { type: schedule, cron: "0 * * * *", overlap: allow }]
steps: { ask: { type: approval } }
`,
  });
  await desk.red.flow(desk.red.ana, 'run digest');
  await pass(3 * HOUR_MS + MINUTE_MS);
  expect(await news()).toEqual([
    'Digest: The run for Mon 5 Jan 2026, 12:00 could not start: Digest can’t start now: a run of it has not ended.',
  ]);
});

test('of runs that queue behind each other ten wait at most', async () => {
  await open({
    digest: `
name: Digest
conversation: "red:#releases"
triggers: [{ type: schedule, every: 1m, overlap: queue }]
steps: { ask: { type: approval } }
`,
  });
  await pass(20 * MINUTE_MS, MINUTE_MS);
  const statuses = (await desk.store.runs({ limit: 99 })).map(({ status }) => status);
  expect(statuses.filter((status) => status === 'queued')).toHaveLength(10);
  expect(statuses).toHaveLength(11);
  expect(await news()).toHaveLength(1);
});
