import { beforeAll, expect, test } from 'vitest';
import { dieAtEach } from './lanes.ts';
import type { EndsAt } from './life.ts';
import { type Stories, storiesOf } from './process-people.ts';
import { createSlackPlatform } from './slack.ts';

/**
 * As `process.test.ts`, on Slack: the first point of every sixth kind that touches the platform. `CRASH_STRIDE` tries all kinds, and adds
 * every twentieth point.
 */
const stride = 20;
const kindStride = process.env.CRASH_STRIDE === undefined ? 6 : 1;
const flows = ['release'] as const;

let undisturbed: { readonly stories: Stories; readonly points: readonly string[] };

beforeAll(async () => {
  undisturbed = await storiesOf(await createSlackPlatform(), flows);
});

const die = (ends: readonly EndsAt[]) =>
  dieAtEach(ends, { platform: createSlackPlatform, flows, stories: undisturbed.stories });

test('C26 C31: killed where it meets Slack and started again, everything is posted once and the run ends the same', async () => {
  const kinds = new Set(undisturbed.points);
  const meeting = [...kinds].filter((point) => /^(?:before|after) (?:post|edit|find|receive)/.test(point));
  expect(meeting.length).toBeGreaterThan(4);
  const tried = meeting.filter((_, index) => index % kindStride === 0);
  await die(tried.map((of) => ({ nth: 1, of })));
}, 600_000);

if (process.env.CRASH_STRIDE !== undefined) {
  test(`the same at every ${stride}th point`, async () => {
    const all = undisturbed.points.map((_, index): EndsAt => ({ nth: index + 1 }));
    await die(all.filter((_, index) => index % stride === 0));
  }, 1_200_000);
}
