/** Milliseconds of a day without a change of the clock. */
export const DAY_MS = 86_400_000;

/** A local date and time as if it were one in UTC, in milliseconds: `2026-03-29 02:30` anywhere is 02:30Z. */
export type WallMs = number;

/** What the clocks of a zone show. */
export interface Zone {
  /** As it was given: `Europe/Berlin`. */
  readonly name: string;
  /** What clocks show at an instant (epoch ms). */
  wallAt(instantMs: number): WallMs;
  /** The offsets that hold before and after the only change of the clock near a day, and when the second begins. */
  around(wallDayMs: WallMs): Offsets;
}

/** Offsets from UTC in milliseconds; without a change near they are the same and `changeMs` is 0. */
export interface Offsets {
  readonly before: number;
  readonly after: number;
  /** The first instant (epoch ms) of `after`. */
  readonly changeMs: number;
}

const zones = new Map<string, Zone>();

/** The zone with an IANA name, in any case. Undefined = there is none. */
export function zoneNamed(name: string): Zone | undefined {
  const known = zones.get(name);
  if (known) return known;
  // Offsets such as +01:00 are accepted by Intl, but are no zones.
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    const zone = makeZone(name);
    zones.set(name, zone);
    return zone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function makeZone(name: string): Zone {
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });

  function offsetAt(instantMs: number): number {
    const [month = 1, day = 1, year = 0, hour = 0, minute = 0, second = 0] = (
      clock.format(instantMs).match(/\d+/g) ?? []
    ).map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, second) - wholeSeconds(instantMs);
  }

  return {
    name,
    wallAt: (instantMs) => instantMs + offsetAt(instantMs),
    around(wallDayMs) {
      // No zone is further than 14 hours from UTC, so that all instants of the day lie in between.
      let beforeMs = wallDayMs - DAY_MS;
      let afterMs = wallDayMs + 2 * DAY_MS;
      const before = offsetAt(beforeMs);
      const after = offsetAt(afterMs);
      if (before === after) return { before, after, changeMs: 0 };
      while (afterMs - beforeMs > 1_000) {
        const middleMs = wholeSeconds((beforeMs + afterMs) / 2);
        if (offsetAt(middleMs) === before) beforeMs = middleMs;
        else afterMs = middleMs;
      }
      return { before, after, changeMs: afterMs };
    },
  };
}

/** The one instant for a local time: a doubled one is the first, a skipped one the minute at which clocks go on. */
export function instantOf(zone: Zone, wallMs: WallMs): number {
  return clockInstant(zone.around(wallMs - modulo(wallMs, DAY_MS)), wallMs);
}

/** The same, where the offsets are known. */
export function clockInstant({ before, after, changeMs }: Offsets, wallMs: WallMs): number {
  if (before === after || wallMs - before < changeMs) return wallMs - before;
  return Math.max(wallMs - after, Math.ceil(changeMs / 60_000) * 60_000);
}

function wholeSeconds(ms: number): number {
  return Math.floor(ms / 1_000) * 1_000;
}

/** The remainder that is never negative. */
export function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}
