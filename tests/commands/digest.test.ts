import { beforeEach, describe, expect, test } from 'vitest';
import { createDesk, type Desk } from './desk.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Every day at nine, what was said in #general is told in #releases. */
const digest = (history = '') => `
name: Digest
conversation: "red:#releases"
triggers: [{ type: schedule, cron: "0 9 * * *" }, { type: manual }]
steps:
  read: { type: history, conversation: "red:#general"${history} }
  post: { type: message, text: "{{read.text}}" }
`;

let desk: Desk;
/** The clock stands at Monday, 5 January 2026, 9:00 UTC. */
beforeEach(async () => {
  desk = await createDesk({ digest: digest() });
});

async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= HOUR_MS / 2) {
    desk.clock.pass(Math.min(left, HOUR_MS / 2));
    await desk.settle();
  }
}

const digests = async () =>
  (await desk.red.posts(desk.red.here)).map(({ text }) => text).filter((text) => text.includes('#general'));

describe('a daily digest', () => {
  test('covers exactly the time since the last one that was posted', async () => {
    const { ana, bo, elsewhere } = desk.red;
    await desk.red.say(ana, 'On Monday', elsewhere);
    await pass(DAY_MS + HOUR_MS);
    await desk.red.say(bo, 'On Tuesday', elsewhere);
    await desk.red.say(bo, 'Again', elsewhere);
    await pass(DAY_MS);
    expect(await digests()).toEqual([
      '#general: 1 message by 1 person from Mon 5 Jan 2026, 09:00 to Tue 6 Jan 2026, 09:00 (UTC).',
      '#general: 2 messages by 1 person from Tue 6 Jan 2026, 09:00 to Wed 7 Jan 2026, 09:00 (UTC).',
    ]);
  });

  test('after an outage the next one covers what the skipped ones would have', async () => {
    await pass(DAY_MS + HOUR_MS);
    await desk.bot.schedules.stop();
    await desk.red.platform.say(desk.red.ana, desk.red.elsewhere, 'While it was down');
    desk.clock.pass(DAY_MS + 3 * HOUR_MS);
    desk = await desk.restart();
    await pass(DAY_MS);
    const [, late] = await digests();
    expect(late).toBe(
      '#general: 1 message by 1 person from Tue 6 Jan 2026, 09:00 to Thu 8 Jan 2026, 09:00 (UTC).',
    );
  });

  test('a clock that was ahead for a moment leaves no gap', async () => {
    await pass(DAY_MS);
    const now = desk.clock.now();
    desk.clock.set(now + 365 * DAY_MS);
    await desk.settle();
    desk.clock.set(now);
    await pass(HOUR_MS);
    await desk.red.say(desk.red.ana, 'On Tuesday', desk.red.elsewhere);
    await pass(DAY_MS);
    expect((await digests()).at(-1)).toBe(
      '#general: 1 message by 1 person from Tue 6 Jan 2026, 09:00 to Wed 7 Jan 2026, 09:00 (UTC).',
    );
  });

  test('says that nobody wrote', async () => {
    await pass(DAY_MS);
    expect(await digests()).toEqual([
      'Nobody wrote in #general from Mon 5 Jan 2026, 09:00 to Tue 6 Jan 2026, 09:00 (UTC).',
    ]);
  });

  test('or stays silent', async () => {
    desk.load({ digest: digest(', whenEmpty: silent') });
    await desk.settle();
    await pass(DAY_MS);
    expect(await digests()).toEqual([]);
    expect(await desk.store.runs({ limit: 5 })).toMatchObject([{ status: 'succeeded' }]);
  });

  test('started by a person it covers the last day, or the time that the flow says', async () => {
    const { ana, elsewhere } = desk.red;
    await pass(3 * HOUR_MS);
    await desk.red.say(ana, 'At noon', elsewhere);
    await pass(HOUR_MS);
    await desk.red.flow(ana, 'run digest');
    desk.load({ digest: digest(', since: 30m') });
    await desk.red.flow(ana, 'run digest');
    expect(await digests()).toEqual([
      '#general: 1 message by 1 person from Sun 4 Jan 2026, 13:00 to Mon 5 Jan 2026, 13:00 (UTC).',
      'Nobody wrote in #general from Mon 5 Jan 2026, 12:30 to Mon 5 Jan 2026, 13:00 (UTC).',
    ]);
  });

  test('a conversation that is not there fails the run, and the conversation hears why', async () => {
    desk.load({ digest: digest().replace('red:#general', 'red:#nowhere') });
    await desk.settle();
    await pass(DAY_MS);
    expect(await desk.store.runs({ limit: 5 })).toMatchObject([{ status: 'failed' }]);
    const texts = (await desk.red.posts(desk.red.here)).map(({ text }) => text);
    expect(texts.join('\n')).toContain(
      'there is no conversation red:#nowhere, or Flowbot is not a member of it.',
    );
  });
});
