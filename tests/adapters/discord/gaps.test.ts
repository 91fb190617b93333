import { GatewayDispatchEvents } from 'discord.js';
import { describe, expect, test } from 'vitest';
import { createGaps } from '../../../src/adapters/discord/gaps.ts';
import { createHandClock } from '../../fakes/clock.ts';

const one = '200000000000000001';
const two = '200000000000000002';

/** Events, in order; what was told as missing is in seconds since the first. */
function watch(heardS?: number) {
  const clock = createHandClock();
  const beganMs = clock.now();
  const missing: (readonly [sinceS: number, server: string | undefined])[] = [];
  const gaps = createGaps({
    clock,
    onGap: (sinceMs, server) => void missing.push([(sinceMs - beganMs) / 1_000, server]),
  });
  gaps.begin(heardS === undefined ? undefined : beganMs + heardS * 1_000);
  return {
    missing,
    at(second: number, t: string, d: unknown = {}, shard = 0) {
      clock.pass(beganMs + second * 1_000 - clock.now());
      // As it comes over the wire: of any type and shape.
      Reflect.apply(gaps.heard, gaps, [{ t, d }, shard]);
    },
  };
}

const ready = (...guilds: readonly string[]) => ({ guilds: guilds.map((id) => ({ id, unavailable: true })) });
const { Ready, GuildCreate, GuildDelete, MessageCreate } = GatewayDispatchEvents;

describe('what may have been missed', () => {
  test('is nothing at the very first start', () => {
    const { at, missing } = watch();
    at(1, Ready, ready(one));
    at(2, GuildCreate, { id: one });
    expect(missing).toEqual([]);
  });

  test('is what the last process did not hear, of each server when it is there', () => {
    const { at, missing } = watch(-60);
    at(1, Ready, ready(one, two));
    at(2, GuildCreate, { id: one });
    expect(missing).toEqual([
      [-60, undefined],
      [-60, one],
    ]);
    at(900, GuildCreate, { id: two });
    expect(missing.slice(2)).toEqual([[-60, two]]);
  });

  test('is what lies between two sessions', () => {
    const { at, missing } = watch();
    at(0, Ready, ready(one));
    at(1, GuildCreate, { id: one });
    at(30, MessageCreate);
    at(100, Ready, ready(one));
    at(101, GuildCreate, { id: one });
    expect(missing).toEqual([
      [30, undefined],
      [30, one],
    ]);
  });

  test('is what happened in a server that could not be reached, even over several sessions', () => {
    const { at, missing } = watch();
    at(0, Ready, ready(one));
    at(1, GuildCreate, { id: one });
    at(10, GuildDelete, { id: one, unavailable: true });
    at(20, MessageCreate);
    at(30, Ready, ready(one));
    at(40, GuildCreate, { id: one });
    expect(missing).toContainEqual([10, one]);
  });

  test('is nothing in a server that the bot has left, or was let into', () => {
    const { at, missing } = watch(-60);
    at(1, Ready, ready(one));
    at(2, GuildDelete, { id: one });
    at(3, GuildCreate, { id: one });
    at(4, GuildCreate, { id: two });
    expect(missing).toEqual([[-60, undefined]]);
  });

  test('is known for each connection; direct conversations are on the first', () => {
    const { at, missing } = watch();
    at(0, Ready, ready(one), 0);
    at(1, Ready, ready(two), 1);
    at(50, MessageCreate, {}, 0);
    at(60, Ready, ready(two), 1);
    at(61, GuildCreate, { id: two }, 1);
    at(70, Ready, ready(), 0);
    expect(missing).toEqual([
      [1, two],
      [50, undefined],
    ]);
  });

  test.each([null, 'x', {}, { guilds: 5 }, { guilds: [{}] }, { id: 7 }])('is nothing of %j', (d) => {
    const { at, missing } = watch(-60);
    for (const t of [Ready, GuildCreate, GuildDelete, 'BRAND_NEW']) at(1, t, d, 1);
    expect(missing).toEqual([]);
  });
});
