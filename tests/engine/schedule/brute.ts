/** What clocks show at an instant, made in another way than the engine's. */
function wallIn(zone: string): (instantMs: number) => number {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return (instantMs) => Date.parse(`${format.format(instantMs).replace(' ', 'T')}Z`);
}

const minuteMs = 60_000;

/** Whole-minute instants at which clocks show one of these minutes of the day; days are picked by the date in UTC. */
export function bruteElapsing(
  zone: string,
  fromMs: number,
  toMs: number,
  fits: (wall: Date) => boolean,
): readonly number[] {
  const wallAt = wallIn(zone);
  const found: number[] = [];
  for (let at = Math.floor(fromMs / minuteMs) * minuteMs + minuteMs; at <= toMs; at += minuteMs) {
    if (fits(new Date(wallAt(at)))) found.push(at);
  }
  return found;
}

/** For each local time that fits, the first minute at which clocks show it, or the first behind a jump over it. */
export function bruteClock(
  zone: string,
  fromMs: number,
  toMs: number,
  fits: (wall: Date) => boolean,
): readonly number[] {
  const wallAt = wallIn(zone);
  const found = new Set<number>();
  let shownMax = Number.NEGATIVE_INFINITY;
  // Two days earlier, so that what was shown before is known.
  for (let at = Math.floor(fromMs / minuteMs) * minuteMs - 2_880 * minuteMs; at <= toMs; at += minuteMs) {
    const wall = wallAt(at);
    if (shownMax === Number.NEGATIVE_INFINITY) shownMax = wall - minuteMs;
    for (let nominal = shownMax + minuteMs; nominal <= wall; nominal += minuteMs) {
      if (fits(new Date(nominal)) && at > fromMs) found.add(at);
    }
    shownMax = Math.max(shownMax, wall);
  }
  return [...found];
}

/** The instants near which a zone's clocks change in a year, to the hour. */
export function changesIn(zone: string, year: number): readonly number[] {
  const wallAt = wallIn(zone);
  const changes: number[] = [];
  let offset = wallAt(Date.UTC(year, 0, 1)) - Date.UTC(year, 0, 1);
  for (let at = Date.UTC(year, 0, 1); at < Date.UTC(year + 1, 0, 1); at += 21_600_000) {
    const now = wallAt(at) - at;
    if (now !== offset) changes.push(at);
    offset = now;
  }
  return changes;
}
