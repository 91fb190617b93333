import type { WallMs } from './zone.ts';

/** A date with a time, as written. */
export interface LocalTime {
  readonly wallMs: WallMs;
  /** Its offset from UTC, when it names one. */
  readonly offsetMs?: number;
}

const pattern = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d))?(?:(Z)|([+-])(\d\d):(\d\d))?$/;

/** Reads `2026-12-24T18:00`, with seconds, `Z` or an offset if need be. Undefined = it is no such time. */
export function readLocalTime(text: string): LocalTime | undefined {
  const match = pattern.exec(text.trim());
  if (!match) return undefined;
  const [, date, time, seconds = '00', utc, sign, hours = '0', minutes = '0'] = match;
  const written = `${date}T${time}:${seconds}.000Z`;
  const wallMs = Date.parse(written);
  // Date.parse takes 30 February for 2 March, and 24:00 for the next day.
  if (Number.isNaN(wallMs) || new Date(wallMs).toISOString() !== written) return undefined;
  if (utc === undefined && sign === undefined) return { wallMs };
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return { wallMs, offsetMs: sign === '-' ? -offset : offset };
}
