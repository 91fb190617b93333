import type { Literal, PhrasingContent } from 'mdast';
import { utcMinute } from '../../engine/utc.ts';

declare module 'mdast' {
  interface PhrasingContentMap {
    time: Time;
  }
  interface RootContentMap {
    time: Time;
  }
}

/** An instant, for platforms that show it in the reader's own time zone. */
export interface Time extends Literal {
  type: 'time';
  /** Seconds since the epoch. */
  atS: number;
  /** How it reads where nobody knows the reader's time zone: `2026-11-30 10:00 UTC`. */
  value: string;
}

/** These two are no characters, and no Markdown can make them: neither as they are, once `unmarked`, nor by a reference. */
const [OPEN, CLOSE] = ['\uFDD0', '\uFDD1'];
/** The letters at the edges belong to it: next to bold text and the like they may be written as references. */
const WRITTEN = new RegExp(`t${OPEN}(\\d{1,12})${CLOSE}t`);
const IN_SOURCE = new RegExp(`(?:t|&#x74;)${OPEN}\\d{1,12}${CLOSE}(?:t|&#x74;)`, 'g');
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/;

/** A text in which nothing can be read as a time. */
export function unmarked(text: string): string {
  return text.replace(/[\uFDD0\uFDD1]/g, '\uFFFD');
}

/** An instant in ISO 8601 with `Z`; undefined when it is none, or before 1970. */
export function timeOf(iso: string): Time | undefined {
  const atMs = ISO.test(iso) ? Date.parse(iso) : Number.NaN;
  return atMs >= 0 ? timeAt(Math.floor(atMs / 1_000)) : undefined;
}

/** A time as it is written into Markdown, for `readTimes`. */
export function writtenTime({ atS }: Time): string {
  return `t${OPEN}${atS}${CLOSE}t`;
}

/** The texts and times that a text node holds. */
export function readTimes(text: string): PhrasingContent[] {
  return text
    .split(WRITTEN)
    .map(
      (part, index): PhrasingContent =>
        index % 2 === 0 ? { type: 'text', value: part } : timeAt(Number(part)),
    );
}

/** The offsets inside of the times of a Markdown text: there it must not be cut. */
export function insideTimes(markdown: string): ReadonlySet<number> {
  const inside = new Set<number>();
  for (const { index, 0: written } of markdown.matchAll(IN_SOURCE)) {
    for (let at = index + 1; at < index + written.length; at += 1) inside.add(at);
  }
  return inside;
}

function timeAt(atS: number): Time {
  return { type: 'time', atS, value: utcMinute(atS * 1_000) };
}
