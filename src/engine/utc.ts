/**
 * An instant for people whose time zone nobody knows: `2026-11-30 09:30 UTC`.
 * @throws RangeError when it is none
 */
export function utcMinute(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** The same for lists that say once that their times are in UTC: `2026-11-30 09:30:00`. */
export function utcSecond(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19).replace('T', ' ');
}
