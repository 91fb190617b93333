import { whatHappened } from '../commands/journal-words.ts';
import type { RunEvent } from '../engine/run/event.ts';
import { utcSecond } from '../engine/utc.ts';
import { shorten } from '../render/markdown/index.ts';

/** Most characters of a line; `--json` has everything. */
const LINE_MAX_CHARS = 200;

/** A run's journal for people: one line an event, with its time in UTC. */
export function journalText(events: readonly RunEvent[]): string {
  return events.map(line).join('\n');
}

function line(event: RunEvent): string {
  return `${utcSecond(event.atMs)}  ${shorten(whatHappened(event).replace(/\s+/g, ' '), LINE_MAX_CHARS)}`;
}
