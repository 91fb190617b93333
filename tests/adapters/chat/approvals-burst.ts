import { setTimeout as after } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { answersIn, begin, cardOf, type Platform, release } from './approvals.ts';
import { onceShown } from './waiting.ts';

const crowd = 500;

/** Very many people press the same button in one moment. */
export function burstOn(platform: Platform): void {
  test(`C19: ${crowd} people press within one second on ${platform.name}: one answer counts, all others hear whose it was`, async () => {
    let passedMs = 0;
    const clock = {
      now: () => Date.now() + passedMs,
      pass(ms: number) {
        passedMs += ms;
      },
    };
    const stage = await platform.open({ release: release() }, {}, clock);
    const members = stage.addPeople(crowd);
    const asked = await begin(stage);
    const { desk, message, button, thread } = asked;
    // A tenth of them every 90 ms of real time: people are not quicker together than one second.
    const presses = members.map((person) => ({ person, message, button }));
    const waves = Array.from({ length: 10 }, (_, wave) => presses.filter((_, nth) => nth % 10 === wave));
    await Promise.all(
      waves.map(async (wave, nth) => {
        await after(nth * 90);
        await desk.clickBurst(wave);
      }),
    );
    await onceShown(desk, thread, 'has succeeded');
    const [answer, ...more] = await answersIn(asked);
    expect(more).toEqual([]);
    const losers = members.filter(({ id }) => id !== answer?.by.id);
    expect(losers).toHaveLength(crowd - 1);
    let told = 0;
    await desk.until(async () => {
      for (let loser = losers[told]; loser && (await desk.privates(loser)).length > 0; loser = losers[told]) {
        told += 1;
      }
      return told === losers.length;
    });
    await desk.quiet();
    for (const loser of losers) {
      const heard = await desk.privates(loser);
      expect(heard).toHaveLength(1);
      expect(heard[0]?.text).toContain(`${answer?.by.name} has already answered “Approve”`);
    }
    expect(await desk.messages(desk.otherChannel)).toHaveLength(1);
    expect((await cardOf(asked)).buttons).toEqual([]);
    expect((await cardOf(asked)).text).toContain(`Approved by ${answer?.by.name}`);
    // How soon is measured in bench/crowd.ts.
    expect(stage.waits().filter(Number.isFinite)).toHaveLength(crowd);
    expect(stage.complaints()).toEqual([]);
  }, 60_000);
}
