import { z } from 'zod';
import { withFix } from './issue.ts';

const unitMs = { w: 604_800_000, d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;
const compound = /^(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?$/;
const clock = /^(\d{1,4}):([0-5]\d):([0-5]\d)$/;

/** Longest length of time a flow may name: 3,650 days. */
const maxDurationMs = 3650 * unitMs.d;

const example = 'Write a number with its unit, such as 30s, 10m, 12h, 2d, 1w or 1h30m.';

/**
 * Reads a length of time: `500ms`, `30s`, `10m`, `12h`, `2d`, `1w`, largest unit first when joined (`1h30m`),
 * or `12:00:00` (hours, minutes, seconds). Gives milliseconds; undefined when it is none of these, is nothing
 * at all (`0s`), or is longer than `maxDurationMs`.
 */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed.length > 40) return undefined;
  const ms = clockMs(trimmed) ?? compoundMs(trimmed);
  return ms !== undefined && ms > 0 && ms <= maxDurationMs ? ms : undefined;
}

function clockMs(text: string): number | undefined {
  const match = clock.exec(text);
  if (!match) return undefined;
  const [, hours, minutes, seconds] = match.map(Number);
  return (hours ?? 0) * unitMs.h + (minutes ?? 0) * unitMs.m + (seconds ?? 0) * unitMs.s;
}

function compoundMs(text: string): number | undefined {
  const match = compound.exec(text);
  if (!match || text === '') return undefined;
  return Object.values(unitMs).reduce((sum, unit, index) => sum + Number(match[index + 1] ?? 0) * unit, 0);
}

/** A length of time in a flow file: text as `parseDuration` reads it, to milliseconds. */
export const durationSchema = z
  .string({
    error: (issue) =>
      typeof issue.input === 'number'
        ? withFix(
            `${issue.input} has no unit.`,
            `Write ${issue.input}s for seconds, or ${issue.input}m for minutes.`,
          )
        : undefined,
  })
  .transform((text, context) => {
    const ms = parseDuration(text);
    if (ms !== undefined) return ms;
    const message = `${JSON.stringify(text.slice(0, 60))} is not a length of time.`;
    context.addIssue({ code: 'custom', message: withFix(message, durationFix(text)) });
    return z.NEVER;
  });

function durationFix(text: string): string {
  const bare = /^\s*(\d{1,9})\s*$/.exec(text)?.[1];
  if (bare !== undefined && Number(bare) > 0) return `Write ${bare}s for seconds, or ${bare}m for minutes.`;
  return `${example} The longest is 3650d.`;
}

const words = [
  ['day', unitMs.d],
  ['hour', unitMs.h],
  ['minute', unitMs.m],
  ['second', unitMs.s],
] as const;

/** A length of time for people, in its two largest units: `12 hours`, `1 hour 30 minutes`, `500 milliseconds`. */
export function formatDuration(ms: number): string {
  if (ms < unitMs.s) return count(Math.round(ms), 'millisecond');
  const first = words.findIndex(([, unit]) => ms >= unit);
  const shown = words.slice(first, first + 2);
  const smallest = shown.at(-1)?.[1] ?? unitMs.s;
  let rest = Math.floor(ms / smallest) * smallest;
  const pieces: string[] = [];
  for (const [word, unit] of shown) {
    const amount = Math.floor(rest / unit);
    rest -= amount * unit;
    if (amount > 0) pieces.push(count(amount, word));
  }
  return pieces.join(' ');
}

function count(amount: number, word: string): string {
  return `${amount} ${word}${amount === 1 ? '' : 's'}`;
}
